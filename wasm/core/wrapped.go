package core

import (
	"context"
	"io"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/room"
	"parley/wasm/run"
	"parley/wasm/signer"
	"parley/wasm/store"
)

// submitWrapped hides a message in gift wraps (NIP-59): one for the agent, and
// one for myself, so that my other devices have it. The run's id is the
// rumour's.
func (c *Core) submitWrapped(ctx context.Context, s signer.Signer, event nostr.Event, relays []string) (string, error) {
	rumour := run.Rumour(event)
	_, agent := c.sides(&rumour)
	author := run.Keys{
		PubKey:  s.PublicKey(),
		Encrypt: c.remembering(s, s.PublicKey(), func(peer, text string) (string, error) { return s.Encrypt(ctx, text, peer) }),
		Decrypt: func(peer, payload string) (string, error) { return s.Decrypt(ctx, payload, peer) },
		Sign:    func(e *nostr.Event) error { return s.Sign(ctx, e) },
	}
	var entries []store.Entry
	for _, to := range []string{agent, s.PublicKey()} {
		wrap, err := c.wrap(s, rumour, to, author)
		if err != nil {
			return "", err
		}
		entry := store.Entry{ID: wrap.ID, Event: &wrap, CreatedAt: c.now(), Order: c.nextOrder()}
		for _, url := range relays {
			entry.Targets = append(entry.Targets, store.Target{Relay: url, State: store.Waiting})
		}
		entries = append(entries, entry)
	}
	ids := []string{entries[0].ID, entries[1].ID}
	if err := c.keep(ctx, wrapBucket+"/"+s.PublicKey(), rumour.ID, ids); err != nil {
		return "", err
	}
	c.mu.Lock()
	c.sessions.wraps[rumour.ID] = ids
	c.openMessage(run.Input{Event: &rumour, Seen: c.now(), Wrapped: true})
	c.mu.Unlock()
	for _, e := range entries {
		if err := c.post(ctx, e, room.Ref{}); err != nil {
			return "", err
		}
	}
	return rumour.ID, nil
}

// remembering keeps what by writes to myself, so that the signer is not asked
// for it when the wrap comes back from a relay.
func (c *Core) remembering(s signer.Signer, by string, encrypt func(peer, text string) (string, error)) func(peer, text string) (string, error) {
	return func(peer, text string) (string, error) {
		payload, err := encrypt(peer, text)
		if err == nil && peer == s.PublicKey() {
			c.keepPlain(s, payload, by, text)
		}
		return payload, err
	}
}

func (c *Core) wrap(s signer.Signer, rumour nostr.Event, to string, author run.Keys) (nostr.Event, error) {
	var secret [32]byte
	var random [16]byte
	for _, b := range [][]byte{secret[:], random[:]} {
		if _, err := io.ReadFull(c.Rand, b); err != nil {
			return nostr.Event{}, err
		}
	}
	once, err := run.LocalKeys(secret, c.Rand)
	if err != nil {
		return nostr.Event{}, err
	}
	once.Encrypt = c.remembering(s, once.PubKey, once.Encrypt)
	return run.Wrap(rumour, to, author, once, c.now(), random)
}

// canOpen tells whether an event is of use here: a gift wrap to somebody else is
// not.
func (c *Core) canOpen(e *nostr.Event) bool {
	if e.Kind != run.KindWrap && e.Kind != run.KindWrapLive {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p := e.Tags.Find("p")
	if len(p) < 2 {
		return false
	}
	_, mine := c.identity.accounts[p[1]]
	return mine
}

// entryOf is the entry in the outbox that carries a message to its agent: its
// own, or the gift wrap that hides it. mu is held.
func (c *Core) entryOf(id string) *store.Entry {
	if e := c.outbox[id]; e != nil {
		return e
	}
	if wraps := c.sessions.wraps[id]; len(wraps) > 0 {
		return c.outbox[wraps[0]]
	}
	return nil
}

// carried is the message that an entry's gift wrap hides, or the entry itself.
func (c *Core) carried(entry string) string {
	for rumour, wraps := range c.sessions.wraps {
		if wraps[0] == entry {
			return rumour
		}
	}
	return entry
}
