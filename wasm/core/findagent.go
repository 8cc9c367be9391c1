package core

import (
	"context"
	"net/url"
	"strings"

	"parley/wasm/port"
	"parley/wasm/verify"
)

// nip05 is what a domain says about its names (NIP-05).
type nip05 struct {
	Names map[string]string `json:"names"`
}

// findAgent finds an agent by npub, nprofile, hex key or NIP-05 name, and
// remembers it.
func (c *Core) findAgent(ctx context.Context, p port.Search) (port.PubKey, error) {
	text := strings.TrimSpace(p.Text)
	var key string
	var err error
	if name, domain, ok := splitNIP05(text); ok {
		key, err = c.lookUp(ctx, name, domain)
	} else {
		key, err = publicKey(text)
	}
	if err != nil {
		return port.PubKey{}, err
	}
	if key == c.me() {
		return port.PubKey{}, invalid("This is you.")
	}
	if err := c.rememberAgent(ctx, key); err != nil {
		return port.PubKey{}, err
	}
	c.touch()
	return port.PubKey{PubKey: key}, nil
}

// splitNIP05 takes name@domain, or a domain alone.
func splitNIP05(text string) (name, domain string, ok bool) {
	name, domain, ok = strings.Cut(text, "@")
	if !ok {
		name, domain = "_", text
	}
	if !strings.Contains(domain, ".") || strings.ContainsAny(domain, "/?# ") || name == "" {
		return "", "", false
	}
	return strings.ToLower(name), strings.ToLower(domain), true
}

func (c *Core) lookUp(ctx context.Context, name, domain string) (string, error) {
	var answer nip05
	where := "https://" + domain + "/.well-known/nostr.json?name=" + url.QueryEscape(name)
	if err := c.get(ctx, where, nil, &answer); err != nil {
		return "", &port.Error{Code: port.CodeUnavailable, Message: domain + " does not say who " + name + " is: " + err.Error()}
	}
	key := answer.Names[name]
	if !verify.IsPublicKey(key) {
		return "", &port.Error{Code: port.CodeNotFound, Message: domain + " knows nobody called " + name + "."}
	}
	return key, nil
}

func (c *Core) forgetAgent(ctx context.Context, p port.PubKey) error {
	key, err := publicKey(p.PubKey)
	if err != nil {
		return err
	}
	c.mu.Lock()
	delete(c.sessions.agents, key)
	bucket := agentBucket + "/" + c.identity.me
	c.mu.Unlock()
	c.touch()
	return c.Store.Remove(ctx, bucket, key)
}
