package relay

import (
	"sync"

	"parley/server/relay/store"
)

// turns hands out the looks into the store, so that one address never has all
// of them. A turn is short: it ends with a page, and never waits for a client.
type turns struct {
	mu    sync.Mutex
	free  *sync.Cond
	crowd crowd
}

func newTurns() *turns {
	t := &turns{crowd: newCrowd()}
	t.free = sync.NewCond(&t.mu)
	return t
}

// take waits for a turn.
func (t *turns) take(ip string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for !t.crowd.enter(ip, ReadsPerIP, store.Readers, false) {
		t.free.Wait()
	}
}

func (t *turns) give(ip string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.crowd.leave(ip)
	t.free.Broadcast()
}
