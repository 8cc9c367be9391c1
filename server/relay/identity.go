package relay

import (
	"crypto/rand"
	"fmt"
	"path/filepath"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/folder"
	"parley/wasm/verify"
)

// keyFile holds the relay's secret key, 64 hex digits.
const keyFile = "relay.key"

// identity is the relay's own key.
type identity struct {
	secret [32]byte
	public string
}

// openIdentity reads the relay's key, or makes one when there is none: with
// another key all rooms would be disowned.
func openIdentity(dir string) (id identity, err error) {
	if id.secret, err = folder.Key(filepath.Join(dir, keyFile)); err != nil {
		return id, fmt.Errorf("the relay's key: %w", err)
	}
	if id.public, err = verify.PublicKey(id.secret); err != nil {
		return id, fmt.Errorf("the relay's key: %w", err)
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
