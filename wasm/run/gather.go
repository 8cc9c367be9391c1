package run

import "unicode/utf8"

// Limits on the deltas of one run.
const (
	MaxDeltaBytes = 4096 // text of one delta, UTF-8
	DeltaInterval = 100  // milliseconds between two deltas: at most 10 a second
)

// Piece is the text of one delta to send.
type Piece struct {
	Text     string
	Thinking bool
}

// Gather collects words as a model gives them into deltas of a decent size and
// rate. Times are Unix milliseconds. The zero value is ready.
type Gather struct {
	queue   []gathered
	sent    int64
	started bool
}

// gathered is a run of text of one sort that waits; the part before from is
// sent.
type gathered struct {
	text     []byte
	from     int
	thinking bool
}

// Push adds words.
func (g *Gather) Push(text string, thinking bool) {
	if text == "" {
		return
	}
	if n := len(g.queue); n > 0 && g.queue[n-1].thinking == thinking {
		g.queue[n-1].text = append(g.queue[n-1].text, text...)
		return
	}
	g.queue = append(g.queue, gathered{text: []byte(text), thinking: thinking})
}

// Waiting says whether words wait to be sent.
func (g *Gather) Waiting() bool { return len(g.queue) > 0 }

// Next is the time from which Take gives something; false when nothing waits.
func (g *Gather) Next() (int64, bool) {
	if !g.Waiting() {
		return 0, false
	}
	if !g.started {
		return 0, true
	}
	return g.sent + DeltaInterval, true
}

// Take gives the next delta when its time has come.
func (g *Gather) Take(now int64) (Piece, bool) {
	if at, ok := g.Next(); !ok || now < at {
		return Piece{}, false
	}
	p, ok := g.cut(false)
	if ok {
		g.started, g.sent = true, now
	}
	return p, ok
}

// Rest gives everything that waits, without regard to time: for a run that ends
// without a response, so that its last words are not lost.
func (g *Gather) Rest() []Piece {
	var rest []Piece
	for g.Waiting() {
		if p, ok := g.cut(true); ok {
			rest = append(rest, p)
		}
	}
	return rest
}

// cut takes the next piece off the queue. Half a character at the end of what
// came so far stays until its other half comes, unless last is set.
func (g *Gather) cut(last bool) (Piece, bool) {
	head := &g.queue[0]
	text := head.text[head.from:]
	n := runeCut(text, MaxDeltaBytes, last || len(g.queue) > 1)
	p := Piece{Text: string(text[:n]), Thinking: head.thinking}
	head.from += n
	if head.from == len(head.text) {
		g.queue = g.queue[1:]
	}
	return p, n > 0
}

// runeCut is the longest prefix of at most limit bytes that ends between two
// characters.
func runeCut(text []byte, limit int, complete bool) int {
	n := min(len(text), limit)
	if n == len(text) && complete {
		return n
	}
	for back := 1; back < utf8.UTFMax && back <= n; back++ {
		if c := text[n-back]; utf8.RuneStart(c) {
			if !utf8.FullRune(text[n-back : n]) {
				return n - back
			}
			break
		}
	}
	return n
}
