package core

import (
	"context"
	"sync"
)

// Calls of a tab begin in the order in which they were made: what was typed
// last is the draft that stays, and two messages keep their order. Each call
// holds its tab's turn until it ends, or until it has to wait for a person or
// for the network; then the next one begins.

type turnKey struct{}

// takeTurn queues a call of a tab. begin waits for the ones before, and gives
// the context that the call is to run in; end is called after it.
func (c *Core) takeTurn(tab string) (begin func(context.Context) context.Context, end func()) {
	c.mu.Lock()
	before, mine := c.turns[tab], make(chan struct{})
	c.turns[tab] = mine
	c.mu.Unlock()
	pass := sync.OnceFunc(func() {
		close(mine)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.turns[tab] == mine {
			delete(c.turns, tab)
		}
	})
	begin = func(ctx context.Context) context.Context {
		if before != nil {
			select {
			case <-before:
			case <-ctx.Done():
			}
		}
		return context.WithValue(ctx, turnKey{}, pass)
	}
	return begin, pass
}

// passTurn lets the next call of the tab begin, before a wait for a person or
// the network. mu is not held.
func passTurn(ctx context.Context) {
	if pass, ok := ctx.Value(turnKey{}).(func()); ok {
		pass()
	}
}
