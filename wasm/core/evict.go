package core

import (
	"cmp"
	"context"
	"slices"

	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/run"
)

// Limits on what others can make grow.
const (
	// MaxPassing is how many rooms are here that are neither listed nor on a page
	// nor the person's own in any way: anybody can name a person in any room.
	MaxPassing = 200
	// MaxDelivered is of how many own events it is remembered how many relays
	// have them.
	MaxDelivered = 5000
)

// evictRooms lets go of the passing rooms that were heard of first, down to half
// of MaxPassing. What they hold is in the store and on their relays. mu is held.
func (c *Core) evictRooms() {
	c.passing++
	if c.passing <= MaxPassing {
		return
	}
	needed := c.neededRooms()
	var over []*roomState
	for ref, r := range c.rooms {
		if !needed[ref] {
			over = append(over, r)
		}
	}
	slices.SortFunc(over, func(a, b *roomState) int { return cmp.Compare(b.born, a.born) })
	c.passing = min(len(over), MaxPassing/2)
	gone := map[room.Ref]bool{}
	for _, r := range over[c.passing:] {
		gone[r.ref] = true
		delete(c.rooms, r.ref)
	}
	for _, cards := range []map[string]room.Ref{c.cards.asks, c.cards.tasks} {
		for id, ref := range cards {
			if gone[ref] {
				delete(cards, id)
				delete(c.cards.fetched, id)
				delete(c.cards.own, id)
			}
		}
	}
	c.touch()
}

// neededRooms are those that cannot go: of the list, on a page, being read, kept
// for an account, or with something of the person's own in them. mu is held.
func (c *Core) neededRooms() map[room.Ref]bool {
	needed := map[room.Ref]bool{}
	for ref, r := range c.rooms {
		_, kept := c.saved[ref]
		mine := c.identity.me != "" && (r.joining != "" || r.fold.Wrote(c.identity.me))
		if r.listed || r.site || r.watchers > 0 || r.subscribed || r.read || kept || mine {
			needed[ref] = true
		}
	}
	for _, e := range c.outbox {
		needed[roomOf(e)] = true
	}
	for _, w := range c.watches {
		if w.params.Name == port.AskName {
			needed[c.cards.asks[w.params.ID]] = true
		}
	}
	for id, ref := range c.cards.tasks { // a task that I asked for
		if f := c.taskFold(id); f != nil && f.Request() != nil && f.Request().Event.PubKey == c.identity.me {
			needed[ref] = true
		}
	}
	return needed
}

// remember notes how an own event's way ended. mu is held.
func (c *Core) remember(id string, d port.Delivery) {
	c.delivered[id] = d
	if over := c.overDelivered(); len(over) > 0 {
		c.spawn(func() { c.forgetDelivered(c.ctx, over) })
	}
}

// overDelivered forgets the ways that ended first when there are too many, down
// to half, and gives their events. What stays of those is the event itself, shown
// as one that was stored; that a prompt never left is not forgotten. mu is held.
func (c *Core) overDelivered() []string {
	if len(c.delivered) <= MaxDelivered {
		return nil
	}
	var ids []string
	for id, d := range c.delivered {
		if d.State != run.DeliveryWithdrawn {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(c.delivered[a].At, c.delivered[b].At), cmp.Compare(a, b))
	})
	ids = ids[:max(0, len(ids)-MaxDelivered/2)]
	for _, id := range ids {
		delete(c.delivered, id)
	}
	return ids
}

// forgetDelivered takes ways out of the store, too.
func (c *Core) forgetDelivered(ctx context.Context, ids []string) {
	for _, id := range ids {
		if err := c.Store.Remove(ctx, deliveryBucket, id); err != nil {
			return // the next start tries again
		}
	}
}
