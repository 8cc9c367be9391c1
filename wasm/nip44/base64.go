package nip44

// notBase64 marks bytes outside the alphabet; it outlives any or of values.
const notBase64 = 0x80

// values maps the alphabet of RFC 4648, section 4, to 0..63.
var values = func() (t [256]byte) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for i := range t {
		t[i] = notBase64
	}
	for i := range len(alphabet) {
		t[alphabet[i]] = byte(i)
	}
	return t
}()

// decode64 decodes s, which is not empty, with padding. Unlike encoding/base64 it
// skips no line breaks; bits beyond the last byte must be zero.
func decode64(s string) ([]byte, bool) {
	if len(s)%4 != 0 {
		return nil, false
	}
	raw := make([]byte, len(s)/4*3)
	tail := len(s) - 4
	var bad byte
	j := 0
	for i := 0; i < tail; i += 4 {
		q, out := s[i:i+4], raw[j:j+3]
		a, b, c, d := values[q[0]], values[q[1]], values[q[2]], values[q[3]]
		bad |= a | b | c | d
		out[0], out[1], out[2] = a<<2|b>>4, b<<4|c>>2, c<<6|d
		j += 3
	}
	pad := 0
	last := [4]byte([]byte(s[tail:]))
	for last[3-pad] == '=' && pad < 2 {
		last[3-pad] = 'A'
		pad++
	}
	a, b, c, d := values[last[0]], values[last[1]], values[last[2]], values[last[3]]
	bad |= a | b | c | d
	raw[j], raw[j+1], raw[j+2] = a<<2|b>>4, b<<4|c>>2, c<<6|d
	end := len(raw) - pad
	for _, unused := range raw[end:] {
		if unused != 0 {
			return nil, false
		}
	}
	return raw[:end], bad < notBase64
}
