package curve

// Point is a point of the curve y² = x³ + 7 other than infinity, of coordinates
// of size 1.
type Point struct{ x, y Element }

var (
	// Generator is the point G that public keys are multiples of.
	Generator = mustLift("\x79\xbe\x66\x7e\xf9\xdc\xbb\xac\x55\xa0\x62\x95\xce\x87\x0b\x07" +
		"\x02\x9b\xfc\xdb\x2d\xce\x28\xd9\x59\xf2\x81\x5b\x16\xf8\x17\x98")
	seven = Element{7}
)

// Lift returns the point with the x coordinate x (32 bytes, big-endian) and an
// even y: lift_x of BIP-340. It tells false where x is not below p or not the x
// of any point.
func Lift(x *[32]byte) (p Point, ok bool) {
	if !p.x.setBytes(x) {
		return Point{}, false
	}
	var t Element
	sqr(&t, &p.x)
	mul(&t, &t, &p.x)
	add(&t, &t, &seven)
	t.tidy()
	if !sqrt(&p.y, &t) {
		return Point{}, false
	}
	if p.y.isOdd() {
		p.negate()
	}
	return p, true
}

func mustLift(x string) Point {
	p, ok := Lift((*[32]byte)([]byte(x)))
	if !ok {
		panic("curve: not a point")
	}
	return p
}

// X is the x coordinate, 32 bytes, big-endian.
func (p *Point) X() [32]byte { return p.x.bytes() }

// IsOdd tells whether the y coordinate is odd.
func (p *Point) IsOdd() bool { return p.y.isOdd() }

func (p *Point) negate() {
	sub(&p.y, &Element{}, &p.y)
}

// jacobian is the point (x/z², y/z³), infinity where z is 0. Its coordinates have
// size 1.
type jacobian struct{ x, y, z Element }

var one = Element{1}

func (p *jacobian) isInfinity() bool { return p.z.isZero() }

// double sets p to 2p.
func (p *jacobian) double() {
	var a, b, c, s, m Element
	sqr(&a, &p.x)
	sqr(&b, &p.y)
	sqr(&c, &b)
	mul(&s, &p.x, &b)
	scale(&s, 4) // 4xy²
	scale(&a, 3) // 3x²
	mul(&p.z, &p.y, &p.z)
	scale(&p.z, 2)
	sqr(&m, &a)
	sub(&m, &m, &s)
	sub(&m, &m, &s)
	m.tidy()
	p.x = m
	sub(&s, &s, &p.x)
	for i := range c {
		c[i] *= 8
	}
	mulSub(&p.y, &a, &s, &c)
}

func scale(z *Element, n int64) {
	for i := range z {
		z[i] *= n
	}
	z.tidy()
}

// addPoint sets p to p + q.
func (p *jacobian) addPoint(q *Point) {
	if p.isInfinity() {
		*p = jacobian{q.x, q.y, one}
		return
	}
	var zz, u, s Element
	sqr(&zz, &p.z)
	mul(&u, &q.x, &zz)
	mul(&zz, &zz, &p.z)
	mul(&s, &q.y, &zz)
	p.chord(&p.x, &p.y, &u, &s, &p.z)
}

// add sets p to p + q.
func (p *jacobian) add(q *jacobian) {
	if q.isInfinity() {
		return
	}
	if p.isInfinity() {
		*p = *q
		return
	}
	var pz, qz, u1, u2, s1, s2, z Element
	sqr(&pz, &p.z)
	sqr(&qz, &q.z)
	mul(&u1, &p.x, &qz)
	mul(&u2, &q.x, &pz)
	mul(&pz, &pz, &p.z)
	mul(&qz, &qz, &q.z)
	mul(&s1, &p.y, &qz)
	mul(&s2, &q.y, &pz)
	mul(&z, &p.z, &q.z)
	p.chord(&u1, &s1, &u2, &s2, &z)
}

// chord sets p to the sum of the points (u1, s1) and (u2, s2), both over z; p is
// the first of them.
func (p *jacobian) chord(u1, s1, u2, s2, z *Element) {
	var h, r, hh, hhh, v, t Element
	sub(&h, u2, u1)
	sub(&r, s2, s1)
	if h.isZero() {
		if r.isZero() {
			p.double()
		} else {
			*p = jacobian{}
		}
		return
	}
	r.tidy()
	sqr(&hh, &h)
	mul(&hhh, &hh, &h)
	mul(&v, u1, &hh)
	mul(&t, s1, &hhh)
	mul(&p.z, z, &h)
	sqr(&p.x, &r)
	for i := range p.x {
		p.x[i] -= hhh[i] + 2*v[i]
	}
	p.x.tidy()
	sub(&v, &v, &p.x)
	mulSub(&p.y, &r, &v, &t)
}
