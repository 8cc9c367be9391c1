package components

import "strings"

// Limits of Markdown.
const (
	// MaxMarkdown is the longest text, in bytes, that is read as Markdown. A
	// longer one is shown as written.
	MaxMarkdown = 256 << 10
	// MaxNesting is how deep lists, quotes and emphasis may stand in each other;
	// what is deeper is shown without its marks.
	MaxNesting = 24
	// maxMarkers is how many characters that open something a line may begin
	// with: reading such lines takes time that grows with their square. So does
	// reading brackets, of which a text may hold maxBrackets.
	maxMarkers  = 100
	maxBrackets = 1000
	// maxMarks is how many characters that may be marks a text may hold.
	maxMarks = 10_000
	// maxReference is the longest character reference that is looked for.
	maxReference = 40
)

// tooCostly reports whether reading a text as Markdown would hold the page up:
// nobody writes such texts but to do that.
func tooCostly(src string) bool {
	marks, brackets, opening, inOpening := 0, 0, 0, true
	for i := range len(src) {
		switch c := src[i]; {
		case c == '\n':
			opening, inOpening = 0, true
		case strings.IndexByte(" \t", c) >= 0:
		case inOpening && strings.IndexByte(">-*+[.)0123456789", c) >= 0:
			opening++
		default:
			inOpening = false
		}
		if strings.IndexByte("*_~`[<|&\\", src[i]) >= 0 {
			marks++
		}
		if src[i] == '[' {
			brackets++
		}
		if opening > maxMarkers || brackets > maxBrackets || marks > maxMarks {
			return true
		}
	}
	return false
}
