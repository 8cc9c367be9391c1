package run

import "github.com/nbd-wtf/go-nostr"

// Opening says what became of an event's encrypted content.
type Opening string

// The openings.
const (
	Sealed     Opening = ""           // not decrypted yet
	Opened     Opening = "opened"     // Input.Plain is the plaintext
	Unreadable Opening = "unreadable" // decryption failed for good
)

// Input is one verified event on its way into a fold. The same event may come
// again, with its plaintext later, or in another wrapping.
type Input struct {
	Event   *nostr.Event // never written to
	Opening Opening
	Plain   string
	Seen    int64 // first arrival by our clock; 0: created_at is taken
	Wrapped bool  // it came as a rumour in a gift wrap
	PlainIn bool  // the rumour's content was plain JSON, not NIP-44
}
