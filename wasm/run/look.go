package run

import (
	"slices"
	"strings"
)

// At is from where a run is looked at: the clock and what is known besides its
// events.
type At struct {
	Now      int64    // Unix seconds; 0: silence never becomes incomplete
	Timeout  int64    // seconds of silence, run_timeout; 0 as above
	Info     *Info    // the agent's; nil: none. Replaced, never changed in place
	Delivery Delivery // of the prompt, from the outbox
}

// Delivery is where the prompt is on its way to the relays.
type Delivery struct {
	State  string // one of the deliveries; "" when it came from a relay
	Reason string // the relay's words when refused
	SentAt int64  // when the first relay took it; 0 unknown
}

// The deliveries.
const (
	DeliveryWaiting   = "waiting"
	DeliverySent      = "sent"
	DeliveryStored    = "stored"
	DeliveryRefused   = "refused"
	DeliveryWithdrawn = "withdrawn" // Stop before it was sent
)

// View is the run as it stands. It costs what came since the last View, unless a
// piece of text came out of order.
func (r *Run) View(at At) View {
	r.settle()
	v := View{
		Prompt: r.id, HasPrompt: r.prompt != nil, Client: r.client, Agent: r.agent,
		Text: r.text, Final: r.final, Sealed: r.unopened(), CancelReason: r.reason,
		Thinking: r.thinking, ThinkingGaps: clip(r.stream.thinking.gaps),
		Last: r.last, Diagnostics: r.faults.top, Faults: len(r.faults.all),
	}
	if !v.Final {
		v.Gaps = clip(r.stream.answer.gaps)
	}
	r.showPrompt(&v)
	if r.status != nil {
		v.Info, v.Progress = r.status.status.Info, r.status.status.Progress
	}
	t := r.terminal()
	ended := int64(0)
	if t != nil {
		ended = t.at
		r.showTerminal(&v, t, at.Info)
	}
	v.ThinkingStarted, v.ThinkingEnded = r.stream.clock.span(ended)
	v.Tools, v.ToolsHidden = r.calls.view(at.Info)
	if t == nil {
		r.showRunning(&v, at)
	}
	r.conflicts(&v)
	v.Notes = r.notes(&v)
	return v
}

// terminal is the one that counts: a valid one before any broken one.
func (r *Run) terminal() *terminal {
	if r.winner != nil {
		return r.winner
	}
	return r.broken
}

func (r *Run) showPrompt(v *View) {
	if r.prompt != nil {
		v.Started, v.Wrapped = r.prompt.at, r.prompt.wrapped && !r.prompt.bare
		v.Session = SessionOf(r.session, r.client)
	}
	if r.question != nil {
		v.Question, v.Model, v.ThinkingMode = r.question.Message, r.question.Model, r.question.Thinking
	}
}

func (r *Run) showTerminal(v *View, t *terminal, info *Info) {
	v.Terminal, v.Ended = t.id, t.at
	switch {
	case t.fault != nil:
		v.State = StateFailed
		v.Error = &ErrorView{Code: t.fault.Code, Message: t.fault.words(), Broken: true, Raw: t.raw}
	case t.response != nil:
		v.State = StateDone
		v.Usage, v.FinishReason = t.response.Usage, t.response.FinishReason
		if v.Usage != nil && info != nil {
			v.Cost = info.Cost(*v.Usage)
		}
	default:
		v.State = StateFailed
		if t.failure.Code == Cancelled {
			v.State = StateCancelled
		}
		v.Error = &ErrorView{Code: t.failure.Code, Message: t.failure.Message, Details: t.failure.Details, RetryAfter: t.failure.RetryAfter}
		if v.Error.RetryAfter > 0 {
			v.Error.RetryAt = t.seen + v.Error.RetryAfter
		}
	}
}

// showRunning sets the state of a run without a terminal.
func (r *Run) showRunning(v *View, at At) {
	d := at.Delivery
	v.Last = max(v.Last, d.SentAt)
	v.Degraded = r.stream.end.missing > int64(r.sealed[KindDelta]) || len(r.stream.conflict) > 0 || r.badSeq > 0
	answered := r.answered()
	switch {
	case d.State == DeliveryWithdrawn && !answered:
		v.State = StateCancelled
		return
	case d.State == DeliveryRefused && !answered:
		v.State, v.Refused = StateFailed, d.Reason
		return
	case d.State == DeliveryWaiting && !answered:
		v.State = StateWaiting
		if r.cancels > 0 { // it may have left: the cancel waits behind it
			v.State = StateCancelling
		}
		return
	}
	if at.Timeout > 0 && v.Last > 0 {
		v.Deadline = v.Last + at.Timeout
	}
	switch {
	case v.Deadline > 0 && at.Now >= v.Deadline:
		v.State = StateIncomplete
	case r.cancels > 0:
		v.State = StateCancelling
	default:
		v.State = r.liveState()
	}
}

// answered says whether the agent gave any valid sign.
func (r *Run) answered() bool {
	return r.status != nil || r.delta != nil || len(r.calls.events) > 0
}

// liveState is that of the newest of status, delta and tool start; within one
// second a tool start beats a delta, which beats a status.
func (r *Run) liveState() State {
	state, at := StateSent, int64(0)
	if r.answered() {
		state = StateThinking
	}
	if r.live != nil {
		state, at = State(r.live.status.State), r.live.at
	}
	if r.delta != nil && r.delta.at >= at {
		state, at = StateStreaming, r.delta.at
		if r.delta.think {
			state = StateThinking
		}
	}
	if r.hasStart && r.toolStart >= at {
		state = StateToolUse
	}
	return state
}

// unopened counts the messages whose plaintext still matters.
func (r *Run) unopened() int {
	n := 0
	for kind, count := range r.sealed {
		if kind != KindDelta || r.terminal() == nil {
			n += count
		}
	}
	return n
}

// conflicts adds a diagnostic for each seq that came with different texts.
func (r *Run) conflicts(v *View) {
	s := &r.stream
	v.Faults += len(s.conflict)
	room := MaxDiagnostics - len(v.Diagnostics)
	if len(s.conflict) == 0 || room <= 0 {
		return
	}
	v.Diagnostics = slices.Clone(v.Diagnostics)
	for _, seq := range s.worst[:min(room, len(s.worst))] {
		p := s.bySeq[seq]
		v.Diagnostics = append(v.Diagnostics, Diagnostic{Event: p.id, Kind: KindDelta, At: p.at, Code: InvalidSequence,
			Field: "seq", Text: "came with different texts; the one with the lowest (created_at, id) is shown, and this is it"})
	}
}

// notes lists what a person should know, in a fixed order.
func (r *Run) notes(v *View) []Note {
	var notes []Note
	add := func(when bool, note Note) {
		if when {
			notes = append(notes, note)
		}
	}
	add(!v.HasPrompt, NoteNoPrompt)
	add(v.Refused != "" && strings.HasPrefix(v.Refused, "mute:"), NoteNotListening)
	add(r.replaced(), NoteLateWinner)
	add(v.Wrapped && r.bare, NoteNotHidden)
	add(r.plainIn, NotePlainRumour)
	add(len(r.failed) > 0, NoteUnreadable)
	add(v.ToolsHidden > 0, NoteToolsCut)
	return notes
}

// replaced says whether another terminal was there when the shown one came.
func (r *Run) replaced() bool {
	t := r.terminal()
	if t == nil || r.first[1] == nil {
		return false
	}
	other := r.first[0]
	if other == t {
		other = r.first[1]
	}
	return other.seen <= t.seen
}

// words is a fault without its code.
func (f *Fault) words() string {
	if f.Field == "" {
		return f.Text
	}
	return f.Field + ": " + f.Text
}

// clip keeps a later append from writing into what a view holds.
func clip(s []int) []int {
	if len(s) == 0 {
		return nil
	}
	return s[:len(s):len(s)]
}
