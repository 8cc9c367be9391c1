package room

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// LinkNames writes every "@name" of a text as the nostr: reference (NIP-27) of
// who bears the name, in any case of letters: people call each other and their
// agents by name, programs by key. A name begins the text or follows a space or
// a bracket, and ends where no letter or digit follows. What stands in
// back-ticks stays as typed. Codes are NIP-19, by name.
func LinkNames(text string, codes map[string]string) string {
	names := slices.SortedFunc(maps.Keys(codes), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return rewrite(text, func(i int) (string, int) {
		if text[i] != '@' || !startsWord(text[:i]) {
			return "", 0
		}
		name := leadingName(text[i+1:], names)
		if name == "" {
			return "", 0
		}
		return nostrScheme + codes[name], 1 + len(name)
	})
}

// ShowNames writes the nostr: references of a text that name people as "@name",
// as somebody sees them who goes on writing. Codes are the ones to give
// LinkNames for the way back. A reference stays as it is where that way would
// not lead back to it: when another one has the same name, or when it is part
// of a longer word.
func ShowNames(text string, links []Link) (shown string, codes map[string]string) {
	names := map[string]string{} // by code
	codes = map[string]string{}
	taken := map[string]bool{} // in lower case: letters count in neither
	for _, l := range links {
		name, ok := strings.CutPrefix(l.Label, "@")
		if !ok || name == "" || taken[strings.ToLower(name)] || leadingCode(l.Code) != l.Code {
			continue
		}
		taken[strings.ToLower(name)] = true
		names[l.Code], codes[name] = name, l.Code
	}
	shown = rewrite(text, func(i int) (string, int) {
		rest, ok := strings.CutPrefix(text[i:], nostrScheme)
		if !ok || !startsWord(text[:i]) {
			return "", 0
		}
		code := leadingCode(rest)
		name := names[code]
		if name == "" || !endsWord(rest[len(code):]) {
			return "", 0
		}
		return "@" + name, len(nostrScheme) + len(code)
	})
	return shown, codes
}

// Plain writes the nostr: references of a text as their labels, for where a
// text stands in a line and is not drawn.
func Plain(text string, links []Link) string {
	if len(links) == 0 {
		return text
	}
	labels := map[string]string{}
	for _, l := range links {
		labels[l.Code] = l.Label
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, nostrScheme)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		code := leadingCode(rest)
		if label := labels[code]; label != "" {
			b.WriteString(label)
		} else {
			b.WriteString(nostrScheme + code)
		}
		text = rest[len(code):]
	}
}

// rewrite copies a text. Outside of code in back-ticks it asks at each place
// what stands there instead of the next n bytes; 0 keeps what is there.
func rewrite(text string, instead func(i int) (s string, n int)) string {
	var b strings.Builder
	fence := 0 // length of the run of back-ticks that opened code
	for i := 0; i < len(text); {
		if run := len(text[i:]) - len(strings.TrimLeft(text[i:], "`")); run > 0 {
			switch fence {
			case 0:
				fence = run
			case run:
				fence = 0
			}
			b.WriteString(text[i : i+run])
			i += run
			continue
		}
		if fence == 0 {
			if s, n := instead(i); n > 0 {
				b.WriteString(s)
				i += n
				continue
			}
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// leadingName returns the first of some names that a text begins with, "" for
// none.
func leadingName(text string, names []string) string {
	for _, name := range names {
		if name == "" || len(text) < len(name) || !strings.EqualFold(text[:len(name)], name) {
			continue
		}
		if endsWord(text[len(name):]) {
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

// endsWord reports whether a word may end before a text.
func endsWord(after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	return after == "" || !unicode.IsLetter(next) && !unicode.IsDigit(next) && next != '_'
}
