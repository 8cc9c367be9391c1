package run

import (
	"strings"

	"github.com/nbd-wtf/go-nostr"
)

// MaxRaw is how much of a broken terminal's payload a view repeats, in bytes.
const MaxRaw = 4096

// Run folds the events of one prompt. Make it with New; it is not safe for use
// by several goroutines at once.
type Run struct {
	id, client, agent string

	records  map[string]*record
	stream   stream
	calls    calls
	faults   faults
	prompt   *record // nil while it is not here
	question *Prompt // its payload, nil while sealed or broken
	session  string

	cancels   int    // accepted cancels
	cancelAt  int64  // of the one that gives the reason
	cancelID  string // of the same
	reason    string
	status    *statusMark // the newest
	live      *statusMark // the newest that is not done
	delta     *piece      // the newest
	toolStart int64       // the newest start
	hasStart  bool
	badSeq    int             // deltas with an impossible seq
	sealed    map[int]int     // messages that are not decrypted yet, by kind
	failed    map[string]bool // messages that could not be decrypted
	bare      bool            // something of the agent came without a wrap
	plainIn   bool            // some rumour carried plain JSON

	winner *terminal    // of the valid ones
	broken *terminal    // of the invalid ones
	first  [2]*terminal // the two that came first, valid or not
	last   int64        // the newest seen
	stale  bool         // a seen was lowered: first and last want a new look

	text, thinking         string // what settle gave last
	final                  bool   // text is a response
	rev                    int    // counts changes that are no appends
	textCuts, thinkingCuts cuts
}

// record is what is known of one event.
type record struct {
	kind     int
	at, seen int64
	opening  Opening
	head     Head
	wrapped  bool // came in a gift wrap
	bare     bool // came without one
	dead     bool // its tags break the rules
	piece    *piece
	call     *callEvent
	terminal *terminal
}

// statusMark is a status and its place in time.
type statusMark struct {
	at     int64
	id     string
	status *Status
}

// New is an empty run: the prompt's id and the public keys of both sides. The
// prompt itself may come later than its answers.
func New(prompt, client, agent string) *Run {
	return &Run{
		id: prompt, client: client, agent: agent,
		records: map[string]*record{}, sealed: map[int]int{}, failed: map[string]bool{},
	}
}

// ID is the prompt's id.
func (r *Run) ID() string { return r.id }

// Add takes one event and says whether the view may have changed. An event of
// another run, or of neither side, is ignored. One that breaks the rules is
// dropped with a diagnostic.
func (r *Run) Add(in Input) bool {
	ev := in.Event
	if ev == nil || RunOf(ev) != r.id || !r.writes(ev) {
		return false
	}
	rec := r.records[ev.ID]
	if rec == nil {
		return r.begin(ev, in)
	}
	changed := r.merge(rec, in)
	if in.Seen != 0 && in.Seen < rec.seen {
		r.lower(rec, in.Seen)
		changed = true
	}
	if rec.dead || rec.opening == Opened || in.Opening == rec.opening || in.Opening == Sealed {
		return changed
	}
	if rec.opening == Unreadable {
		delete(r.failed, ev.ID)
		r.faults.drop(ev.ID)
	}
	r.open(rec, in)
	return true
}

// writes says whether the author may write this kind in this run.
func (r *Run) writes(ev *nostr.Event) bool {
	if FromAgent(ev.Kind) {
		return ev.PubKey == r.agent
	}
	return IsKind(ev.Kind) && ev.PubKey == r.client
}

// begin takes an event for the first time.
func (r *Run) begin(ev *nostr.Event, in Input) bool {
	head, f := parseHead(ev)
	rec := &record{kind: ev.Kind, at: int64(ev.CreatedAt), seen: in.Seen, head: head}
	if rec.seen == 0 {
		rec.seen = rec.at
	}
	r.records[ev.ID] = rec
	if f == nil {
		f = r.addressed(&head)
	}
	if f != nil {
		rec.dead = true
		r.complain(rec.head, f)
		return true
	}
	r.merge(rec, in)
	r.last = max(r.last, rec.seen)
	switch ev.Kind {
	case KindPrompt:
		r.prompt = rec
		r.session = head.Session
	case KindCancel:
		r.cancels++
	}
	r.sealed[rec.kind]++
	if in.Opening != Sealed {
		r.open(rec, in)
	}
	return true
}

// addressed checks that a message goes to the other side.
func (r *Run) addressed(h *Head) *Fault {
	to := r.agent
	if FromAgent(h.Kind) {
		to = r.client
	}
	if h.For(to) {
		return nil
	}
	return fault(InvalidSchema, "p", "does not name "+to+", to whom this run's messages of this kind go")
}

// merge notes how a copy of an event travelled.
func (r *Run) merge(rec *record, in Input) bool {
	if rec.dead || rec.wrapped && rec.bare && r.plainIn {
		return false
	}
	wrapped, bare, plainIn := rec.wrapped, rec.bare, r.plainIn
	rec.wrapped = rec.wrapped || in.Wrapped
	rec.bare = rec.bare || !in.Wrapped
	r.bare = r.bare || rec.bare && FromAgent(rec.kind)
	r.plainIn = r.plainIn || in.PlainIn
	return rec.wrapped != wrapped || rec.bare != bare || r.plainIn != plainIn
}

// lower sets an earlier arrival; what depends on arrivals is looked at anew.
func (r *Run) lower(rec *record, seen int64) {
	rec.seen = seen
	if rec.terminal != nil {
		rec.terminal.seen = seen
	}
	if rec.piece != nil {
		rec.piece.seen = seen
	}
	if rec.call != nil {
		rec.call.seen = seen
	}
	r.stale = true
}

// open takes the plaintext of an event, or the news that there is none.
func (r *Run) open(rec *record, in Input) {
	if rec.opening == Sealed {
		r.sealed[rec.kind]--
	}
	rec.opening = in.Opening
	if in.Opening == Unreadable {
		r.failed[rec.head.ID] = true
		r.complain(rec.head, fault(ParseError, "content", "could not be decrypted as NIP-44 between these two keys"))
		return
	}
	m, f := parse(rec.head, in.Plain)
	if f != nil {
		r.complain(rec.head, f)
		r.refuse(rec, f, in.Plain)
		return
	}
	for _, hint := range m.Hints {
		r.complain(rec.head, hint)
	}
	r.apply(rec, &m)
}

// refuse handles a message whose payload breaks the rules: a terminal ends the
// run all the same, the others are dropped.
func (r *Run) refuse(rec *record, f *Fault, plain string) {
	switch {
	case IsTerminal(rec.kind):
		if len(plain) > MaxRaw {
			plain = strings.ToValidUTF8(plain[:MaxRaw], "")
		}
		r.end(rec, &terminal{fault: f, raw: plain})
	case rec.kind == KindCancel:
		r.cancels--
	case f.Code == InvalidSequence:
		r.badSeq++
	}
}

func (r *Run) complain(h Head, f *Fault) {
	r.faults.add(Diagnostic{Event: h.ID, Kind: h.Kind, At: h.CreatedAt, Code: f.Code, Field: f.Field, Text: f.Text})
}

// apply takes a valid message.
func (r *Run) apply(rec *record, m *Message) {
	switch {
	case m.Prompt != nil:
		r.question = m.Prompt
	case m.Cancel != nil:
		if r.cancelID == "" || byKey(rec.at, m.ID, r.cancelAt, r.cancelID) < 0 {
			r.cancelAt, r.cancelID, r.reason = rec.at, m.ID, m.Cancel.Reason
		}
	case m.Status != nil:
		mark := &statusMark{rec.at, m.ID, m.Status}
		if mark.newer(r.status) {
			r.status = mark
		}
		if m.Status.State != StatusDone && mark.newer(r.live) {
			r.live = mark
		}
	case m.Delta != nil:
		rec.piece = newPiece(rec, m)
		r.stream.add(rec.piece)
		if r.delta == nil || rec.piece.newer(r.delta) {
			r.delta = rec.piece
		}
	case m.Tool != nil:
		rec.call = &callEvent{rec.at, rec.seen, m.ID, m.Tool}
		r.calls.add(rec.call)
		if m.Tool.Phase == PhaseStart && (!r.hasStart || rec.at > r.toolStart) {
			r.hasStart, r.toolStart = true, rec.at
		}
	default:
		r.end(rec, &terminal{response: m.Response, failure: m.Failure})
	}
}

func newPiece(rec *record, m *Message) *piece {
	p := &piece{at: rec.at, id: m.ID, seen: rec.seen, seq: -1, text: m.Delta.Text}
	p.think = m.Delta.Event == DeltaThinking
	if m.Delta.Seq != nil {
		p.seq = *m.Delta.Seq
	}
	p.whole = p.seq < 0 && m.Delta.Event != ""
	return p
}

func (s *statusMark) newer(than *statusMark) bool {
	return than == nil || byKey(s.at, s.id, than.at, than.id) > 0
}

// newer orders deltas for the live state: by second, then by place in the text.
func (p *piece) newer(than *piece) bool {
	if p.at != than.at {
		return p.at > than.at
	}
	if order := comparePieces(p, than); order != 0 {
		return order > 0
	}
	return p.id > than.id
}
