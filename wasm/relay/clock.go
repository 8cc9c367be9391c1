package relay

import "time"

// realClock is the machine's.
type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) AfterFunc(d time.Duration, f func()) func() {
	timer := time.AfterFunc(d, f)
	return func() { timer.Stop() }
}

// backoff gives the wait before a try: it doubles with each, up to last.
func backoff(tries int, first, last time.Duration) time.Duration {
	wait := first
	for ; tries > 1 && wait < last; tries-- {
		wait *= 2
	}
	return min(wait, last)
}
