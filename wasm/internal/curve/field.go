// Package curve computes on secp256k1: it adds up many points at once, as a batch
// of BIP-340 signatures needs, and multiplies single ones. Only Multiply,
// MultiplyBase and the methods of Scalar are for secret numbers; all else takes a
// time that depends on its input.
package curve

import "encoding/binary"

// Element is a number modulo p = 2^256 - 2^32 - 977 in nine limbs of 29 bits:
// the sum of e[i]·2^(29i). WebAssembly multiplies 64 bits by 64 to 64, and the
// nine products of a column fit in those.
//
// Limbs may be negative, so that a difference needs no carry. An element of size
// m has limbs of at most m·(2^29 + 2^19) in absolute value. mul, mulSub, sqr and
// tidy return size 1 with limbs that are not negative but for the third, by
// 2^19 at most; thus a difference of two such has size 1 as well. Sizes add up in
// sums. The sizes of two factors may have a product of 3.
type Element [9]int64

const (
	limbBits = 29
	mask     = 1<<limbBits - 1
	topBits  = 256 - 8*limbBits
	// 2^261 = 2^5·(2^32 + 977) modulo p, and 2^37 is 2^8 in the next limb.
	fold0 = 977 << 5
	fold1 = 8
)

// setBytes sets z to the big-endian number b and tells whether it is below p.
func (z *Element) setBytes(b *[32]byte) bool {
	w0, w1 := binary.BigEndian.Uint64(b[24:]), binary.BigEndian.Uint64(b[16:])
	w2, w3 := binary.BigEndian.Uint64(b[8:]), binary.BigEndian.Uint64(b[:])
	z[0] = int64(w0 & mask)
	z[1] = int64(w0 >> 29 & mask)
	z[2] = int64((w0>>58 | w1<<6) & mask)
	z[3] = int64(w1 >> 23 & mask)
	z[4] = int64((w1>>52 | w2<<12) & mask)
	z[5] = int64(w2 >> 17 & mask)
	z[6] = int64((w2>>46 | w3<<18) & mask)
	z[7] = int64(w3 >> 11 & mask)
	z[8] = int64(w3 >> 40)
	y := *z
	y.normalize()
	return y == *z
}

// bytes returns z as a big-endian number below p.
func (z *Element) bytes() (b [32]byte) {
	y := *z
	y.normalize()
	var l [9]uint64
	for i, limb := range y {
		l[i] = uint64(limb)
	}
	binary.BigEndian.PutUint64(b[24:], l[0]|l[1]<<29|l[2]<<58)
	binary.BigEndian.PutUint64(b[16:], l[2]>>6|l[3]<<23|l[4]<<52)
	binary.BigEndian.PutUint64(b[8:], l[4]>>12|l[5]<<17|l[6]<<46)
	binary.BigEndian.PutUint64(b[:], l[6]>>18|l[7]<<11|l[8]<<40)
	return b
}

// normalize makes z the one form of its number that is in 0..p-1. Its size may
// be up to 8.
func (z *Element) normalize() {
	// What is above 2^256 is less than 2^10, then 1 in absolute value, then 0.
	for range 3 {
		for i := range 8 {
			z[i+1] += z[i] >> limbBits
			z[i] &= mask
		}
		over := z[8] >> topBits
		z[8] &= 1<<topBits - 1
		z[0] += over * 977
		z[1] += over << (32 - limbBits)
	}
	// z is p or more just when z + 2^32 + 977 reaches 2^256.
	y := *z
	y[0] += 977
	y[1] += 1 << (32 - limbBits)
	for i := range 8 {
		y[i+1] += y[i] >> limbBits
		y[i] &= mask
	}
	if y[8]>>topBits != 0 {
		y[8] &= 1<<topBits - 1
		*z = y
	}
}

// isZero tells whether z, of size 2 at most, is 0 modulo p.
func (z *Element) isZero() bool {
	// Multiples of p of that size are k·p with |k| < 100, and p is -977 modulo
	// 2^29: nearly all others are told apart by their lowest limb.
	const near = 100 * 977
	if low := z[0] & mask; near < low && low < mask-near {
		return false
	}
	y := *z
	y.normalize()
	return y == Element{}
}

func (z *Element) isOdd() bool {
	y := *z
	y.normalize()
	return y[0]&1 == 1
}

func add(z, x, y *Element) {
	for i := range z {
		z[i] = x[i] + y[i]
	}
}

func sub(z, x, y *Element) {
	for i := range z {
		z[i] = x[i] - y[i]
	}
}

// tidy brings z, of a size up to 2^30, back to size 1.
func (z *Element) tidy() {
	var c int64
	for i := range z {
		c += z[i]
		z[i] = c & mask
		c >>= limbBits
	}
	z.fold(c)
}

// fold adds c·2^261, for c below 2^40 in absolute value.
func (z *Element) fold(c int64) {
	z0 := z[0] + c*fold0
	z1 := z[1] + c<<fold1 + z0>>limbBits
	z[0] = z0 & mask
	z[1] = z1 & mask
	z[2] += z1 >> limbBits
}

// powers returns what invert and sqrt begin with and the parts they go
// on with: x to the powers of 2^223-1, 2^22-1 and 2^2-1.
func powers(x *Element) (x223, x22, x2 Element) {
	step := func(a *Element, n int, b *Element) (z Element) {
		sqrN(&z, a, n)
		mul(&z, &z, b)
		return z
	}
	x2 = step(x, 1, x)
	x3 := step(&x2, 1, x)
	x6 := step(&x3, 3, &x3)
	x9 := step(&x6, 3, &x3)
	x11 := step(&x9, 2, &x2)
	x22 = step(&x11, 11, &x11)
	x44 := step(&x22, 22, &x22)
	x88 := step(&x44, 44, &x44)
	x176 := step(&x88, 88, &x88)
	x220 := step(&x176, 44, &x44)
	return step(&x220, 3, &x3), x22, x2
}

// invert sets z to 1/x, to the power of p-2, and to 0 where x is 0.
func invert(z, x *Element) {
	t, x22, x2 := powers(x)
	a := *x
	sqrN(&t, &t, 23)
	mul(&t, &t, &x22)
	sqrN(&t, &t, 5)
	mul(&t, &t, &a)
	sqrN(&t, &t, 3)
	mul(&t, &t, &x2)
	sqrN(&t, &t, 2)
	mul(z, &t, &a)
}

// sqrt sets z to a square root of x, to the power of (p+1)/4, and tells whether
// there is one.
func sqrt(z, x *Element) bool {
	a := *x
	t, x22, x2 := powers(x)
	sqrN(&t, &t, 23)
	mul(&t, &t, &x22)
	sqrN(&t, &t, 6)
	mul(&t, &t, &x2)
	sqrN(z, &t, 2)
	var check Element
	sqr(&check, z)
	sub(&check, &check, &a)
	return check.isZero()
}
