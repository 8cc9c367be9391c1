package core

import (
	"context"
	"slices"
	"strings"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/room"
	"parley/wasm/store"
)

// LateOpen and LateListed are how many of a room's newest messages are asked for
// again, whatever their date, when it comes onto a page, and when it is only
// listed and was not heard for longer than SyncOverlap. What waited in somebody's
// outbox is dated when it was written, and no since reaches back to that; relays
// of rooms refuse what is dated far back (NIP-29, "Late publication"), so it is
// near the end.
const (
	LateOpen   = 30
	LateListed = 10
)

// How much of a room was looked at again on this connection.
const (
	notLooked = iota
	lookedListed
	lookedOpen
)

// lookAgain asks once a connection for what a since does not bring: messages
// that came late, and, for a room on a page, deletions that name no room. mu is
// held.
func (c *Core) lookAgain(r *roomState) {
	level, limit := lookedListed, LateListed
	if r.watchers > 0 {
		level, limit = lookedOpen, LateOpen
	}
	if r.looked >= level {
		return
	}
	r.looked = level
	c.spawn(func() {
		events, _, err := c.pool.Fetch(c.ctx, r.ref.Relay, room.LateFilters(r.ref, limit)...)
		c.takeFetched(c.ctx, r.ref.Relay, events)
		if err != nil {
			return // the next connection looks again
		}
		if level == lookedOpen {
			c.mu.Lock()
			ids := r.fold.Window("", FirstPage, 0).IDs
			c.mu.Unlock()
			c.fetchDeletions(c.ctx, r, ids)
		}
		c.touch()
	})
}

// fetchDeletions asks the relay for the deletions of messages that name no room.
// One that came before its message is in the store.
func (c *Core) fetchDeletions(ctx context.Context, r *roomState, ids []string) {
	if len(ids) == 0 {
		return
	}
	events, _, _ := c.pool.Fetch(ctx, r.ref.Relay, room.DeletionFilters(ids)...)
	c.takeFetched(ctx, r.ref.Relay, events)
	c.foldHomelessOf(ctx, r, ids)
}

// askDeletions asks what people have deleted between what they wrote, by which
// they came to be heard, and now. mu is held.
func (c *Core) askDeletions(url string, p *part) {
	var authors []string
	for _, key := range p.fresh {
		if author, ok := strings.CutPrefix(key, authorMark); ok {
			authors = append(authors, author)
		}
	}
	p.fresh = nil
	if len(authors) == 0 {
		return
	}
	filter := room.DeletionsBy(authors)
	from := nostr.Timestamp(c.now() - SyncOverlap)
	filter.Since = &from
	c.spawn(func() {
		events, _, _ := c.pool.Fetch(c.ctx, url, filter)
		c.takeFetched(c.ctx, url, events)
	})
}

// foldHomelessOf folds the deletions and reactions in the store that name these
// messages of a room and no room.
func (c *Core) foldHomelessOf(ctx context.Context, r *roomState, ids []string) {
	for some := range slices.Chunk(ids, room.MaxFilterIDs) {
		records, err := c.Store.Query(ctx, store.Query{Kinds: []int{nostr.KindDeletion, nostr.KindReaction}, Tag: "e", Values: some})
		if err != nil {
			c.noticeOnce("storage", "What was deleted cannot be read: "+err.Error())
			return
		}
		records = slices.DeleteFunc(records, func(rec store.Record) bool {
			return rec.Event.Tags.Find("h") != nil || !slices.Contains(rec.Relays, r.ref.Relay)
		})
		c.foldRecords(r.ref.Relay, records)
	}
}

// messageIDs are the ids of those records that are messages.
func messageIDs(records []store.Record) []string {
	var ids []string
	for _, rec := range records {
		if room.InTimeline(rec.Event.Kind) || room.InThread(rec.Event.Kind) {
			ids = append(ids, rec.Event.ID)
		}
	}
	return ids
}
