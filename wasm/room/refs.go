package room

import "strings"

// nostrScheme begins a reference in a text (NIP-21, NIP-27).
const nostrScheme = "nostr:"

// MaxRefs is how many different references of one text are resolved; what
// follows stays text.
const MaxRefs = 100

// codes walks the NIP-19 codes that a text references as "nostr:..." (NIP-27),
// each once, in order, at most MaxRefs.
func codes(text string) func(yield func(code string, c Code) bool) {
	return func(yield func(string, Code) bool) {
		seen := map[string]bool{}
		for len(seen) < MaxRefs {
			_, rest, found := strings.Cut(text, nostrScheme)
			if !found {
				return
			}
			code := leadingCode(rest)
			text = rest[len(code):]
			c, err := DecodeCode(code)
			if err != nil || seen[code] {
				continue
			}
			seen[code] = true
			if !yield(code, c) {
				return
			}
		}
	}
}

// leadingCode returns the letters and digits that a text begins with.
func leadingCode(s string) string {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return s[:i]
		}
	}
	return s
}

// Links resolves the nostr: references of a text to what to write in their
// place, with the app's own path for each.
func (p *Profiles) Links(text string) []Link {
	var links []Link
	for code, c := range codes(text) {
		links = append(links, Link{Code: code, Label: p.label(c), Href: "/" + code})
	}
	return links
}

func (p *Profiles) label(c Code) string {
	switch {
	case c.Prefix == "npub" || c.Prefix == "nprofile":
		return "@" + p.Person(c.PubKey).Name
	case c.Prefix == "naddr" && c.Kind == KindMeta:
		return "a room"
	case c.Prefix == "naddr":
		return "a page"
	case c.Kind == KindThread:
		return "a thread"
	case c.Kind == KindTask:
		return "a task"
	}
	return "a message"
}

// Mentioned returns the hex keys that a text names in nostr: references.
func Mentioned(text string) []string {
	var keys []string
	known := map[string]bool{}
	for _, c := range codes(text) {
		if (c.Prefix == "npub" || c.Prefix == "nprofile") && !known[c.PubKey] {
			known[c.PubKey] = true
			keys = append(keys, c.PubKey)
		}
	}
	return keys
}
