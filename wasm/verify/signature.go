package verify

import (
	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"parley/wasm/internal/sha256"
)

// The tagged hashes of BIP-340, with their tags already absorbed.
var (
	challengeTag = sha256.Tagged("BIP0340/challenge")
	auxTag       = sha256.Tagged("BIP0340/aux")
	nonceTag     = sha256.Tagged("BIP0340/nonce")
)

// tagged hashes parts after an absorbed tag.
func tagged(tag *sha256.State, parts ...*[32]byte) [32]byte {
	var buf [96]byte
	n := 0
	for _, p := range parts {
		n += copy(buf[n:], p[:])
	}
	return tag.Finish(sha256.BlockSize, buf[:n])
}

// scalars returns s of the signature and the challenge e; false where s is not
// below n.
func (c *claim) scalars() (s, e secp256k1.ModNScalar, ok bool) {
	ok = s.SetBytes((*[32]byte)(c.sig[32:])) == 0
	h := tagged(&challengeTag, (*[32]byte)(c.sig[:]), &c.pub, &c.id)
	e.SetBytes(&h)
	return s, e, ok
}

// holds checks the signature by itself, as BIP-340 has it under "Verification".
func (c *claim) holds() bool {
	s, e, ok := c.scalars()
	if !ok {
		return false
	}
	pub, ok := lift(&c.pub)
	if !ok {
		return false
	}
	var sG, eP, r secp256k1.JacobianPoint
	e.Negate()
	secp256k1.ScalarBaseMultNonConst(&s, &sG)
	secp256k1.ScalarMultNonConst(&e, &pub, &eP)
	secp256k1.AddNonConst(&sG, &eP, &r)
	if r.Z.IsZero() || r.X.IsZero() && r.Y.IsZero() {
		return false
	}
	r.ToAffine()
	return !r.Y.IsOdd() && *r.X.Bytes() == [32]byte(c.sig[:32])
}

// lift is lift_x of BIP-340.
func lift(x *[32]byte) (p secp256k1.JacobianPoint, ok bool) {
	if p.X.SetBytes(x) != 0 || !secp256k1.DecompressY(&p.X, false, &p.Y) {
		return p, false
	}
	p.Y.Normalize()
	p.Z.SetInt(1)
	return p, true
}
