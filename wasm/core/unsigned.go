package core

import (
	"context"
	"errors"
	"slices"
	"sync"

	"parley/wasm/port"
	"parley/wasm/signer"
	"parley/wasm/store"
)

// waitsFor is why an act waits while a signer outside is asked, in words.
func waitsFor(s signer.Signer) string {
	if _, ok := s.(*signer.Remote); ok {
		return waitsForRemote
	}
	return waitsForExtension
}

// whyUnsigned is why a signer outside did not sign, in words.
func whyUnsigned(s signer.Signer, err error) string {
	if _, ok := s.(*signer.Remote); ok {
		return sentence(err.Error())
	}
	return "Your signer did not answer: " + err.Error()
}

// returnsOf is how often a remote signer came back; 0 for others.
func returnsOf(s signer.Signer) int {
	if r, ok := s.(*signer.Remote); ok {
		return r.State().Returns
	}
	return 0
}

// beginSigning notes that a signer is asked to sign a draft, until done is
// called. ok is false when it is being asked already.
func (c *Core) beginSigning(id string) (done func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.identity.signing[id] {
		return func() {}, false
	}
	c.identity.signing[id] = true
	c.dirtyEvent(id)
	return sync.OnceFunc(func() {
		c.mu.Lock()
		delete(c.identity.signing, id)
		c.dirtyEvent(id)
		c.mu.Unlock()
		c.touch()
	}), true
}

// signDrafts signs what waited for a key that was locked. An extension is asked
// again only when the person presses "Retry", a remote signer once it is there.
func (c *Core) signDrafts() {
	s := c.signer()
	if s == nil || !s.Local() {
		return
	}
	for _, e := range c.waitingDrafts(s.PublicKey()) {
		if err := c.signDraft(c.ctx, e); err != nil {
			c.notice("signer", "A message is still not signed: "+err.Error())
			return
		}
	}
}

// signWaiting has a remote signer sign what waited for it. What it refuses stays
// a draft that says so.
func (c *Core) signWaiting(s signer.Signer) {
	for _, e := range c.waitingDrafts(s.PublicKey()) {
		if err := c.signDraft(c.ctx, e); errors.Is(err, signer.ErrAway) || c.ctx.Err() != nil {
			return
		}
	}
}

// waitingDrafts are the acts of an account that are not signed, oldest first.
func (c *Core) waitingDrafts(me string) []store.Entry {
	c.mu.Lock()
	var waiting []store.Entry
	for _, e := range c.outbox {
		if e.Draft != nil && e.Draft.Event.PubKey == me {
			waiting = append(waiting, *e)
		}
	}
	c.mu.Unlock()
	slices.SortFunc(waiting, func(a, b store.Entry) int { return byOrder(&a, &b) })
	return waiting
}

// signDraft signs what waits and has it sent.
func (c *Core) signDraft(ctx context.Context, e store.Entry) error {
	s := c.signerOf(e.Draft.Event.PubKey)
	if s == nil {
		return &port.Error{Code: port.CodeLocked, Message: waitsForKey}
	}
	if !c.stillWanted(ctx, e.ID) {
		return nil
	}
	done, ok := c.beginSigning(e.ID)
	if !ok {
		return nil
	}
	defer done()
	if !c.isDraft(e.ID) { // it was signed while this was waiting
		return nil
	}
	passTurn(ctx)
	signed := e
	if err := c.signEntry(ctx, s, &signed, e.Draft.Event); err != nil {
		if !s.Local() && ctx.Err() == nil {
			again := e
			again.Draft = &store.Draft{Event: e.Draft.Event, Reason: whyUnsigned(s, err)}
			if kept := c.replaceDraft(ctx, e.ID, again, roomOf(&again)); kept != nil {
				return kept
			}
		}
		return err
	}
	signed.ID = signed.Event.ID
	return c.replaceDraft(ctx, e.ID, signed, roomOf(&signed))
}

// nextAct is what a person can do about a draft: ask its signer again, or look
// for a remote one that is away; "" for nothing. mu is held.
func (c *Core) nextAct(e *store.Entry) string {
	if e.Draft == nil || c.identity.signing[e.ID] {
		return ""
	}
	switch s := c.identity.signers[e.Draft.Event.PubKey].(type) {
	case *signer.Extension:
		return port.ActRetry
	case *signer.Remote:
		if s.State().Away != "" {
			return port.ActReconnect
		}
		return port.ActRetry
	}
	return "" // it is signed as soon as the key is there
}

// dirtyDrafts has the page told anew how drafts stand. mu is held.
func (c *Core) dirtyDrafts() {
	for _, e := range c.outbox {
		if e.Draft != nil {
			c.dirtyEvent(c.carried(e.ID))
		}
	}
}
