package ask

import "github.com/nbd-wtf/go-nostr"

// values returns the second item of every tag of a name, empty for a tag that
// has none: a tag without a value still counts as a tag.
func values(tags nostr.Tags, name string) []string {
	var out []string
	for _, t := range tags {
		if len(t) > 0 && t[0] == name {
			out = append(out, part(t, 1))
		}
	}
	return out
}

// first returns the value of the first tag of a name, or "".
func first(tags nostr.Tags, name string) string {
	for _, t := range tags {
		if len(t) > 0 && t[0] == name {
			return part(t, 1)
		}
	}
	return ""
}

// part returns the i-th item of a tag, or "".
func part(t nostr.Tag, i int) string {
	if i < len(t) {
		return t[i]
	}
	return ""
}

// isHex64 says whether s is 64 lower-case hex digits, as NIP-01 writes ids and
// public keys.
func isHex64(s string) bool {
	if len(s) != 64 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
