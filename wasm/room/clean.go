package room

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxURL is the longest address, in bytes, that is taken from an event.
const MaxURL = 2048

// maxMarks is how many combining marks may stand on one letter of a name.
const maxMarks = 4

// cleanLine makes a name out of hostile text: one line of at most limit code
// points, without control characters, without what turns the direction of
// writing or cannot be seen, and without towers of combining marks.
func cleanLine(s string, limit int) string {
	var b strings.Builder
	count, marks, space := 0, 0, false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r), r == '\u2028', r == '\u2029':
			space = b.Len() > 0
			continue
		case unseen(r):
			continue
		case unicode.Is(unicode.Mn, r):
			if marks++; marks > maxMarks {
				continue
			}
		default:
			marks = 0
		}
		if space && count < limit {
			b.WriteByte(' ')
			count++
		}
		if space = false; count == limit {
			return strings.TrimRight(b.String(), " ") + "…"
		}
		b.WriteRune(r)
		count++
	}
	if !visible(b.String()) {
		return ""
	}
	return b.String()
}

// unseen is true for control characters, those that turn the direction of
// writing, and other characters that only format. Joiners stay: scripts and
// emoji are written with them.
func unseen(r rune) bool {
	switch {
	case r == '\u200c', r == '\u200d':
		return false
	case r == utf8.RuneError:
		return true
	case r == '\u115f', r == '\u1160', r == '\u3164', r == '\uffa0', r == '\u2800', r == '\u034f':
		return true // letters and signs that are drawn as nothing
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp)
}

// visible reports whether a cleaned text has anything that is drawn.
func visible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r != '\u200c' && r != '\u200d' && !unicode.In(r, unicode.M, unicode.Z)
	})
}

// cleanText is cleanLine for longer words: lines stay.
func cleanText(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if r != '\n' && unseen(r) {
			return -1
		}
		return r
	}, s)
	text, _ := cutRunes(strings.TrimSpace(s), limit)
	return text
}

// cutRunes returns the first limit code points of s and how many are left out.
func cutRunes(s string, limit int) (string, int) {
	if len(s) <= limit {
		return s, 0
	}
	count := 0
	for i := range s {
		if count == limit {
			return s[:i], utf8.RuneCountInString(s[i:])
		}
		count++
	}
	return s, 0
}

// cleanURL returns an http or https address as it is, "" for anything else, so
// that no other scheme ever gets to a page.
func cleanURL(s string) string {
	rest, ok := cutScheme(s)
	if !ok || len(s) > MaxURL || rest == "" || strings.HasPrefix(rest, "/") {
		return ""
	}
	if strings.ContainsFunc(s, func(r rune) bool {
		return unseen(r) || unicode.IsSpace(r) || r == '"' || r == '<' || r == '>' || r == '\\'
	}) {
		return ""
	}
	return s
}

func cutScheme(s string) (rest string, ok bool) {
	for _, scheme := range []string{"https://", "http://"} {
		if len(s) >= len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			return s[len(scheme):], true
		}
	}
	return "", false
}

// cleanEmoji takes out what a reaction cannot be drawn with, and keeps the tag
// characters that flags of regions are written with.
func cleanEmoji(s string) string {
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unseen(r) && (r < 0xe0020 || r > 0xe007f) || r == '\n' {
			return -1
		}
		return r
	}, s))
	if !visible(s) {
		return ""
	}
	return s
}
