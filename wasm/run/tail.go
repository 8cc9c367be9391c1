package run

import (
	"sort"
	"unicode/utf8"
)

// Tail says up to where a reader has the texts of a run: what Run.Tail gave. The
// zero value has nothing.
type Tail struct{ Revision, Text, Thinking int }

// Patch brings a reader up to date: keep the first bytes of each text, then
// append. JSON over the port.
type Patch struct {
	Keep         int    `json:"keep"`
	Text         string `json:"text,omitempty"`
	KeepThinking int    `json:"keep_thinking"`
	Thinking     string `json:"thinking,omitempty"`
}

// TextLen is the length of the answer as it stands, in bytes.
func (r *Run) TextLen() int {
	r.settle()
	return len(r.text)
}

// Tail is where the texts stand now.
func (r *Run) Tail() Tail {
	r.settle()
	return Tail{r.rev, len(r.text), len(r.thinking)}
}

// Since is what became of the texts since prev. While text only streams in,
// that is what was appended; a piece that comes late or a response that differs
// goes back to where the texts part.
func (r *Run) Since(prev Tail) Patch {
	r.settle()
	if prev.Revision < 0 || prev.Revision > r.rev || prev.Text < 0 || prev.Thinking < 0 {
		prev = Tail{}
	}
	keep := min(r.textCuts.kept(prev.Revision, prev.Text), len(r.text))
	keepThinking := min(r.thinkingCuts.kept(prev.Revision, prev.Thinking), len(r.thinking))
	return Patch{Keep: keep, Text: r.text[keep:], KeepThinking: keepThinking, Thinking: r.thinking[keepThinking:]}
}

// Cut shortens what is appended to at most limit bytes in all, on whole code
// points and the thinking first, since it comes first. It reports whether
// anything was cut.
func (p *Patch) Cut(limit int) bool {
	thinking := p.Thinking
	p.Thinking = cutAt(p.Thinking, limit)
	text := p.Text
	p.Text = cutAt(p.Text, limit-len(p.Thinking))
	return len(p.Thinking) < len(thinking) || len(p.Text) < len(text)
}

// cutAt is the beginning of a text, at most limit bytes of it.
func cutAt(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// settle assembles the texts and notes where they stopped being what they were.
func (r *Run) settle() {
	r.refresh()
	r.stream.settle()
	text, final := r.stream.answer.text.String(), false
	if r.winner != nil && r.winner.response != nil {
		text, final = r.winner.response.Text, true
	}
	keep := r.stream.answer.reset(len(r.text))
	if final || r.final {
		keep = commonPrefix(r.text, text)
	}
	keepThinking := r.stream.thinking.reset(len(r.thinking))
	if keep < len(r.text) || keepThinking < len(r.thinking) {
		r.rev++
		r.textCuts.add(r.rev, keep)
		r.thinkingCuts.add(r.rev, keepThinking)
	}
	r.text, r.final, r.thinking = text, final, r.stream.thinking.text.String()
}

// commonPrefix is up to where two texts are the same, never within a character:
// a patch is valid text by itself.
func commonPrefix(a, b string) int {
	if a == b {
		return len(a)
	}
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	for i > 0 && (i < len(a) && !utf8.RuneStart(a[i]) || i < len(b) && !utf8.RuneStart(b[i])) {
		i--
	}
	return i
}

// cuts remembers to which length a text was cut at which revision, as far as no
// later cut went deeper: both numbers ascend.
type cuts []struct{ revision, length int }

func (c *cuts) add(revision, length int) {
	s := *c
	for len(s) > 0 && s[len(s)-1].length >= length {
		s = s[:len(s)-1]
	}
	*c = append(s, struct{ revision, length int }{revision, length})
}

// kept is how much a reader of that revision and length may keep.
func (c cuts) kept(revision, length int) int {
	i := sort.Search(len(c), func(i int) bool { return c[i].revision > revision })
	if i == len(c) {
		return length
	}
	return min(length, c[i].length)
}
