package core

import (
	"context"
	"encoding/hex"
	"slices"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/relay"
	"parley/wasm/run"
	"parley/wasm/store"
	"parley/wasm/verify"
)

// MaxKnown is how many ids of verified events are remembered, so that what
// comes twice is not verified and stored twice.
const MaxKnown = 100_000

// SliceTime is how long the core works before it lets the event loop run.
const SliceTime = 12 * time.Millisecond

// receive takes what the relays say, verifies it and hands it on, in order.
func (c *Core) receive(ctx context.Context) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		batch, err := c.pool.Next(ctx)
		if err != nil {
			return
		}
		pause.Reset(gatherFor)
		var fresh []arrival
		flush := func() {
			if len(fresh) > 0 {
				c.take(ctx, fresh)
				fresh = nil
			}
		}
		for _, in := range batch {
			if in.Kind == relay.GotEvent {
				if a := (arrival{in.Event, in.Relay, in.Sub}); !c.holdEarly(a) {
					fresh = append(fresh, a)
				}
				continue
			}
			flush() // what came before an EOSE is folded before the EOSE counts
			c.signal(in)
		}
		flush()
		if !streams(batch) {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
	}
}

// gatherFor is how long pieces of answers are gathered before they are checked
// and kept: several cost little more than one, and the page hears of them with
// its next update anyway.
const gatherFor = UpdateEvery / 2

// streams tells whether a batch is only pieces of answers.
func streams(batch []relay.Incoming) bool {
	for _, in := range batch {
		if in.Kind != relay.GotEvent || in.Event.Kind != run.KindDelta {
			return false
		}
	}
	return true
}

// arrival is an event as it came, not verified yet.
type arrival struct {
	event *nostr.Event
	relay string
	sub   string
}

// take verifies, stores and folds what came. What does not verify is counted
// and forgotten.
func (c *Core) take(ctx context.Context, batch []arrival) { c.takeKept(ctx, batch, func() {}) }

// takeKept is take with something to do between the two: once what came is kept,
// and before it is seen.
func (c *Core) takeKept(ctx context.Context, batch []arrival, kept func()) {
	good := c.verified(ctx, batch)
	if len(good) == 0 {
		kept()
		return
	}
	now := c.now()
	records := make([]store.Record, 0, len(good))
	for _, a := range good {
		if keeps(a.event.Kind) {
			records = append(records, store.Record{Event: a.event, Seen: now, Relays: []string{a.relay}})
		}
	}
	// Runs are whole in memory, so an answer that is being written need not wait
	// for the disk; rooms read on from the store, and have to find there what
	// they were told of.
	sessions := c.foldAll(good, now, true)
	if err := c.Store.Put(ctx, records); err != nil && ctx.Err() == nil {
		c.notice("storage", "What arrives cannot be kept: "+err.Error())
		c.mu.Lock()
		c.leaks = true
		c.mu.Unlock()
	}
	kept()
	if c.foldAll(good, now, false) != sessions {
		c.foldAll(good, now, true) // another account took over, and has read the store before
	}
}

// foldAll folds those of a batch that belong to AI sessions, or those that do
// not, in order. It gives the sessions of the moment.
func (c *Core) foldAll(batch []arrival, now int64, runs bool) *run.Sessions {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range batch {
		if isRunKind(a.event.Kind) == runs {
			c.known.add(a.relay, a.event)
			c.fold(a.event, now, a.relay)
			c.heardLive(a)
			c.touch()
		}
	}
	return c.sessions.list
}

// verified gives those of a batch that are new from their relay and whose id
// and signature hold, in order.
func (c *Core) verified(ctx context.Context, batch []arrival) []arrival {
	var check []*nostr.Event
	todo := batch[:0]
	c.mu.Lock()
	for _, a := range batch {
		switch c.known.has(a.relay, a.event) {
		case knownHere:
		case knownElsewhere: // verified before: only the relay is news
			todo = append(todo, a)
		default:
			todo = append(todo, a)
			check = append(check, a.event)
		}
	}
	c.mu.Unlock()

	bad := map[*nostr.Event]bool{}
	began := c.Now()
	for from, errs := range verify.Slices(check, c.Rand) {
		for i, err := range errs {
			if err != nil {
				bad[check[from+i]] = true
			}
		}
		if c.Now().Sub(began) > SliceTime {
			breathe(ctx)
			began = c.Now()
		}
	}
	good := todo[:0]
	for _, a := range todo {
		if bad[a.event] {
			c.countBad(a.relay)
			continue
		}
		good = append(good, a)
	}
	return good
}

// breathe lets the event loop run: in WebAssembly only a sleep does.
func breathe(ctx context.Context) {
	timer := time.NewTimer(time.Millisecond)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// countBad counts an event that did not verify.
func (c *Core) countBad(relayURL string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bad[relayURL]++
}

// keeps tells whether events of this kind go to the store: not what is of the
// moment, except for what belongs to AI sessions.
func keeps(kind int) bool {
	if kind >= 25800 && kind <= 25806 || kind == 21059 {
		return true
	}
	return kind < 20000 || kind >= 30000
}

// signal takes what is no event.
func (c *Core) signal(in relay.Incoming) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.touch()
	switch in.Kind {
	case relay.GotState:
		before := c.relays.states[in.Relay].Phase
		c.relays.states[in.Relay] = in.State
		if in.State.Phase != relay.Online {
			c.connectionEnded(in.Relay)
		}
		if in.State.Phase == relay.Online && before != relay.Online {
			poke(c.kick) // the outbox need not wait out its back-off
			c.relayIsBack(in.Relay)
			c.wantThreads(in.Relay)
			c.replan(in.Relay)
		}
	case relay.GotEOSE:
		delete(c.relays.mute, in.Relay)
		c.heardAll(in)
	case relay.EOSETimeout:
		c.relays.mute[in.Relay] = true
		if !in.Retry {
			c.heardAll(in)
		}
	case relay.GotClosed:
		delete(c.relays.mute, in.Relay)
		c.subscriptionClosed(in)
	}
}

// fold hands a verified event to every state that it may concern. mu is held.
func (c *Core) fold(e *nostr.Event, seen int64, relayURL string) {
	switch {
	case e.Kind == nostr.KindProfileMetadata:
		c.foldProfile(e, seen)
	case e.Kind == nostr.KindFollowList:
		c.foldContacts(e)
	case isRunKind(e.Kind):
		c.foldRun(e, seen, relayURL)
	default:
		c.foldRoom(e, seen, relayURL)
	}
}

// known states of an event id.
const (
	unknown = iota
	knownHere
	knownElsewhere
)

// seenIDs remembers which verified events came from which relay: the newest
// MaxKnown, in two halves of which the older is dropped at a time.
type seenIDs struct {
	limit    int
	new, old map[string]seenID
}

// seenID is one event: its signature, since only the same event in full is
// known, and the relays it came from.
type seenID struct {
	sig    string
	relays []string
}

func newSeenIDs(limit int) *seenIDs {
	return &seenIDs{limit: limit, new: map[string]seenID{}, old: map[string]seenID{}}
}

// has compares the signature too: an event that only claims a known id is
// unknown, and fails its own verification.
func (s *seenIDs) has(relayURL string, e *nostr.Event) int {
	have, ok := s.new[e.ID]
	if !ok {
		have, ok = s.old[e.ID]
	}
	if !ok || have.sig != e.Sig || verify.ID(e) != idBytes(e.ID) {
		return unknown
	}
	for _, r := range have.relays {
		if r == relayURL {
			return knownHere
		}
	}
	return knownElsewhere
}

func (s *seenIDs) add(relayURL string, e *nostr.Event) {
	have, ok := s.new[e.ID]
	if !ok {
		have = s.old[e.ID]
	}
	if slices.Contains(have.relays, relayURL) {
		s.new[e.ID] = have
		return
	}
	s.new[e.ID] = seenID{sig: e.Sig, relays: append(have.relays[:len(have.relays):len(have.relays)], relayURL)}
	if len(s.new) > s.limit/2 {
		s.old, s.new = s.new, map[string]seenID{}
	}
}

// idBytes is an event id's 32 bytes; zeros for what is no id.
func idBytes(id string) (b [32]byte) {
	if len(id) == hex.EncodedLen(len(b)) {
		_, _ = hex.Decode(b[:], []byte(id)) // a part of it then, which equals no hash
	}
	return b
}
