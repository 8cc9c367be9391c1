// Package folder is what a program keeps in a folder of its own: a lock against
// a second one that would do everything twice, and its secret key.
package folder

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

// Unlock gives back what Lock has returned.
func Unlock(held *os.File) error {
	if held == nil {
		return nil
	}
	return held.Close()
}

// Key is the secret key kept in a file, made at the first time along with its
// folder. A file that holds no key is an error and stays as it is: with a new
// key the program would be somebody else.
func Key(path string) (secret [32]byte, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeKey(path)
	}
	if err != nil {
		return secret, fmt.Errorf("reading a secret key: %w", err)
	}
	secret, err = ParseKey(strings.TrimSpace(string(text)))
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
func makeKey(path string) (secret [32]byte, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return secret, fmt.Errorf("keeping a secret key: %w", err)
	}
	for made := false; !made; { // all but once in 2^128 the first is in range
		rand.Read(secret[:]) // never fails: it ends the program instead
		_, err := verify.PublicKey(secret)
		made = err == nil
	}
	if err := write(path, hex.EncodeToString(secret[:])+"\n"); err != nil {
		return secret, fmt.Errorf("keeping a secret key: %w", err)
	}
	return secret, nil
}

// write makes a file that only its owner reads. A power cut leaves all of it or
// nothing.
func write(path, text string) error {
	draft, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = draft.WriteString(text)
	if err = errors.Join(err, draft.Sync(), draft.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
