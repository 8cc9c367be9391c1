package relay

import (
	"encoding/json"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/verify"
)

// held are the keys the client has proven to hold.
func (c *conn) held() keyring {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.keys
}

// auth takes an AUTH (NIP-42). A client may hold several keys.
func (c *conn) auth(raw json.RawMessage) {
	ev, err := verify.ParseEvent(raw)
	if err != nil {
		c.badEvent(raw)
		return
	}
	err = c.relay.checkAuth(ev, c.challenge)
	if err == nil {
		err = c.hold(ev.PubKey)
	}
	words := ""
	if err != nil {
		words = err.Error()
	}
	c.out.putText(message(msgOK, ev.ID, err == nil, words))
}

func (c *conn) hold(key string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.keys.has(key) {
		return nil
	}
	if len(c.keys) >= MaxKeys {
		return refuse(restricted, "a connection can be %d people at most", MaxKeys)
	}
	c.keys = append(append(keyring{}, c.keys...), key)
	return nil
}

// checkAuth is "Signed Event Verification" of NIP-42, with the relay tag held
// to exactly our address: a relay of a like name must not get in as our users.
func (r *Relay) checkAuth(ev *nostr.Event, challenge string) error {
	relayTag, challengeTag := ev.Tags.Find("relay"), ev.Tags.Find("challenge")
	off := int64(ev.CreatedAt) - r.now()
	switch {
	case !isHex(ev.ID, 64) || !isHex(ev.PubKey, 64) || !isHex(ev.Sig, 128):
		return refuse(invalid, "id, pubkey and sig must be lowercase hex")
	case ev.Kind != kindAuth:
		return refuse(invalid, "AUTH wants an event of kind %d", kindAuth)
	case challengeTag == nil || challengeTag[1] != challenge:
		return refuse(invalid, "the challenge is not the one of this connection")
	case off > int64(AuthWindow.Seconds()) || off < -int64(AuthWindow.Seconds()):
		return refuse(invalid, "the date is more than %d minutes away from now; check the clock of your device", int(AuthWindow.Minutes()))
	case relayTag == nil:
		return refuse(invalid, "the relay tag is missing")
	}
	if at, err := parseAddress(relayTag[1]); err != nil || at != r.url {
		return refuse(invalid, "the relay tag must be %s", r.config.URL)
	}
	if err := verify.Event(ev); err != nil {
		return refuse(invalid, "%s", verifyWords(err))
	}
	return nil
}
