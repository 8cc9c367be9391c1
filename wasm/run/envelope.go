package run

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Envelope is the compatibility profile of the text field: key=value pairs
// between pipes, values percent-encoded. Keys are as written, values decoded.
type Envelope map[string]string

// Get is the value under the snake_case key, else under its camelCase alias.
func (e Envelope) Get(key string) string {
	if v, ok := e[key]; ok || strings.IndexByte(key, '_') < 0 {
		return v
	}
	return e[camel(key)]
}

// envelopeEvents are the values of event that fit a kind.
var envelopeEvents = map[int][]string{
	KindDelta:    {"delta", "block", "thinking"},
	KindResponse: {"final"},
	KindTool:     {"tool"},
	KindError:    {"error"},
}

// envelopeContent are the keys of which a kind needs at least one, so that there
// is something to show.
var envelopeContent = map[int][]string{
	KindDelta:    {"text", "block"},
	KindResponse: {"text"},
	KindTool:     {"text", "name"},
	KindError:    {"text", "code"},
}

// ParseEnvelope reads text as the envelope of kind. It is one only when it
// begins with a key and has event, phase, ts (or timestamp) and content, and
// event fits the kind; everything else is ordinary text, and the answer is
// false. Parts without a key are skipped, of a key given twice the last counts,
// and a value with bad percent-encoding stays as written.
func ParseEnvelope(kind int, text string) (Envelope, bool) {
	if envelopeEvents[kind] == nil || !strings.Contains(text, "event=") {
		return nil, false
	}
	e := Envelope{}
	for i, rest := 0, text; ; i++ {
		part, after, more := strings.Cut(rest, "|")
		key, value, ok := strings.Cut(part, "=")
		key = strings.TrimSpace(key)
		if i == 0 && (!ok || !isKey(key)) {
			return nil, false
		}
		if ok && key != "" {
			e[key] = unescape(value)
		}
		if !more {
			break
		}
		rest = after
	}
	if !contains(envelopeEvents[kind], e["event"]) || e["phase"] == "" || (e["ts"] == "" && e["timestamp"] == "") {
		return nil, false
	}
	for _, key := range envelopeContent[kind] {
		if _, ok := e[key]; ok {
			return e, true
		}
	}
	return nil, false
}

// EnvelopeField is one pair, in the order it is written.
type EnvelopeField struct{ Key, Value string }

// FormatEnvelope writes an envelope. It fails when a key is not lowercase
// snake_case, a key comes twice, or what ParseEnvelope asks for is missing, so
// that what was written is always read back.
func FormatEnvelope(kind int, fields []EnvelopeField) (string, error) {
	var b strings.Builder
	seen := map[string]bool{}
	for _, f := range fields {
		switch {
		case !isKey(f.Key) || f.Key != strings.ToLower(f.Key):
			return "", fmt.Errorf("write envelope: key %q is not lowercase snake_case", f.Key)
		case seen[f.Key]:
			return "", fmt.Errorf("write envelope: key %q comes twice", f.Key)
		case !utf8.ValidString(f.Value):
			return "", fmt.Errorf("write envelope: the value of %q is not UTF-8", f.Key)
		}
		seen[f.Key] = true
		if b.Len() > 0 {
			b.WriteByte('|')
		}
		b.WriteString(f.Key)
		b.WriteByte('=')
		escape(&b, f.Value)
	}
	if _, ok := ParseEnvelope(kind, b.String()); !ok {
		return "", errors.New("write envelope: event (of this kind), phase, ts or timestamp, or the content is missing")
	}
	return b.String(), nil
}

func isKey(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// escape percent-encodes what encodeURIComponent does.
func escape(b *strings.Builder, s string) {
	const digits = "0123456789ABCDEF"
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.!~*'()", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
}

// unescape decodes percent-encoding; anything wrong with it, or bytes that are
// not UTF-8, and the value stays as written, whole.
func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return s
		}
		hi, lo := hexDigit(s[i+1]), hexDigit(s[i+2])
		if hi < 0 || lo < 0 {
			return s
		}
		b.WriteByte(byte(hi<<4 | lo))
		i += 2
	}
	if !utf8.ValidString(b.String()) {
		return s
	}
	return b.String()
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func contains(list []string, s string) bool {
	for _, item := range list {
		if item == s {
			return true
		}
	}
	return false
}
