package curve

import "encoding/binary"

// Scalar is a number modulo n, the order of the curve, in eight words of 32
// bits, the lowest first: WebAssembly multiplies two such words to one of 64.
// Its methods take a time that does not depend on the numbers.
type Scalar [8]uint32

var (
	order     = [8]uint32{0xd0364141, 0xbfd25e8c, 0xaf48a03b, 0xbaaedce6, 0xfffffffe, 0xffffffff, 0xffffffff, 0xffffffff}
	halfOrder = [8]uint32{0x681b20a0, 0xdfe92f46, 0x57a4501d, 0x5d576e73, 0xffffffff, 0xffffffff, 0xffffffff, 0x7fffffff}
	// excess is 2^256 - n: what a carry out of the highest word stands for.
	excess = [5]uint32{0x2fc9bebf, 0x402da173, 0x50b75fc4, 0x45512319, 1}
)

// SetBytes sets k to the big-endian number b modulo n and tells whether it was
// below n.
func (k *Scalar) SetBytes(b *[32]byte) bool {
	for i := range k {
		k[i] = binary.BigEndian.Uint32(b[28-4*i:])
	}
	return k.reduce(0) == 0
}

// Bytes is k as 32 bytes, big-endian.
func (k *Scalar) Bytes() (b [32]byte) {
	for i, word := range k {
		binary.BigEndian.PutUint32(b[28-4*i:], word)
	}
	return b
}

// Zero sets k to 0: a secret need not stay in memory.
func (k *Scalar) Zero() { *k = Scalar{} }

// IsZero tells whether k is 0.
func (k *Scalar) IsZero() bool { return k.any() == 0 }

// any is 1 unless k is 0.
func (k *Scalar) any() uint32 {
	var all uint32
	for _, word := range k {
		all |= word
	}
	return (all | -all) >> 31
}

// Add sets k to k + x.
func (k *Scalar) Add(x *Scalar) {
	var sum uint64
	for i := range k {
		sum += uint64(k[i]) + uint64(x[i])
		k[i] = uint32(sum)
		sum >>= 32
	}
	k.reduce(uint32(sum))
}

// Negate sets k to -k.
func (k *Scalar) Negate() {
	keep, borrow := -k.any(), uint64(0)
	for i := range k {
		d := uint64(order[i]) - uint64(k[i]) - borrow
		k[i] = uint32(d) & keep
		borrow = d >> 63
	}
}

// Mul sets k to k·x.
func (k *Scalar) Mul(x *Scalar) {
	w := product(k, x)
	w.fold(8)
	w.fold(5)
	w.fold(1)
	*k = Scalar(w[:8])
	k.reduce(w[8])
}

// MulHalf sets k to k·x, in less than half the time of Mul.
func (k *Scalar) MulHalf(x Half) {
	var w wide
	for i, word := range x.words() {
		w.addRow(i, word, k)
	}
	w.fold(4)
	w.fold(1)
	*k = Scalar(w[:8])
	k.reduce(w[8])
}

// isHigh is 1 where k is above (n-1)/2, else 0.
func (k *Scalar) isHigh() uint32 {
	borrow := uint64(0)
	for i := range k {
		borrow = (uint64(halfOrder[i]) - uint64(k[i]) - borrow) >> 63
	}
	return uint32(borrow)
}

// reduce takes n off over·2^256 + k, a number below 2n, unless it is below n; it
// returns how often.
func (k *Scalar) reduce(over uint32) uint32 {
	less, sum := *k, uint64(0)
	for i := range less {
		sum += uint64(less[i])
		if i < len(excess) {
			sum += uint64(excess[i])
		}
		less[i] = uint32(sum)
		sum >>= 32
	}
	took := over | uint32(sum)
	for i := range k {
		k[i] ^= (k[i] ^ less[i]) & -took
	}
	return took
}

// wide is a product of two scalars, the lowest word first.
type wide [16]uint32

func product(x, y *Scalar) (w wide) {
	for i, word := range x {
		w.addRow(i, word, y)
	}
	return w
}

// addRow adds word·y·2^(32i). Rows are added from the lowest i up, so that there is
// nothing yet where the last carry goes.
func (w *wide) addRow(i int, word uint32, y *Scalar) {
	row := (*[9]uint32)(w[i:])
	carry := uint64(0)
	for j, yj := range y {
		carry += uint64(word)*uint64(yj) + uint64(row[j])
		row[j] = uint32(carry)
		carry >>= 32
	}
	row[8] = uint32(carry)
}

// fold brings the n words above 2^256 down, each as so many times the excess.
// After n of 8 there are 5 words left to bring down, after 5 or 4 there is 1.
func (w *wide) fold(n int) {
	high := [8]uint32(w[8:])
	clear(w[8:])
	for i, h := range high[:n] {
		carry := uint64(0)
		for j, c := range excess {
			carry += uint64(h)*uint64(c) + uint64(w[i+j])
			w[i+j] = uint32(carry)
			carry >>= 32
		}
		// Of what lies higher only w[8] has something, and it has room for more.
		for j := i + len(excess); j <= max(8, i+len(excess)); j++ {
			carry += uint64(w[j])
			w[j] = uint32(carry)
			carry >>= 32
		}
	}
}
