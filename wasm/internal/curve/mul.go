package curve

// Column k of a product is the sum of x[i]·y[k-i]. The functions here walk up two
// columns at a time: d gathers the columns 9 to 16, whose limbs h stand for
// h·2^261 and fold back into the columns 0 to 8, which c gathers.

// mul sets z to x·y.
func mul(z, x, y *Element) {
	a0, a1, a2, a3, a4, a5, a6, a7, a8 := x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]
	b0, b1, b2, b3, b4, b5, b6, b7, b8 := y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7], y[8]
	d := a1*b8 + a2*b7 + a3*b6 + a4*b5 + a5*b4 + a6*b3 + a7*b2 + a8*b1
	h0 := d & mask
	c := a0*b0 + h0*fold0
	z0 := c & mask
	d = d>>limbBits + a2*b8 + a3*b7 + a4*b6 + a5*b5 + a6*b4 + a7*b3 + a8*b2
	h1 := d & mask
	c = c>>limbBits + a0*b1 + a1*b0 + h1*fold0 + h0<<fold1
	z1 := c & mask
	d = d>>limbBits + a3*b8 + a4*b7 + a5*b6 + a6*b5 + a7*b4 + a8*b3
	h2 := d & mask
	c = c>>limbBits + a0*b2 + a1*b1 + a2*b0 + h2*fold0 + h1<<fold1
	z2 := c & mask
	d = d>>limbBits + a4*b8 + a5*b7 + a6*b6 + a7*b5 + a8*b4
	h3 := d & mask
	c = c>>limbBits + a0*b3 + a1*b2 + a2*b1 + a3*b0 + h3*fold0 + h2<<fold1
	z3 := c & mask
	d = d>>limbBits + a5*b8 + a6*b7 + a7*b6 + a8*b5
	h4 := d & mask
	c = c>>limbBits + a0*b4 + a1*b3 + a2*b2 + a3*b1 + a4*b0 + h4*fold0 + h3<<fold1
	z4 := c & mask
	d = d>>limbBits + a6*b8 + a7*b7 + a8*b6
	h5 := d & mask
	c = c>>limbBits + a0*b5 + a1*b4 + a2*b3 + a3*b2 + a4*b1 + a5*b0 + h5*fold0 + h4<<fold1
	z5 := c & mask
	d = d>>limbBits + a7*b8 + a8*b7
	h6 := d & mask
	c = c>>limbBits + a0*b6 + a1*b5 + a2*b4 + a3*b3 + a4*b2 + a5*b1 + a6*b0 + h6*fold0 + h5<<fold1
	z6 := c & mask
	d = d>>limbBits + a8*b8
	h7 := d & mask
	c = c>>limbBits + a0*b7 + a1*b6 + a2*b5 + a3*b4 + a4*b3 + a5*b2 + a6*b1 + a7*b0 + h7*fold0 + h6<<fold1
	z7 := c & mask
	d >>= limbBits
	h8 := d
	c = c>>limbBits + a0*b8 + a1*b7 + a2*b6 + a3*b5 + a4*b4 + a5*b3 + a6*b2 + a7*b1 + a8*b0 + h8*fold0 + h7<<fold1
	z8 := c & mask
	*z = Element{z0, z1, z2, z3, z4, z5, z6, z7, z8}
	z.fold(c>>limbBits + h8<<fold1)
}

// mulSub sets z to x·y - w. The size of w may be up to 8.
func mulSub(z, x, y, w *Element) {
	a0, a1, a2, a3, a4, a5, a6, a7, a8 := x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]
	b0, b1, b2, b3, b4, b5, b6, b7, b8 := y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7], y[8]
	d := a1*b8 + a2*b7 + a3*b6 + a4*b5 + a5*b4 + a6*b3 + a7*b2 + a8*b1
	h0 := d & mask
	c := a0*b0 + h0*fold0 - w[0]
	z0 := c & mask
	d = d>>limbBits + a2*b8 + a3*b7 + a4*b6 + a5*b5 + a6*b4 + a7*b3 + a8*b2
	h1 := d & mask
	c = c>>limbBits + a0*b1 + a1*b0 + h1*fold0 + h0<<fold1 - w[1]
	z1 := c & mask
	d = d>>limbBits + a3*b8 + a4*b7 + a5*b6 + a6*b5 + a7*b4 + a8*b3
	h2 := d & mask
	c = c>>limbBits + a0*b2 + a1*b1 + a2*b0 + h2*fold0 + h1<<fold1 - w[2]
	z2 := c & mask
	d = d>>limbBits + a4*b8 + a5*b7 + a6*b6 + a7*b5 + a8*b4
	h3 := d & mask
	c = c>>limbBits + a0*b3 + a1*b2 + a2*b1 + a3*b0 + h3*fold0 + h2<<fold1 - w[3]
	z3 := c & mask
	d = d>>limbBits + a5*b8 + a6*b7 + a7*b6 + a8*b5
	h4 := d & mask
	c = c>>limbBits + a0*b4 + a1*b3 + a2*b2 + a3*b1 + a4*b0 + h4*fold0 + h3<<fold1 - w[4]
	z4 := c & mask
	d = d>>limbBits + a6*b8 + a7*b7 + a8*b6
	h5 := d & mask
	c = c>>limbBits + a0*b5 + a1*b4 + a2*b3 + a3*b2 + a4*b1 + a5*b0 + h5*fold0 + h4<<fold1 - w[5]
	z5 := c & mask
	d = d>>limbBits + a7*b8 + a8*b7
	h6 := d & mask
	c = c>>limbBits + a0*b6 + a1*b5 + a2*b4 + a3*b3 + a4*b2 + a5*b1 + a6*b0 + h6*fold0 + h5<<fold1 - w[6]
	z6 := c & mask
	d = d>>limbBits + a8*b8
	h7 := d & mask
	c = c>>limbBits + a0*b7 + a1*b6 + a2*b5 + a3*b4 + a4*b3 + a5*b2 + a6*b1 + a7*b0 + h7*fold0 + h6<<fold1 - w[7]
	z7 := c & mask
	d >>= limbBits
	h8 := d
	c = c>>limbBits + a0*b8 + a1*b7 + a2*b6 + a3*b5 + a4*b4 + a5*b3 + a6*b2 + a7*b1 + a8*b0 + h8*fold0 + h7<<fold1 - w[8]
	z8 := c & mask
	*z = Element{z0, z1, z2, z3, z4, z5, z6, z7, z8}
	z.fold(c>>limbBits + h8<<fold1)
}

// sqr sets z to the square of x, of size 1.
func sqr(z, x *Element) { sqrN(z, x, 1) }

// sqrN sets z to x, of size 1, squared n > 0 times over. It is long because it
// has a line for each column and keeps the limbs out of memory between rounds.
func sqrN(z, x *Element, n int) {
	a0, a1, a2, a3, a4, a5, a6, a7, a8 := x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]
	for range n {
		d := (a1*a8 + a2*a7 + a3*a6 + a4*a5) << 1
		h0 := d & mask
		c := a0*a0 + h0*fold0
		z0 := c & mask
		d = d>>limbBits + (a2*a8+a3*a7+a4*a6)<<1 + a5*a5
		h1 := d & mask
		c = c>>limbBits + a0*a1<<1 + h1*fold0 + h0<<fold1
		z1 := c & mask
		d = d>>limbBits + (a3*a8+a4*a7+a5*a6)<<1
		h2 := d & mask
		c = c>>limbBits + a0*a2<<1 + a1*a1 + h2*fold0 + h1<<fold1
		z2 := c & mask
		d = d>>limbBits + (a4*a8+a5*a7)<<1 + a6*a6
		h3 := d & mask
		c = c>>limbBits + (a0*a3+a1*a2)<<1 + h3*fold0 + h2<<fold1
		z3 := c & mask
		d = d>>limbBits + (a5*a8+a6*a7)<<1
		h4 := d & mask
		c = c>>limbBits + (a0*a4+a1*a3)<<1 + a2*a2 + h4*fold0 + h3<<fold1
		z4 := c & mask
		d = d>>limbBits + a6*a8<<1 + a7*a7
		h5 := d & mask
		c = c>>limbBits + (a0*a5+a1*a4+a2*a3)<<1 + h5*fold0 + h4<<fold1
		z5 := c & mask
		d = d>>limbBits + a7*a8<<1
		h6 := d & mask
		c = c>>limbBits + (a0*a6+a1*a5+a2*a4)<<1 + a3*a3 + h6*fold0 + h5<<fold1
		z6 := c & mask
		d = d>>limbBits + a8*a8
		h7 := d & mask
		c = c>>limbBits + (a0*a7+a1*a6+a2*a5+a3*a4)<<1 + h7*fold0 + h6<<fold1
		z7 := c & mask
		d >>= limbBits
		h8 := d
		c = c>>limbBits + (a0*a8+a1*a7+a2*a6+a3*a5)<<1 + a4*a4 + h8*fold0 + h7<<fold1
		z8 := c & mask
		c = c>>limbBits + h8<<fold1
		z0 += c * fold0
		z1 += c<<fold1 + z0>>limbBits
		a0, a1, a2 = z0&mask, z1&mask, z2+z1>>limbBits
		a3, a4, a5, a6, a7, a8 = z3, z4, z5, z6, z7, z8
	}
	*z = Element{a0, a1, a2, a3, a4, a5, a6, a7, a8}
}
