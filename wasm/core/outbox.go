package core

import (
	"context"
	"fmt"
	"slices"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/relay"
	"parley/wasm/room"
	"parley/wasm/store"
)

// post keeps an entry, shows it and has it sent. An act is in the store
// before it is anywhere else.
func (c *Core) post(ctx context.Context, entry store.Entry, ref room.Ref) error {
	return c.replaceDraft(ctx, "", entry, ref)
}

// replaceDraft is post for what becomes of a draft. One that was taken back or
// signed meanwhile is not replaced, and nothing is sent.
func (c *Core) replaceDraft(ctx context.Context, draft string, entry store.Entry, ref room.Ref) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if draft != "" && !c.isDraft(draft) {
		return errTakenBack
	}
	if err := c.Store.PutOutbox(ctx, entry); err != nil {
		return fmt.Errorf("keep the message before sending it: %w", err)
	}
	if draft != "" && draft != entry.ID {
		if err := c.Store.DeleteOutbox(ctx, draft); err != nil {
			return fmt.Errorf("forget the draft of a signed message: %w", err)
		}
	}
	c.mu.Lock()
	if old := c.outbox[draft]; old != nil && draft != entry.ID {
		delete(c.outbox, draft)
		c.unfold(eventOf(old), old)
	}
	c.outbox[entry.ID] = &entry
	away := false
	for _, t := range entry.Targets {
		c.relayIsBack(t.Relay) // an act of the person's tries again what waits there
		away = away || c.relays.states[t.Relay].Phase != relay.Online
	}
	c.foldOwn(entry, ref)
	c.mu.Unlock()
	if away && entry.Event != nil {
		c.pool.Probe()
	}
	poke(c.kick)
	c.touch()
	return nil
}

func (c *Core) isDraft(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.outbox[id]
	return e != nil && e.Draft != nil
}

// syncEntry brings the store's copy of an entry in line with what is here,
// whatever happened to it since.
func (c *Core) syncEntry(ctx context.Context, id string) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	var now *store.Entry
	if e := c.outbox[id]; e != nil {
		copied := *e
		copied.Targets = slices.Clone(e.Targets)
		now = &copied
	}
	c.mu.Unlock()
	if now == nil {
		return c.Store.DeleteOutbox(ctx, id)
	}
	return c.Store.PutOutbox(ctx, *now)
}

// eventOf is what an entry is about, signed or not.
func eventOf(e *store.Entry) *nostr.Event {
	if e.Event != nil {
		return e.Event
	}
	return &e.Draft.Event
}

func (c *Core) restoreOutbox(ctx context.Context) error {
	entries, err := c.Store.Outbox(ctx)
	if err != nil {
		return fmt.Errorf("read the outbox: %w", err)
	}
	for _, e := range entries {
		if e.Event == nil && e.Draft == nil {
			continue
		}
		for i := range e.Targets {
			e.Targets[i] = store.Restarted(e.Targets[i])
		}
		if e.Draft != nil && e.Draft.Reason == waitsForExtension {
			e.Draft.Reason = wasNotSigned
		}
		c.outbox[e.ID] = &e
		c.order = max(c.order, e.Order)
	}
	poke(c.kick)
	return nil
}

// settle changes an entry's target and keeps it.
func (c *Core) settle(ctx context.Context, id, url string, change func(store.Target) store.Target) {
	c.resettle(ctx, id, func(e store.Entry) store.Entry {
		e.Targets = slices.Clone(e.Targets)
		for i, t := range e.Targets {
			if t.Relay == url {
				e.Targets[i] = change(t)
			}
		}
		return e
	})
}

// resettle changes an entry and keeps it; what every relay has answered leaves
// the outbox. change is called with mu held, and changes no target in place.
func (c *Core) resettle(ctx context.Context, id string, change func(store.Entry) store.Entry) {
	c.mu.Lock()
	e := c.outbox[id]
	if e == nil { // discarded meanwhile
		c.mu.Unlock()
		return
	}
	changed := change(*e)
	c.outbox[id] = &changed
	sum := store.Status(changed)
	done := store.Settled(changed) && sum.State != store.Refused
	if done {
		delete(c.outbox, id)
		c.remember(c.carried(id), c.deliveryOf(changed))
	}
	c.dirtyEvent(c.carried(id))
	c.mu.Unlock()
	c.touch()

	var err error
	if done {
		err = c.archive(ctx, changed)
	} else {
		err = c.syncEntry(ctx, id)
	}
	if err != nil && ctx.Err() == nil {
		c.notice("storage", "What happened to a message cannot be kept: "+err.Error())
	}
	if sum.State == store.Refused && store.Settled(changed) {
		c.refused(changed, sum)
	}
	if done {
		c.afterSent(ctx, changed)
	}
}

// archive moves an entry that is through from the outbox to the events. In
// this order, so that a crash between the two loses nothing.
func (c *Core) archive(ctx context.Context, e store.Entry) error {
	record := store.Record{Event: e.Event, Seen: e.CreatedAt}
	for _, t := range e.Targets {
		if t.OK {
			record.Relays = append(record.Relays, t.Relay)
		}
	}
	if keeps(e.Event.Kind) && c.canOpen(e.Event) {
		if err := c.Store.Put(ctx, []store.Record{record}); err != nil {
			return err
		}
	}
	if isRunKind(e.Event.Kind) {
		c.mu.Lock()
		shown := c.carried(e.ID)
		d := c.delivered[shown]
		c.mu.Unlock()
		if err := c.keep(ctx, deliveryBucket, shown, d); err != nil {
			return err
		}
	}
	return c.syncEntry(ctx, e.ID)
}

const deliveryBucket = "delivery" // of events whose OK promises nothing, by event id

// withdraw takes an entry out of the outbox and out of sight.
func (c *Core) withdraw(ctx context.Context, id string) {
	c.mu.Lock()
	if e := c.outbox[id]; e != nil {
		delete(c.outbox, id)
		c.unfold(eventOf(e), e)
	}
	c.mu.Unlock()
	c.touch()
	if err := c.syncEntry(ctx, id); err != nil {
		c.notice("storage", "A withdrawn message cannot be forgotten: "+err.Error())
	}
}

func (c *Core) retry(ctx context.Context, p port.EventID) error {
	c.mu.Lock()
	e := c.outbox[p.ID]
	if e == nil {
		c.mu.Unlock()
		return &port.Error{Code: port.CodeNotFound, Message: "This message is not waiting to be sent any more."}
	}
	again := c.retarget(store.Again(*e))
	if store.Settled(again) && store.Status(again).State == store.Refused {
		c.mu.Unlock()
		return errNoRelay
	}
	c.outbox[p.ID] = &again
	c.dirtyEvent(p.ID)
	c.mu.Unlock()
	c.touch()
	if again.Event == nil {
		return c.signDraft(ctx, again)
	}
	if err := c.syncEntry(ctx, p.ID); err != nil {
		return fmt.Errorf("keep the message before sending it again: %w", err)
	}
	poke(c.kick)
	return nil
}

// discard gives back the words of a message that has not reached any relay.
func (c *Core) discard(ctx context.Context, p port.EventID) (port.DiscardedText, error) {
	c.mu.Lock()
	e := c.outbox[p.ID]
	if e == nil || !canDiscard(e) {
		c.mu.Unlock()
		return port.DiscardedText{}, invalid("This message is on its way already; delete it instead.")
	}
	text := eventOf(e).Content
	c.mu.Unlock()
	c.withdraw(ctx, p.ID)
	return port.DiscardedText{Text: text}, nil
}

// canDiscard tells whether no relay can have the event.
func canDiscard(e *store.Entry) bool {
	return e.Event == nil || !slices.ContainsFunc(e.Targets, store.MayHave)
}

// roomOf is the room an entry belongs to: its h tag on its one relay.
func roomOf(e *store.Entry) room.Ref {
	h := eventOf(e).Tags.Find("h")
	if len(h) < 2 || len(e.Targets) == 0 {
		return room.Ref{}
	}
	return room.Ref{Relay: e.Targets[0].Relay, ID: h[1]}
}

// deliveryOf is an entry's state for the page. What was not answered is on its
// way only while a relay listens; and of an AI session, nothing is sent before
// a relay's OK. mu is held.
func (c *Core) deliveryOf(e store.Entry) port.Delivery {
	sum := store.Status(e)
	d := port.Delivery{ID: e.ID, State: string(sum.State), At: e.CreatedAt, Reason: sum.Reason, Stored: sum.Stored, Of: sum.Of, Drop: canDiscard(&e), Act: c.nextAct(&e)}
	if e.Event == nil || sum.State != store.Sent && sum.State != store.Waiting {
		return d
	}
	taken, online := false, false
	for _, t := range e.Targets {
		taken = taken || t.OK
		online = online || c.relays.states[t.Relay].Phase == relay.Online
	}
	if !taken && (!online || isRunKind(e.Event.Kind)) {
		d.State = port.Waiting
	}
	if d.State == port.Waiting && d.Reason == "" && !online {
		d.Reason = "The relay is away."
	}
	return d
}

// delivery is what is known of an own event's way. mu is held.
func (c *Core) delivery(id string) *port.Delivery {
	if e := c.outbox[id]; e != nil {
		d := c.deliveryOf(*e)
		return &d
	}
	if d, ok := c.delivered[id]; ok {
		return &d
	}
	return &port.Delivery{State: port.Stored, Stored: 1, Of: 1}
}
