package curve

import (
	"encoding/hex"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

func toDecred(p *Point) (j secp256k1.JacobianPoint) {
	x, y := p.x.bytes(), p.y.bytes()
	j.X.SetBytes(&x)
	j.Y.SetBytes(&y)
	j.Z.SetInt(1)
	return j
}

func toDecredScalar(k *Scalar) *secp256k1.ModNScalar {
	b := k.Bytes()
	d := new(secp256k1.ModNScalar)
	d.SetBytes(&b)
	return d
}

func fromDecred(d *secp256k1.ModNScalar) *Scalar {
	b := d.Bytes()
	k := new(Scalar)
	k.SetBytes(&b)
	return k
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
	lambda := *toDecredScalar(&minusLambda)
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
		x, y, xNeg, yNeg := split(fromDecred(&k))
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
				s.AddScalar(&p, fromDecred(k))
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
			s.AddScalar(&Generator, fromDecred(&k))
		}
		off := uint32(i % 2)
		total.Negate().Add(new(secp256k1.ModNScalar).SetInt(off))
		s.AddScalar(&Generator, fromDecred(&total))
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
