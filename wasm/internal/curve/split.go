package curve

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
	g1 = mustScalar("\x30\x86\xd2\x21\xa7\xd4\x6b\xcd\xe8\x6c\x90\xe4\x92\x84\xeb\x15" +
		"\x3d\xaa\x8a\x14\x71\xe8\xca\x7f\xe8\x93\x20\x9a\x45\xdb\xb0\x31")
	g2 = mustScalar("\xe4\x43\x7e\xd6\x01\x0e\x88\x28\x6f\x54\x7f\xa9\x0a\xbf\xe4\xc4" +
		"\x22\x12\x08\xac\x9d\xf5\x06\xc6\x15\x71\xb4\xae\x8a\xc4\x7f\x71")
)

func mustElement(b string) (e Element) {
	if !e.setBytes((*[32]byte)([]byte(b))) {
		panic("curve: not below p")
	}
	return e
}

func mustScalar(b string) (k Scalar) {
	if !k.SetBytes((*[32]byte)([]byte(b))) {
		panic("curve: not below n")
	}
	return k
}

// split returns a and b below 2^128 and their signs such that a + bλ is k.
func split(k *Scalar) (a, b Half, aNeg, bNeg bool) {
	kb, c2 := scaleDown(k, &g1), scaleDown(k, &g2)
	kb.Mul(&minusB1)
	c2.Mul(&minusB2)
	kb.Add(&c2)
	ka := kb
	ka.Mul(&minusLambda)
	ka.Add(k)
	a, aNeg = half(&ka)
	b, bNeg = half(&kb)
	return a, b, aNeg, bNeg
}

// half returns the absolute value of k, taken between -n/2 and n/2.
func half(k *Scalar) (Half, bool) {
	neg := k.isHigh() == 1
	if neg {
		k.Negate()
	}
	return Half{uint64(k[0]) | uint64(k[1])<<32, uint64(k[2]) | uint64(k[3])<<32}, neg
}

// scaleDown returns x·y/2^384, rounded.
func scaleDown(x, y *Scalar) (k Scalar) {
	w := product(x, y)
	carry := uint64(w[11] >> 31)
	for i, word := range w[12:] {
		carry += uint64(word)
		k[i] = uint32(carry)
		carry >>= 32
	}
	return k
}

// words are those of k as a Scalar has them, without the upper half.
func (k Half) words() [4]uint32 {
	return [4]uint32{uint32(k[0]), uint32(k[0] >> 32), uint32(k[1]), uint32(k[1] >> 32)}
}
