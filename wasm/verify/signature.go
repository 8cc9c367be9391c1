package verify

import (
	"parley/wasm/internal/curve"
	"parley/wasm/internal/sha256"
)

// The tagged hashes of BIP-340, and one of our own that makes blinds of secrets,
// with their tags already absorbed.
var (
	challengeTag = sha256.Tagged("BIP0340/challenge")
	auxTag       = sha256.Tagged("BIP0340/aux")
	nonceTag     = sha256.Tagged("BIP0340/nonce")
	blindTag     = sha256.Tagged("parley/blind")
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
func (c *claim) scalars() (s, e curve.Scalar, ok bool) {
	ok = s.SetBytes((*[32]byte)(c.sig[32:]))
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
	pub, ok := curve.Lift(&c.pub)
	if !ok {
		return false
	}
	e.Negate()
	r, ok := curve.Combine(&e, &pub, &s)
	return ok && !r.IsOdd() && r.X() == [32]byte(c.sig[:32])
}
