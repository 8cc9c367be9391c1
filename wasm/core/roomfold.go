package core

import (
	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/room"
	"parley/wasm/store"
)

func (c *Core) foldRecords(relayURL string, records []store.Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rec := range records {
		c.known.add(relayURL, rec.Event)
		c.fold(rec.Event, rec.Seen, relayURL)
	}
	c.touch()
}

// foldRoom hands an event to the room it belongs to: its h, or for what a
// relay signs about a room its d, on the relay it came from. mu is held.
func (c *Core) foldRoom(e *nostr.Event, seen int64, relayURL string) {
	name := "h"
	if e.Kind >= 39000 && e.Kind <= 39009 {
		name = "d"
	}
	tag := e.Tags.Find(name)
	if relayURL == "" {
		return
	}
	if len(tag) < 2 || tag[1] == "" {
		c.foldHomeless(e, seen, relayURL)
		return
	}
	ref := room.Ref{Relay: relayURL, ID: tag[1]}
	if c.rooms[ref] == nil {
		c.evictRooms()
	}
	c.foldInto(c.room(ref), e, seen)
}

// foldHomeless hands a deletion or reaction that names no room to the rooms
// that hold what it names.
func (c *Core) foldHomeless(e *nostr.Event, seen int64, relayURL string) {
	if e.Kind != nostr.KindDeletion && e.Kind != nostr.KindReaction {
		return
	}
	for ref, r := range c.rooms {
		if ref.Relay != relayURL {
			continue
		}
		for t := range e.Tags.FindAll("e") {
			if len(t) > 1 && r.fold.Event(t[1]) != nil {
				c.foldInto(r, e, seen)
				break
			}
		}
	}
}

func (c *Core) foldInto(r *roomState, e *nostr.Event, seen int64) {
	if !r.fold.Add(e, seen) && r.fold.Event(e.ID) == nil && !c.cards.wants(e.Kind) {
		return
	}
	c.foldCards(r, e, seen)
}

// foldOwn shows an act of mine at once, wherever it is on its way. mu is held.
func (c *Core) foldOwn(entry store.Entry, ref room.Ref) {
	e := eventOf(&entry)
	if ref == (room.Ref{}) {
		ref = roomOf(&entry)
	}
	switch {
	case isRunKind(e.Kind):
		c.foldOwnRun(e, entry)
	case e.Kind == nostr.KindProfileMetadata:
		c.foldProfile(e, entry.CreatedAt)
	case ref != (room.Ref{}):
		c.foldRoom(e, entry.CreatedAt, ref.Relay)
	}
	c.dirtyEvent(e.ID)
}

// unfold takes a withdrawn act out of sight. mu is held.
func (c *Core) unfold(e *nostr.Event, entry *store.Entry) {
	if isRunKind(e.Kind) {
		c.unfoldRun(e)
		return
	}
	if r := c.rooms[roomOf(entry)]; r != nil {
		r.fold.Remove(e.ID)
		c.unfoldCards(e)
	}
}
