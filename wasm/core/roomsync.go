package core

import (
	"context"
	"slices"
	"strings"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/relay"
	"parley/wasm/room"
	"parley/wasm/store"
)

// burst is what a room's first subscription brings of its timeline before its
// EOSE, known or not: from where on the room is here.
type burst struct {
	events int
	oldest int64
}

// RestAfter is for how many seconds a relay that refused to answer is not
// asked again for the same room.
const RestAfter = 15

// openRoom reads a room from the store, then asks its relay; each once.
func (c *Core) openRoom(r *roomState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !r.read {
		r.read = true
		c.spawn(func() {
			c.readRoom(c.ctx, r)
			c.openRoom(r)
		})
		return
	}
	if r.cursor == nil && !r.bottom {
		return // still being read
	}
	if !c.relays.mayOpen(r.ref.Relay) {
		c.relays.askOpen(r.ref.Relay)
		r.problem = "This room is on " + r.ref.Relay + ", which is not among your relays."
		c.touch()
		return
	}
	if r.subscribed {
		return
	}
	r.subscribed, r.synced, r.problem, r.burst = true, false, "", burst{}
	if err := c.pool.Connect(r.ref.Relay); err != nil {
		r.problem = err.Error()
		return
	}
	me := c.identity.me
	err := c.pool.Subscribe(r.ref.Relay, subscription(roomSub+r.ref.ID, func(since int64) []nostr.Filter {
		return c.roomFilters(r, since, me)
	}))
	if err != nil {
		r.subscribed, r.problem = false, err.Error()
	}
	c.spawn(func() { c.learnRelayKey(c.ctx, r.ref.Relay) })
}

const roomSub = "room " // before a room's id: the name of its subscription

// roomFilters asks for what is new since the last time, or for the end of a
// room that was never here. It is called by the pool, at every connection.
func (c *Core) roomFilters(r *roomState, since int64, me string) []nostr.Filter {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.burst = burst{}
	if since == 0 && r.saved.SyncTo > 0 {
		since = r.saved.SyncTo - SyncOverlap
	}
	meta := room.MetaFilters(r.ref, r.relayKey, me)
	if since == 0 {
		return append(room.FirstFilters(r.ref, FirstPage), meta...)
	}
	return slices.Concat(room.LiveFilters(r.ref, since), room.LateFilters(r.ref), meta)
}

// readRoom folds the newest of what the store has of a room.
func (c *Core) readRoom(ctx context.Context, r *roomState) {
	where := &store.RoomRef{Relay: r.ref.Relay, ID: r.ref.ID}
	meta, err := c.Store.Query(ctx, store.Query{Room: where, Kinds: metaKinds})
	if err == nil {
		c.foldRecords(r.ref.Relay, meta)
		err = c.readOlder(ctx, r)
	}
	if err != nil && ctx.Err() == nil {
		c.notice("storage", "A room cannot be read from this browser: "+err.Error())
		c.mu.Lock()
		r.bottom = true
		c.mu.Unlock()
	}
	c.mu.Lock()
	for _, e := range c.outbox {
		if roomOf(e) == r.ref {
			c.foldOwn(*e, r.ref)
		}
	}
	r.arrived()
	c.mu.Unlock()
	c.touch()
}

// awaitRead waits until a room that is being read from the store has been.
func (c *Core) awaitRead(ctx context.Context, r *roomState) {
	c.mu.Lock()
	reading := r.read
	c.mu.Unlock()
	if !reading {
		return
	}
	select {
	case <-r.here:
	case <-ctx.Done():
	case <-c.ctx.Done():
	}
}

var metaKinds = []int{39000, 39001, 39002, 39003}

// readOlder folds one more page of the store.
func (c *Core) readOlder(ctx context.Context, r *roomState) error {
	c.mu.Lock()
	q := store.Query{Room: &store.RoomRef{Relay: r.ref.Relay, ID: r.ref.ID}, Before: r.cursor, Limit: StorePage}
	c.mu.Unlock()
	records, err := c.Store.Query(ctx, q)
	if err != nil {
		return err
	}
	c.meet(ctx, records)
	c.foldRecords(r.ref.Relay, records)
	c.mu.Lock()
	if n := len(records); n > 0 {
		last := records[n-1].Event
		r.cursor = &store.Cursor{CreatedAt: int64(last.CreatedAt), ID: last.ID}
	}
	r.bottom = len(records) < StorePage
	c.mu.Unlock()
	return nil
}

// subscriptionEnd takes an EOSE, the news that there will be none, or the
// relay's words when it ended a subscription. mu is held.
func (c *Core) subscriptionEnd(ctx context.Context, in relay.Incoming) {
	url, sub, refused := in.Relay, in.Sub, ""
	if in.Kind == relay.GotClosed {
		refused = in.Reason
	}
	id, ok := strings.CutPrefix(sub, roomSub)
	if !ok {
		c.cardsEnd(url, sub, refused)
		c.sessionsEnd(url, sub, refused)
		return
	}
	r := c.rooms[room.Ref{Relay: url, ID: id}]
	if r == nil {
		return
	}
	if refused != "" {
		r.problem = "The relay does not show this room. " + room.Refusal(refused)
		r.subscribed = r.subscribed && in.Retry
		return
	}
	if in.Kind == relay.EOSETimeout {
		r.synced = true // as well as can be; the next connection asks from the same place
		return
	}
	first := r.saved.SyncTo == 0
	since := max(0, r.saved.SyncTo-SyncOverlap)
	r.synced, r.problem, r.rest = true, "", 0
	got, now := r.burst, c.now()
	if first {
		r.saved.From, r.saved.End = got.oldest, got.events == 0
		r.saved.SyncTo = now
		if last, ok := r.fold.Last(); ok && r.saved.Mark == (room.Mark{}) {
			c.moveMark(r, last.ID) // nothing is new to somebody who was never here
		}
		c.saveRoom(r)
		c.fetchAround(r, r.fold.Window("", FirstPage, 0).IDs)
		return
	}
	if in.Stored >= PageFull {
		me := c.identity.me
		c.spawn(func() { c.fillGap(ctx, r, me, since) })
		return
	}
	r.saved.SyncTo = now
	c.saveRoom(r)
}

// count notes what comes before a room's first EOSE, also what is known from
// another account's visit. mu is held.
func (c *Core) count(a arrival) {
	id, ok := strings.CutPrefix(a.sub, roomSub)
	if !ok {
		return
	}
	r := c.rooms[room.Ref{Relay: a.relay, ID: id}]
	if r == nil || r.synced || !inTimeline(a.event.Kind) {
		return
	}
	at := int64(a.event.CreatedAt)
	if r.burst.events++; r.burst.oldest == 0 || at < r.burst.oldest {
		r.burst.oldest = at
	}
}

func inTimeline(kind int) bool { return kind == 9 || kind == 11 || kind == 43001 }

// fillGap asks, newest first, for everything since a time, when a relay may
// have cut its answer off.
func (c *Core) fillGap(ctx context.Context, r *roomState, me string, since int64) {
	for until := int64(0); ; {
		filters := room.LiveFilters(r.ref, since)[:1]
		if at := nostr.Timestamp(until); until > 0 {
			filters[0].Until = &at
		}
		events, complete, err := c.pool.Fetch(ctx, r.ref.Relay, filters...)
		oldest := c.takeFetched(ctx, r.ref.Relay, events)
		if err != nil || !complete && len(events) == 0 {
			return // the next connection asks from the same place again
		}
		if complete && len(events) < PageFull {
			break
		}
		if until > 0 && oldest >= until {
			oldest = until - 1 // a full page within one second
		}
		if until = oldest; until <= since {
			break
		}
	}
	c.mu.Lock()
	if c.identity.me == me {
		r.saved.SyncTo = c.now()
		c.saveRoom(r)
	}
	c.mu.Unlock()
	c.touch()
}

// takeFetched takes the answer of a one-shot and gives the created_at of its
// oldest event, 0 for none.
func (c *Core) takeFetched(ctx context.Context, url string, events []*nostr.Event) int64 {
	var oldest int64
	batch := make([]arrival, len(events))
	for i, e := range events {
		batch[i] = arrival{event: e, relay: url}
		if at := int64(e.CreatedAt); oldest == 0 || at < oldest {
			oldest = at
		}
	}
	c.take(ctx, batch)
	return oldest
}

// pageOlder fetches older messages of a room: from the store as far as it is
// known to hold them all, then from the relay.
func (c *Core) pageOlder(ctx context.Context, r *roomState) {
	defer func() {
		c.mu.Lock()
		r.paging = false
		c.mu.Unlock()
		c.touch()
	}()
	c.mu.Lock()
	whole := r.cursor != nil && r.cursor.CreatedAt > r.saved.From // From 0: everything
	online := c.relays.states[r.ref.Relay].Phase == "online"
	bottom, until, end, me := r.bottom, r.saved.From, r.saved.End, c.identity.me
	c.mu.Unlock()
	if !bottom && (whole || end || !online) {
		if err := c.readOlder(ctx, r); err != nil {
			c.notice("storage", "Older messages cannot be read: "+err.Error())
		}
		return
	}
	if !online || end {
		return
	}
	events, complete, err := c.pool.Fetch(ctx, r.ref.Relay, room.OlderFilters(r.ref, until, OlderPage)...)
	oldest := c.takeFetched(ctx, r.ref.Relay, events)
	ids := make([]string, len(events))
	for i, e := range events {
		ids[i] = e.ID
	}
	c.fetchAround(r, ids)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil || !complete && len(events) == 0 {
		r.rest = c.now() + RestAfter
		return
	}
	if c.identity.me == me {
		r.saved.paged(len(events), oldest, complete)
		c.saveRoom(r)
	}
}

// paged notes that a page of older messages came, and whether it is whole.
func (s *savedRoom) paged(events int, oldest int64, complete bool) {
	switch {
	case events == 0:
		s.End = s.End || complete
	case oldest < s.From:
		s.From = oldest
	case complete && events < OlderPage:
		s.End = true
	default:
		s.From-- // a full page within one second
	}
}

// fetchAround asks in the background for what names these messages: their
// reactions, edits and replies may be older than what else is asked for.
func (c *Core) fetchAround(r *roomState, ids []string) {
	if len(ids) == 0 {
		return
	}
	c.spawn(func() {
		events, _, err := c.pool.Fetch(c.ctx, r.ref.Relay, room.AroundFilters(r.ref, ids)...)
		if err == nil {
			c.takeFetched(c.ctx, r.ref.Relay, events)
		}
	})
}

// subscription is a short way to write a relay.Subscription.
func subscription(name string, filters func(since int64) []nostr.Filter) relay.Subscription {
	return relay.Subscription{Name: name, Filters: filters}
}
