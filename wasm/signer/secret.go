package signer

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/btcsuite/btcd/btcutil/bech32"
	"github.com/nbd-wtf/go-nostr/nip49"
)

const (
	// LogN is the cost of a passphrase's scrypt, as a power of two (NIP-49):
	// 64 MiB and about a second.
	LogN = 16
	// MaxLogN is the highest cost that is opened: 1 GiB would end the browser's
	// tab.
	MaxLogN = 20
	// ncryptsecSize is an ncryptsec's 91 bytes: version, cost, salt, nonce,
	// security byte, sealed key.
	ncryptsecSize = 91
	// MaxSecret is the longest text read as a key, in bytes.
	MaxSecret = 1000
)

// parseSecret reads a plain secret key: nsec or 64 hex digits.
func parseSecret(text string) (secret [32]byte, err error) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "nostr:")
	lower := strings.ToLower(text)
	switch {
	case text == "":
		return secret, fmt.Errorf("%w: the field is empty; a key looks like nsec1..., 64 hex digits or ncryptsec1", ErrNotKey)
	case len(text) > MaxSecret:
		return secret, fmt.Errorf("%w: it is over %d characters long", ErrNotKey, MaxSecret)
	case strings.HasPrefix(lower, "npub1"):
		return secret, fmt.Errorf("%w, npub1...: what is needed is the secret key, nsec1", ErrPublicKey)
	case strings.HasPrefix(lower, "nprofile1"), strings.HasPrefix(lower, "note1"), strings.HasPrefix(lower, "nevent1"), strings.HasPrefix(lower, "naddr1"):
		return secret, fmt.Errorf("%w: it is a code for something public; a secret key begins with nsec1", ErrNotKey)
	case strings.HasPrefix(lower, "nsec1"):
		bytes, err := decodeBech32(lower, "nsec")
		if err != nil {
			return secret, err
		}
		if len(bytes) != len(secret) {
			return secret, fmt.Errorf("%w: its length is wrong", ErrNotKey)
		}
		copy(secret[:], bytes)
		return secret, nil
	}
	bytes, err := hex.DecodeString(lower)
	if err != nil || len(bytes) != len(secret) {
		return secret, fmt.Errorf("%w: a key looks like nsec1..., 64 hex digits or ncryptsec1", ErrNotKey)
	}
	copy(secret[:], bytes)
	return secret, nil
}

func decodeBech32(text, prefix string) ([]byte, error) {
	hrp, bits, err := bech32.DecodeNoLimit(text)
	var checksum bech32.ErrInvalidChecksum
	switch {
	case errors.As(err, &checksum):
		return nil, fmt.Errorf("%w: a letter is wrong or missing", ErrChecksum)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrNotKey, err)
	case hrp != prefix:
		return nil, fmt.Errorf("%w: it begins with %s1, not %s1", ErrNotKey, hrp, prefix)
	}
	bytes, err := bech32.ConvertBits(bits, 5, 8, false)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotKey, err)
	}
	return bytes, nil
}

func encodeNsec(secret [32]byte) (string, error) {
	bits, err := bech32.ConvertBits(secret[:], 8, 5, true)
	if err != nil {
		return "", err
	}
	return bech32.Encode("nsec", bits)
}

func isNcryptsec(text string) bool {
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(text)), "ncryptsec1")
}

// openNcryptsec opens a NIP-49 text. Its form is checked before its cost is
// paid.
func openNcryptsec(text, passphrase string) (secret [32]byte, err error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if len(text) > MaxSecret {
		return secret, fmt.Errorf("%w: it is over %d characters long", ErrNotKey, MaxSecret)
	}
	raw, err := decodeBech32(text, "ncryptsec")
	switch {
	case err != nil:
		return secret, err
	case len(raw) != ncryptsecSize || raw[0] != 2:
		return secret, fmt.Errorf("%w: it is no ncryptsec of version 2", ErrNotKey)
	case raw[1] > MaxLogN:
		return secret, fmt.Errorf("%w: opening it would take %d MiB of memory; use a program that made it", ErrNotKey, 1<<(raw[1]-10))
	}
	bytes, err := nip49.DecryptToBytes(text, passphrase)
	if err != nil || len(bytes) != len(secret) {
		return secret, ErrPassphrase
	}
	copy(secret[:], bytes)
	return secret, nil
}
