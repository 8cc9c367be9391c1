package store

import (
	"strings"

	"github.com/nbd-wtf/go-nostr"
)

// State is where an own event stands with a relay.
type State string

// The states of a target, and of a whole entry in [Status]. For most kinds an
// OK means stored; for the kinds of AI sessions it only means sent, see
// [Apply].
const (
	Waiting State = "waiting" // not answered yet, or to be tried again
	Sent    State = "sent"    // on the wire, or accepted without being kept
	Stored  State = "stored"  // the relay keeps it
	Refused State = "refused" // the relay does not want it
)

// The prefixes of NIP-01 and NIP-42 that decide what happens next.
const (
	CodeAuthRequired = "auth-required"
	CodeRateLimited  = "rate-limited"
	CodeError        = "error"
	CodeDuplicate    = "duplicate"
	CodeMute         = "mute"
	// CodeLost, CodeAway and CodeSilent are ours: the connection ended before
	// the relay answered, there was none, or no answer came in time.
	CodeLost   = "lost"
	CodeAway   = "away"
	CodeSilent = "silent"
)

// Back-off between two tries at one relay, in seconds: it doubles from the
// first to the last and stays there.
const (
	FirstRetry = 5
	LastRetry  = 15 * 60
)

// The kinds of AI sessions, of which an OK promises nothing about keeping.
const (
	firstRunKind = 25800
	lastRunKind  = 25806
)

// Target is one relay an own event is meant for.
type Target struct {
	// Relay is the URL in normal form.
	Relay string `json:"relay"`
	State State  `json:"state"`
	// OK is set once the relay has accepted the event. A Sent target without
	// it is on the wire, and after a restart to be sent again.
	OK bool `json:"ok,omitempty"`
	// Code is the machine-readable prefix of the last answer, "" for none.
	Code string `json:"code,omitempty"`
	// Reason is the last answer in the relay's own words.
	Reason string `json:"reason,omitempty"`
	// Maybe is set while the relay may have the event without our knowing: it
	// was handed over, and neither an OK nor a refusal was seen.
	Maybe bool `json:"maybe,omitempty"`
	// Tries counts answers and losses since it was last new.
	Tries int `json:"tries,omitempty"`
	// NextTry is when to send again, in unix seconds; 0 means at once.
	NextTry int64 `json:"next_try,omitempty"`
}

// Draft is an act that could not be signed when it was made.
type Draft struct {
	// Event is the template: author, kind, tags, content and created_at, no
	// id and no signature.
	Event nostr.Event `json:"event"`
	// Reason says in words for a person why it waits ("The key is locked").
	Reason string `json:"reason"`
}

// Entry is an own act in the outbox. Either Event or Draft is set.
type Entry struct {
	// ID is the caller's key, kept when a draft becomes an event.
	ID      string       `json:"id"`
	Event   *nostr.Event `json:"event,omitempty"`
	Draft   *Draft       `json:"draft,omitempty"`
	Targets []Target     `json:"targets"`
	// CreatedAt is when the act was made, in unix seconds.
	CreatedAt int64 `json:"created_at"`
	// Order sorts entries as the person made them.
	Order int64 `json:"order"`
}

// Summary is the state of a whole entry, for a person.
type Summary struct {
	State State
	// Stored of Of relays keep it.
	Stored, Of int
	// Code and Reason belong to the state: why it waits or was refused, and
	// empty when all is well.
	Code, Reason string
}

// Code gives the machine-readable prefix of an OK or CLOSED message (NIP-01),
// or "" when there is none.
func Code(message string) string {
	prefix, _, found := strings.Cut(message, ":")
	if !found || prefix == "" {
		return ""
	}
	for _, r := range prefix {
		if (r < 'a' || r > 'z') && r != '-' {
			return ""
		}
	}
	return prefix
}

// Apply gives the target after the relay's OK for an event of this kind:
//
//   - an OK, or "duplicate:" either way, is success: Stored, but for kinds
//     25800 to 25806 only Sent, until [ReadBack];
//   - "auth-required:", "rate-limited:" and "error:" keep it Waiting, to be
//     tried again after a back-off;
//   - everything else is Refused for good. Among that, code "mute" on kinds
//     25800 to 25806 means that the agent is not listening.
//
// Late answers never take back what is Stored.
func Apply(t Target, kind int, ok bool, message string, now int64) Target {
	if t.State == Stored {
		return t
	}
	code := Code(message)
	t.Tries++
	t.Code, t.Reason, t.NextTry, t.Maybe = code, message, 0, false
	switch {
	case ok || code == CodeDuplicate:
		t.OK, t.State = true, Stored
		t.Code, t.Reason = "", ""
		if isRun(kind) {
			t.State = Sent
		}
	case t.OK:
		// A refusal of a second copy does not undo the first.
		t.Code, t.Reason = "", ""
	case code == CodeAuthRequired, code == CodeRateLimited, code == CodeError:
		t.State, t.NextTry = Waiting, now+backoff(t.Tries)
	default:
		t.State = Refused
	}
	return t
}

// OnWire gives the target after the event was handed to the socket.
func OnWire(t Target) Target {
	if t.State == Waiting {
		t.State = Sent
	}
	return t
}

// Lost gives the target after the connection ended without an answer: to be
// tried again, for nothing but a seen OK counts.
func Lost(t Target, reason string, now int64) Target {
	if t.OK || t.State == Refused || t.State == Stored {
		return t
	}
	t.Tries++
	t.State, t.Code, t.Reason, t.Maybe = Waiting, CodeLost, reason, true
	t.NextTry = now + backoff(t.Tries)
	return t
}

// Silent is Lost for a relay that did not answer in time on a connection that
// stands.
func Silent(t Target, reason string, now int64) Target {
	if t = Lost(t, reason, now); t.Code == CodeLost {
		t.Code = CodeSilent
	}
	return t
}

// Away is Lost for a relay that could not be reached: the event did not leave.
func Away(t Target, reason string, now int64) Target {
	maybe := t.Maybe
	if t = Lost(t, reason, now); t.Code == CodeLost {
		t.Code, t.Maybe = CodeAway, maybe
	}
	return t
}

// Holds tells whether what waits here makes everything behind it wait as well:
// the relay is away, or takes nothing now. An event that the relay alone could
// not handle holds up no other.
func Holds(t Target, now int64) bool {
	if t.State != Waiting || t.NextTry <= now {
		return false
	}
	switch t.Code {
	case CodeLost, CodeAway, CodeAuthRequired, CodeRateLimited:
		return true
	}
	return false
}

// MayHave tells whether the relay has the event, or may have it.
func MayHave(t Target) bool { return t.OK || t.Maybe || t.State == Sent || t.State == Stored }

// ReadBack gives the target after the relay returned the event by its id.
func ReadBack(t Target) Target {
	t.OK, t.State, t.Code, t.Reason, t.NextTry, t.Maybe = true, Stored, "", "", 0, false
	return t
}

// Again gives a copy of the entry with its refused and waiting targets made
// new, for a person who presses "Retry": the same event is sent once more.
func Again(e Entry) Entry {
	targets := make([]Target, len(e.Targets))
	for i, t := range e.Targets {
		if !t.OK {
			t = Target{Relay: t.Relay, State: Waiting, Maybe: MayHave(t)}
		}
		targets[i] = t
	}
	e.Targets = targets
	return e
}

// Due tells whether the target is to be sent now. A target that is on the
// wire is not due; after a restart pass it through [Restarted] first.
func Due(t Target, now int64) bool {
	return t.State == Waiting && t.NextTry <= now
}

// Restarted gives the target as it stands in a new process: what was on the
// wire without an OK waits again.
func Restarted(t Target) Target {
	if t.State == Sent && !t.OK {
		t.State = Waiting
	}
	return t
}

// Settled tells whether every relay has accepted or refused for good, so that
// nothing is left to send. An entry that all refused is settled too; keep it
// while the person may want to read why and press "Retry".
func Settled(e Entry) bool {
	if e.Event == nil || len(e.Targets) == 0 {
		return false
	}
	for _, t := range e.Targets {
		if !t.OK && t.State != Refused {
			return false
		}
	}
	return true
}

// Status sums an entry up. One relay that keeps it is enough for Stored, one
// that took it for Sent; it is Refused only when all refused.
func Status(e Entry) Summary {
	sum := Summary{State: Refused, Of: len(e.Targets)}
	if e.Event == nil {
		sum.State = Waiting
		if e.Draft != nil {
			sum.Reason = e.Draft.Reason
		}
		return sum
	}
	if len(e.Targets) == 0 {
		return Summary{State: Waiting, Reason: "There is no relay to send this to"}
	}
	rank := map[State]int{Refused: 0, Waiting: 1, Sent: 2, Stored: 3}
	best := -1
	for _, t := range e.Targets {
		if t.State == Stored {
			sum.Stored++
		}
		// The first target of the best state speaks for the entry, but one
		// that says why it waits is better than a silent one.
		if r := rank[t.State]; r > best || (r == best && sum.Reason == "") {
			best = r
			sum.State, sum.Code, sum.Reason = t.State, t.Code, t.Reason
		}
	}
	return sum
}

// backoff gives the seconds to wait after this many tries.
func backoff(tries int) int64 {
	wait := int64(FirstRetry)
	for ; tries > 1 && wait < LastRetry; tries-- {
		wait *= 2
	}
	return min(wait, LastRetry)
}

func isRun(kind int) bool { return kind >= firstRunKind && kind <= lastRunKind }
