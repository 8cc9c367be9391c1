package verify

import (
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is how deep values may nest within a field that is passed over.
const MaxDepth = 32

// scanner reads JSON (RFC 8259) from s, at i.
type scanner struct {
	s string
	i int

	strings []string
	ends    []int
}

func (in *scanner) fail(format string, args ...any) error {
	return fmt.Errorf("%s at byte %d: %w", fmt.Sprintf(format, args...), in.i, ErrFrame)
}

func (in *scanner) space() {
	for in.i < len(in.s) {
		switch in.s[in.i] {
		case ' ', '\t', '\n', '\r':
			in.i++
		default:
			return
		}
	}
}

// next passes over c, if c comes next.
func (in *scanner) next(c byte) bool {
	in.space()
	if in.i < len(in.s) && in.s[in.i] == c {
		in.i++
		return true
	}
	return false
}

func (in *scanner) delim(c byte) error {
	if !in.next(c) {
		return in.fail("no %q", c)
	}
	return nil
}

// comma tells whether another element follows, after a comma, or else the end.
func (in *scanner) comma(end byte) (more bool, err error) {
	if in.next(',') {
		return true, nil
	}
	return false, in.delim(end)
}

func (in *scanner) end() error {
	if in.space(); in.i < len(in.s) {
		return in.fail("more text after the end")
	}
	return nil
}

// text reads a string.
func (in *scanner) text() (string, error) {
	if err := in.delim('"'); err != nil {
		return "", err
	}
	from, ascii := in.i, true
	for in.i < len(in.s) {
		switch c := in.s[in.i]; {
		case c == '"':
			s := in.s[from:in.i]
			in.i++
			if !ascii && !utf8.ValidString(s) {
				return "", in.fail("a string that is not UTF-8")
			}
			return s, nil
		case c == '\\':
			return in.unescape(from)
		case c < 0x20:
			return "", in.fail("a control character in a string")
		case c >= utf8.RuneSelf:
			ascii = false
		}
		in.i++
	}
	return "", in.fail("a string without end")
}

// unescape reads on from the first escape of a string that began at from.
func (in *scanner) unescape(from int) (string, error) {
	b := append(make([]byte, 0, in.i-from+64), in.s[from:in.i]...)
	for in.i < len(in.s) {
		switch c := in.s[in.i]; {
		case c == '"':
			in.i++
			if !utf8.Valid(b) {
				return "", in.fail("a string that is not UTF-8")
			}
			return string(b), nil
		case c == '\\':
			var err error
			if b, err = in.escape(b); err != nil {
				return "", err
			}
		case c < 0x20:
			return "", in.fail("a control character in a string")
		default:
			b = append(b, c)
			in.i++
		}
	}
	return "", in.fail("a string without end")
}

// escape appends what the escape at in.i stands for.
func (in *scanner) escape(b []byte) ([]byte, error) {
	if in.i+1 >= len(in.s) {
		return nil, in.fail("a string without end")
	}
	c := in.s[in.i+1]
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		r, err := in.unit()
		if err != nil {
			return nil, err
		}
		return utf8.AppendRune(b, r), nil
	default:
		return nil, in.fail("unknown escape")
	}
	in.i += 2
	return append(b, c), nil
}

// unit reads \uXXXX, and a second one where both make a pair. Half a pair gives
// U+FFFD, as encoding/json and TextEncoder have it.
func (in *scanner) unit() (rune, error) {
	r, ok := in.hex4(in.i)
	if !ok {
		return 0, in.fail("unknown escape")
	}
	in.i += 6
	if utf16.IsSurrogate(r) {
		low, ok := in.hex4(in.i)
		if r = utf16.DecodeRune(r, low); ok && r != utf8.RuneError {
			in.i += 6
		}
	}
	return r, nil
}

func (in *scanner) hex4(at int) (rune, bool) {
	if at+6 > len(in.s) || in.s[at] != '\\' || in.s[at+1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(in.s[at+2:at+6], 16, 16)
	return rune(v), err == nil
}

// integer reads a whole number without fraction and exponent.
func (in *scanner) integer() (int64, error) {
	from, err := in.number()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(in.s[from:in.i], 10, 64)
	if err != nil {
		return 0, in.fail("not a whole number of 64 bits")
	}
	return n, nil
}

// number passes over a number and returns where it began.
func (in *scanner) number() (from int, err error) {
	in.space()
	from = in.i
	in.accept('-')
	if !in.accept('0') && !in.digits() {
		return from, in.fail("no number")
	}
	if in.accept('.') && !in.digits() {
		return from, in.fail("no digit after the point")
	}
	if in.accept('e') || in.accept('E') {
		if !in.accept('+') {
			in.accept('-')
		}
		if !in.digits() {
			return from, in.fail("no digit in the exponent")
		}
	}
	return from, nil
}

func (in *scanner) accept(c byte) bool {
	if in.i < len(in.s) && in.s[in.i] == c {
		in.i++
		return true
	}
	return false
}

func (in *scanner) digits() bool {
	from := in.i
	for in.i < len(in.s) && '0' <= in.s[in.i] && in.s[in.i] <= '9' {
		in.i++
	}
	return in.i > from
}

// skip passes over any value, depth levels below a field.
func (in *scanner) skip(depth int) error {
	if depth > MaxDepth {
		return in.fail("more than %d levels", MaxDepth)
	}
	in.space()
	if in.i >= len(in.s) {
		return in.fail("no value")
	}
	switch in.s[in.i] {
	case '"':
		_, err := in.text()
		return err
	case '[':
		return in.skipAll(']', depth, func() error { return nil })
	case '{':
		return in.skipAll('}', depth, func() error {
			if _, err := in.text(); err != nil {
				return err
			}
			return in.delim(':')
		})
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if len(in.s)-in.i >= len(word) && in.s[in.i:in.i+len(word)] == word {
			in.i += len(word)
			return nil
		}
	}
	_, err := in.number()
	return err
}

// skipAll passes over the elements of an array or an object; name reads what
// comes before each.
func (in *scanner) skipAll(end byte, depth int, name func() error) error {
	in.i++
	for more := !in.next(end); more; {
		err := name()
		if err == nil {
			err = in.skip(depth + 1)
		}
		if err == nil {
			more, err = in.comma(end)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
