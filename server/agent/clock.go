package agent

import (
	"context"
	"time"
)

// systemClock is the machine's.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) AfterFunc(d time.Duration, f func()) func() {
	timer := time.AfterFunc(d, f)
	return func() { timer.Stop() }
}

// now is the time in unix seconds, millis in unix milliseconds.
func (a *Agent) now() int64 { return a.clock.Now().Unix() }

func (a *Agent) millis() int64 { return a.clock.Now().UnixMilli() }

// sleep waits by the agent's clock. It is false when ctx ended first.
func (a *Agent) sleep(ctx context.Context, d time.Duration) bool {
	done := make(chan struct{})
	stop := a.clock.AfterFunc(d, func() { close(done) })
	defer stop()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}
