package curve

// Sum is a sum of multiples of points, worked out all at once with Pippenger's
// buckets: the scalars are cut into windows of a few bits, points with the same
// digit are added up in a bucket, and each bucket is multiplied but once. The
// additions within the buckets are affine and share their inversions. A Sum keeps
// its memory for the next use after Reset.
type Sum struct {
	points  []Point
	scalars []Half

	buckets []bucket
	entries []Point
	steps   []step
}

// bucket is a run of entries that share a digit.
type bucket struct{ from, n int32 }

// step is one affine addition: the denominator of the slope and the product of
// all denominators before it, later the inverse of its own.
type step struct{ den, inv Element }

// Reset makes the sum empty.
func (s *Sum) Reset() {
	s.points = s.points[:0]
	s.scalars = s.scalars[:0]
}

// Add adds k·p.
func (s *Sum) Add(p *Point, k Half) {
	s.points = append(s.points, *p)
	s.scalars = append(s.scalars, k)
}

// AddScalar adds k·p for a k of full length, as two multiples of half the length.
func (s *Sum) AddScalar(p *Point, k *Scalar) {
	a, b, aNeg, bNeg := split(k)
	q := *p
	mul(&q.x, &q.x, &beta)
	s.addSigned(*p, a, aNeg)
	s.addSigned(q, b, bNeg)
}

func (s *Sum) addSigned(p Point, k Half, neg bool) {
	if neg {
		p.negate()
	}
	s.Add(&p, k)
}

// IsZero tells whether the sum is the point at infinity.
func (s *Sum) IsZero() bool {
	total := s.total()
	return total.isInfinity()
}

// total adds the windows up, the highest first.
func (s *Sum) total() (total jacobian) {
	width := windowWidth(len(s.points))
	windows := 128/width + 1
	s.fill(width, windows)
	affine := true
	for affine && s.pair() {
		affine = s.slopes()
		if affine {
			s.join()
		}
	}
	per := len(s.buckets) / windows
	for w := windows - 1; w >= 0; w-- {
		for range width {
			total.double()
		}
		sum := s.window(s.buckets[w*per : (w+1)*per])
		total.add(&sum)
	}
	return total
}

// windowWidth is the width in bits that costs least for n points, found by
// benchmark.
func windowWidth(n int) int {
	switch {
	case n < 12:
		return 2
	case n < 28:
		return 3
	case n < 80:
		return 4
	case n < 500:
		return 5
	case n < 1000:
		return 6
	default:
		return 7
	}
}

// digit returns digit w of k in the signed form to the base of 2^width, from
// -2^(width-1)+1 to 2^(width-1), given the carry out of the digit before.
func (k *Half) digit(w, width int, carry uint64) (int, uint64) {
	at := w * width
	var v uint64
	switch {
	case at >= 128:
	case at >= 64:
		v = k[1] >> (at - 64)
	default:
		v = k[0]>>at | k[1]<<(64-at)
	}
	v = v&(1<<width-1) + carry
	if v > 1<<(width-1) {
		return int(v) - 1<<width, 1
	}
	return int(v), 0
}

// fill sorts the points into the buckets of each window: bucket d-1 has the
// points whose digit is d or, then negated, -d.
func (s *Sum) fill(width, windows int) {
	per := 1 << (width - 1)
	s.buckets = resized(s.buckets, per*windows)
	clear(s.buckets)
	each := func(f func(b *bucket, i, d int)) {
		for i := range s.scalars {
			k, carry, d := s.scalars[i], uint64(0), 0
			for w := range windows {
				d, carry = k.digit(w, width, carry)
				if d != 0 {
					f(&s.buckets[w*per+max(d, -d)-1], i, d)
				}
			}
		}
	}
	each(func(b *bucket, _, _ int) { b.n++ })
	from := int32(0)
	for i := range s.buckets {
		b := &s.buckets[i]
		b.from, from, b.n = from, from+b.n, 0
	}
	s.entries = resized(s.entries, int(from))
	each(func(b *bucket, i, d int) {
		e := &s.entries[b.from+b.n]
		*e = s.points[i]
		if d < 0 {
			e.negate()
		}
		b.n++
	})
}

func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// pair plans the next round, in which neighbours in a bucket are added: it tells
// whether there are any, and notes the differences of their x.
func (s *Sum) pair() bool {
	s.steps = s.steps[:0]
	prod := one
	for _, b := range s.buckets {
		for at := b.from; at+1 < b.from+b.n; at += 2 {
			st := step{inv: prod}
			sub(&st.den, &s.entries[at+1].x, &s.entries[at].x)
			mul(&prod, &prod, &st.den)
			s.steps = append(s.steps, st)
		}
	}
	return len(s.steps) > 0
}

// slopes inverts all denominators with one inversion (Montgomery's trick). It
// tells false when one of them is zero: two points in one bucket are the same or
// opposite, as when an event comes twice.
func (s *Sum) slopes() bool {
	last := &s.steps[len(s.steps)-1]
	var inv Element
	mul(&inv, &last.inv, &last.den)
	if inv.isZero() {
		return false
	}
	invert(&inv, &inv)
	for i := len(s.steps) - 1; i >= 0; i-- {
		st := &s.steps[i]
		mul(&st.inv, &st.inv, &inv)
		mul(&inv, &inv, &st.den)
	}
	return true
}

// join adds the pairs and moves what is left of each bucket together.
func (s *Sum) join() {
	next := 0
	for i := range s.buckets {
		b := &s.buckets[i]
		run := s.entries[b.from : b.from+b.n]
		for k := range len(run) / 2 {
			run[2*k].addAffine(&run[2*k+1], &s.steps[next].inv)
			run[k] = run[2*k]
			next++
		}
		if n := len(run); n%2 == 1 {
			run[n/2] = run[n-1]
		}
		b.n = (b.n + 1) / 2
	}
}

// addAffine sets p to p + q, given the inverse of the difference of their x.
func (p *Point) addAffine(q *Point, inv *Element) {
	var slope, x, t Element
	sub(&t, &q.y, &p.y)
	mul(&slope, &t, inv)
	sqr(&x, &slope)
	for i := range x {
		x[i] -= p.x[i] + q.x[i]
	}
	x.tidy()
	sub(&t, &p.x, &x)
	mulSub(&p.y, &slope, &t, &p.y)
	p.x = x
}

// window returns the sum of d+1 times bucket d. Buckets that could not be added
// up as affine points still have several.
func (s *Sum) window(buckets []bucket) (sum jacobian) {
	var running jacobian
	for i := len(buckets) - 1; i >= 0; i-- {
		b := buckets[i]
		for j := range s.entries[b.from : b.from+b.n] {
			running.addPoint(&s.entries[int(b.from)+j])
		}
		sum.add(&running)
	}
	return sum
}
