package run

import (
	"cmp"
	"slices"
	"strings"
)

// piece is one delta.
type piece struct {
	at    int64
	id    string
	seen  int64
	seq   int64 // -1: none
	text  string
	think bool
	whole bool // a paragraph of its own, as runtimes without seq send them
}

// byKey orders events by (created_at, id).
func byKey(at1 int64, id1 string, at2 int64, id2 string) int {
	return cmp.Or(cmp.Compare(at1, at2), strings.Compare(id1, id2))
}

// comparePieces is the order of the text: those with seq, then the others by
// (created_at, id).
func comparePieces(a, b *piece) int {
	switch {
	case a.seq >= 0 && b.seq >= 0:
		return cmp.Compare(a.seq, b.seq)
	case a.seq >= 0:
		return -1
	case b.seq >= 0:
		return 1
	}
	return byKey(a.at, a.id, b.at, b.id)
}

// moment is a place in the arrival of events: by seen, then by created_at.
type moment struct{ seen, at int64 }

func (m moment) after(n moment) bool {
	return m.seen > n.seen || m.seen == n.seen && m.at > n.at
}

// stream assembles deltas into answer and reasoning. Adding is O(1); reading
// merges what came since, in O(new) when it all belongs at the end and O(text)
// when something belongs before.
type stream struct {
	all   []*piece         // every delta, for a new start when cut moves
	bySeq map[int64]*piece // the chosen one of each seq
	order []*piece         // chosen ones, in the order of the text
	fresh []*piece         // chosen ones that are not in order yet
	swap  []int64          // seqs in order whose piece was replaced
	marks []mark           // marks[i]: the texts before order[i]
	end   mark             // the texts after the last of order

	answer   growing
	thinking growing

	cut      *moment        // deltas after it came too late
	latest   moment         // the latest that is in
	conflict map[int64]bool // seqs with different texts
	worst    []int64        // the lowest of them, at most MaxDiagnostics
	clock    thinkClock
}

// mark is the state of assembly between two pieces.
type mark struct {
	answer, thinking         int // lengths
	answerGaps, thinkingGaps int // counts
	next                     int64
	missing                  int64
	whole                    bool // the answer so far ends in a whole paragraph
}

// thinkClock keeps when reasoning and answer pieces were made.
type thinkClock struct {
	thought, answered                  bool
	firstThink, lastThink, firstAnswer int64
}

func (s *stream) add(p *piece) {
	s.all = append(s.all, p)
	s.insert(p)
}

// insert takes a delta in unless it came after the terminal.
func (s *stream) insert(p *piece) {
	when := moment{p.seen, p.at}
	if s.cut != nil && when.after(*s.cut) {
		return
	}
	if when.after(s.latest) {
		s.latest = when
	}
	s.clock.note(p)
	if p.seq < 0 {
		s.fresh = append(s.fresh, p)
		return
	}
	if s.bySeq == nil {
		s.bySeq = map[int64]*piece{}
	}
	old := s.bySeq[p.seq]
	if old == nil {
		chosen := *p
		s.bySeq[p.seq] = &chosen
		s.fresh = append(s.fresh, &chosen)
		return
	}
	same := old.text == p.text && old.think == p.think
	if !same {
		s.disagree(p.seq)
	}
	if byKey(p.at, p.id, old.at, old.id) < 0 {
		// In place: a seq keeps its position whatever its text.
		*old = *p
		if !same {
			s.swap = append(s.swap, p.seq)
		}
	}
}

// disagree notes that a seq came with different texts.
func (s *stream) disagree(seq int64) {
	if s.conflict[seq] {
		return
	}
	if s.conflict == nil {
		s.conflict = map[int64]bool{}
	}
	s.conflict[seq] = true
	if i, _ := slices.BinarySearch(s.worst, seq); i < MaxDiagnostics {
		s.worst = slices.Insert(s.worst, i, seq)
		s.worst = s.worst[:min(len(s.worst), MaxDiagnostics)]
	}
}

// setCut moves the moment after which deltas are too late to an earlier one.
func (s *stream) setCut(cut moment) {
	s.cut = &cut
	if s.latest.after(cut) {
		s.restart()
	}
}

// restart assembles everything anew.
func (s *stream) restart() {
	*s = stream{all: s.all, cut: s.cut}
	for _, p := range s.all {
		s.insert(p)
	}
}

// settle brings the texts up to date.
func (s *stream) settle() {
	if len(s.fresh) == 0 && len(s.swap) == 0 {
		return
	}
	from := len(s.order)
	if len(s.fresh) > 0 {
		slices.SortFunc(s.fresh, comparePieces)
		from = s.merge()
	}
	for _, seq := range s.swap {
		i, ok := slices.BinarySearchFunc(s.order, seq, func(p *piece, seq int64) int {
			return comparePieces(p, &piece{seq: seq})
		})
		if ok {
			from = min(from, i)
		}
	}
	s.fresh, s.swap = s.fresh[:0], s.swap[:0]
	if from < len(s.marks) {
		s.truncate(from)
	}
	for _, p := range s.order[from:] {
		s.marks = append(s.marks, s.end)
		s.append(p)
	}
}

// merge puts the sorted fresh pieces into order and says from where on it
// changed.
func (s *stream) merge() int {
	n := len(s.order)
	if n == 0 || comparePieces(s.order[n-1], s.fresh[0]) < 0 {
		s.order = append(s.order, s.fresh...)
		return n
	}
	from, _ := slices.BinarySearchFunc(s.order, s.fresh[0], comparePieces)
	tail := slices.Clone(s.order[from:])
	s.order = s.order[:from]
	for f := s.fresh; len(f) > 0 || len(tail) > 0; {
		if len(f) == 0 || len(tail) > 0 && comparePieces(tail[0], f[0]) <= 0 {
			s.order, tail = append(s.order, tail[0]), tail[1:]
		} else {
			s.order, f = append(s.order, f[0]), f[1:]
		}
	}
	return from
}

func (s *stream) truncate(from int) {
	m := s.marks[from]
	s.answer.truncate(m.answer, m.answerGaps)
	s.thinking.truncate(m.thinking, m.thinkingGaps)
	s.end = m
	s.marks = s.marks[:from]
}

// append writes one piece behind what is there.
func (s *stream) append(p *piece) {
	to := &s.answer
	if p.think {
		to = &s.thinking
	}
	if p.seq >= 0 {
		if p.seq > s.end.next {
			to.gap()
			s.end.missing += p.seq - s.end.next
		}
		s.end.next = p.seq + 1
	}
	if p.text != "" {
		if p.whole || !p.think && s.end.whole {
			to.paragraph(p.text)
		}
		to.text.WriteString(p.text)
		if !p.think {
			s.end.whole = p.whole
		}
	}
	s.end.answer, s.end.answerGaps = s.answer.text.Len(), len(s.answer.gaps)
	s.end.thinking, s.end.thinkingGaps = s.thinking.text.Len(), len(s.thinking.gaps)
}

// growing is a text whose earlier readings stay valid while it grows: a
// strings.Builder hands out its buffer and only ever writes behind it.
type growing struct {
	text strings.Builder
	gaps []int
	kept int // up to here the text is what it was when reset said so
}

// reset gives how much of the text of length old, as it was at the last reset,
// is still there.
func (g *growing) reset(old int) int {
	kept := min(g.kept, old)
	g.kept = g.text.Len()
	return kept
}

func (g *growing) gap() {
	at := g.text.Len()
	if n := len(g.gaps); n == 0 || g.gaps[n-1] != at {
		g.gaps = append(g.gaps, at)
	}
}

// paragraph sets a blank line before next unless there is white space already.
func (g *growing) paragraph(next string) {
	text := g.text.String()
	if text != "" && !isSpace(text[len(text)-1]) && !isSpace(next[0]) {
		g.text.WriteString("\n\n")
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// truncate starts a new buffer, because the old one was handed out.
func (g *growing) truncate(length, gaps int) {
	if length < g.text.Len() {
		old := g.text.String()
		g.text = strings.Builder{}
		g.text.Grow(len(old) + len(old)/4)
		g.text.WriteString(old[:length])
		g.kept = min(g.kept, length)
	}
	if gaps < len(g.gaps) {
		g.gaps = slices.Clone(g.gaps[:gaps])
	}
}

func (c *thinkClock) note(p *piece) {
	switch {
	case !p.think && !c.answered:
		c.answered, c.firstAnswer = true, p.at
	case !p.think:
		c.firstAnswer = min(c.firstAnswer, p.at)
	case !c.thought:
		c.thought, c.firstThink, c.lastThink = true, p.at, p.at
	default:
		c.firstThink, c.lastThink = min(c.firstThink, p.at), max(c.lastThink, p.at)
	}
}

// span is when the reasoning began and ended: at the first words of the answer,
// else at the terminal. 0, 0 without reasoning; ended is 0 while it goes on.
func (c *thinkClock) span(terminal int64) (started, ended int64) {
	if !c.thought {
		return 0, 0
	}
	switch {
	case c.answered && c.firstAnswer >= c.firstThink:
		return c.firstThink, c.firstAnswer
	case c.answered:
		return c.firstThink, c.lastThink
	case terminal > 0:
		return c.firstThink, max(terminal, c.firstThink)
	}
	return c.firstThink, 0
}
