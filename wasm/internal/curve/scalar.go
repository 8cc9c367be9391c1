package curve

import (
	"encoding/binary"
	"math/bits"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// Half is a scalar below 2^128, the low word first.
type Half [2]uint64

// The endomorphism of secp256k1 (the GLV method): (βx, y) is λ times (x, y). The
// numbers are those libsecp256k1 derives: b1 and b2 belong to a short basis of
// the lattice of (a, b) with a + bλ = 0 modulo n, g1 and g2 are b2·2^384/n and
// -b1·2^384/n, rounded.
var (
	beta = mustElement("\x7a\xe9\x6a\x2b\x65\x7c\x07\x10\x6e\x64\x47\x9e\xac\x34\x34\xe9" +
		"\x9c\xf0\x49\x75\x12\xf5\x89\x95\xc1\x39\x6c\x28\x71\x95\x01\xee")
	minusLambda = mustScalar("\xac\x9c\x52\xb3\x3f\xa3\xcf\x1f\x5a\xd9\xe3\xfd\x77\xed\x9b\xa4" +
		"\xa8\x80\xb9\xfc\x8e\xc7\x39\xc2\xe0\xcf\xc8\x10\xb5\x12\x83\xcf")
	minusB1 = mustScalar("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\xe4\x43\x7e\xd6\x01\x0e\x88\x28\x6f\x54\x7f\xa9\x0a\xbf\xe4\xc3")
	minusB2 = mustScalar("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe" +
		"\x8a\x28\x0a\xc5\x07\x74\x34\x6d\xd7\x65\xcd\xa8\x3d\xb1\x56\x2c")
	g1 = [4]uint64{0xe893209a45dbb031, 0x3daa8a1471e8ca7f, 0xe86c90e49284eb15, 0x3086d221a7d46bcd}
	g2 = [4]uint64{0x1571b4ae8ac47f71, 0x221208ac9df506c6, 0x6f547fa90abfe4c4, 0xe4437ed6010e8828}
)

func mustElement(b string) (e Element) {
	if !e.setBytes((*[32]byte)([]byte(b))) {
		panic("curve: not below p")
	}
	return e
}

func mustScalar(b string) (k secp256k1.ModNScalar) {
	if k.SetBytes((*[32]byte)([]byte(b))) != 0 {
		panic("curve: not below n")
	}
	return k
}

// split returns a and b below 2^128 and their signs such that a + bλ is k.
func split(k *secp256k1.ModNScalar) (a, b Half, aNeg, bNeg bool) {
	raw := k.Bytes()
	var w [4]uint64
	for i := range w {
		w[i] = binary.BigEndian.Uint64(raw[24-8*i:])
	}
	var kb, ka secp256k1.ModNScalar
	c1, c2 := scaleDown(&w, &g1), scaleDown(&w, &g2)
	kb.Mul2(&c1, &minusB1)
	kb.Add(new(secp256k1.ModNScalar).Mul2(&c2, &minusB2))
	ka.Mul2(&kb, &minusLambda).Add(k)
	a, aNeg = half(&ka)
	b, bNeg = half(&kb)
	return a, b, aNeg, bNeg
}

// half returns the absolute value of k, taken between -n/2 and n/2.
func half(k *secp256k1.ModNScalar) (Half, bool) {
	neg := k.IsOverHalfOrder()
	if neg {
		k.Negate()
	}
	raw := k.Bytes()
	return Half{binary.BigEndian.Uint64(raw[24:]), binary.BigEndian.Uint64(raw[16:])}, neg
}

// scaleDown returns x·y/2^384, rounded.
func scaleDown(x, y *[4]uint64) (k secp256k1.ModNScalar) {
	var prod [8]uint64
	for i, xi := range x {
		var carry uint64
		for j, yj := range y {
			hi, lo := bits.Mul64(xi, yj)
			var c uint64
			lo, c = bits.Add64(lo, prod[i+j], 0)
			hi += c
			lo, c = bits.Add64(lo, carry, 0)
			prod[i+j], carry = lo, hi+c
		}
		prod[i+4] = carry
	}
	lo, c := bits.Add64(prod[6], prod[5]>>63, 0)
	var raw [32]byte
	binary.BigEndian.PutUint64(raw[24:], lo)
	binary.BigEndian.PutUint64(raw[16:], prod[7]+c)
	k.SetBytes(&raw)
	return k
}

// Bytes is k as 32 bytes, big-endian.
func (k Half) Bytes() (b [32]byte) {
	binary.BigEndian.PutUint64(b[24:], k[0])
	binary.BigEndian.PutUint64(b[16:], k[1])
	return b
}
