package run

import (
	"errors"
	"fmt"
)

// Limits on what an agent writes.
const (
	MaxWrappedText = 256 << 10 // bytes of text in a wrapped response
	MaxStatusGap   = 30        // seconds from one status to the next while an agent works
	statusLead     = 5         // seconds earlier it is due, so that a late tick is early enough
)

// ErrEnded is returned for anything that would follow the terminal of a run.
var ErrEnded = errors.New("the run has its terminal already")

// Writer writes the answer to one prompt and can write nothing but a valid
// sequence: seq from 0 without holes, results only after their start, exactly
// one terminal, nothing after it. All times are Unix milliseconds. Drafts are
// to be encrypted, signed and published in the order they come.
type Writer struct {
	run, client, session string
	private              bool
	limit                int

	gather     Gather
	seq        int64
	last       int64 // created_at of the newest draft
	status     int64 // time of the newest status, at first of the beginning
	ended      bool
	responded  bool
	open       map[string]string // tool names by call id
	startCount int
}

// NewWriter begins the answer to an accepted prompt. maxMessage is the relay's
// max_message_length (NIP-11), 0 when unknown.
func NewWriter(a *Accepted, maxMessage int, now int64) *Writer {
	return &Writer{run: a.Run, client: a.Client, session: a.Session, private: a.Wrapped, limit: maxMessage,
		status: now, open: map[string]string{}}
}

// Ended says whether the terminal was written.
func (w *Writer) Ended() bool { return w.ended }

// draft makes the draft of a payload. created_at never goes back.
func (w *Writer) draft(kind int, payload any, now int64) Draft {
	w.last = max(w.last, now/1000)
	return newDraft(kind, w.last, w.client, w.run, w.session, encode(payload))
}

// Status tells the state (StatusThinking, StatusToolUse, StatusDone), progress
// in percent (nil: unknown) and a few words.
func (w *Writer) Status(state string, progress *int, info string, now int64) (Draft, error) {
	switch {
	case w.ended:
		return Draft{}, ErrEnded
	case !contains([]string{StatusThinking, StatusToolUse, StatusDone}, state):
		return Draft{}, fault(InvalidSchema, "state", "expected thinking, tool_use or done; got "+quote(state))
	case progress != nil && (*progress < 0 || *progress > 100):
		return Draft{}, fault(InvalidSchema, "progress", fmt.Sprintf("expected 0 to 100, got %d", *progress))
	}
	w.status = max(w.status, now)
	return w.draft(KindStatus, Status{Ver: Version, State: state, Progress: progress, Info: info}, now), nil
}

// StatusDue says whether the next status is due. Deltas do not count: a client
// may not be able to read them yet.
func (w *Writer) StatusDue(now int64) bool {
	return !w.ended && now-w.status >= (MaxStatusGap-statusLead)*1000
}

// Text adds words of the answer and gives the delta that is due, if any.
func (w *Writer) Text(words string, now int64) ([]Draft, error) { return w.push(words, false, now) }

// Think adds words of the reasoning, as Text does.
func (w *Writer) Think(words string, now int64) ([]Draft, error) { return w.push(words, true, now) }

func (w *Writer) push(words string, thinking bool, now int64) ([]Draft, error) {
	if w.ended {
		return nil, ErrEnded
	}
	w.gather.Push(words, thinking)
	return w.Flush(now), nil
}

// Flush gives the delta that is due now, if any. NextFlush says when to call.
func (w *Writer) Flush(now int64) []Draft {
	if w.ended {
		return nil
	}
	if p, ok := w.gather.Take(now); ok {
		return []Draft{w.delta(p, now)}
	}
	return nil
}

// NextFlush is the time from which Flush gives something; false when nothing
// waits.
func (w *Writer) NextFlush() (int64, bool) {
	if w.ended {
		return 0, false
	}
	return w.gather.Next()
}

func (w *Writer) delta(p Piece, now int64) Draft {
	seq := w.seq
	w.seq++
	d := Delta{Ver: Version, Text: p.Text, Seq: &seq}
	if p.Thinking {
		d.Event, d.Phase = DeltaThinking, "update"
	}
	return w.draft(KindDelta, d, now)
}

// Respond ends the run with its answer. It is the whole text: words that still
// wait as deltas are in it and not sent on their own. An empty text ends the run
// with EMPTY_RESPONSE instead, one that does not fit through the relay with
// INTERNAL_ERROR and details.reason "too_large"; then the drafts are those of
// Fail.
func (w *Writer) Respond(text string, usage *Usage, now int64) ([]Draft, error) {
	if w.ended {
		return nil, ErrEnded
	}
	if text == "" {
		return w.fail(Failure{Code: EmptyResponse, Message: "The agent had nothing to say."}, now), nil
	}
	if usage != nil && (usage.InputTokens < 0 || usage.OutputTokens < 0) {
		usage = nil
	}
	r := Response{Ver: Version, Text: text, Timestamp: now / 1000, Usage: usage}
	if w.tooLarge(text, r) {
		return w.fail(tooLargeFailure(), now), nil
	}
	w.ended, w.responded = true, true
	return []Draft{w.draft(KindResponse, r, now)}, nil
}

// Refused ends a run whose response a relay refused for its size. It is the only
// thing that may follow a response, because that one never came to be.
func (w *Writer) Refused(now int64) ([]Draft, error) {
	if !w.responded {
		return nil, errors.New("only a response can be refused for its size")
	}
	w.responded = false
	return w.fail(tooLargeFailure(), now), nil
}

// Fail ends the run with an error. Words that still wait come before it, without
// regard to their rate, so that what was said is not lost.
func (w *Writer) Fail(f Failure, now int64) ([]Draft, error) {
	switch {
	case w.ended:
		return nil, ErrEnded
	case !f.Code.Known():
		return nil, fault(InvalidSchema, "code", "not an error code of the NIP: "+quote(string(f.Code)))
	case f.Message == "":
		return nil, fault(InvalidSchema, "message", "an error needs a message")
	case f.RetryAfter < 0:
		return nil, fault(InvalidSchema, "retry_after", "must be at least 1 second")
	case f.Details != "" && !isObject([]byte(f.Details)):
		return nil, fault(InvalidSchema, "details", "expected an object, got "+quote(f.Details))
	}
	return w.fail(f, now), nil
}

func (w *Writer) fail(f Failure, now int64) []Draft {
	w.ended = true
	var drafts []Draft
	for _, p := range w.gather.Rest() {
		drafts = append(drafts, w.delta(p, now))
	}
	w.last = max(w.last, now/1000)
	return append(drafts, failureDraft(w.run, w.client, w.session, f, w.last))
}
