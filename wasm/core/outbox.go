package core

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/relay"
	"parley/wasm/room"
	"parley/wasm/signer"
	"parley/wasm/store"
	"parley/wasm/verify"
)

// Why an act waits for its signature, in words.
const (
	waitsForKey       = "Your key is locked. Unlock it to send this."
	waitsForExtension = "Waiting for your browser extension."
)

// act is an event of mine on its way out.
type act struct {
	event  nostr.Event // no id and no signature yet
	room   room.Ref    // where it belongs; zero outside rooms
	relays []string    // where it is sent
	exact  bool        // an answer: nothing is to be added to its tags
}

// submit signs an act, keeps it in the outbox and has it sent. It returns when
// the act is kept, not when it is sent. What cannot be signed now waits as a
// draft; what the signer refuses is taken back, and the error says why.
func (c *Core) submit(ctx context.Context, a act) (string, error) {
	return c.submitAs(ctx, c.me(), a)
}

// submitAs is submit for the account of a public key, which need not be the
// one that is signed in when an act is made anew.
func (c *Core) submitAs(ctx context.Context, me string, a act) (string, error) {
	if me == "" {
		return "", errSignedOut
	}
	if len(a.relays) == 0 {
		return "", &port.Error{Code: port.CodeUnavailable, Message: "There is no relay to send this to. Add one in the settings."}
	}
	a.event.PubKey = me
	if a.event.Tags == nil {
		a.event.Tags = nostr.Tags{}
	}
	if a.room != (room.Ref{}) && !a.exact {
		c.mu.Lock()
		c.place(c.room(a.room), &a.event)
		c.mu.Unlock()
	}
	id := verify.ID(&a.event)
	a.event.ID = hex.EncodeToString(id[:])
	entry := store.Entry{ID: a.event.ID, CreatedAt: c.now(), Order: c.nextOrder()}
	for _, url := range a.relays {
		entry.Targets = append(entry.Targets, store.Target{Relay: url, State: store.Waiting})
	}
	s := c.signerOf(me)
	switch {
	case s == nil:
		entry.Draft = &store.Draft{Event: a.event, Reason: waitsForKey}
		return entry.ID, c.post(ctx, entry, a)
	case s.Local():
		if err := c.signEntry(ctx, s, &entry, a.event); err != nil {
			return "", err
		}
		return entry.ID, c.post(ctx, entry, a)
	}
	return c.submitOutside(ctx, s, entry, a)
}

// submitOutside is submit with a signer that asks a person: the act is kept
// as a draft first, so that nothing is lost while they read.
func (c *Core) submitOutside(ctx context.Context, s signer.Signer, entry store.Entry, a act) (string, error) {
	c.mu.Lock()
	c.identity.lastTab = tabOf(ctx)
	c.mu.Unlock()
	draft := entry
	draft.Draft = &store.Draft{Event: a.event, Reason: waitsForExtension}
	if err := c.post(ctx, draft, a); err != nil {
		return "", err
	}
	err := c.signEntry(ctx, s, &entry, a.event)
	switch {
	case errors.Is(err, signer.ErrRefused), errors.Is(err, signer.ErrOtherKey), errors.Is(err, signer.ErrBadSigner):
		c.withdraw(c.ctx, draft.ID)
		return "", err
	case err != nil:
		draft.Draft.Reason = "Your signer did not answer: " + err.Error()
		return draft.ID, c.post(c.ctx, draft, a)
	}
	if entry.Event.ID != draft.ID { // it changed the time
		c.withdraw(c.ctx, draft.ID)
		entry.ID = entry.Event.ID
	}
	return entry.ID, c.post(c.ctx, entry, a)
}

func (c *Core) signEntry(ctx context.Context, s signer.Signer, entry *store.Entry, template nostr.Event) error {
	if err := s.Sign(ctx, &template); err != nil {
		return err
	}
	entry.Event, entry.Draft = &template, nil
	return nil
}

func (c *Core) nextOrder() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order = max(c.order+1, c.Now().UnixMilli())
	return c.order
}

// post keeps an entry, shows it and has it sent. An act is in the store
// before it is anywhere else.
func (c *Core) post(ctx context.Context, entry store.Entry, a act) error {
	if err := c.Store.PutOutbox(ctx, entry); err != nil {
		return fmt.Errorf("keep the message before sending it: %w", err)
	}
	c.mu.Lock()
	c.outbox[entry.ID] = &entry
	c.foldOwn(entry, a.room)
	c.mu.Unlock()
	poke(c.kick)
	c.touch()
	return nil
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
		c.outbox[e.ID] = &e
		c.order = max(c.order, e.Order)
	}
	poke(c.kick)
	return nil
}

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

// startSenders gives the time until something is due next.
func (c *Core) startSenders(ctx context.Context) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, next := c.now(), int64(store.LastRetry)
	for _, e := range c.outbox {
		if e.Event == nil {
			continue
		}
		for _, t := range e.Targets {
			switch {
			case store.Due(t, now) && !c.sending[t.Relay]:
				c.sending[t.Relay] = true
				c.spawn(func() { c.sendTo(ctx, t.Relay) })
			case t.State == store.Waiting && t.NextTry > now:
				next = min(next, t.NextTry-now)
			}
		}
	}
	return time.Duration(max(next, 1)) * time.Second
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
			if err != nil {
				return store.Lost(t, lostReason(err), now)
			}
			return store.Apply(t, event.Kind, answer.OK, answer.Message, now)
		})
		if err != nil {
			return
		}
	}
}

func lostReason(err error) string {
	switch {
	case errors.Is(err, relay.ErrNoAnswer):
		return "The relay has not answered yet."
	case errors.Is(err, relay.ErrLost):
		return "The connection broke before the relay answered."
	}
	return "The relay is away."
}

// nextDue picks the oldest act that is due at a relay and marks it as on the
// wire. The sender's own relay is never due for anybody else.
func (c *Core) nextDue(url string) (string, *nostr.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var first *store.Entry
	var target *store.Target
	for _, e := range c.outbox {
		if e.Event == nil || (first != nil && e.Order > first.Order) {
			continue
		}
		for i := range e.Targets {
			if t := &e.Targets[i]; t.Relay == url && store.Due(*t, c.now()) {
				first, target = e, t
			}
		}
	}
	if first == nil {
		return "", nil
	}
	*target = store.OnWire(*target)
	c.dirtyEvent(first.Event.ID)
	c.touch()
	return first.ID, first.Event
}

// settle changes an entry's target and keeps it; what every relay has
// answered leaves the outbox.
func (c *Core) settle(ctx context.Context, id, url string, change func(store.Target) store.Target) {
	c.mu.Lock()
	e := c.outbox[id]
	if e == nil { // discarded meanwhile
		c.mu.Unlock()
		return
	}
	changed := *e
	changed.Targets = append([]store.Target(nil), e.Targets...)
	for i, t := range changed.Targets {
		if t.Relay == url {
			changed.Targets[i] = change(t)
		}
	}
	c.outbox[id] = &changed
	sum := store.Status(changed)
	done := store.Settled(changed) && sum.State != store.Refused
	if done {
		delete(c.outbox, id)
		c.delivered[c.carried(id)] = deliveryOf(changed)
	}
	c.dirtyEvent(c.carried(id))
	c.mu.Unlock()
	c.touch()

	var err error
	if done {
		err = c.archive(ctx, changed)
	} else {
		err = c.Store.PutOutbox(ctx, changed)
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
	if keeps(e.Event.Kind) {
		if err := c.Store.Put(ctx, []store.Record{record}); err != nil {
			return err
		}
	}
	if isRunKind(e.Event.Kind) {
		c.mu.Lock()
		shown := c.carried(e.ID)
		c.mu.Unlock()
		if err := c.keep(ctx, deliveryBucket, shown, deliveryOf(e)); err != nil {
			return err
		}
	}
	return c.Store.DeleteOutbox(ctx, e.ID)
}

const deliveryBucket = "delivery" // of events whose OK promises nothing, by event id

// relayIsBack makes everything due that waits for a relay. mu is held.
func (c *Core) relayIsBack(url string) {
	for _, e := range c.outbox {
		for i := range e.Targets {
			if t := &e.Targets[i]; t.Relay == url && t.State == store.Waiting && (t.Code == store.CodeLost || t.Code == store.CodeAuthRequired) {
				t.NextTry = 0
			}
		}
	}
}

// withdraw takes an entry out of the outbox and out of sight.
func (c *Core) withdraw(ctx context.Context, id string) {
	c.mu.Lock()
	if e := c.outbox[id]; e != nil {
		delete(c.outbox, id)
		c.unfold(eventOf(e), e)
	}
	c.mu.Unlock()
	c.touch()
	if err := c.Store.DeleteOutbox(ctx, id); err != nil {
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
	again := store.Again(*e)
	c.outbox[p.ID] = &again
	c.dirtyEvent(p.ID)
	c.mu.Unlock()
	c.touch()
	if again.Event == nil {
		return c.signDraft(ctx, again)
	}
	if err := c.Store.PutOutbox(ctx, again); err != nil {
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
	if e.Event == nil {
		return true
	}
	for _, t := range e.Targets {
		// Lost on the way may have arrived; a relay that refused has not.
		if t.OK || t.State == store.Sent || (t.Code == store.CodeLost && t.Reason != lostReason(relay.ErrOffline)) {
			return false
		}
	}
	return true
}

// signDrafts signs what waited for a locked key or an absent signer.
func (c *Core) signDrafts() {
	c.mu.Lock()
	var waiting []store.Entry
	for _, e := range c.outbox {
		if e.Draft != nil && e.Draft.Event.PubKey == c.identity.me {
			waiting = append(waiting, *e)
		}
	}
	c.mu.Unlock()
	sortEntries(waiting)
	for _, e := range waiting {
		if err := c.signDraft(c.ctx, e); err != nil {
			c.notice("signer", "A message is still not signed: "+err.Error())
			return
		}
	}
}

func (c *Core) signDraft(ctx context.Context, e store.Entry) error {
	s := c.signerOf(e.Draft.Event.PubKey)
	if s == nil {
		return &port.Error{Code: port.CodeLocked, Message: waitsForKey}
	}
	if !c.stillWanted(ctx, e.ID) {
		return nil
	}
	signed := e
	if err := c.signEntry(ctx, s, &signed, e.Draft.Event); err != nil {
		return err
	}
	if signed.Event.ID != e.ID {
		c.withdraw(ctx, e.ID)
		signed.ID = signed.Event.ID
	}
	return c.post(ctx, signed, act{room: roomOf(&signed)})
}

// roomOf is the room an entry belongs to: its h tag on its one relay.
func roomOf(e *store.Entry) room.Ref {
	h := eventOf(e).Tags.Find("h")
	if len(h) < 2 || len(e.Targets) == 0 {
		return room.Ref{}
	}
	return room.Ref{Relay: e.Targets[0].Relay, ID: h[1]}
}

// deliveryOf is an entry's state for the page.
func deliveryOf(e store.Entry) port.Delivery {
	sum := store.Status(e)
	return port.Delivery{State: string(sum.State), At: e.CreatedAt, Reason: sum.Reason, Stored: sum.Stored, Of: sum.Of, Drop: canDiscard(&e)}
}

// delivery is what is known of an own event's way. mu is held.
func (c *Core) delivery(id string) *port.Delivery {
	if e := c.outbox[id]; e != nil {
		d := deliveryOf(*e)
		return &d
	}
	if d, ok := c.delivered[id]; ok {
		return &d
	}
	return &port.Delivery{State: port.Stored, Stored: 1, Of: 1}
}

func sortEntries(entries []store.Entry) {
	slices.SortFunc(entries, func(a, b store.Entry) int { return cmp.Compare(a.Order, b.Order) })
}
