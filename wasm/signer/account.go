package signer

import (
	"context"
	crand "crypto/rand"
	"fmt"
	"io"
)

// Kinds of Account.
const (
	KindPassphrase = "local-passphrase" // NCryptSec
	KindWrapped    = "local-wrapped"    // Wrapped
	KindExtension  = "extension"        // neither: see NewExtension
	KindRemote     = "remote"           // Wrapped, Signer and Relays: see OpenRemote
)

// Account is what is stored of an identity; it holds no plain key. Wrapped is the
// person's key, or the client key that a remote signer knows us by. CreatedAt is
// in unix seconds.
type Account struct {
	PubKey    string   `json:"pubkey"`
	Kind      string   `json:"kind"`
	NCryptSec string   `json:"ncryptsec,omitempty"`
	Wrapped   []byte   `json:"wrapped,omitempty"`
	Signer    string   `json:"signer,omitempty"` // the remote signer's own key, hex
	Relays    []string `json:"relays,omitempty"` // where it is spoken to
	BackedUp  bool     `json:"backed_up"`
	CreatedAt int64    `json:"created_at"`
}

// Create makes a new key. It is kept under the passphrase, or wrapped by w where
// that is empty; then errors wrap ErrNoWebCrypto where w cannot or is nil. now is
// in unix seconds.
func Create(ctx context.Context, w Wrapper, rand io.Reader, passphrase string, now int64) (Account, Signer, error) {
	var secret [32]byte
	defer clear(secret[:])
	if _, err := io.ReadFull(rand, secret[:]); err != nil {
		return Account{}, nil, fmt.Errorf("create a key: drawing randomness: %w", err)
	}
	a, s, err := store(ctx, w, rand, secret, passphrase, neverInPlain)
	if err != nil {
		return Account{}, nil, fmt.Errorf("create a key: %w", err)
	}
	a.CreatedAt = now
	return a, s, nil
}

// Import takes a key from text: an nsec, 64 hex digits or an ncryptsec, also
// within the text of a backup file. An ncryptsec is kept as it is, and passphrase
// must open it; the others are kept as Create does. What is imported counts as
// backed up. Errors wrap ErrNotKey, ErrPublicKey, ErrChecksum, ErrPassphrase,
// ErrTooCostly or ErrNoWebCrypto.
func Import(ctx context.Context, w Wrapper, rand io.Reader, text, passphrase string, now int64) (Account, Signer, error) {
	a, s, err := importKey(ctx, w, rand, text, passphrase)
	if err != nil {
		return Account{}, nil, fmt.Errorf("import a key: %w", err)
	}
	a.BackedUp, a.CreatedAt = true, now
	return a, s, nil
}

func importKey(ctx context.Context, w Wrapper, rand io.Reader, text, passphrase string) (Account, Signer, error) {
	g, err := readSecret(text)
	if err != nil {
		return Account{}, nil, err
	}
	defer clear(g.secret[:])
	if g.ncryptsec == "" {
		return store(ctx, w, rand, g.secret, passphrase, handledInPlain)
	}
	if passphrase == "" {
		return Account{}, nil, fmt.Errorf("%w: an ncryptsec opens with its passphrase only", ErrPassphrase)
	}
	if g.secret, err = open(ctx, g.ncryptsec, passphrase); err != nil {
		return Account{}, nil, err
	}
	s, err := NewLocal(g.secret, rand)
	if err != nil {
		return Account{}, nil, err
	}
	return Account{PubKey: s.PublicKey(), Kind: KindPassphrase, NCryptSec: g.ncryptsec}, s, nil
}

// store makes the account and the signer of a secret key.
func store(ctx context.Context, w Wrapper, rand io.Reader, secret [32]byte, passphrase string, security byte) (a Account, s *Local, err error) {
	if s, err = NewLocal(secret, rand); err != nil {
		return a, nil, err
	}
	a = Account{PubKey: s.PublicKey(), Kind: KindPassphrase}
	switch {
	case passphrase != "":
		a.NCryptSec, err = seal(ctx, secret, passphrase, security, rand)
	case w == nil:
		err = ErrNoWebCrypto
	default:
		a.Kind = KindWrapped
		a.Wrapped, err = w.Wrap(ctx, secret[:])
	}
	return a, s, err
}

// Unlock makes the signer of a key kept here. The passphrase is for the kind
// KindPassphrase only. Errors wrap ErrPassphrase, ErrKeyStore, ErrNoWebCrypto, or
// ErrOtherKey where the account is not what it says.
func Unlock(ctx context.Context, w Wrapper, a Account, passphrase string) (Signer, error) {
	secret, err := unlock(ctx, w, a, passphrase)
	if err != nil {
		return nil, fmt.Errorf("unlock the key: %w", err)
	}
	defer clear(secret[:])
	s, err := NewLocal(secret, crand.Reader)
	if err != nil {
		return nil, fmt.Errorf("unlock the key: %w", err)
	}
	if s.PublicKey() != a.PubKey {
		return nil, fmt.Errorf("unlock the key: %w", ErrOtherKey)
	}
	return s, nil
}

func unlock(ctx context.Context, w Wrapper, a Account, passphrase string) (secret [32]byte, err error) {
	switch a.Kind {
	case KindPassphrase:
		return open(ctx, a.NCryptSec, passphrase)
	case KindWrapped:
		if w == nil {
			return secret, ErrNoWebCrypto
		}
		plain, err := w.Unwrap(ctx, a.Wrapped)
		if err != nil {
			return secret, err
		}
		defer clear(plain)
		if copy(secret[:], plain) != len(secret) || len(plain) != len(secret) {
			return secret, ErrKeyStore
		}
		return secret, nil
	}
	return secret, fmt.Errorf("an account of kind %q keeps no key here", a.Kind)
}
