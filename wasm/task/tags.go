package task

import "github.com/nbd-wtf/go-nostr"

// values returns the second item of every tag of a name.
func values(tags nostr.Tags, name string) []string {
	var out []string
	for _, t := range tags {
		if len(t) > 1 && t[0] == name {
			out = append(out, t[1])
		}
	}
	return out
}

// first returns the value of the first tag of a name, or "".
func first(tags nostr.Tags, name string) string {
	for _, t := range tags {
		if len(t) > 1 && t[0] == name {
			return t[1]
		}
	}
	return ""
}

// marked returns the id of the first e tag with a marker (NIP-10), or "".
func marked(tags nostr.Tags, marker string) string {
	for _, t := range tags {
		if len(t) > 3 && t[0] == "e" && t[3] == marker {
			return t[1]
		}
	}
	return ""
}

// firstUnmarked returns the id of the first e tag that is marked neither root
// nor reply, or "".
func firstUnmarked(tags nostr.Tags) string {
	for _, t := range tags {
		if isUnmarked(t) {
			return t[1]
		}
	}
	return ""
}

func isUnmarked(t nostr.Tag) bool {
	return len(t) > 1 && t[0] == "e" && (len(t) < 4 || t[3] != "root" && t[3] != "reply")
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
