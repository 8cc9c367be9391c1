package curve

import (
	"math/rand/v2"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

func randomScalar(r *rand.Rand) Scalar {
	k, _ := scalarOf(randomNumber(r))
	return k
}

// theirs is k·p + g·G as decred's package has it.
func theirs(k *Scalar, p *Point, g *Scalar) (sum secp256k1.JacobianPoint) {
	var kp, gG secp256k1.JacobianPoint
	q := toDecred(p)
	secp256k1.ScalarMultNonConst(toDecredScalar(k), &q, &kp)
	secp256k1.ScalarBaseMultNonConst(toDecredScalar(g), &gG)
	secp256k1.AddNonConst(&kp, &gG, &sum)
	return sum
}

func equal(t *testing.T, what string, got Point, ok bool, want secp256k1.JacobianPoint) {
	t.Helper()
	if infinite := want.Z.IsZero() || want.X.IsZero() && want.Y.IsZero(); infinite == ok {
		t.Fatalf("%s: finite is %v", what, ok)
	} else if !infinite {
		same(t, jacobian{got.x, got.y, one}, want)
	}
}

func TestMultiplesAreThoseOfDecred(t *testing.T) {
	r := newRand()
	for range 300 {
		p, k, g, blind := randomPoint(r), randomScalar(r), randomScalar(r), randomBytes(r)
		if r.IntN(8) == 0 {
			p = Generator
		}
		multiplesAgree(t, &k, &g, &p, &blind)
	}
}

// multiplesAgree compares all three multiplications with decred's.
func multiplesAgree(t *testing.T, k, g *Scalar, p *Point, blind *[32]byte) {
	t.Helper()
	got, ok := Combine(k, p, g)
	equal(t, "Combine", got, ok, theirs(k, p, g))
	got, ok = Multiply(k, p, blind)
	equal(t, "Multiply", got, ok, theirs(k, p, &Scalar{}))
	got, ok = MultiplyBase(k, blind)
	equal(t, "MultiplyBase", got, ok, theirs(&Scalar{}, p, k))
}

// TestMultiplesByScalarsAtTheEdges takes every pair of them as scalar and blind:
// among those are equal ones, whose second share is zero, and opposite ones.
func TestMultiplesByScalarsAtTheEdges(t *testing.T) {
	var scalars []Scalar
	for _, v := range edges() {
		k, _ := scalarOf(v)
		scalars = append(scalars, k)
	}
	lambda := minusLambda
	lambda.Negate()
	scalars = append(scalars, minusLambda, lambda, minusB1, minusB2)
	r := newRand()
	other := randomPoint(r)
	for i := range scalars {
		for j := range scalars {
			blind := scalars[j].Bytes()
			multiplesAgree(t, &scalars[i], &scalars[j], &Generator, &blind)
		}
		blind := randomBytes(r)
		multiplesAgree(t, &scalars[i], &scalars[i], &other, &blind)
	}
}

// FuzzMultiples compares with decred's package for any bytes.
func FuzzMultiples(f *testing.F) {
	f.Add(make([]byte, 128))
	f.Fuzz(func(t *testing.T, data []byte) {
		var parts [4][32]byte
		for i := range parts {
			data = data[copy(parts[i][:], data):]
		}
		p, ok := Lift(&parts[0])
		if !ok {
			p = Generator
		}
		var k, g Scalar
		k.SetBytes(&parts[1])
		g.SetBytes(&parts[2])
		multiplesAgree(t, &k, &g, &p, &parts[3])
	})
}

func TestMultiplesOfInfinity(t *testing.T) {
	r := newRand()
	k, blind, zero := randomScalar(r), randomBytes(r), Scalar{}
	minus := k
	minus.Negate()
	if _, ok := Combine(&minus, &Generator, &k); ok {
		t.Error("kG - kG is finite")
	}
	if _, ok := Multiply(&zero, &Generator, &blind); ok {
		t.Error("0·G is finite")
	}
	if _, ok := MultiplyBase(&zero, &blind); ok {
		t.Error("0·G is finite")
	}
}

func TestShareAddsUp(t *testing.T) {
	r := newRand()
	for range 100 {
		k, blind := randomScalar(r), randomBytes(r)
		k1, k2 := k.share(&blind)
		if k1.Add(&k2); k1 != k {
			t.Fatalf("%x is shared as what makes %x", k.Bytes(), k1.Bytes())
		}
	}
}

func BenchmarkCombine(b *testing.B) {
	k, g := randomScalar(newRand()), minusLambda
	for b.Loop() {
		Combine(&k, &Generator, &g)
	}
}

func BenchmarkMultiply(b *testing.B) {
	blind := randomBytes(newRand())
	for b.Loop() {
		Multiply(&minusLambda, &Generator, &blind)
	}
}

func BenchmarkMultiplyBase(b *testing.B) {
	blind := randomBytes(newRand())
	for b.Loop() {
		MultiplyBase(&minusLambda, &blind)
	}
}
