//go:build !js

package core

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/relay"
)

const fakeURL = "wss://fake.example"

// fakeRelay is a relay in memory that answers as a test wants it to.
type fakeRelay struct {
	mu      sync.Mutex
	changed *sync.Cond
	kept    []*nostr.Event
	got     []*nostr.Event                                 // every EVENT, in order
	reqs    [][]nostr.Filter                               // every REQ, in order
	most    int                                            // the most subscriptions that were open at once
	limit   int                                            // the most events for one filter; 0: no limit
	down    bool                                           // refuses connections
	answer  func(*nostr.Event) (words string, silent bool) // to an EVENT; "" is OK
	refuse  func([]nostr.Filter) string                    // why a REQ is closed; "" answers it
	conns   map[*fakeConn]map[string][]nostr.Filter        // with what is subscribed
}

func newFakeRelay() *fakeRelay {
	r := &fakeRelay{conns: map[*fakeConn]map[string][]nostr.Filter{}}
	r.changed = sync.NewCond(&r.mu)
	return r
}

// fakeConn is one connection to it.
type fakeConn struct {
	relay  *fakeRelay
	frames chan relay.Frame
	ended  chan struct{}
	end    func()
}

// dial takes only the fake's own URL.
func (r *fakeRelay) dial(_ context.Context, url string) (relay.Conn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.down || url != fakeURL {
		return nil, errors.New("nobody is there")
	}
	c := &fakeConn{relay: r, frames: make(chan relay.Frame, 1<<14), ended: make(chan struct{})}
	c.end = sync.OnceFunc(func() { close(c.ended) })
	r.conns[c] = map[string][]nostr.Filter{}
	return c, nil
}

// setDown cuts every connection and refuses new ones, or takes them again.
func (r *fakeRelay) setDown(down bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.down = down; down {
		for c := range r.conns {
			c.end()
			delete(r.conns, c)
		}
	}
}

// put has the relay hold events, and gives them to who listens.
func (r *fakeRelay) put(events ...*nostr.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range events {
		r.keep(e)
	}
}

func (r *fakeRelay) keep(e *nostr.Event) {
	if slices.ContainsFunc(r.kept, func(k *nostr.Event) bool { return k.ID == e.ID }) {
		return
	}
	r.kept = append(r.kept, e)
	for c, subs := range r.conns {
		for id, filters := range subs {
			if slices.ContainsFunc(filters, func(f nostr.Filter) bool { return f.Matches(e) }) {
				c.say("EVENT", id, e)
			}
		}
	}
}

// wait waits until something holds of the relay; mu is held in holds.
func (r *fakeRelay) wait(t *testing.T, what string, holds func() bool) {
	t.Helper()
	within(t, r.changed, what, holds)
}

var errCut = errors.New("the connection was cut")

func (c *fakeConn) say(parts ...any) {
	text, err := json.Marshal(parts)
	if err != nil {
		panic(err)
	}
	select {
	case c.frames <- relay.Frame{Text: string(text)}:
	case <-c.ended: // nobody reads any more
	}
}

func (c *fakeConn) Read(ctx context.Context) (relay.Frame, error) {
	select {
	case f := <-c.frames:
		return f, nil
	case <-c.ended:
		return relay.Frame{}, errCut
	case <-ctx.Done():
		return relay.Frame{}, ctx.Err()
	}
}

func (c *fakeConn) Close() { c.end() }

func (c *fakeConn) Send(frame string) error {
	var parts []json.RawMessage
	var label, id string
	if err := json.Unmarshal([]byte(frame), &parts); err != nil {
		return err
	}
	_ = json.Unmarshal(parts[0], &label)
	_ = json.Unmarshal(parts[1], &id)
	r := c.relay
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.changed.Broadcast()
	if r.conns[c] == nil {
		return errCut
	}
	switch label {
	case "EVENT":
		var e nostr.Event
		if err := json.Unmarshal(parts[1], &e); err != nil {
			return err
		}
		r.got = append(r.got, &e)
		words, silent := "", false
		if r.answer != nil {
			words, silent = r.answer(&e)
		}
		if silent {
			return nil
		}
		if words == "" {
			r.keep(&e)
		}
		if strings.HasPrefix(words, "auth-required:") {
			c.say("AUTH", "a challenge")
		}
		c.say("OK", e.ID, words == "", words)
	case "AUTH":
		var e nostr.Event
		if err := json.Unmarshal(parts[1], &e); err != nil {
			return err
		}
		c.say("OK", e.ID, false, "restricted: not you")
	case "REQ":
		c.req(id, parts[2:])
	case "CLOSE":
		delete(r.conns[c], id)
	}
	return nil
}

func (c *fakeConn) req(id string, raw []json.RawMessage) {
	r := c.relay
	filters := make([]nostr.Filter, len(raw))
	for i, text := range raw {
		_ = json.Unmarshal(text, &filters[i])
	}
	r.reqs = append(r.reqs, filters)
	if r.refuse != nil {
		if why := r.refuse(filters); why != "" {
			c.say("CLOSED", id, why)
			return
		}
	}
	kept := slices.Clone(r.kept)
	slices.SortStableFunc(kept, func(a, b *nostr.Event) int { return int(b.CreatedAt - a.CreatedAt) })
	for _, f := range filters {
		limit := r.limit
		if f.Limit > 0 && (limit == 0 || f.Limit < limit) {
			limit = f.Limit
		}
		n := 0
		for _, e := range kept {
			if f.Matches(e) && (limit == 0 || n < limit) {
				n++
				c.say("EVENT", id, e)
			}
		}
	}
	r.conns[c][id] = filters
	r.most = max(r.most, len(r.conns[c]))
	c.say("EOSE", id)
}

// online tells whether the page shows a connection. mu is held.
func (p *page) online() bool { return p.app.Connection == "online" }
