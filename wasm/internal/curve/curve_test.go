package curve

import (
	"encoding/hex"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
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

func toDecred(p *Point) (j secp256k1.JacobianPoint) {
	x, y := p.x.bytes(), p.y.bytes()
	j.X.SetBytes(&x)
	j.Y.SetBytes(&y)
	j.Z.SetInt(1)
	return j
}

func same(t *testing.T, got jacobian, want secp256k1.JacobianPoint) {
	t.Helper()
	if got.isInfinity() != (want.Z.IsZero() || want.X.IsZero() && want.Y.IsZero()) {
		t.Fatalf("infinity: %v", got.isInfinity())
	}
	if got.isInfinity() {
		return
	}
	want.ToAffine()
	var zi, zz, x, y Element
	invert(&zi, &got.z)
	sqr(&zz, &zi)
	mul(&x, &got.x, &zz)
	mul(&zz, &zz, &zi)
	mul(&y, &got.y, &zz)
	if x.bytes() != *want.X.Bytes() || y.bytes() != *want.Y.Bytes() {
		t.Fatalf("got %x, %x, want %x, %x", x.bytes(), y.bytes(), *want.X.Bytes(), *want.Y.Bytes())
	}
}

// randomPoint is a multiple of the generator.
func randomPoint(r *rand.Rand) Point {
	for {
		b := randomBytes(r)
		if p, ok := Lift(&b); ok {
			if r.IntN(2) == 0 {
				p.negate()
			}
			return p
		}
	}
}

func TestLiftIsTheOneOfDecred(t *testing.T) {
	r := newRand()
	seen := map[bool]int{}
	for range 500 {
		b := randomBytes(r)
		var x, y secp256k1.FieldVal
		x.SetBytes(&b)
		want := secp256k1.DecompressY(&x, false, &y)
		p, ok := Lift(&b)
		if ok != want {
			t.Fatalf("Lift(%x): %v, want %v", b, ok, want)
		}
		y.Normalize()
		if ok && (p.y.bytes() != *y.Bytes() || p.X() != b) {
			t.Fatalf("Lift(%x) = %x, %x", b, p.X(), p.y.bytes())
		}
		seen[ok]++
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("only one outcome: %v", seen)
	}
}

func TestPointAdditionWithItsSpecialCases(t *testing.T) {
	r := newRand()
	for range 200 {
		p, q := randomPoint(r), randomPoint(r)
		minus := p
		minus.negate()
		for _, c := range [][2]Point{{p, q}, {p, p}, {p, minus}} {
			a, b := toDecred(&c[0]), toDecred(&c[1])
			var want secp256k1.JacobianPoint
			secp256k1.AddNonConst(&a, &b, &want)
			var one, two jacobian
			one.addPoint(&c[0])
			one.addPoint(&c[1])
			same(t, one, want)
			two.add(&jacobian{})
			one = jacobian{}
			one.addPoint(&c[1])
			two.addPoint(&c[0])
			two.add(&one)
			same(t, two, want)
			// Once more with a z that is not one.
			three := two
			three.double()
			secp256k1.DoubleNonConst(&want, &want)
			same(t, three, want)
			three.add(&two)
			three.addPoint(&c[0])
		}
	}
}

func TestSplitHoldsAndIsShort(t *testing.T) {
	r := newRand()
	lambda := minusLambda
	lambda.Negate()
	for i := range 5000 {
		b := randomBytes(r)
		var k secp256k1.ModNScalar
		k.SetBytes(&b)
		switch i {
		case 0:
			k.SetInt(0)
		case 1:
			k.SetInt(1)
		case 2:
			k.SetInt(1).Negate()
		case 3:
			k = lambda
		}
		x, y, xNeg, yNeg := split(&k)
		kx, ky := fromHalf(x, xNeg), fromHalf(y, yNeg)
		if got := ky.Mul(&lambda).Add(kx); !got.Equals(&k) {
			t.Fatalf("%x splits into %x, %x", k.Bytes(), x, y)
		}
	}
}

func fromHalf(h Half, neg bool) *secp256k1.ModNScalar {
	var b [32]byte
	for i := range 8 {
		b[31-i] = byte(h[0] >> (8 * i))
		b[23-i] = byte(h[1] >> (8 * i))
	}
	var k secp256k1.ModNScalar
	k.SetBytes(&b)
	if neg {
		k.Negate()
	}
	return &k
}

func TestDigitsAddUpToTheScalar(t *testing.T) {
	r := newRand()
	for range 2000 {
		k := Half{r.Uint64(), r.Uint64()}
		if r.IntN(3) == 0 {
			k = Half{1<<64 - 1, 1<<64 - 1}
		}
		want := new(big.Int).Lsh(new(big.Int).SetUint64(k[1]), 64)
		want.Add(want, new(big.Int).SetUint64(k[0]))
		for width := 2; width <= 8; width++ {
			got, carry, d := new(big.Int), uint64(0), 0
			for w := range 128/width + 1 {
				d, carry = k.digit(w, width, carry)
				if d > 1<<(width-1) || d < -(1<<(width-1)) {
					t.Fatalf("digit %d of width %d", d, width)
				}
				got.Add(got, new(big.Int).Lsh(big.NewInt(int64(d)), uint(w*width)))
			}
			if got.Cmp(want) != 0 || carry != 0 {
				t.Fatalf("%x, width %d: %x", want, width, got)
			}
		}
	}
}

func TestSumIsThatOfOneByOne(t *testing.T) {
	r := newRand()
	var s Sum
	for round := range 24 {
		n := []int{0, 1, 2, 5, 11, 12, 27, 60, 130, 310, 420, 800}[round%12]
		s.Reset()
		var want secp256k1.JacobianPoint
		for i := range n {
			p := randomPoint(r)
			if i > 0 && r.IntN(4) == 0 && round >= 12 {
				p = s.points[r.IntN(len(s.points))] // the same point again
				if r.IntN(2) == 0 {
					p.negate()
				}
			}
			var k *secp256k1.ModNScalar
			if i%3 == 0 {
				b := randomBytes(r)
				k = new(secp256k1.ModNScalar)
				k.SetBytes(&b)
				s.AddScalar(&p, k)
			} else {
				h := Half{r.Uint64(), r.Uint64() >> (64 * uint(r.IntN(2)))}
				k = fromHalf(h, false)
				s.Add(&p, h)
			}
			j := toDecred(&p)
			var kp secp256k1.JacobianPoint
			secp256k1.ScalarMultNonConst(k, &j, &kp)
			secp256k1.AddNonConst(&want, &kp, &want)
		}
		same(t, s.total(), want)
	}
}

func TestSumIsZeroOnlyWhenItIs(t *testing.T) {
	r := newRand()
	var s Sum
	for i := range 50 {
		s.Reset()
		var total secp256k1.ModNScalar
		for range 30 {
			b := randomBytes(r)
			var k secp256k1.ModNScalar
			k.SetBytes(&b)
			total.Add(&k)
			s.AddScalar(&Generator, &k)
		}
		off := uint32(i % 2)
		total.Negate().Add(new(secp256k1.ModNScalar).SetInt(off))
		s.AddScalar(&Generator, &total)
		if got := s.IsZero(); got != (off == 0) {
			t.Fatalf("off by %d, IsZero is %v", off, got)
		}
	}
}

func TestGenerator(t *testing.T) {
	var want secp256k1.JacobianPoint
	secp256k1.ScalarBaseMultNonConst(new(secp256k1.ModNScalar).SetInt(1), &want)
	want.ToAffine()
	x := Generator.X()
	if x != *want.X.Bytes() || Generator.y.bytes() != *want.Y.Bytes() {
		t.Errorf("the generator is %s", hex.EncodeToString(x[:]))
	}
}

func BenchmarkMul(b *testing.B) {
	x, y := Generator.x, Generator.y
	for b.Loop() {
		mul(&x, &x, &y)
	}
}

func BenchmarkSquare(b *testing.B) {
	x := Generator.x
	for b.Loop() {
		sqr(&x, &x)
	}
}

func BenchmarkLift(b *testing.B) {
	x := Generator.X()
	for b.Loop() {
		Lift(&x)
	}
}

func BenchmarkSum16(b *testing.B)   { benchSum(b, 16) }
func BenchmarkSum64(b *testing.B)   { benchSum(b, 64) }
func BenchmarkSum256(b *testing.B)  { benchSum(b, 256) }
func BenchmarkSum1024(b *testing.B) { benchSum(b, 1024) }

// benchSum reports the time for one point.
func benchSum(b *testing.B, n int) {
	r := newRand()
	points, scalars := make([]Point, n), make([]Half, n)
	for i := range points {
		points[i], scalars[i] = randomPoint(r), Half{r.Uint64(), r.Uint64()}
	}
	var s Sum
	for b.Loop() {
		s.Reset()
		for i := range points {
			s.Add(&points[i], scalars[i])
		}
		s.IsZero()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/point")
}
