package verify

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/internal/curve"
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
func keyPair(secret *[32]byte) (d curve.Scalar, pub [32]byte, err error) {
	if !d.SetBytes(secret) || d.IsZero() {
		return d, pub, ErrSecret
	}
	blind := tagged(&blindTag, secret)
	p, ok := curve.MultiplyBase(&d, &blind)
	if !ok {
		return d, pub, ErrSecret
	}
	if p.IsOdd() {
		d.Negate()
	}
	return d, p.X(), nil
}

// sign sets c.sig: BIP-340, "Default Signing".
func (c *claim) sign(d *curve.Scalar, aux *[32]byte) error {
	t := tagged(&auxTag, aux)
	for i, b := range d.Bytes() {
		t[i] ^= b
	}
	h := tagged(&nonceTag, &t, &c.pub, &c.id)
	var k curve.Scalar
	k.SetBytes(&h)
	defer k.Zero()
	// Of the nonce, so that no two nonces share a blind, even where aux repeats.
	blind := tagged(&blindTag, &h)
	r, ok := curve.MultiplyBase(&k, &blind)
	if !ok {
		return errors.New("the nonce is zero")
	}
	if r.IsOdd() {
		k.Negate()
	}
	x := r.X()
	copy(c.sig[:], x[:])
	_, s, _ := c.scalars()
	s.Mul(d)
	s.Add(&k)
	b := s.Bytes()
	copy(c.sig[32:], b[:])
	if !c.holds() {
		return errors.New("the signature made does not hold")
	}
	return nil
}
