package room

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

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

// LinkNames writes every "@name" of a text as the nostr: reference (NIP-27) of
// the key that bears the name, in any case of letters: people call an agent by
// its name, programs by its key. A name begins the text or follows a space or a
// bracket, and ends where no letter or digit follows. Keys are hex, by name.
func LinkNames(text string, keys map[string]string) string {
	names := slices.SortedFunc(maps.Keys(keys), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var out strings.Builder
	for at := 0; at < len(text); {
		name := ""
		if text[at] == '@' && startsWord(text[:at]) {
			name = leadingName(text[at+1:], names)
		}
		if name == "" {
			out.WriteByte(text[at])
			at++
			continue
		}
		out.WriteString(nostrScheme + NPub(keys[name]))
		at += 1 + len(name)
	}
	return out.String()
}

// leadingName returns the first of some names that a text begins with, "" for
// none.
func leadingName(text string, names []string) string {
	for _, name := range names {
		if name == "" || len(text) < len(name) || !strings.EqualFold(text[:len(name)], name) {
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[len(name):])
		if len(text) == len(name) || !unicode.IsLetter(next) && !unicode.IsDigit(next) && next != '_' {
			return name
		}
	}
	return ""
}

// startsWord reports whether a word may begin after a text.
func startsWord(before string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	return before == "" || unicode.IsSpace(last) || last == '('
}
