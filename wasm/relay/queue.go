package relay

import (
	"context"
	"sync"
	"sync/atomic"
)

// mailbox hands functions to the one goroutine that runs them.
type mailbox struct {
	signal chan struct{} // holds 1

	mu      sync.Mutex
	letters []func()
	closed  bool
}

func newMailbox() *mailbox { return &mailbox{signal: make(chan struct{}, 1)} }

// post never blocks; it gives false when nobody will read it.
func (m *mailbox) post(f func()) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.letters = append(m.letters, f)
	select {
	case m.signal <- struct{}{}:
	default:
	}
	return true
}

func (m *mailbox) take() []func() {
	m.mu.Lock()
	defer m.mu.Unlock()
	letters := m.letters
	m.letters = nil
	return letters
}

// close ends the mailbox and gives what was left in it.
func (m *mailbox) close() []func() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	letters := m.letters
	m.letters = nil
	return letters
}

// closeIfEmpty ends the mailbox unless something is in it.
func (m *mailbox) closeIfEmpty() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.letters) > 0 {
		return false
	}
	m.closed = true
	return true
}

// queue is what Next reads: everything of all relays, in order of arrival.
type queue struct {
	signal chan struct{} // holds 1

	mu     sync.Mutex
	items  []queued
	closed bool
}

// queued is one thing and whose backlog it counts to.
type queued struct {
	in      Incoming
	backlog *atomic.Int64
}

func newQueue() *queue { return &queue{signal: make(chan struct{}, 1)} }

// size is what a thing counts in a backlog, in bytes.
func (q queued) size() int64 { return int64(len(q.in.Raw) + len(q.in.Reason) + Overhead) }

func (q *queue) push(in Incoming, backlog *atomic.Int64) {
	item := queued{in, backlog}
	backlog.Add(item.size())
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.items = append(q.items, item)
		q.wake()
	}
}

func (q *queue) wake() {
	select {
	case q.signal <- struct{}{}:
	default:
	}
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.items = nil
	q.wake()
}

// next waits for something and gives up to MaxBatch of it.
func (q *queue) next(ctx context.Context) ([]Incoming, error) {
	for {
		q.mu.Lock()
		if q.closed {
			q.wake() // for the next caller
			q.mu.Unlock()
			return nil, ErrClosed
		}
		if n := min(len(q.items), MaxBatch); n > 0 {
			batch := make([]Incoming, n)
			for i, item := range q.items[:n] {
				batch[i] = item.in
				item.backlog.Add(-item.size())
			}
			clear(q.items[:n]) // let go of what was given away
			q.items = q.items[n:]
			q.mu.Unlock()
			return batch, nil
		}
		q.items = nil
		q.mu.Unlock()
		select {
		case <-q.signal:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
