package signer

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

const inviteScheme = "nostrconnect"

// App is what a remote signer may show of us: a hint for a person, nothing more
// (NIP-46, "Client metadata").
type App struct {
	Name string `json:"name,omitempty"`
	URL  string `json:"url,omitempty"`
}

// Invitation is what we show to a remote signer so that it connects to us
// (NIP-46, "Direct connection initiated by the client").
type Invitation struct {
	Client string   // our public key towards the signer, hex
	Relays []string // where we listen, in normal form
	Secret string   // what the signer must answer
	Perms  []string // what we ask to be allowed: "sign_event:9", "nip44_encrypt"
	App    App
}

// secretSize is how many random bytes make the secret of an invitation.
const secretSize = 16

// NewInvitation makes an invitation to the signer that r is to speak with, with
// a secret of its own.
func NewInvitation(r *Remote, rand io.Reader) (Invitation, error) {
	var secret [secretSize]byte
	if _, err := io.ReadFull(rand, secret[:]); err != nil {
		return Invitation{}, fmt.Errorf("invite a signer: drawing randomness: %w", err)
	}
	return Invitation{
		Client: r.client.pubkey, Relays: r.Relays(), Secret: hex.EncodeToString(secret[:]),
		Perms: r.options.Perms, App: r.options.App,
	}, nil
}

// String is the address nostrconnect://<client>?relay=...&secret=....
func (i Invitation) String() string {
	return inviteScheme + "://" + i.Client + "?" + query(i.Relays,
		"secret", i.Secret, "perms", strings.Join(i.Perms, ","), "name", i.App.Name, "url", i.App.URL)
}

// metadata is the fourth parameter of connect.
func (a App) metadata() string {
	text, err := json.Marshal(a)
	if err != nil {
		return "" // two strings always have a JSON form
	}
	return string(text)
}
