package components

import (
	"strings"
	"unicode/utf8"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/room"
)

// MarkdownStream shows a text that still grows at its end. Blocks that are
// finished are drawn once and left alone, so a long answer costs no more per
// letter than a short one, and what was read does not flicker.
type MarkdownStream struct {
	ui.Compo

	Text  string
	Links []room.Link
	Caret bool // show where the next letter comes

	split splitter
	parts []*mdPart // full ones, in order
	cut   int       // of the splitter that they are from
}

// partSize is how many finished blocks are compared as one once they are that
// many: an answer may have thousands.
const partSize = 64

// Render implements ui.Composer.
func (m *MarkdownStream) Render() ui.UI {
	tail := m.split.take(m.Text)
	if m.cut != m.split.cut {
		m.parts, m.cut = nil, m.split.cut
	}
	done := m.split.done
	for len(m.parts) < len(done)/partSize {
		from := len(m.parts) * partSize
		m.parts = append(m.parts, &mdPart{done[from : from+partSize]})
	}
	blocks := make([]ui.UI, 0, len(m.parts)+3)
	for _, part := range m.parts {
		blocks = append(blocks, &mdBlockPart{Part: part, Links: m.Links})
	}
	blocks = append(blocks, &mdBlockPart{Part: &mdPart{done[len(m.parts)*partSize:]}, Links: m.Links})
	blocks = append(blocks, ui.Div().Class("md", "md-tail").Body(mdBlocks(parseTail(tail, m.Links))...))
	class := "md-stream"
	if m.Caret {
		class = "md-stream growing"
		blocks = append(blocks, ui.Span().Class("caret").Aria("hidden", true))
	}
	return ui.Div().Class(class).Body(blocks...)
}

// mdPart is a run of finished blocks. It is never changed.
type mdPart struct{ blocks []string }

// mdBlockPart draws a run of finished blocks. Its pointer says whether it
// changed.
type mdBlockPart struct {
	ui.Compo

	Part  *mdPart
	Links []room.Link
}

// Render implements ui.Composer.
func (m *mdBlockPart) Render() ui.UI {
	blocks := make([]ui.UI, 0, len(m.Part.blocks))
	for _, block := range m.Part.blocks {
		blocks = append(blocks, &mdFinished{Text: block, Links: m.Links})
	}
	return slot(blocks...)
}

// mdFinished is a block that does not change any more. It is drawn again only
// when its text is another one.
type mdFinished struct {
	ui.Compo

	Text  string
	Links []room.Link
}

// Render implements ui.Composer.
func (m *mdFinished) Render() ui.UI {
	return ui.Div().Class("md").Body(mdBlocks(parseMarkdown(m.Text, m.Links))...)
}

// splitter cuts a growing text into blocks that are finished and a tail.
type splitter struct {
	done []string // the finished blocks, as written
	size int      // bytes of the text that they are
	head string   // those bytes, to see whether the text is still the same
	cut  int      // how often the text was cut anew
}

// take takes the text as it is now and returns its tail. A text that does not
// begin with the finished blocks is another one, and is cut anew.
func (s *splitter) take(text string) string {
	if !strings.HasPrefix(text, s.head) {
		*s = splitter{cut: s.cut + 1}
	}
	for {
		blocks := next(text[s.size:])
		if len(blocks) == 0 {
			break
		}
		for _, block := range blocks {
			s.done = append(s.done, block)
			s.size += len(block)
		}
	}
	s.head = text[:s.size]
	return text[s.size:]
}

// maxBlock is how much of a block is read again and again while it does not
// end, in bytes. A longer one is cut at a line, so that a text costs no more
// than its length. A block of code is never cut.
const maxBlock = 8 << 10

// next returns the finished blocks that a text begins with, as far as it looks;
// none when nothing is finished.
func next(text string) []string {
	if end, is := fenced(text); is && (end < 0 || end > maxBlock) {
		if end < 0 || end == len(text) {
			return nil
		}
		return []string{text[:end]}
	}
	if len(text) <= maxBlock {
		return finished(text)
	}
	window := text[:maxBlock]
	if blocks := finished(window); len(blocks) > 0 {
		return blocks
	}
	return []string{text[:cutAt(window)]}
}

// cutAt is where a block that is too long is cut: before its last line that is
// not indented, else at its last line, else on a whole code point.
func cutAt(window string) int {
	for at := len(window) - 1; at > 0; at-- {
		if window[at-1] == '\n' && window[at] != ' ' && window[at] != '\t' && window[at] != '\n' {
			return at
		}
	}
	if at := strings.LastIndexAny(window, "\n "); at > 0 {
		return at + 1
	}
	at := len(window) - 1
	for at > 0 && !utf8.RuneStart(window[at]) {
		at--
	}
	return at
}

// finished returns the blocks at the top of a text that no further letter can
// change: all but the last one.
func finished(text string) []string {
	nodes := parseMarkdown(text, nil)
	if len(nodes) < 2 || strings.Contains(text, "\x00") {
		return nil
	}
	var blocks []string
	from := 0
	for _, n := range nodes[1:] {
		if n.Begin <= from || n.Begin > len(text) {
			return nil // it is not known where this block begins
		}
		blocks = append(blocks, text[from:n.Begin])
		from = n.Begin
	}
	return blocks
}

// parseTail reads what stands after the finished blocks. The marks of a fence
// that are only half there are left out until the rest comes.
func parseTail(tail string, links []room.Link) []mdNode {
	if inOpenFence(tail) {
		first, rest, _ := strings.Cut(tail, "\n")
		return []mdNode{{
			Kind: mdCode, Open: true, Text: withoutHalfFence(rest),
			Lang: strings.Trim(strings.TrimSpace(first), "`~ "),
		}}
	}
	return parseMarkdown(withoutHalfFence(tail), links)
}

// withoutHalfFence drops a last line of one or two marks, which the next letter
// may make a fence.
func withoutHalfFence(text string) string {
	at := strings.LastIndexByte(text, '\n') + 1
	switch strings.TrimSpace(text[at:]) {
	case "`", "``", "~", "~~":
		return text[:at]
	}
	return text
}

// inOpenFence reports whether a text begins with a fence that is not closed.
func inOpenFence(text string) bool {
	end, is := fenced(text)
	return is && end < 0
}

// fenced reports whether a text begins with a fence, and where the block of
// code ends: behind the line that closes it, or nowhere yet when it is less
// than 0.
func fenced(text string) (end int, is bool) {
	line, rest, more := strings.Cut(text, "\n")
	mark, n := fenceMark(line)
	if n == 0 || mark == '`' && strings.Contains(strings.TrimLeft(line, " `"), "`") {
		return 0, false
	}
	for more {
		line, rest, more = strings.Cut(rest, "\n")
		m, k := fenceMark(line)
		if m == mark && k >= n && strings.Trim(line, " \t"+string(mark)) == "" {
			return len(text) - len(rest), true
		}
	}
	return -1, true
}

// fenceMark is the mark of the fence that a line begins, and how many there
// are; none when it begins no fence (CommonMark 4.5).
func fenceMark(line string) (mark byte, n int) {
	const least, indent = 3, 3
	trimmed := strings.TrimLeft(line, " ")
	if len(line)-len(trimmed) > indent || trimmed == "" {
		return 0, 0
	}
	mark = trimmed[0]
	if mark != '`' && mark != '~' {
		return 0, 0
	}
	n = len(trimmed) - len(strings.TrimLeft(trimmed, string(mark)))
	if n < least {
		return 0, 0
	}
	return mark, n
}
