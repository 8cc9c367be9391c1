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
	return errors.Is(err, signer.ErrRefused) || errors.Is(err, signer.ErrOtherKey) ||
		errors.As(err, &coded) || errors.Is(err, context.Canceled)
}

// openCached decrypts with a signer outside, and keeps the text sealed by a
// key of this browser, so that nothing is asked twice.
func (c *Core) openCached(s signer.Signer, payload, peer string) (string, error) {
	sum := sha256.Sum256([]byte(s.PublicKey() + peer + payload))
	key := hex.EncodeToString(sum[:])
	if sealed, err := c.Store.Get(c.ctx, plainBucket, key); err == nil && c.Secure {
		if text, err := c.Wrapper.Unwrap(c.ctx, sealed); err == nil {
			return string(text), nil
		}
	}
	text, err := s.Decrypt(c.ctx, payload, peer)
	if err != nil {
		return "", err
	}
	if c.Secure {
		if sealed, err := c.Wrapper.Wrap(c.ctx, []byte(text)); err == nil {
			if err := c.Store.Set(c.ctx, plainBucket, key, sealed); err != nil {
				c.notice("storage", "A decrypted text cannot be kept: "+err.Error())
			}
		}
	}
	return text, nil
}
