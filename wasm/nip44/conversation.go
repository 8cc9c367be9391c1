package nip44

import (
	"encoding/hex"
	"fmt"

	"parley/wasm/internal/curve"
	"parley/wasm/internal/sha256"
)

// extractor is HKDF-extract with the salt of NIP-44.
var extractor = sha256.NewHMAC([]byte("nip44-v2"))

// ConversationKey derives the key shared by the owner of secret and the owner
// of pubkeyHex: 64 hex digits, the x coordinate of NIP-01. It costs a curve
// multiplication; keep the result, see Cache. Errors wrap ErrKey.
func ConversationKey(secret [32]byte, pubkeyHex string) (key [32]byte, err error) {
	var k curve.Scalar
	if !k.SetBytes(&secret) || k.IsZero() {
		return key, fmt.Errorf("nip44: secret key is not in 1..n-1: %w", ErrKey)
	}
	defer k.Zero()
	peer, ok := liftHex(pubkeyHex)
	if !ok {
		return key, fmt.Errorf("nip44: public key %.70q: %w", pubkeyHex, ErrKey)
	}
	// The other side chooses the point, so each has a blind of its own.
	x := peer.X()
	prf := sha256.NewHMAC(secret[:])
	blind := prf.Sum(append([]byte("parley blinding"), x[:]...))
	shared, ok := curve.Multiply(&k, &peer, &blind)
	if !ok {
		return key, fmt.Errorf("nip44: public key %.70q: %w", pubkeyHex, ErrKey)
	}
	x = shared.X()
	return extractor.Sum(x[:]), nil
}

// liftHex returns the point with an even y whose x is given in hex.
func liftHex(s string) (p curve.Point, ok bool) {
	var b [32]byte
	if len(s) != hex.EncodedLen(len(b)) {
		return p, false
	}
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'F' {
			return p, false
		}
	}
	if _, err := hex.Decode(b[:], []byte(s)); err != nil {
		return p, false
	}
	return curve.Lift(&b)
}
