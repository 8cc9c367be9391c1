// Package signer answers one question: who signs. A key kept here (Local) or a
// browser extension (Extension) stand behind one interface, and Vault keeps what
// is stored of a key.
package signer

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/nbd-wtf/go-nostr"
)

// Signer signs, encrypts and decrypts for one public key.
type Signer interface {
	// PublicKey is the key it acts for, 64 lowercase hex digits.
	PublicKey() string
	// Sign sets pubkey, id and sig of the event, and checks all three. Where it
	// fails the event is as it was.
	Sign(ctx context.Context, e *nostr.Event) error
	// Encrypt makes a NIP-44 payload for the owner of peer (hex).
	Encrypt(ctx context.Context, plaintext, peer string) (string, error)
	// Decrypt reads a NIP-44 payload shared with the owner of peer (hex).
	Decrypt(ctx context.Context, payload, peer string) (string, error)
	// Local is true when the key is kept here: decrypting costs no prompt.
	Local() bool
}

// Caller carries a NIP-07 call to the page and its answer back. method is the
// path below window.nostr ("getPublicKey", "signEvent", "nip44.encrypt",
// "nip44.decrypt"), params a JSON array of arguments. What the extension says
// against it comes back as an error.
type Caller func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)

// Kinds of Account.
const (
	KindPassphrase = "local-passphrase"
	KindWrapped    = "local-wrapped"
	KindExtension  = "extension"
)

// Account is what is stored of an identity; it holds no plain key. CreatedAt is
// in unix seconds.
type Account struct {
	PubKey    string `json:"pubkey"`
	Kind      string `json:"kind"`
	NCryptSec string `json:"ncryptsec,omitempty"`
	Wrapped   []byte `json:"wrapped,omitempty"`
	BackedUp  bool   `json:"backed_up"`
	CreatedAt int64  `json:"created_at"`
}

// Wrapper seals short secrets with a key that never leaves this browser.
type Wrapper interface {
	Wrap(ctx context.Context, secret []byte) ([]byte, error)
	Unwrap(ctx context.Context, sealed []byte) ([]byte, error)
}

var (
	// ErrRefused tells that the extension, or the person at it, said no.
	ErrRefused = errors.New("refused by the browser extension")
	// ErrOtherKey tells of a signer that now acts for another public key.
	ErrOtherKey = errors.New("the signer has another public key")
	// ErrBadSigner tells of a signer whose answer does not hold.
	ErrBadSigner = errors.New("the signer gave a wrong answer")
	// ErrNoWebCrypto tells of a page without crypto.subtle (plain http).
	ErrNoWebCrypto = errors.New("this page is not on https, so the browser offers no key store: choose a passphrase")
	// ErrNotKey tells of a text that is no secret key.
	ErrNotKey = errors.New("not a secret key")
	// ErrPublicKey tells of a public key given in place of a secret one.
	ErrPublicKey = errors.New("this is a public key")
	// ErrChecksum tells of a bech32 text with a typing error.
	ErrChecksum = errors.New("wrong checksum")
	// ErrPassphrase tells of a passphrase that does not open the key.
	ErrPassphrase = errors.New("wrong passphrase")
	// ErrBackup tells of a backup that belongs to another key.
	ErrBackup = errors.New("this backup is of another key")
)
