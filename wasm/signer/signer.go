// Package signer answers one question: who signs. A key kept here (Local), a
// browser extension (Extension, NIP-07) and a remote signer (Remote, NIP-46)
// stand behind one interface. An Account is what is stored of an identity;
// Create, Import, Unlock and OpenRemote turn it into a Signer, and never store a
// key in plain text.
package signer

import (
	"context"
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

var (
	// ErrRefused tells that a signer outside, or the person at it, said no.
	ErrRefused = errors.New("the signer refused")
	// ErrAway tells that a signer could not be asked at all: nobody said no.
	ErrAway = errors.New("the signer cannot be reached")
	// ErrOtherKey tells of a signer that now acts for another public key.
	ErrOtherKey = errors.New("the signer has another public key")
	// ErrBadSigner tells of a signer whose answer does not hold.
	ErrBadSigner = errors.New("the signer gave a wrong answer")
	// ErrNoWebCrypto tells of a page without crypto.subtle (plain http).
	ErrNoWebCrypto = errors.New("this page is not on https, so the browser keeps no keys for it: choose a passphrase")
	// ErrKeyStore tells of a wrapped key that this browser can no longer open.
	ErrKeyStore = errors.New("this browser's key store cannot open the key: import it again from its backup")
	// ErrNotKey tells of a text that is no secret key.
	ErrNotKey = errors.New("this is not a secret key")
	// ErrPublicKey tells of a public key given in place of a secret one.
	ErrPublicKey = errors.New("this is a public key")
	// ErrChecksum tells of a bech32 text with a typing error.
	ErrChecksum = errors.New("wrong checksum: a character is wrong or missing")
	// ErrPassphrase tells of a passphrase that does not open the key.
	ErrPassphrase = errors.New("wrong passphrase")
	// ErrTooCostly tells of an ncryptsec that takes more memory than a page has.
	ErrTooCostly = errors.New("this ncryptsec takes too much memory to open here")
	// ErrLocked tells that a key has to be unlocked first.
	ErrLocked = errors.New("the key is locked")
	// ErrBackup tells of a backup that belongs to another key.
	ErrBackup = errors.New("this backup is of another key")
)
