package curve

import (
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"testing"
)

var groupOrder, _ = new(big.Int).SetString("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", 16)

func (k *Scalar) value() *big.Int {
	b := k.Bytes()
	return new(big.Int).SetBytes(b[:])
}

// edges are numbers where carries and reductions begin and end.
func edges() (all []*big.Int) {
	for _, at := range []*big.Int{
		new(big.Int), groupOrder, new(big.Int).Rsh(groupOrder, 1), new(big.Int).Lsh(big.NewInt(1), 128),
		new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), groupOrder), new(big.Int).Lsh(big.NewInt(1), 256),
	} {
		for off := int64(-1); off <= 1; off++ {
			v := new(big.Int).Add(at, big.NewInt(off))
			if v.Sign() >= 0 && v.BitLen() <= 256 {
				all = append(all, v)
			}
		}
	}
	return all
}

// randomNumber is an edge, or a number below 2^256 of which some words have all
// bits alike.
func randomNumber(r *rand.Rand) *big.Int {
	all := edges()
	if r.IntN(4) == 0 {
		return all[r.IntN(len(all))]
	}
	b := randomBytes(r)
	for i := range 8 {
		if fill := r.IntN(6); fill < 2 {
			for j := range 4 {
				b[4*i+j] = byte(-fill)
			}
		}
	}
	return new(big.Int).SetBytes(b[:])
}

func scalarOf(v *big.Int) (k Scalar, below bool) {
	below = k.SetBytes((*[32]byte)(v.FillBytes(make([]byte, 32))))
	return k, below
}

// halfOf is v modulo 2^128.
func halfOf(v *big.Int) (*big.Int, Half) {
	low := v.FillBytes(make([]byte, 48))[32:]
	return new(big.Int).SetBytes(low), Half{binary.BigEndian.Uint64(low[8:]), binary.BigEndian.Uint64(low)}
}

// TestScalarProductsAtTheEdges takes all pairs, the largest numbers of a scalar
// and of a half among them.
func TestScalarProductsAtTheEdges(t *testing.T) {
	for _, v := range edges() {
		for _, w := range edges() {
			k, _ := scalarOf(v)
			x, _ := scalarOf(w)
			z := k
			if z.Mul(&x); z.value().Cmp(new(big.Int).Mod(new(big.Int).Mul(v, w), groupOrder)) != 0 {
				t.Errorf("Mul of %x and %x is %x", v, w, z.value())
			}
			low, half := halfOf(w)
			z = k
			if z.MulHalf(half); z.value().Cmp(new(big.Int).Mod(new(big.Int).Mul(v, low), groupOrder)) != 0 {
				t.Errorf("MulHalf of %x and %x is %x", v, low, z.value())
			}
		}
	}
}

func TestScalarArithmetic(t *testing.T) {
	r := newRand()
	want := func(what string, k Scalar, v *big.Int) {
		t.Helper()
		if k.value().Cmp(v.Mod(v, groupOrder)) != 0 {
			t.Fatalf("%s: %x, want %x", what, k.value(), v)
		}
	}
	for range 50000 {
		v, w := randomNumber(r), randomNumber(r)
		k, below := scalarOf(v)
		if below != (v.Cmp(groupOrder) < 0) {
			t.Fatalf("SetBytes(%x) tells %v", v, below)
		}
		want("SetBytes", k, new(big.Int).Set(v))
		x, _ := scalarOf(w)
		z := k
		z.Add(&x)
		want("Add", z, new(big.Int).Add(v, w))
		z = k
		z.Mul(&x)
		want("Mul", z, new(big.Int).Mul(v, w))
		z.Mul(&z)
		want("Mul by itself", z, new(big.Int).Exp(new(big.Int).Mul(v, w), big.NewInt(2), groupOrder))
		low, half := halfOf(w)
		z = k
		z.MulHalf(half)
		want("MulHalf", z, new(big.Int).Mul(v, low))
		z = k
		z.Negate()
		want("Negate", z, new(big.Int).Neg(v))
		v.Mod(v, groupOrder)
		if k.IsZero() != (v.Sign() == 0) {
			t.Fatalf("IsZero of %x is %v", v, k.IsZero())
		}
		if high := v.Cmp(new(big.Int).Rsh(groupOrder, 1)) > 0; high != (k.isHigh() == 1) {
			t.Fatalf("isHigh of %x is %d", v, k.isHigh())
		}
	}
}

func BenchmarkScalarMul(b *testing.B) {
	k := minusLambda
	for b.Loop() {
		k.Mul(&minusLambda)
	}
}

func BenchmarkScalarMulHalf(b *testing.B) {
	k := minusLambda
	for b.Loop() {
		k.MulHalf(Half{^uint64(0), ^uint64(0)})
	}
}

func BenchmarkSplit(b *testing.B) {
	for b.Loop() {
		split(&minusB2)
	}
}
