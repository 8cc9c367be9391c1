package core

import (
	"context"
	"errors"
	"fmt"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/relay"
	"parley/wasm/signer"
)

// authRelay answers the dialog "Sign in to wss://...?".
func (c *Core) authRelay(_ context.Context, p port.RelayParams) error {
	url, err := relay.Normalize(p.URL)
	if err != nil {
		return invalid("%v", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if wait := c.relays.asking[url]; wait != nil {
		delete(c.relays.asking, url)
		wait <- p.Allow // capacity 1
	}
	c.relays.dropDialog(port.Dialog{Kind: "auth", URL: url})
	c.touch()
	return nil
}

func (c *Core) authPolicy(url string) relay.AuthPolicy {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.identity.me == "" {
		return relay.AuthNever
	}
	if !c.relays.isMine(url) {
		return relay.AuthAsk
	}
	switch c.relays.mine[url].Auth {
	case authAsk:
		return relay.AuthAsk
	case authNever:
		return relay.AuthNever
	}
	return relay.AuthAlways
}

// askAuth puts up the dialog "Sign in to wss://...?" and waits for the person.
func (c *Core) askAuth(ctx context.Context, url string) (bool, error) {
	wait := make(chan bool, 1)
	dialog := port.Dialog{Kind: "auth", URL: url}
	c.mu.Lock()
	c.relays.asking[url] = wait
	c.relays.addDialog(dialog)
	c.mu.Unlock()
	c.touch()
	select {
	case yes := <-wait:
		return yes, nil
	case <-ctx.Done():
		c.mu.Lock()
		if c.relays.asking[url] == wait { // not the question of a newer connection
			delete(c.relays.asking, url)
			c.relays.dropDialog(dialog)
		}
		c.mu.Unlock()
		c.touch()
		return false, ctx.Err()
	}
}

// makeAuth signs the answer to a relay's challenge (NIP-42).
func (c *Core) makeAuth(ctx context.Context, url, challenge string) (*nostr.Event, error) {
	s := c.signer()
	if s == nil {
		return nil, relay.ErrNoAuth
	}
	e := &nostr.Event{
		Kind: nostr.KindClientAuthentication, CreatedAt: nostr.Timestamp(c.now()),
		Tags: nostr.Tags{{"relay", url}, {"challenge", challenge}},
	}
	if err := s.Sign(ctx, e); err != nil {
		if errors.Is(err, signer.ErrAway) {
			c.mu.Lock()
			c.identity.unsigned[url] = true
			c.mu.Unlock()
		}
		return nil, fmt.Errorf("sign in to %s: %w", url, err)
	}
	return e, nil
}
