package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"parley/wasm/port"
	"parley/wasm/signer"
)

// isRefusal tells whether a signer said no, or was not there: then the text is
// not unreadable, only not read yet.
func isRefusal(err error) bool {
	var coded *port.Error
	return errors.Is(err, signer.ErrRefused) || errors.Is(err, signer.ErrAway) || errors.Is(err, signer.ErrOtherKey) ||
		errors.As(err, &coded) || errors.Is(err, context.Canceled)
}

// openCached decrypts with a signer outside, and keeps the text sealed by a
// key of this browser, so that nothing is asked twice.
func (c *Core) openCached(s signer.Signer, payload, peer string) (string, error) {
	key := plainKey(s, payload, peer)
	if sealed, err := c.Store.Get(c.ctx, plainBucket, key); err == nil && c.Secure {
		if text, err := c.Wrapper.Unwrap(c.ctx, sealed); err == nil {
			return string(text), nil
		}
	}
	text, err := s.Decrypt(c.ctx, payload, peer)
	if err != nil {
		return "", err
	}
	c.keepPlain(s, payload, peer, text)
	return text, nil
}

func plainKey(s signer.Signer, payload, peer string) string {
	sum := sha256.Sum256([]byte(s.PublicKey() + peer + payload))
	return hex.EncodeToString(sum[:])
}

// keepPlain keeps what a payload says, where this browser can seal it.
func (c *Core) keepPlain(s signer.Signer, payload, peer, text string) {
	if !c.Secure || s.Local() {
		return
	}
	sealed, err := c.Wrapper.Wrap(c.ctx, []byte(text))
	if err != nil {
		return // then it is asked for again
	}
	if err := c.Store.Set(c.ctx, plainBucket, plainKey(s, payload, peer), sealed); err != nil && c.ctx.Err() == nil {
		c.notice("storage", "A decrypted text cannot be kept: "+err.Error())
	}
}
