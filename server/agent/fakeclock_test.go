package agent

import (
	"sync"
	"testing"
	"time"
)

// fakeClock stands still until it is told to go on.
type fakeClock struct {
	mu     sync.Mutex
	now    time.Time
	alarms map[*alarm]bool
	change chan struct{} // closed and replaced when an alarm is set
}

type alarm struct {
	at time.Time
	f  func()
}

func newFakeClock() *fakeClock {
	return &fakeClock{now: time.Now().Truncate(time.Second), alarms: map[*alarm]bool{}, change: make(chan struct{})}
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) AfterFunc(d time.Duration, f func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &alarm{c.now.Add(d), f}
	c.alarms[a] = true
	close(c.change)
	c.change = make(chan struct{})
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.alarms, a)
	}
}

// advance lets time pass, and what is due happen, in order.
func (c *fakeClock) advance(d time.Duration) {
	c.mu.Lock()
	end := c.now.Add(d)
	for {
		var next *alarm
		for a := range c.alarms {
			if !a.at.After(end) && (next == nil || a.at.Before(next.at)) {
				next = a
			}
		}
		if next == nil {
			break
		}
		delete(c.alarms, next)
		if next.at.After(c.now) {
			c.now = next.at
		}
		c.mu.Unlock()
		next.f()
		c.mu.Lock()
	}
	c.now = end
	c.mu.Unlock()
}

// waitFor waits until an alarm is set that far from now.
func (c *fakeClock) waitFor(t *testing.T, d time.Duration) {
	t.Helper()
	deadline := time.After(patience)
	for {
		c.mu.Lock()
		change := c.change
		for a := range c.alarms {
			if a.at.Equal(c.now.Add(d)) {
				c.mu.Unlock()
				return
			}
		}
		c.mu.Unlock()
		select {
		case <-change:
		case <-deadline:
			t.Fatalf("nothing waits for %v from now", d)
		}
	}
}
