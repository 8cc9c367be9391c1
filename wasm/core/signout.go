package core

import (
	"context"
	"fmt"

	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/signer"
)

// signOut forgets the current account, and everything else too when the browser
// is wiped. A key that lives here alone and has no checked backup is not
// forgotten in either case.
func (c *Core) signOut(ctx context.Context, p port.SignOutParams) error {
	c.switching.Lock()
	defer c.switching.Unlock()
	account, _, err := c.current()
	if err != nil {
		return err
	}
	if account.Kind != signer.KindExtension && !account.BackedUp {
		return invalid("Save and check a backup of your key first: without one, signing out would lose it for good.")
	}
	if p.Wipe {
		if err := c.Store.Wipe(ctx); err != nil {
			return fmt.Errorf("wipe this browser: %w", err)
		}
		if err := signer.Wipe(ctx, c.Wrapper); err != nil {
			return fmt.Errorf("wipe this browser: %w", err)
		}
		return c.wiped()
	}
	if err := c.Store.Remove(ctx, accountBucket, account.PubKey); err != nil {
		return fmt.Errorf("sign out: %w", err)
	}
	if err := c.Store.Remove(ctx, stateBucket, currentKey); err != nil {
		return fmt.Errorf("sign out: %w", err)
	}
	c.mu.Lock()
	s := c.identity.signers[account.PubKey]
	delete(c.identity.accounts, account.PubKey)
	delete(c.identity.signers, account.PubKey)
	c.become("")
	c.mu.Unlock()
	c.closeRemote(s, true)
	c.identityChanged()
	return nil
}

// wiped forgets in memory what was wiped from the store.
func (c *Core) wiped() error {
	if err := c.restoreRelays(c.ctx); err != nil {
		return err
	}
	if err := c.restoreLook(c.ctx); err != nil {
		return err
	}
	c.mu.Lock()
	signers := c.identity.signers
	c.identity.signers = map[string]signer.Signer{}
	clear(c.identity.accounts)
	clear(c.identity.away)
	clear(c.outbox)
	clear(c.delivered)
	clear(c.wanted)
	clear(c.rooms)
	for _, w := range c.watches { // what is on the screen is read anew
		if w.params.Room != (room.Ref{}) {
			r := c.room(w.params.Room)
			r.watchers++
			w.close = func() { c.leave(r) }
		}
	}
	c.profiles = room.NewProfiles()
	c.known = newSeenIDs(MaxKnown)
	c.become("")
	c.cards = newCards()
	c.mu.Unlock()
	for _, s := range signers {
		c.closeRemote(s, true)
	}
	c.identityChanged()
	return nil
}
