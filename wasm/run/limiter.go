package run

// Limiter counts prompts per sender: at most Max within Window seconds, 0 for no
// limit. The zero value has no limit.
type Limiter struct {
	Max    int
	Window int64
	times  map[string][]int64
}

// Take counts a prompt of sender at now (Unix seconds). When there were too many
// it is not counted, and the answer is how many seconds to wait; else 0.
func (l *Limiter) Take(sender string, now int64) int64 {
	if l.Max <= 0 || l.Window <= 0 {
		return 0
	}
	if l.times == nil {
		l.times = map[string][]int64{}
	}
	times := l.times[sender]
	for len(times) > 0 && (times[0] <= now-l.Window || times[0] > now) {
		times = times[1:] // over, or of a clock that was ahead
	}
	if len(times) >= l.Max {
		l.times[sender] = times
		return max(1, times[0]+l.Window-now)
	}
	l.times[sender] = append(times, now)
	return 0
}

// Forget drops senders that have been quiet for a window.
func (l *Limiter) Forget(now int64) {
	for sender, times := range l.times {
		if len(times) == 0 || times[len(times)-1] <= now-l.Window || times[0] > now {
			delete(l.times, sender)
		}
	}
}
