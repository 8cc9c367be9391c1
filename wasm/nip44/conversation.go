package nip44

import (
	"encoding/hex"
	"fmt"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"parley/wasm/internal/sha256"
)

// extractor is HKDF-extract with the salt of NIP-44.
var extractor = sha256.NewHMAC([]byte("nip44-v2"))

// ConversationKey derives the key shared by the owner of secret and the owner
// of pubkeyHex: 64 hex digits, the x coordinate of NIP-01. It costs two curve
// multiplications; keep the result, see Cache. Errors wrap ErrKey.
func ConversationKey(secret [32]byte, pubkeyHex string) (key [32]byte, err error) {
	var k secp256k1.ModNScalar
	if k.SetBytes(&secret) != 0 || k.IsZero() {
		return key, fmt.Errorf("nip44: secret key is not in 1..n-1: %w", ErrKey)
	}
	defer k.Zero()
	peer, ok := liftHex(pubkeyHex)
	if !ok {
		return key, fmt.Errorf("nip44: public key %.70q: %w", pubkeyHex, ErrKey)
	}
	shared := blindMultiply(&k, &secret, &peer)
	return extractor.Sum(shared[:]), nil
}

// liftHex returns the point with an even y whose x is given in hex.
func liftHex(s string) (p secp256k1.JacobianPoint, ok bool) {
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
	if overflow := p.X.SetBytes(&b); overflow != 0 || !secp256k1.DecompressY(&p.X, false, &p.Y) {
		return p, false
	}
	p.Y.Normalize()
	p.Z.SetInt(1)
	return p, true
}

// blindMultiply returns the x coordinate of k times p. The multiplication to be
// had takes a time that depends on its scalar, and the other side chooses p, so
// k is split in two numbers that differ for each p and that nobody can foresee.
func blindMultiply(k *secp256k1.ModNScalar, secret *[32]byte, p *secp256k1.JacobianPoint) [32]byte {
	prf := sha256.NewHMAC(secret[:])
	mask := prf.Sum(append([]byte("parley blinding"), p.X.Bytes()[:]...))
	var k1, k2 secp256k1.ModNScalar
	k1.SetBytes(&mask)
	k2.NegateVal(&k1).Add(k)
	var p1, p2, sum secp256k1.JacobianPoint
	secp256k1.ScalarMultNonConst(&k1, p, &p1)
	secp256k1.ScalarMultNonConst(&k2, p, &p2)
	secp256k1.AddNonConst(&p1, &p2, &sum)
	sum.ToAffine()
	k1.Zero()
	k2.Zero()
	return *sum.X.Bytes()
}
