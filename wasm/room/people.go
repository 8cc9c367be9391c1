package room

import "github.com/nbd-wtf/go-nostr"

// Profiles is who is who: the newest kind 0 of each key, then the lowest id,
// and which keys are known to be agents. Rooms of one account may share it.
type Profiles struct {
}

// NewProfiles returns an empty set.
func NewProfiles() *Profiles { return &Profiles{} }

// Add takes in a verified kind 0. It is false when nothing changed.
func (p *Profiles) Add(e *nostr.Event) bool { return false }

// SetAgent marks a key as an agent, of an owner when that is known ("Ana"), so
// that its Person says "agent" or "agent of Ana". It is false when nothing
// changed. A kind 0 with NIP-24's `bot` says "agent" by itself.
func (p *Profiles) SetAgent(pubkey, owner string) bool { return false }

// Person returns how to show a key. Its name is never empty.
func (p *Profiles) Person(pubkey string) Person { return Person{} }

// Known reports whether a kind 0 of the key was added.
func (p *Profiles) Known(pubkey string) bool { return false }

// ShortNPub is how to name a key without a profile: "npub1abcde…wxyz".
func ShortNPub(pubkey string) string { return "" }
