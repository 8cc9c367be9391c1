// Package verify checks what comes from a relay: the form of an event, its id
// (NIP-01) and its signature (BIP-340), one by one or in batches; it parses the
// relay's frames and signs events.
//
// The package is pure: no clock, no goroutine, no network; randomness comes in
// as an argument.
package verify

import (
	"errors"
	"fmt"

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
	// ErrNotEvent tells of a frame with another label than EVENT.
	ErrNotEvent = errors.New("not an EVENT frame")
	// ErrSecret tells of a secret key outside 1..n-1.
	ErrSecret = errors.New("secret key out of range")
)

// Event checks one event: form, id, signature. The error wraps ErrForm, ErrID
// or ErrSignature.
func Event(e *nostr.Event) error {
	c, err := readClaim(e, nil)
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	if !c.holds() {
		return errSignature
	}
	return nil
}

var errSignature = fmt.Errorf("verify: %w", ErrSignature)
