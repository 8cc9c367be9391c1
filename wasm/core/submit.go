package core

import (
	"context"
	"encoding/hex"
	"errors"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/signer"
	"parley/wasm/store"
	"parley/wasm/verify"
)

// Why an act waits for its signature, in words.
const (
	waitsForKey       = "Your key is locked. Unlock it to send this."
	waitsForExtension = "Waiting for your browser extension."
	waitsForRemote    = "Waiting for your remote signer."
	wasNotSigned      = "Your browser extension has not signed this. Press Retry to ask it again."
)

// errTakenBack ends an act that the person took back while it was being signed.
var errTakenBack = &port.Error{Code: port.CodeNotFound, Message: "You took this back before it was signed."}

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
		return "", errNoRelay
	}
	a.event.PubKey = me
	if a.event.Tags == nil {
		a.event.Tags = nostr.Tags{}
	}
	if a.room != (room.Ref{}) && !a.exact {
		c.mu.Lock()
		r := c.room(a.room)
		c.mu.Unlock()
		c.awaitRead(ctx, r) // its place is behind what is here already
		c.place(ctx, r, &a.event)
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
		return entry.ID, c.post(ctx, entry, a.room)
	case s.Local():
		if err := c.signEntry(ctx, s, &entry, a.event); err != nil {
			return "", err
		}
		return entry.ID, c.post(ctx, entry, a.room)
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
	draft.Draft = &store.Draft{Event: a.event, Reason: waitsFor(s)}
	done, _ := c.beginSigning(draft.ID)
	defer done()
	before := returnsOf(s)
	if err := c.post(ctx, draft, a.room); err != nil {
		return "", err
	}
	err := c.signEntry(ctx, s, &entry, a.event)
	switch {
	case errors.Is(err, signer.ErrRefused), errors.Is(err, signer.ErrOtherKey), errors.Is(err, signer.ErrBadSigner):
		c.withdraw(c.ctx, draft.ID)
		return "", err
	case err != nil:
		draft.Draft = &store.Draft{Event: a.event, Reason: whyUnsigned(s, err)}
		err := c.replaceDraft(c.ctx, draft.ID, draft, a.room)
		done()
		if returnsOf(s) != before { // it is back already, and was not asked for this
			c.spawn(func() { c.signWaiting(s) })
		}
		return draft.ID, err
	}
	entry.ID = entry.Event.ID // another one when the signer changed the time
	return entry.ID, c.replaceDraft(c.ctx, draft.ID, entry, a.room)
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
