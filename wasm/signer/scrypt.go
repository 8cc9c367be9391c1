package signer

import (
	"context"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"time"
)

const (
	// scryptStride is how many steps of scrypt's long table share one entry that is
	// kept: a quarter of the memory for three quarters more time. WebAssembly
	// memory never shrinks, so the 64 MiB of the whole table would stay.
	scryptStride = 4
	// scryptSlice is the number of steps between two pauses, some 30 ms.
	scryptSlice = 8192
	// scryptPause lets the event loop of a worker run; the shortest timer there is.
	scryptPause = time.Millisecond
)

// scryptBlock is a block of scrypt with r = 8.
type scryptBlock [256]uint32

// scryptKey is scrypt (RFC 7914) with r = 8 and p = 1, to a key of 32 bytes. It
// gives way to other goroutines and, in a browser, to the event loop, and ends
// early with ctx.
func scryptKey(ctx context.Context, password string, salt []byte, logN int) (key [32]byte, err error) {
	first, err := pbkdf2.Key(sha256.New, password, salt, 1, 1024)
	if err != nil {
		return key, err
	}
	var x scryptBlock
	for i := range x {
		x[i] = binary.LittleEndian.Uint32(first[4*i:])
	}
	if err := x.romix(ctx, 1<<logN); err != nil {
		return key, err
	}
	for i, v := range x {
		binary.LittleEndian.PutUint32(first[4*i:], v)
	}
	last, err := pbkdf2.Key(sha256.New, password, first, 1, len(key))
	copy(key[:], last)
	return key, err
}

// romix is scryptROMix: it fills a table of n steps, then mixes entries of it in,
// in an order that only the way there tells.
func (x *scryptBlock) romix(ctx context.Context, n int) error {
	table := make([]scryptBlock, (n+scryptStride-1)/scryptStride)
	defer clear(table)
	steps := 0
	var y scryptBlock
	mix := func(b *scryptBlock) error {
		y.mix(b)
		*b = y
		if steps++; steps%scryptSlice != 0 {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(scryptPause):
		}
		return ctx.Err()
	}
	for i := range n {
		if i%scryptStride == 0 {
			table[i/scryptStride] = *x
		}
		if err := mix(x); err != nil {
			return err
		}
	}
	for range n {
		j := int(x[240]) & (n - 1)
		entry := table[j/scryptStride]
		for range j % scryptStride {
			if err := mix(&entry); err != nil {
				return err
			}
		}
		for i, v := range entry {
			x[i] ^= v
		}
		if err := mix(x); err != nil {
			return err
		}
	}
	return nil
}

// mix sets b to scryptBlockMix of in.
func (b *scryptBlock) mix(in *scryptBlock) {
	x := [16]uint32(in[240:])
	for i := range 16 {
		part := (*[16]uint32)(in[16*i:])
		for k, v := range part {
			x[k] ^= v
		}
		salsa8(&x)
		copy(b[16*(i/2+i%2*8):], x[:])
	}
}

// salsa8 is the core of Salsa20 with 8 rounds.
func salsa8(x *[16]uint32) {
	a0, a1, a2, a3, a4, a5, a6, a7 := x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
	b0, b1, b2, b3, b4, b5, b6, b7 := x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15]
	for range 4 {
		a4, b0, b4, a0 = quarter(a0, a4, b0, b4)
		b1, b5, a1, a5 = quarter(a5, b1, b5, a1)
		b6, a2, a6, b2 = quarter(b2, b6, a2, a6)
		a3, a7, b3, b7 = quarter(b7, a3, a7, b3)
		a1, a2, a3, a0 = quarter(a0, a1, a2, a3)
		a6, a7, a4, a5 = quarter(a5, a6, a7, a4)
		b3, b0, b1, b2 = quarter(b2, b3, b0, b1)
		b4, b5, b6, b7 = quarter(b7, b4, b5, b6)
	}
	for i, v := range [16]uint32{a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7} {
		x[i] += v
	}
}

// quarter returns the quarter-round of a, b, c and d, a last.
func quarter(a, b, c, d uint32) (uint32, uint32, uint32, uint32) {
	b ^= bits.RotateLeft32(a+d, 7)
	c ^= bits.RotateLeft32(b+a, 9)
	d ^= bits.RotateLeft32(c+b, 13)
	a ^= bits.RotateLeft32(d+c, 18)
	return b, c, d, a
}
