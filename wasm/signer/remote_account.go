package signer

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// NewClientKey makes a key for a remote signer to know us by, plain and as it is
// kept. Errors wrap ErrNoWebCrypto where w cannot keep it or is nil.
func NewClientKey(ctx context.Context, w Wrapper, rand io.Reader) (secret [32]byte, wrapped []byte, err error) {
	if w == nil {
		return secret, nil, errNoClientKey
	}
	if _, err := io.ReadFull(rand, secret[:]); err != nil {
		return secret, nil, fmt.Errorf("use a remote signer: drawing randomness: %w", err)
	}
	if wrapped, err = w.Wrap(ctx, secret[:]); errors.Is(err, ErrNoWebCrypto) {
		err = errNoClientKey
	}
	return secret, wrapped, err
}

var errNoClientKey = &fault{ErrNoWebCrypto, "This page is not on https, so the browser cannot keep the key that a remote signer would know it by. Open Parley over https for this."}

// RemoteAccount is what is to be kept of a signer that is connected. wrapped is
// its client key as NewClientKey gave it, now in unix seconds.
func RemoteAccount(r *Remote, wrapped []byte, now int64) Account {
	return Account{
		PubKey: r.PublicKey(), Kind: KindRemote, Wrapped: wrapped, Signer: r.Signer(), Relays: r.Relays(),
		BackedUp: true, CreatedAt: now, // there is nothing here to back up
	}
}

// OpenRemote makes the signer of an account of kind KindRemote. Signer, User and
// Relays of the options are the account's. Errors wrap ErrKeyStore,
// ErrNoWebCrypto or ErrNotBunker.
func OpenRemote(ctx context.Context, w Wrapper, a Account, o RemoteOptions) (*Remote, error) {
	if w == nil {
		return nil, errNoClientKey
	}
	plain, err := w.Unwrap(ctx, a.Wrapped)
	if err != nil {
		return nil, fmt.Errorf("use the remote signer: %w", err)
	}
	defer clear(plain)
	var secret [32]byte
	defer clear(secret[:])
	if copy(secret[:], plain) != len(secret) || len(plain) != len(secret) {
		return nil, fmt.Errorf("use the remote signer: %w", ErrKeyStore)
	}
	o.Signer, o.User, o.Relays = a.Signer, a.PubKey, a.Relays
	return NewRemote(secret, o)
}
