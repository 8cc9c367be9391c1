package signer

import (
	"context"
	"fmt"
	"io"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/nip44"
	"parley/wasm/verify"
)

// Local signs with a secret key in memory. It is safe for concurrent use.
type Local struct {
	secret [32]byte
	pubkey string
	rand   io.Reader
	keys   nip44.Cache
}

var _ Signer = (*Local)(nil)

// NewLocal makes the signer of a secret key. rand must be cryptographically
// secure and safe for concurrent use. Errors wrap ErrNotKey.
func NewLocal(secret [32]byte, rand io.Reader) (*Local, error) {
	pubkey, err := verify.PublicKey(secret)
	if err != nil {
		return nil, fmt.Errorf("%w: its number is out of range", ErrNotKey)
	}
	return &Local{secret: secret, pubkey: pubkey, rand: rand}, nil
}

// PublicKey is the key it acts for.
func (l *Local) PublicKey() string { return l.pubkey }

// Local is true.
func (l *Local) Local() bool { return true }

// Sign sets pubkey, id and sig; verify.Sign checks them.
func (l *Local) Sign(ctx context.Context, e *nostr.Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var aux [32]byte
	if _, err := io.ReadFull(l.rand, aux[:]); err != nil {
		return fmt.Errorf("sign: drawing randomness: %w", err)
	}
	return verify.Sign(e, l.secret, aux)
}

// Encrypt makes a NIP-44 payload.
func (l *Local) Encrypt(ctx context.Context, plaintext, peer string) (string, error) {
	key, err := l.key(ctx, peer)
	if err != nil {
		return "", err
	}
	return nip44.EncryptRand(plaintext, key, l.rand)
}

// Decrypt reads a NIP-44 payload.
func (l *Local) Decrypt(ctx context.Context, payload, peer string) (string, error) {
	key, err := l.key(ctx, peer)
	if err != nil {
		return "", err
	}
	return nip44.Decrypt(payload, key)
}

func (l *Local) key(ctx context.Context, peer string) ([32]byte, error) {
	if err := ctx.Err(); err != nil {
		return [32]byte{}, err
	}
	return l.keys.Key(l.pubkey, l.secret, peer)
}
