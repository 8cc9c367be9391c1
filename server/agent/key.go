package agent

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nbd-wtf/go-nostr/nip19"

	"parley/wasm/verify"
)

// keyFile holds the agent's secret key, 64 hex digits.
const keyFile = "agent.key"

// Key is the agent's secret key: the one given (nsec or 64 hex digits) or, when
// that is empty, the one kept in dir, made at the first time. A file that holds
// no key is an error and stays as it is: with a new key the agent would be
// somebody else.
func Key(given, dir string) ([32]byte, error) {
	if given = strings.TrimSpace(given); given != "" {
		secret, err := ParseKey(given)
		if err != nil {
			return secret, fmt.Errorf("reading the agent's key: %w", err)
		}
		return secret, nil
	}
	path := filepath.Join(dir, keyFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeKey(dir, path)
	}
	if err != nil {
		return [32]byte{}, fmt.Errorf("reading the agent's key: %w", err)
	}
	secret, err := ParseKey(strings.TrimSpace(string(text)))
	if err != nil {
		return secret, fmt.Errorf("%s holds no secret key: restore it, or remove it to begin with a new one: %w", path, err)
	}
	return secret, nil
}

// ParseKey reads an nsec or 64 hex digits. The error does not repeat the text.
func ParseKey(text string) (secret [32]byte, err error) {
	digits := text
	if strings.HasPrefix(text, "nsec1") {
		prefix, value, err := nip19.Decode(text)
		if err != nil || prefix != "nsec" {
			return secret, errors.New("the nsec has a typing error; copy it again")
		}
		digits = value.(string)
	}
	raw, err := hex.DecodeString(digits)
	if err != nil || len(raw) != len(secret) {
		return secret, errors.New("a secret key is an nsec or 64 hex digits")
	}
	copy(secret[:], raw)
	if _, err := verify.PublicKey(secret); err != nil {
		return [32]byte{}, errors.New("no secret key has this number")
	}
	return secret, nil
}

// makeKey writes a new key whole or not at all.
func makeKey(dir, path string) (secret [32]byte, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return secret, fmt.Errorf("keeping the agent's key: %w", err)
	}
	for made := false; !made; { // all but once in 2^128 the first is in range
		if _, err := rand.Read(secret[:]); err != nil {
			return secret, fmt.Errorf("making the agent's key: %w", err)
		}
		_, err := verify.PublicKey(secret)
		made = err == nil
	}
	draft := path + ".new"
	if err := os.WriteFile(draft, []byte(hex.EncodeToString(secret[:])+"\n"), 0o600); err != nil {
		return secret, fmt.Errorf("keeping the agent's key: %w", err)
	}
	if err := os.Rename(draft, path); err != nil {
		return secret, fmt.Errorf("keeping the agent's key: %w", err)
	}
	return secret, nil
}
