package signer

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/nip44"
	"parley/wasm/verify"
)

// Local signs with a secret key in memory.
type Local struct {
	secret [32]byte
	public string
	rand   io.Reader
	keys   nip44.Cache
}

var _ Signer = (*Local)(nil)

// NewLocal is the signer of a secret key. The error wraps ErrNotKey when the
// secret is outside the curve's range.
func NewLocal(secret [32]byte) (*Local, error) {
	public, err := verify.PublicKey(secret)
	if err != nil {
		return nil, fmt.Errorf("use the secret key: %w: %w", ErrNotKey, err)
	}
	return &Local{secret: secret, public: public, rand: rand.Reader}, nil
}

// PublicKey implements Signer.
func (l *Local) PublicKey() string { return l.public }

// Local implements Signer.
func (l *Local) Local() bool { return true }

// Sign implements Signer.
func (l *Local) Sign(_ context.Context, e *nostr.Event) error {
	var aux [32]byte
	if _, err := io.ReadFull(l.rand, aux[:]); err != nil {
		return fmt.Errorf("sign: %w", err)
	}
	signed := *e
	if err := verify.Sign(&signed, l.secret, aux); err != nil {
		return fmt.Errorf("sign: %w", err)
	}
	*e = signed
	return nil
}

// Encrypt implements Signer.
func (l *Local) Encrypt(_ context.Context, plaintext, peer string) (string, error) {
	key, err := l.keys.Key(l.public, l.secret, peer)
	if err != nil {
		return "", fmt.Errorf("encrypt: %w", err)
	}
	payload, err := nip44.EncryptRand(plaintext, key, l.rand)
	if err != nil {
		return "", fmt.Errorf("encrypt: %w", err)
	}
	return payload, nil
}

// Decrypt implements Signer.
func (l *Local) Decrypt(_ context.Context, payload, peer string) (string, error) {
	key, err := l.keys.Key(l.public, l.secret, peer)
	if err != nil {
		return "", fmt.Errorf("decrypt: %w", err)
	}
	plaintext, err := nip44.Decrypt(payload, key)
	if err != nil {
		return "", fmt.Errorf("decrypt: %w", err)
	}
	return plaintext, nil
}

// secretHex is for the functions that keep the key.
func (l *Local) secretHex() string { return hex.EncodeToString(l.secret[:]) }
