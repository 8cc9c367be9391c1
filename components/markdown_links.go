package components

import (
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// codeMarks are the NIP-19 names that may stand in a nostr: reference
// (NIP-21). A secret key is none of them.
var codeMarks = []string{"npub1", "note1", "nevent1", "naddr1", "nprofile1"}

// maxCode is the longest NIP-19 name that is read, in bytes.
const maxCode = 2000

// safeHref returns an address that a link may have: https, http or mailto, or
// the path of the app that a nostr: reference stands for.
func safeHref(address string) (string, bool) {
	address = strings.TrimSpace(address)
	if strings.ContainsFunc(address, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", false // browsers drop these, and read another scheme
	}
	if code, ok := nostrCode(address); ok {
		return "/" + code, true
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	switch strings.ToLower(u.Scheme) {
	case "https", "http":
		return address, u.Host != ""
	case "mailto":
		return address, u.Opaque != ""
	}
	return "", false
}

// pictureSource returns an address that a picture may be fetched from.
func pictureSource(address string) (string, bool) {
	href, ok := safeHref(address)
	if !ok {
		return "", false
	}
	lower := strings.ToLower(href)
	return href, strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "http://")
}

// nostrCode returns the NIP-19 name in a nostr: reference.
func nostrCode(address string) (string, bool) {
	const scheme = "nostr:"
	if len(address) < len(scheme) || !strings.EqualFold(address[:len(scheme)], scheme) {
		return "", false
	}
	code := strings.ToLower(address[len(scheme):])
	n := codeLength(code)
	return code, n > 0 && n == len(code)
}

// codeLength is the length of the NIP-19 name that a text begins with, or 0.
func codeLength(s string) int {
	for _, mark := range codeMarks {
		if !strings.HasPrefix(s, mark) {
			continue
		}
		n := len(mark)
		for n < len(s) && n < maxCode && (s[n] >= '0' && s[n] <= '9' || s[n] >= 'a' && s[n] <= 'z') {
			n++
		}
		if n > len(mark) {
			return n
		}
	}
	return 0
}

// shortCode is a name that nobody can read, made short enough to stand in a
// line.
func shortCode(code string) string {
	const head, tail = 10, 5
	if len(code) <= head+tail+1 {
		return code
	}
	return code[:head] + "…" + code[len(code)-tail:]
}

// addressParser finds addresses that stand in a text without marks.
type addressParser struct{}

// Trigger implements parser.InlineParser. A blank stands for the beginning of
// a line too.
func (addressParser) Trigger() []byte { return []byte{' ', '*', '_', '~', '(', '"'} }

// Parse implements parser.InlineParser.
func (addressParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if pc.IsInLinkLabel() {
		return nil
	}
	line, segment := block.PeekLine()
	lead := 0
	if strings.IndexByte(" *_~(\"", line[0]) >= 0 {
		lead = 1
	}
	n := addressLength(string(line[lead:min(len(line), lead+maxCode+8)]))
	if n == 0 {
		return nil
	}
	if lead > 0 {
		ast.MergeOrAppendTextSegment(parent, segment.WithStop(segment.Start+lead))
	}
	start := segment.Start + lead
	block.Advance(lead + n)
	return ast.NewAutoLink(ast.AutoLinkURL, ast.NewTextSegment(text.NewSegment(start, start+n)))
}

// addressLength is the length of the address that a line begins with, or 0.
func addressLength(line string) int {
	const nostr = "nostr:"
	lower := strings.ToLower(line)
	switch {
	case strings.HasPrefix(lower, nostr):
		if n := codeLength(lower[min(len(nostr), len(lower)):]); n > 0 {
			return len(nostr) + n
		}
		return 0
	case !strings.HasPrefix(lower, "https://") && !strings.HasPrefix(lower, "http://"):
		return 0
	}
	end := strings.IndexFunc(line, func(r rune) bool {
		return r <= ' ' || r == '<' || r == '>' || r == '"' || r == '`' || r == 0x7f
	})
	if end < 0 {
		end = len(line)
	}
	end = trimAddress(line[:end])
	u, err := url.Parse(line[:end])
	if err != nil || u.Hostname() == "" {
		return 0
	}
	return end
}

// trimAddress is the length of an address without the marks that end the
// sentence around it.
func trimAddress(s string) int {
	for s != "" {
		switch s[len(s)-1] {
		case '.', ',', ':', ';', '!', '?', '\'', '*', '_', '~':
		case ')':
			if strings.Count(s, "(") >= strings.Count(s, ")") {
				return len(s)
			}
		case ']':
			if strings.Count(s, "[") >= strings.Count(s, "]") {
				return len(s)
			}
		default:
			return len(s)
		}
		s = s[:len(s)-1]
	}
	return 0
}
