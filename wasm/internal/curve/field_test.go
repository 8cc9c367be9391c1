package curve

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

var prime, _ = new(big.Int).SetString("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f", 16)

func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func randomBytes(r *rand.Rand) (b [32]byte) {
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// value is the number e stands for, modulo p.
func (e *Element) value() *big.Int {
	v := new(big.Int)
	for i := len(e) - 1; i >= 0; i-- {
		v.Lsh(v, limbBits)
		v.Add(v, big.NewInt(e[i]))
	}
	return v.Mod(v, prime)
}

// randomElement has limbs at and between the ends that size allows.
func randomElement(r *rand.Rand, size float64) (e Element) {
	end := int64(size * (1<<29 + 1<<19))
	for i := range e {
		switch r.IntN(4) {
		case 0:
			e[i] = end
		case 1:
			e[i] = -end
		default:
			e[i] = r.Int64N(2*end+1) - end
		}
	}
	return e
}

func check(t *testing.T, what string, z *Element, want *big.Int) {
	t.Helper()
	if z.value().Cmp(want.Mod(want, prime)) != 0 {
		t.Fatalf("%s: %v is %x, want %x", what, *z, z.value(), want)
	}
	for i, limb := range z {
		if low, high := int64(0), int64(1)<<29; i != 2 && (limb < low || limb >= high) ||
			i == 2 && (limb < low-1<<19 || limb >= high+1<<19) {
			t.Fatalf("%s: limb %d of %v is not of size 1", what, i, *z)
		}
	}
}

func TestFieldArithmeticWithinItsSizes(t *testing.T) {
	r := newRand()
	for range 20000 {
		sizes := [][2]float64{{1, 3}, {1, 1}, {1.5, 2}, {1.7, 1.7}}[r.IntN(4)]
		x, y, w := randomElement(r, sizes[0]), randomElement(r, sizes[1]), randomElement(r, 8)
		var z Element
		product := new(big.Int).Mul(x.value(), y.value())
		mul(&z, &x, &y)
		check(t, "mul", &z, product)
		mulSub(&z, &x, &y, &w)
		check(t, "mulSub", &z, product.Sub(product, w.value()))
		x = randomElement(r, 1)
		sqr(&z, &x)
		check(t, "sqr", &z, new(big.Int).Mul(x.value(), x.value()))
		z = w
		z.tidy()
		check(t, "tidy", &z, w.value())
		for i := range w {
			w[i] *= 1 << 20
		}
		z = w
		z.tidy()
		check(t, "tidy of large limbs", &z, w.value())
	}
}

func TestFieldFormIsUnique(t *testing.T) {
	r := newRand()
	for i := range 20000 {
		x := randomElement(r, 8)
		if i < 400 { // around multiples of p, and of 2^256
			v := new(big.Int).Mul(prime, big.NewInt(int64(i/4-50)))
			x = Element{v.Int64() * 0}
			for k := range x {
				x[k] = new(big.Int).Mod(v, big.NewInt(1<<29)).Int64()
				v.Rsh(v, 29)
			}
			x[8] += v.Int64() << 29
			x[0] += int64(i%4) - 2
		}
		b := x.bytes()
		if got := new(big.Int).SetBytes(b[:]); got.Cmp(x.value()) != 0 {
			t.Fatalf("%v is %x, want %x", x, got, x.value())
		}
		if got, want := x.isOdd(), x.value().Bit(0) == 1; got != want {
			t.Fatalf("%v odd: %v", x, got)
		}
		var back Element
		if !back.setBytes(&b) || back.value().Cmp(x.value()) != 0 {
			t.Fatalf("setBytes(%x) = %v", b, back)
		}
	}
}

func TestZeroInEveryForm(t *testing.T) {
	r := newRand()
	for range 5000 {
		x := randomElement(r, 1)
		y := x
		y.normalize()
		var z Element
		sub(&z, &x, &y)
		if !z.isZero() {
			t.Fatalf("%v is not seen to be zero", z)
		}
		if z[0]++; z.isZero() {
			t.Fatalf("%v is taken for zero", z)
		}
	}
}

func TestSetBytesTakesNumbersBelowPOnly(t *testing.T) {
	for add, want := range map[int64]bool{-1: true, 0: false, 1: false, 1 << 32: false} {
		v := new(big.Int).Add(prime, big.NewInt(add))
		var b [32]byte
		v.FillBytes(b[:])
		var e Element
		if got := e.setBytes(&b); got != want {
			t.Errorf("p + %d: %v, want %v", add, got, want)
		}
	}
}

func TestInverseAndRoot(t *testing.T) {
	r := newRand()
	for range 200 {
		x := randomElement(r, 1)
		var z, s Element
		invert(&z, &x)
		check(t, "invert", &z, new(big.Int).ModInverse(x.value(), prime))
		root := new(big.Int).ModSqrt(x.value(), prime)
		if got := sqrt(&s, &x); got != (root != nil) {
			t.Fatalf("root of %x: %v", x.value(), got)
		}
		sqr(&z, &x)
		if !sqrt(&s, &z) {
			t.Fatalf("no root of a square")
		}
		sqr(&s, &s)
		check(t, "sqrt", &s, z.value())
	}
	var z Element
	if invert(&z, &Element{}); !z.isZero() {
		t.Error("1/0 is not 0")
	}
}
