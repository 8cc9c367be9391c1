package room

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// MaxCode is the longest NIP-19 code, in characters, that is read.
const MaxCode = 5000

// Code is what a NIP-19 code names.
type Code struct {
	Prefix string   // npub, nprofile, note, nevent or naddr
	PubKey string   // hex; of the person, or the author when given
	ID     string   // hex; note and nevent
	D      string   // naddr
	Kind   int      // nevent and naddr; -1 when not given
	Relays []string // as written
}

// maxField is the longest value, in bytes, that a field of a list holds: its
// length is one byte.
const maxField = 255

// Types of a NIP-19 list.
const (
	tlvSpecial = 0
	tlvRelay   = 1
	tlvAuthor  = 2
	tlvKind    = 3
)

// DecodeCode reads a NIP-19 code without "nostr:". It knows no nsec: a secret
// is not a thing to name. Fields of a list that it does not know are skipped.
func DecodeCode(s string) (Code, error) {
	if len(s) > MaxCode {
		return Code{}, fmt.Errorf("read code: longer than %d characters", MaxCode)
	}
	prefix, data, err := decodeBech32(s)
	if err != nil {
		return Code{}, fmt.Errorf("read code: %w", err)
	}
	c := Code{Prefix: prefix, Kind: -1}
	switch prefix {
	case "npub", "note":
		if len(data) != 32 {
			return Code{}, fmt.Errorf("read %s: %d bytes instead of 32", prefix, len(data))
		}
		if prefix == "npub" {
			c.PubKey = hex.EncodeToString(data)
		} else {
			c.ID = hex.EncodeToString(data)
		}
	case "nprofile", "nevent", "naddr":
		if err := c.readList(data); err != nil {
			return Code{}, fmt.Errorf("read %s: %w", prefix, err)
		}
	default:
		return Code{}, fmt.Errorf("read code: %q is none of npub, nprofile, note, nevent and naddr", prefix)
	}
	return c, nil
}

func (c *Code) readList(data []byte) error {
	special := false
	for len(data) > 0 {
		if len(data) < 2 || len(data) < 2+int(data[1]) {
			return errors.New("cut short")
		}
		kind, value := data[0], data[2:2+int(data[1])]
		data = data[2+len(value):]
		switch {
		case kind == tlvSpecial && !special:
			special = true
			if err := c.readSpecial(value); err != nil {
				return err
			}
		case kind == tlvRelay:
			c.Relays = append(c.Relays, string(value))
		case kind == tlvAuthor && len(value) == 32 && c.PubKey == "":
			c.PubKey = hex.EncodeToString(value)
		case kind == tlvKind && len(value) == 4 && c.Kind < 0:
			c.Kind = int(binary.BigEndian.Uint32(value))
		}
	}
	if !special || c.Prefix == "naddr" && (c.PubKey == "" || c.Kind < 0) {
		return errors.New("it does not say what it names")
	}
	return nil
}

func (c *Code) readSpecial(value []byte) error {
	switch {
	case c.Prefix == "naddr":
		c.D = string(value)
	case len(value) != 32:
		return fmt.Errorf("%d bytes instead of 32", len(value))
	case c.Prefix == "nprofile":
		c.PubKey = hex.EncodeToString(value)
	default:
		c.ID = hex.EncodeToString(value)
	}
	return nil
}

// NPub is the NIP-19 code of a hex public key, "" when that is none.
func NPub(pubkey string) string {
	if !isHex32(pubkey) {
		return ""
	}
	return encodeBech32("npub", unhex(pubkey))
}

// NEvent is the NIP-19 code of an event with a relay hint ("" for none), the
// author ("" for none) and the kind (negative for none); "" when id is no id.
func NEvent(id, relay, author string, kind int) string {
	if !isHex32(id) {
		return ""
	}
	data := appendField(nil, tlvSpecial, unhex(id))
	data = appendRelay(data, relay)
	if isHex32(author) {
		data = appendField(data, tlvAuthor, unhex(author))
	}
	if kind >= 0 {
		data = appendField(data, tlvKind, binary.BigEndian.AppendUint32(nil, uint32(kind)))
	}
	return encodeBech32("nevent", data)
}

// NAddr is the NIP-19 code of an addressable event, "" when author is no key or
// d is longer than maxField.
func NAddr(kind int, author, d, relay string) string {
	if !isHex32(author) || len(d) > maxField {
		return ""
	}
	data := appendField(nil, tlvSpecial, []byte(d))
	data = appendRelay(data, relay)
	data = appendField(data, tlvAuthor, unhex(author))
	data = appendField(data, tlvKind, binary.BigEndian.AppendUint32(nil, uint32(kind)))
	return encodeBech32("naddr", data)
}

// appendRelay leaves out a hint that a list cannot hold.
func appendRelay(data []byte, relay string) []byte {
	if relay == "" || len(relay) > maxField {
		return data
	}
	return appendField(data, tlvRelay, []byte(relay))
}

func appendField(data []byte, kind byte, value []byte) []byte {
	return append(append(data, kind, byte(len(value))), value...)
}

// unhex decodes what isHex32 has accepted.
func unhex(s string) []byte {
	b, _ := hex.DecodeString(s)
	return b
}

const bech32Letters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

var (
	errMixed    = errors.New("upper and lower case are mixed")
	errShape    = errors.New("it has no prefix or is cut short")
	errLetter   = errors.New("it has a character that codes do not have")
	errChecksum = errors.New("the checksum is wrong: it was mistyped or cut")
)

// decodeBech32 reads a bech32 string (BIP-173, without its limit of 90).
func decodeBech32(s string) (prefix string, data []byte, err error) {
	lower := strings.ToLower(s)
	if s != lower && s != strings.ToUpper(s) {
		return "", nil, errMixed
	}
	cut := strings.LastIndexByte(lower, '1')
	if cut < 1 || len(lower)-cut-1 < 6 {
		return "", nil, errShape
	}
	prefix = lower[:cut]
	values := make([]byte, 0, len(lower)-cut-1)
	for i := cut + 1; i < len(lower); i++ {
		v := strings.IndexByte(bech32Letters, lower[i])
		if v < 0 {
			return "", nil, errLetter
		}
		values = append(values, byte(v))
	}
	if polymod(prefix, values) != 1 {
		return "", nil, errChecksum
	}
	data, ok := regroup(values[:len(values)-6], 5, 8)
	if !ok {
		return "", nil, errShape
	}
	return prefix, data, nil
}

func encodeBech32(prefix string, data []byte) string {
	values, _ := regroup(data, 8, 5)
	sum := polymod(prefix, append(values[:len(values):len(values)], 0, 0, 0, 0, 0, 0)) ^ 1
	var b strings.Builder
	b.WriteString(prefix)
	b.WriteByte('1')
	for _, v := range values {
		b.WriteByte(bech32Letters[v])
	}
	for i := range 6 {
		b.WriteByte(bech32Letters[sum>>(5*(5-i))&31])
	}
	return b.String()
}

// polymod is the checksum of BIP-173 over the prefix and the values.
func polymod(prefix string, values []byte) uint32 {
	sum := uint32(1)
	add := func(v byte) {
		top := sum >> 25
		sum = sum&0x1ffffff<<5 ^ uint32(v)
		for i, g := range [...]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			if top>>i&1 == 1 {
				sum ^= g
			}
		}
	}
	for i := range len(prefix) {
		add(prefix[i] >> 5)
	}
	add(0)
	for i := range len(prefix) {
		add(prefix[i] & 31)
	}
	for _, v := range values {
		add(v)
	}
	return sum
}

// regroup turns groups of from bits into groups of to bits. Going down to bytes
// the rest must be short and zero; going up it is filled with zeros.
func regroup(in []byte, from, to uint) (out []byte, ok bool) {
	var acc, bits uint
	for _, v := range in {
		acc = acc<<from | uint(v)
		for bits += from; bits >= to; {
			bits -= to
			out = append(out, byte(acc>>bits&(1<<to-1)))
		}
		acc &= 1<<bits - 1
	}
	if to < from {
		if bits > 0 {
			out = append(out, byte(acc<<(to-bits)))
		}
		return out, true
	}
	return out, bits < from && acc == 0
}
