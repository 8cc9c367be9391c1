// Package verify checks what comes from a relay: the form of an event, its id
// (NIP-01) and its signature (BIP-340), one by one or in batches; it parses the
// relay's frames and signs events.
//
// The package is pure: no clock, no goroutine, no network; randomness comes in
// as an argument.
package verify

import (
	"errors"
	"io"
	"iter"

	"github.com/nbd-wtf/go-nostr"
)

var (
	// ErrForm tells of a field that is not in the form NIP-01 asks for.
	ErrForm = errors.New("malformed event")
	// ErrID tells of an id that is not the hash of the event.
	ErrID = errors.New("id does not match the event")
	// ErrSignature tells of a signature that is not the author's over the id.
	ErrSignature = errors.New("signature does not match")
	// ErrFrame tells of a frame or event that is not JSON of the expected shape.
	ErrFrame = errors.New("malformed frame")
	// ErrNotEvent tells of a well-formed frame that is no EVENT frame.
	ErrNotEvent = errors.New("not an EVENT frame")
	// ErrSecret tells of a secret key outside 1..n-1.
	ErrSecret = errors.New("secret key out of range")
)

// SliceSize is the number of events Slices checks at once.
const SliceSize = 128

// ID is the id of e: SHA-256 over the NIP-01 serialisation of its fields. The
// fields ID and Sig play no part.
func ID(e *nostr.Event) [32]byte { return id(e) }

// Event checks one event: form, id, signature. The error wraps ErrForm, ErrID
// or ErrSignature.
func Event(e *nostr.Event) error { return event(e) }

// Batch checks many events at once and returns one error per event, nil where
// the event is good: the same result as Event on each. rand gives 32 bytes of
// cryptographically secure randomness; nobody who makes events may know them.
// Where rand fails, each event is checked by itself.
func Batch(events []*nostr.Event, rand io.Reader) []error { return batch(events, rand) }

// Slices checks a long history in slices of SliceSize. Each step gives the index
// of its first event and the errors of the slice, as Batch does; between the
// steps the caller can let its event loop run.
func Slices(events []*nostr.Event, rand io.Reader) iter.Seq2[int, []error] {
	return func(yield func(int, []error) bool) {
		for from := 0; from < len(events); from += SliceSize {
			to := min(from+SliceSize, len(events))
			if !yield(from, Batch(events[from:to], rand)) {
				return
			}
		}
	}
}

// Sign sets the pubkey, id and signature of e. aux is 32 bytes of fresh
// randomness (BIP-340); nil tags become empty ones. Errors wrap ErrSecret or
// ErrForm.
func Sign(e *nostr.Event, secret, aux [32]byte) error { return sign(e, secret, aux) }

// PublicKey is the public key of secret, 64 lowercase hex digits. Errors wrap
// ErrSecret.
func PublicKey(secret [32]byte) (string, error) { return publicKey(secret) }

// ParseFrame reads a relay's ["EVENT",<subscription>,<event>] frame and nothing
// else: ErrNotEvent for other labels, ErrFrame for what is not such JSON. The
// event is not verified yet.
func ParseFrame(frame []byte) (sub string, e *nostr.Event, err error) { return parseFrame(frame) }

// ParseEvent reads one event object, strictly as ParseFrame does. The event is
// not verified yet.
func ParseEvent(object []byte) (*nostr.Event, error) { return parseEvent(object) }
