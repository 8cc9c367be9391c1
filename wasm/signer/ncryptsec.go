package signer

import (
	"context"
	"fmt"
	"io"

	"golang.org/x/crypto/chacha20poly1305"
)

const (
	// LogN is the cost of the passphrases of keys made here: scrypt with 2^16
	// rounds (NIP-49), about a second in a browser.
	LogN = 16
	// MaxLogN is the greatest cost that is taken from an imported ncryptsec: 256
	// MiB and some ten seconds in a browser.
	MaxLogN = 20

	ncryptsecVersion = 2
	ncryptsecSize    = 1 + 1 + saltSize + chacha20poly1305.NonceSizeX + 1 + 32 + chacha20poly1305.Overhead
	saltSize         = 16
)

// The key security byte of NIP-49.
const (
	handledInPlain = 0 // the key was pasted or stored in plain text before
	neverInPlain   = 1 // it was not, as far as is known
)

// seal encrypts a secret key under a passphrase (NIP-49).
func seal(ctx context.Context, secret [32]byte, passphrase string, security byte, rand io.Reader) (string, error) {
	raw := make([]byte, 2+saltSize+chacha20poly1305.NonceSizeX, ncryptsecSize)
	raw[0], raw[1] = ncryptsecVersion, LogN
	if _, err := io.ReadFull(rand, raw[2:]); err != nil {
		return "", fmt.Errorf("drawing randomness: %w", err)
	}
	key, err := scryptKey(ctx, nfkc(passphrase), raw[2:2+saltSize], LogN)
	if err != nil {
		return "", err
	}
	defer clear(key[:])
	aead, err := chacha20poly1305.NewX(key[:])
	if err != nil {
		return "", err
	}
	raw = append(raw, security)
	raw = aead.Seal(raw, raw[2+saltSize:len(raw)-1], secret[:], []byte{security})
	return encodeBech32(ncryptsecPrefix, raw), nil
}

// open decrypts an ncryptsec. Errors wrap ErrPassphrase, ErrTooCostly, ErrNotKey
// or ErrChecksum, or are those of ctx.
func open(ctx context.Context, ncryptsec, passphrase string) (secret [32]byte, err error) {
	prefix, raw, err := decodeBech32(ncryptsec)
	if err != nil {
		return secret, err
	}
	switch {
	case prefix != ncryptsecPrefix || len(raw) != ncryptsecSize:
		return secret, fmt.Errorf("%w: not an ncryptsec", ErrNotKey)
	case raw[0] != ncryptsecVersion:
		return secret, fmt.Errorf("%w: an ncryptsec of version %d; version %d is read", ErrNotKey, raw[0], ncryptsecVersion)
	case raw[1] < 1 || raw[1] > MaxLogN:
		return secret, fmt.Errorf("%w: its cost is %d, at most %d is taken", ErrTooCostly, raw[1], MaxLogN)
	}
	salt, rest := raw[2:2+saltSize], raw[2+saltSize:]
	nonce, rest := rest[:chacha20poly1305.NonceSizeX], rest[chacha20poly1305.NonceSizeX:]
	key, err := scryptKey(ctx, nfkc(passphrase), salt, int(raw[1]))
	if err != nil {
		return secret, err
	}
	defer clear(key[:])
	aead, err := chacha20poly1305.NewX(key[:])
	if err != nil {
		return secret, err
	}
	plain, err := aead.Open(nil, nonce, rest[1:], rest[:1])
	if err != nil {
		return secret, ErrPassphrase
	}
	copy(secret[:], plain)
	clear(plain)
	return secret, nil
}
