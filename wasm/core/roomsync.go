package core

import (
	"context"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/room"
	"parley/wasm/store"
)

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
	c.showAgain(r) // the person tries again
	if r.subscribed {
		if r.current && r.watchers > 0 {
			c.lookAgain(r)
		}
		return
	}
	r.subscribed, r.synced, r.problem = true, false, ""
	if err := c.pool.Connect(r.ref.Relay); err != nil {
		r.subscribed, r.problem = false, err.Error()
		return
	}
	c.replan(r.ref.Relay)
	c.spawn(func() { c.learnRelayKey(c.ctx, r.ref.Relay) })
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
	c.foldHomelessOf(ctx, r, messageIDs(records))
	c.mu.Lock()
	if n := len(records); n > 0 {
		last := records[n-1].Event
		r.cursor = &store.Cursor{CreatedAt: int64(last.CreatedAt), ID: last.ID}
	}
	r.bottom = len(records) < StorePage
	c.mu.Unlock()
	return nil
}

// inTimeline tells whether events of a kind stand in a room's timeline.
func inTimeline(kind int) bool { return room.InTimeline(kind) }

// fetchBelow asks, page by page and newest first, for everything that a filter
// with a since matches down from until (0: now), when a relay may have cut its
// answer off. It gives false when not all of it came.
func (c *Core) fetchBelow(ctx context.Context, url string, filter nostr.Filter, until int64) bool {
	for {
		if at := nostr.Timestamp(until); until > 0 {
			filter.Until = &at
		}
		events, complete, err := c.pool.Fetch(ctx, url, filter)
		oldest := c.takeFetched(ctx, url, events)
		if err != nil || !complete && len(events) == 0 {
			return false // the next connection asks from the same place again
		}
		if complete && len(events) < PageFull {
			return true
		}
		if until > 0 && oldest >= until {
			oldest = until - 1 // a full page within one second
		}
		if until = oldest; until <= int64(*filter.Since) {
			return true
		}
	}
}

// takeFetched takes the answer of a one-shot and gives the created_at of its
// oldest event, 0 for none.
func (c *Core) takeFetched(ctx context.Context, url string, events []*nostr.Event) int64 {
	c.take(ctx, arrivals(url, events))
	var oldest int64
	for _, e := range events {
		if at := int64(e.CreatedAt); oldest == 0 || at < oldest {
			oldest = at
		}
	}
	return oldest
}

func arrivals(url string, events []*nostr.Event) []arrival {
	batch := make([]arrival, len(events))
	for i, e := range events {
		batch[i] = arrival{event: e, relay: url}
	}
	return batch
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

// fetchAround asks in the background for what names these messages, deletions
// without a room too: their reactions, edits and replies may be older than what
// else is asked for.
func (c *Core) fetchAround(r *roomState, ids []string) {
	if len(ids) == 0 {
		return
	}
	c.spawn(func() {
		events, _, err := c.pool.Fetch(c.ctx, r.ref.Relay, append(room.AroundFilters(r.ref, ids), room.DeletionFilters(ids)...)...)
		if err == nil {
			c.takeFetched(c.ctx, r.ref.Relay, events)
		}
		c.foldHomelessOf(c.ctx, r, ids) // of what came before its message
	})
}
