package verify

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/nbd-wtf/go-nostr"
)

// Sign sets the pubkey, id and signature of e and checks the signature. aux is
// 32 bytes of fresh randomness (BIP-340); nil tags become empty ones. Errors wrap
// ErrSecret or ErrForm, and leave e as it was.
func Sign(e *nostr.Event, secret, aux [32]byte) error {
	if err := checkNumbers(e); err != nil {
		return fmt.Errorf("verify: signing: %w", err)
	}
	d, pub, err := keyPair(&secret)
	if err != nil {
		return fmt.Errorf("verify: signing: %w", err)
	}
	defer d.Zero()
	signed := *e
	signed.PubKey = hex.EncodeToString(pub[:])
	c := claim{id: ID(&signed), pub: pub}
	if err := c.sign(&d, &aux); err != nil {
		return fmt.Errorf("verify: signing: %w", err)
	}
	signed.ID = hex.EncodeToString(c.id[:])
	signed.Sig = hex.EncodeToString(c.sig[:])
	if signed.Tags == nil {
		signed.Tags = nostr.Tags{}
	}
	*e = signed
	return nil
}

// PublicKey is the public key of secret, 64 lowercase hex digits. Errors wrap
// ErrSecret.
func PublicKey(secret [32]byte) (string, error) {
	d, pub, err := keyPair(&secret)
	if err != nil {
		return "", fmt.Errorf("verify: %w", err)
	}
	d.Zero()
	return hex.EncodeToString(pub[:]), nil
}

// keyPair returns the public key of secret and the scalar that belongs to its
// point with an even y.
func keyPair(secret *[32]byte) (d secp256k1.ModNScalar, pub [32]byte, err error) {
	if d.SetBytes(secret) != 0 || d.IsZero() {
		return d, pub, ErrSecret
	}
	var p secp256k1.JacobianPoint
	secp256k1.ScalarBaseMultNonConst(&d, &p)
	p.ToAffine()
	if p.Y.IsOdd() {
		d.Negate()
	}
	return d, *p.X.Bytes(), nil
}

// sign sets c.sig: BIP-340, "Default Signing".
func (c *claim) sign(d *secp256k1.ModNScalar, aux *[32]byte) error {
	t := tagged(&auxTag, aux)
	for i, b := range d.Bytes() {
		t[i] ^= b
	}
	h := tagged(&nonceTag, &t, &c.pub, &c.id)
	var k secp256k1.ModNScalar
	k.SetBytes(&h)
	defer k.Zero()
	if k.IsZero() {
		return errors.New("the nonce is zero")
	}
	r := blindBaseMultiply(&k, &t)
	if r.Y.IsOdd() {
		k.Negate()
	}
	copy(c.sig[:], r.X.Bytes()[:])
	_, e, _ := c.scalars()
	s := e.Mul(d).Add(&k).Bytes()
	copy(c.sig[32:], s[:])
	if !c.holds() {
		return errors.New("the signature made does not hold")
	}
	return nil
}

// blindBaseMultiply returns k times G, in affine coordinates. The multiplication
// to be had takes a time that depends on its scalar, so k is split in two numbers
// that nobody can foresee.
func blindBaseMultiply(k *secp256k1.ModNScalar, seed *[32]byte) (sum secp256k1.JacobianPoint) {
	mask := tagged(&auxTag, seed)
	var k1, k2 secp256k1.ModNScalar
	k1.SetBytes(&mask)
	k2.NegateVal(&k1).Add(k)
	var p1, p2 secp256k1.JacobianPoint
	secp256k1.ScalarBaseMultNonConst(&k1, &p1)
	secp256k1.ScalarBaseMultNonConst(&k2, &p2)
	secp256k1.AddNonConst(&p1, &p2, &sum)
	sum.ToAffine()
	k1.Zero()
	k2.Zero()
	return sum
}
