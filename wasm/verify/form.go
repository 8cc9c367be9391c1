package verify

import (
	"fmt"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/internal/curve"
)

const (
	// MaxKind is the greatest kind (NIP-01).
	MaxKind = 65535
	// MaxCreatedAt is the greatest created_at in unix seconds: the greatest number
	// that every JSON reader keeps exact.
	MaxCreatedAt = 1<<53 - 1
)

// claim says that the owner of pub signed id.
type claim struct {
	id, pub [32]byte
	sig     [64]byte
}

// readClaim checks form and id of e. buf is scratch memory for its serialisation
// and may be nil.
func readClaim(e *nostr.Event, buf *[]byte) (c claim, err error) {
	switch {
	case e == nil:
		return c, fmt.Errorf("no event: %w", ErrForm)
	case !unhex(c.id[:], e.ID):
		return c, fmt.Errorf("id is not 64 lowercase hex digits: %w", ErrForm)
	case !unhex(c.pub[:], e.PubKey):
		return c, fmt.Errorf("pubkey is not 64 lowercase hex digits: %w", ErrForm)
	case !unhex(c.sig[:], e.Sig):
		return c, fmt.Errorf("sig is not 128 lowercase hex digits: %w", ErrForm)
	}
	if err := checkNumbers(e); err != nil {
		return c, err
	}
	if buf == nil {
		buf = new([]byte)
	}
	if c.id != hash(e, buf) {
		return c, ErrID
	}
	return c, nil
}

func checkNumbers(e *nostr.Event) error {
	if e.Kind < 0 || e.Kind > MaxKind {
		return fmt.Errorf("kind %d is not 0 to %d: %w", e.Kind, MaxKind, ErrForm)
	}
	if e.CreatedAt < 0 || e.CreatedAt > MaxCreatedAt {
		return fmt.Errorf("created_at %d is not 0 to %d: %w", e.CreatedAt, MaxCreatedAt, ErrForm)
	}
	return nil
}

// IsID tells whether s is an event id as NIP-01 writes it: 64 lowercase hex digits.
func IsID(s string) bool {
	var id [32]byte
	return unhex(id[:], s)
}

// IsPublicKey tells whether s is a public key as NIP-01 writes it: 64 lowercase
// hex digits, the x coordinate of a point of the curve (BIP-340, lift_x).
func IsPublicKey(s string) bool {
	var x [32]byte
	if !unhex(x[:], s) {
		return false
	}
	_, ok := curve.Lift(&x)
	return ok
}

// notHex marks bytes that are no lowercase hex digit.
const notHex = 0xff

var hexValues = func() (t [256]byte) {
	for i := range t {
		t[i] = notHex
	}
	for i, c := range []byte("0123456789abcdef") {
		t[c] = byte(i)
	}
	return t
}()

// unhex fills b from twice as many lowercase hex digits.
func unhex(b []byte, s string) bool {
	if len(s) != 2*len(b) {
		return false
	}
	bad := byte(0)
	for i := range b {
		hi, lo := hexValues[s[2*i]], hexValues[s[2*i+1]]
		bad |= hi | lo
		b[i] = hi<<4 | lo
	}
	return bad < 16
}
