package core

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/relay"
	"parley/wasm/store"
)

// deliver starts a sender for each relay that something is due at.
func (c *Core) deliver(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.kick:
		case <-timer.C:
		}
		timer.Reset(c.startSenders(ctx))
	}
}

// startSenders gives the time until something is due next. A relay that is
// away is only connected to: what waits for it stays in order until it is back.
func (c *Core) startSenders(ctx context.Context) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, next := c.now(), int64(store.LastRetry)
	for url, queue := range c.queues() {
		due, wait := firstDue(queue, url, now)
		switch {
		case due == nil:
			next = min(next, wait)
		case c.relays.states[url].Phase != relay.Online:
			if err := c.pool.Connect(url); err != nil {
				next = min(next, store.FirstRetry)
			}
		case !c.sending[url]:
			c.sending[url] = c.spawn(func() { c.sendTo(ctx, url) })
		}
	}
	return time.Duration(max(next, 1)) * time.Second
}

// queues is what is signed and not through, by relay, oldest act first.
// mu is held.
func (c *Core) queues() map[string][]*store.Entry {
	queues := map[string][]*store.Entry{}
	for _, e := range c.outbox {
		for _, t := range e.Targets {
			if e.Event != nil && t.State == store.Waiting {
				queues[t.Relay] = append(queues[t.Relay], e)
			}
		}
	}
	for _, queue := range queues {
		slices.SortFunc(queue, byOrder)
	}
	return queues
}

// firstDue is what to send to a relay now, or in how many seconds to look
// again. Acts leave in the order in which they were made: a room is made
// before it is named.
func firstDue(queue []*store.Entry, url string, now int64) (e *store.Entry, wait int64) {
	wait = store.LastRetry
	for _, e := range queue {
		t := targetOf(e, url)
		if store.Due(*t, now) {
			return e, 0
		}
		wait = min(wait, t.NextTry-now)
		if store.Holds(*t, now) {
			return nil, t.NextTry - now
		}
	}
	return nil, wait
}

// targetOf is an entry's target at one of its relays.
func targetOf(e *store.Entry, url string) *store.Target {
	for i := range e.Targets {
		if e.Targets[i].Relay == url {
			return &e.Targets[i]
		}
	}
	return &store.Target{Relay: url, State: store.Refused}
}

// sendTo sends what is due at one relay, in the order it was made, until
// nothing is left or the relay is away.
func (c *Core) sendTo(ctx context.Context, url string) {
	defer func() {
		c.mu.Lock()
		delete(c.sending, url)
		c.mu.Unlock()
		poke(c.kick)
	}()
	for ctx.Err() == nil {
		entry, event := c.nextDue(url)
		if entry == "" {
			return
		}
		if !c.stillWanted(ctx, entry) {
			continue
		}
		answer, err := c.pool.Publish(ctx, url, event)
		if ctx.Err() != nil {
			return
		}
		now := c.now()
		c.settle(ctx, entry, url, func(t store.Target) store.Target {
			switch {
			case err == nil:
				return store.Apply(t, event.Kind, answer.OK, answer.Message, now)
			case errors.Is(err, relay.ErrOffline):
				return store.Away(t, "The relay is away.", now)
			case errors.Is(err, relay.ErrNoAnswer):
				return store.Silent(t, "The relay has not answered yet.", now)
			}
			return store.Lost(t, "The connection ended before the relay answered.", now)
		})
		if err != nil {
			return
		}
	}
}

// nextDue picks what is to be sent to a relay next and marks it as on the
// wire. There is one sender for each relay.
func (c *Core) nextDue(url string) (string, *nostr.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, _ := firstDue(c.queues()[url], url, c.now())
	if e == nil || c.relays.states[url].Phase != relay.Online {
		return "", nil
	}
	t := targetOf(e, url)
	*t = store.OnWire(*t)
	c.dirtyEvent(c.carried(e.ID))
	c.touch()
	return e.ID, e.Event
}

// relayIsBack makes everything due that waits for a relay. mu is held.
func (c *Core) relayIsBack(url string) {
	for _, e := range c.outbox {
		for i := range e.Targets {
			t := &e.Targets[i]
			if t.Relay != url || t.State != store.Waiting {
				continue
			}
			switch t.Code {
			case store.CodeLost, store.CodeAway, store.CodeSilent, store.CodeAuthRequired:
				t.NextTry = 0
			}
		}
	}
}

func byOrder(a, b *store.Entry) int {
	return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID))
}
