package relay

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/verify"
)

// keyFile holds the relay's secret key, 64 hex digits.
const keyFile = "relay.key"

// identity is the relay's own key.
type identity struct {
	secret [32]byte
	public string
}

// openIdentity reads the relay's key, or makes one when there is none. A file
// that holds no key is an error and stays as it is: a new key would disown
// every room.
func openIdentity(dir string) (identity, error) {
	path := filepath.Join(dir, keyFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeIdentity(path)
	}
	if err != nil {
		return identity{}, fmt.Errorf("reading the relay's key: %w", err)
	}
	var id identity
	secret, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || copy(id.secret[:], secret) != 32 || len(secret) != 32 {
		return identity{}, fmt.Errorf("%s holds no secret key of 64 hex digits: restore it, or remove it to begin with a new one", path)
	}
	if id.public, err = verify.PublicKey(id.secret); err != nil {
		return identity{}, fmt.Errorf("the relay's key in %s: %w", path, err)
	}
	return id, nil
}

// makeIdentity writes a new key whole or not at all.
func makeIdentity(path string) (identity, error) {
	var id identity
	for id.public == "" { // all but once in 2^128 the first is in range
		if _, err := rand.Read(id.secret[:]); err != nil {
			return identity{}, fmt.Errorf("making the relay's key: %w", err)
		}
		id.public, _ = verify.PublicKey(id.secret)
	}
	draft := path + ".new"
	if err := os.WriteFile(draft, []byte(hex.EncodeToString(id.secret[:])+"\n"), 0o600); err != nil {
		return identity{}, fmt.Errorf("keeping the relay's key: %w", err)
	}
	if err := os.Rename(draft, path); err != nil {
		return identity{}, fmt.Errorf("keeping the relay's key: %w", err)
	}
	return id, nil
}

// sign makes an event of the relay's own.
func (id identity) sign(ev *nostr.Event) error {
	var aux [32]byte
	if _, err := rand.Read(aux[:]); err != nil {
		return fmt.Errorf("signing: %w", err)
	}
	return verify.Sign(ev, id.secret, aux)
}
