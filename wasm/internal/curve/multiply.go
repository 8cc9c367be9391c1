package curve

import "sync"

const (
	// pointWidth is that of the digits by which a point is multiplied, in bits.
	pointWidth   = 5
	pointWindows = 128/pointWidth + 1
	pointTable   = 1 << (pointWidth - 1)
	// baseWidth is that of the generator's digits. Its multiples are kept, 175 kB,
	// so that nothing has to be doubled.
	baseWidth   = 7
	baseWindows = 128/baseWidth + 1
	baseTable   = 1 << (baseWidth - 1)
)

// Combine returns k·p + g·G, and false where that is infinity. It takes a time
// that depends on the scalars.
func Combine(k *Scalar, p *Point, g *Scalar) (Point, bool) {
	var sum jacobian
	sum.multiply(p, k)
	sum.addBase(g)
	return sum.affine()
}

// Multiply returns k·p, and false where that is infinity. k may be secret: it is
// shared out to two scalars of which each by itself is chance, and the time goes
// by those. blind is what shares it, 32 bytes that nobody can foresee and that
// serve for this k and p only. This hides k from who takes the time, from across
// a network or a port; it does not from who watches which memory one computation
// reads, as another program on the same processor may.
func Multiply(k *Scalar, p *Point, blind *[32]byte) (Point, bool) {
	k1, k2 := k.share(blind)
	defer k1.Zero()
	defer k2.Zero()
	var sum jacobian
	sum.multiply(p, &k1, &k2)
	return sum.affine()
}

// MultiplyBase returns k·G as Multiply does.
func MultiplyBase(k *Scalar, blind *[32]byte) (Point, bool) {
	k1, k2 := k.share(blind)
	defer k1.Zero()
	defer k2.Zero()
	var sum jacobian
	sum.addBase(&k1)
	sum.addBase(&k2)
	return sum.affine()
}

// share returns two scalars that add up to k, neither of which tells of k
// without the other.
func (k *Scalar) share(blind *[32]byte) (k1, k2 Scalar) {
	k1.SetBytes(blind)
	k2 = k1
	k2.Negate()
	k2.Add(k)
	return k1, k2
}

// run is one half of a scalar: its digits, and what they are digits of.
type run struct {
	digits [pointWindows]int8
	table  *[pointTable]jacobian
}

func (r *run) set(k Half, neg bool, table *[pointTable]jacobian) {
	r.table = table
	d, carry := 0, uint64(0)
	for w := range r.digits {
		if d, carry = k.digit(w, pointWidth, carry); neg {
			d = -d
		}
		r.digits[w] = int8(d)
	}
}

// multiply sets z to the sum of the scalars times p.
func (z *jacobian) multiply(p *Point, scalars ...*Scalar) {
	var table, turned [pointTable]jacobian // p, 2p, 3p..., and λ times each
	for i := range table {
		if i > 0 {
			table[i] = table[i-1]
		}
		table[i].addPoint(p)
		turned[i] = table[i]
		mul(&turned[i].x, &turned[i].x, &beta)
	}
	runs := make([]run, 2*len(scalars))
	for i, k := range scalars {
		a, b, aNeg, bNeg := split(k)
		runs[2*i].set(a, aNeg, &table)
		runs[2*i+1].set(b, bNeg, &turned)
	}
	*z = jacobian{}
	for w := pointWindows - 1; w >= 0; w-- {
		for range pointWidth {
			z.double()
		}
		for i := range runs {
			switch d := int(runs[i].digits[w]); {
			case d > 0:
				z.add(&runs[i].table[d-1])
			case d < 0:
				q := runs[i].table[-d-1]
				sub(&q.y, &Element{}, &q.y)
				z.add(&q)
			}
		}
	}
}

// baseMultiples has d·2^(7w)·G at [w][d-1].
var baseMultiples = sync.OnceValue(func() *[baseWindows][baseTable]Point {
	table := new([baseWindows][baseTable]Point)
	multiples := make([]jacobian, 0, baseWindows*baseTable)
	first := jacobian{Generator.x, Generator.y, one}
	for range table {
		for d := range table[0] {
			next := first
			if d > 0 {
				next.add(&multiples[len(multiples)-1])
			}
			multiples = append(multiples, next)
		}
		first = multiples[len(multiples)-1]
		first.double()
	}
	for i, p := range affine(multiples) {
		table[i/baseTable][i%baseTable] = p
	}
	return table
})

// addBase adds k·G.
func (z *jacobian) addBase(k *Scalar) {
	a, b, aNeg, bNeg := split(k)
	z.addBaseHalf(b, bNeg, true)
	z.addBaseHalf(a, aNeg, false)
}

// addBaseHalf adds k·G, or k·λ·G.
func (z *jacobian) addBaseHalf(k Half, neg, turned bool) {
	table := baseMultiples()
	d, carry := 0, uint64(0)
	for w := range table {
		d, carry = k.digit(w, baseWidth, carry)
		if d == 0 {
			continue
		}
		p := table[w][max(d, -d)-1]
		if turned {
			mul(&p.x, &p.x, &beta)
		}
		if neg != (d < 0) {
			p.negate()
		}
		z.addPoint(&p)
	}
}

// affine returns p as a Point, and false where it is infinity.
func (p *jacobian) affine() (Point, bool) {
	if p.isInfinity() {
		return Point{}, false
	}
	return affine([]jacobian{*p})[0], true
}

// affine returns points other than infinity with one inversion for all
// (Montgomery's trick).
func affine(points []jacobian) []Point {
	before := make([]Element, len(points)) // the product of all z before
	prod := one
	for i := range points {
		before[i] = prod
		mul(&prod, &prod, &points[i].z)
	}
	var inv Element
	invert(&inv, &prod)
	out := make([]Point, len(points))
	for i := len(points) - 1; i >= 0; i-- {
		p := &points[i]
		var zi, zz Element
		mul(&zi, &inv, &before[i])
		mul(&inv, &inv, &p.z)
		sqr(&zz, &zi)
		mul(&out[i].x, &p.x, &zz)
		mul(&zz, &zz, &zi)
		mul(&out[i].y, &p.y, &zz)
	}
	return out
}
