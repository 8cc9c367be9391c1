package task

import (
	"slices"
	"strings"
)

// Notes on events in a task's log that count but changed nothing.
const (
	noteResultStands = "the agent's result stands"
	noteAfterEnd     = "it came after the end"
)

// View draws the fold as it stands at a time (unix seconds) for a person (hex
// public key, empty when signed out). While the request has not come, only ID
// is set and the state is Unknown.
func (f *Fold) View(now int64, me string) View {
	r := f.request
	if r == nil {
		return View{ID: f.id}
	}
	request := f.items[f.id]
	v := View{
		ID: f.id, Room: r.Room, Requester: r.Event.PubKey, Agent: r.Agent,
		CreatedAt: int64(r.Event.CreatedAt), FirstSeen: request.seen,
		Subject: r.Subject, Text: r.Text, Root: r.Root,
		Reason: r.Invalid, Withdrawn: request.gone,
		LastSign: f.lastSign(), Started: f.started(),
	}
	f.fillProgress(&v)
	s := f.standing()
	f.fillEnd(&v, s)
	f.fillAsks(&v, s)
	f.fillLog(&v, s)
	v.State = f.state(s)
	v.CancelWord = cancelWordFor(v.State, s)
	v.CanCancel = me != "" && me == v.Requester && !v.State.Ended() && r.Invalid == ""
	if v.State == Requested && now-v.FirstSeen >= NobodyAfter {
		v.Note = NoteNobody
	}
	return v
}

// standing is what decides a task's state: the events that matter, picked from
// all that were added.
type standing struct {
	terminal *item // the event that ended the task
	end      end   // what a 43006 means, when it is the terminal
	accepted *item
	asks     []*item // what counts as a wish to cancel, by anybody
	cancel   *item   // the requester's 43005
	ask      *item   // the requester's newest !cancel
}

// standing reads the log once.
func (f *Fold) standing() standing {
	var s standing
	var result, first *item
	for _, it := range f.log {
		switch {
		case it.gone:
		case it.ev.Kind == KindAccepted && s.accepted == nil:
			s.accepted = it
		case it.ev.Kind == KindResult && result == nil:
			result = it
		case it.ev.Kind == KindCancel && s.cancel == nil:
			s.cancel = it
		}
		if !it.gone && isTerminal(it.ev.Kind) && first == nil {
			first = it
		}
	}
	// An agent's result always stands; otherwise the first end does.
	s.terminal = first
	if result != nil {
		s.terminal = result
	}
	if s.terminal != nil && s.terminal.ev.Kind == KindError {
		text, detail := readContent(s.terminal.ev.Content)
		s.end = readError(text, detail)
	}
	for _, it := range f.log {
		if f.counts(it, s) {
			s.asks = append(s.asks, it)
			if it.ev.Kind != KindCancel && it.ev.PubKey == f.request.Event.PubKey {
				s.ask = it
			}
		}
	}
	return s
}

// counts says whether an event of the log is a wish to cancel this task. A
// message in the room means the tasks that the agent is at: accepted or under
// way when it was written, and not ended.
func (f *Fold) counts(it *item, s standing) bool {
	switch {
	case it.gone:
		return false
	case it.ev.Kind == KindCancel || it.ev.Kind == KindReply:
		return true
	case it.ev.Kind != KindMessage:
		return false
	}
	taken := s.accepted
	if p := f.firstProgress(); p != nil && (taken == nil || byTime(p, taken) < 0) {
		taken = p
	}
	if taken == nil || it.ev.CreatedAt < taken.ev.CreatedAt {
		return false
	}
	return s.terminal == nil || it.ev.CreatedAt <= s.terminal.ev.CreatedAt
}

func (f *Fold) state(s standing) State {
	if t := s.terminal; t != nil {
		switch t.ev.Kind {
		case KindResult:
			return Done
		case KindCancel:
			return Cancelled
		}
		return s.end.state
	}
	newest := f.newestProgress()
	if s.ask != nil && (newest == nil || newest.ev.CreatedAt <= s.ask.ev.CreatedAt) {
		return Cancelling
	}
	switch {
	case newest != nil:
		return Running
	case s.accepted != nil:
		return Accepted
	}
	return Requested
}

// cancelWordFor says what became of the requester's cancel.
func cancelWordFor(state State, s standing) CancelWord {
	switch {
	case state == Cancelled && s.end.merged == "":
		return WasCancelled
	case state == Cancelling:
		return CancelAsked
	case !state.Ended():
		return NoCancel
	case s.cancel != nil:
		return FinishedBefore
	case s.ask != nil && (state == Done || s.ask.ev.CreatedAt >= s.terminal.ev.CreatedAt):
		return FinishedBefore
	}
	return NoCancel
}

// WithCancelWaiting shows that the requester's own cancel (43005) waits in the
// outbox and no relay has it yet: an unended task is "cancelling", and of an
// ended one it is said that the cancel comes too late.
func (v View) WithCancelWaiting() View {
	v.CanCancel = false
	switch v.State {
	case Requested, Accepted, Running, Cancelling:
		v.State, v.CancelWord, v.Note = Cancelling, CancelAsked, ""
	case Done, Failed:
		v.CancelWord = FinishedBefore
	}
	return v
}

func (f *Fold) fillProgress(v *View) {
	v.ProgressCount = len(f.progress) - f.gone
	for _, it := range slices.Backward(f.progress) {
		if len(v.Progress) == ProgressLimit {
			break
		}
		if !it.gone {
			v.Progress = append(v.Progress, it.shown())
		}
	}
	slices.Reverse(v.Progress)
	if n := len(v.Progress); n > 0 {
		newest := v.Progress[n-1]
		v.Newest = &newest
	}
}

// shown is a copy of a progress, with its sighting, that shares nothing.
func (it *item) shown() Progress {
	p := it.progress
	p.Seen = it.seen
	p.Detail = p.Detail.clone()
	return p
}

func (d *Detail) clone() *Detail {
	if d == nil {
		return nil
	}
	c := *d
	c.Artifacts = slices.Clone(d.Artifacts)
	return &c
}

func (f *Fold) fillEnd(v *View, s standing) {
	t := s.terminal
	if t == nil {
		return
	}
	v.Ended = t.at()
	switch t.ev.Kind {
	case KindResult:
		result := f.request.readResult(t.ev)
		v.Result = &result
	case KindCancel:
		v.CancelledBy = t.ev.PubKey
	case KindError:
		text, detail := readContent(t.ev.Content)
		v.Error = &Failure{ID: t.ev.ID, At: int64(t.ev.CreatedAt), Text: text, Detail: detail}
		v.CancelledBy = s.end.by
		if id := strings.ToLower(s.end.merged); isHex64(id) {
			v.MergedInto = id
		}
	}
}

func (f *Fold) fillAsks(v *View, s standing) {
	for _, it := range s.asks[max(0, len(s.asks)-LogLimit):] {
		v.CancelAsks = append(v.CancelAsks, CancelAsk{
			ID: it.ev.ID, By: it.ev.PubKey, At: int64(it.ev.CreatedAt), Kind: it.ev.Kind,
		})
	}
}

func (f *Fold) fillLog(v *View, s standing) {
	asked := map[*item]bool{}
	for _, it := range s.asks {
		asked[it] = true
	}
	var shown []*item
	for _, it := range slices.Backward(f.log) {
		if it.gone || it.ev.Kind < KindRequest && !asked[it] {
			continue
		}
		v.LogCount++
		if len(shown) < LogLimit {
			shown = append(shown, it)
		}
	}
	slices.Reverse(shown)
	for _, it := range shown {
		text, _ := readContent(it.ev.Content)
		v.Log = append(v.Log, LogEntry{
			ID: it.ev.ID, Kind: it.ev.Kind, By: it.ev.PubKey,
			At: int64(it.ev.CreatedAt), Seen: it.seen, Text: text, Note: note(it, s.terminal),
		})
	}
}

// note says why an event changed nothing.
func note(it, terminal *item) string {
	switch {
	case terminal == nil || it == terminal:
		return ""
	case byTime(it, terminal) > 0:
		return noteAfterEnd
	case isTerminal(it.ev.Kind):
		return noteResultStands
	}
	return ""
}

// started is when the agent took the task: its 43002, or its first progress
// when that is all there is.
func (f *Fold) started() int64 {
	for _, it := range f.log {
		if it.ev.Kind == KindAccepted && !it.gone {
			return it.at()
		}
	}
	if p := f.firstProgress(); p != nil {
		return p.at()
	}
	return 0
}

func (f *Fold) firstProgress() *item {
	for _, it := range f.progress {
		if !it.gone {
			return it
		}
	}
	return nil
}

func (f *Fold) newestProgress() *item {
	for _, it := range slices.Backward(f.progress) {
		if !it.gone {
			return it
		}
	}
	return nil
}
