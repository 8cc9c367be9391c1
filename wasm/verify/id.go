package verify

import (
	"strconv"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/internal/sha256"
)

// ID is the id of e: SHA-256 over the NIP-01 serialisation of its fields. The
// fields ID and Sig play no part.
func ID(e *nostr.Event) [32]byte {
	return hash(e, new([]byte))
}

// hash is ID with memory to use for the serialisation.
func hash(e *nostr.Event, buf *[]byte) [32]byte {
	*buf = appendSerial((*buf)[:0], e)
	return sha256.Sum(*buf)
}

// appendSerial appends [0,pubkey,created_at,kind,tags,content] without white
// space.
func appendSerial(b []byte, e *nostr.Event) []byte {
	b = append(b, `[0,"`...)
	b = append(b, e.PubKey...)
	b = append(b, `",`...)
	b = strconv.AppendInt(b, int64(e.CreatedAt), 10)
	b = append(b, ',')
	b = strconv.AppendInt(b, int64(e.Kind), 10)
	b = append(b, ",["...)
	for i, tag := range e.Tags {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		for j, s := range tag {
			if j > 0 {
				b = append(b, ',')
			}
			b = appendString(b, s)
		}
		b = append(b, ']')
	}
	b = append(b, "],"...)
	b = appendString(b, e.Content)
	return append(b, ']')
}

// escapes has what stands for a byte in a string, "" where it stands for itself.
// NIP-01 names seven; the other control characters, which it wants verbatim, are
// written as JSON.stringify does, since that is what every client and relay does.
var escapes = func() (t [256]string) {
	const digits = "0123456789abcdef"
	for c := range 0x20 {
		t[c] = `\u00` + digits[c>>4:c>>4+1] + digits[c&15:c&15+1]
	}
	t['\b'], t['\t'], t['\n'], t['\f'], t['\r'] = `\b`, `\t`, `\n`, `\f`, `\r`
	t['"'], t['\\'] = `\"`, `\\`
	return t
}()

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' {
			b = append(b, s[from:i]...)
			b = append(b, escapes[c]...)
			from = i + 1
		}
	}
	b = append(b, s[from:]...)
	return append(b, '"')
}
