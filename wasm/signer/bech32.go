package signer

import (
	"fmt"
	"strings"
)

const bech32Digits = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

// polymod is the checksum of BIP-173 over digits of 5 bits, begun with c.
func polymod(c uint32, digits ...byte) uint32 {
	generator := [...]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3}
	for _, d := range digits {
		top := c >> 25
		c = c&0x1ffffff<<5 ^ uint32(d)
		for i, g := range generator {
			if top>>i&1 == 1 {
				c ^= g
			}
		}
	}
	return c
}

func polymodPrefix(prefix string) uint32 {
	c := uint32(1)
	for i := range len(prefix) {
		c = polymod(c, prefix[i]>>5)
	}
	c = polymod(c, 0)
	for i := range len(prefix) {
		c = polymod(c, prefix[i]&31)
	}
	return c
}

// encodeBech32 writes data in bech32 (BIP-173), of any length as NIP-19 has it.
func encodeBech32(prefix string, data []byte) string {
	digits := regroup(data, 8, 5, true)
	c := polymod(polymodPrefix(prefix), append(digits, 0, 0, 0, 0, 0, 0)...) ^ 1
	for i := range 6 {
		digits = append(digits, byte(c>>(5*(5-i)))&31)
	}
	var b strings.Builder
	b.WriteString(prefix + "1")
	for _, d := range digits {
		b.WriteByte(bech32Digits[d])
	}
	return b.String()
}

// decodeBech32 reads bech32 of any length. Errors wrap ErrNotKey for what does
// not look like it, else ErrChecksum.
func decodeBech32(s string) (prefix string, data []byte, err error) {
	mixed := s != strings.ToLower(s) && s != strings.ToUpper(s)
	s = strings.ToLower(s)
	at := strings.LastIndexByte(s, '1')
	if at < 1 {
		return "", nil, ErrNotKey
	}
	prefix = s[:at]
	if mixed {
		return prefix, nil, fmt.Errorf("%w: capital and small letters are mixed", ErrChecksum)
	}
	digits := make([]byte, 0, len(s)-at)
	for _, r := range s[at+1:] {
		d := strings.IndexRune(bech32Digits, r)
		if d < 0 {
			return prefix, nil, fmt.Errorf("%w: %q does not occur in keys", ErrChecksum, r)
		}
		digits = append(digits, byte(d))
	}
	if len(digits) < 6 || polymod(polymodPrefix(prefix), digits...) != 1 {
		return prefix, nil, ErrChecksum
	}
	data = regroup(digits[:len(digits)-6], 5, 8, false)
	if data == nil {
		return prefix, nil, fmt.Errorf("%w: bits are left over", ErrNotKey)
	}
	return prefix, data, nil
}

// regroup cuts a row of bits in pieces of another width. Without pad, bits left
// over must be fewer than a piece of the old width, and zero: else it gives nil.
func regroup(in []byte, from, to uint, pad bool) []byte {
	out := make([]byte, 0, len(in)*int(from)/int(to)+1)
	var acc uint32
	var n uint
	for _, b := range in {
		acc = acc<<from | uint32(b)
		for n += from; n >= to; {
			n -= to
			out = append(out, byte(acc>>n&(1<<to-1)))
		}
		acc &= 1<<n - 1
	}
	switch {
	case pad && n > 0:
		out = append(out, byte(acc<<(to-n)&(1<<to-1)))
	case !pad && (n >= from || acc != 0):
		return nil
	}
	return out
}
