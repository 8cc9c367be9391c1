package ask

import (
	"fmt"
	"strconv"

	"github.com/nbd-wtf/go-nostr"
)

// Fault is why an answer does not count: a code for programs and a reason for
// people.
type Fault struct {
	Why    Why
	Reason string
}

// Error returns the reason.
func (f *Fault) Error() string { return f.Reason }

// ValidateAnswer reads an answer event against its native request. The fault
// is nil for an answer that counts: from an asked key, with the seven NIP-22
// tags and the room, inside the time, and with content that fits. Whether it
// settles the question is for the [Fold] to say.
func ValidateAnswer(r *Request, ev *nostr.Event) (Answer, *Fault) {
	if r.Invalid != "" {
		return Answer{}, &Fault{WhyInvalid, NoteInvalid + ": " + r.Invalid}
	}
	if !r.asks(ev.PubKey) {
		return Answer{}, &Fault{WhyNotAsked, "its author is not among the people asked"}
	}
	if reason := r.wrongTags(ev); reason != "" {
		return Answer{}, &Fault{WhyTags, reason}
	}
	if fault := r.wrongTime(ev); fault != nil {
		return Answer{}, fault
	}
	a, err := ReadAnswer(r, ev.Content)
	if err != nil {
		return Answer{}, &Fault{WhyContent, err.Error()}
	}
	return a, nil
}

// wrongTags says which of the seven tags of an answer is wrong: E, K and P and
// e, k and p all name the request, and h names the room, one of each.
func (r *Request) wrongTags(ev *nostr.Event) string {
	if ev.Kind != KindComment {
		return fmt.Sprintf("it is of kind %d, an answer is of kind %d", ev.Kind, KindComment)
	}
	kind := strconv.Itoa(r.Event.Kind)
	for _, want := range [...][2]string{
		{"E", r.Event.ID}, {"K", kind}, {"P", r.Event.PubKey},
		{"e", r.Event.ID}, {"k", kind}, {"p", r.Event.PubKey},
		{"h", r.Room},
	} {
		switch got := values(ev.Tags, want[0]); {
		case len(got) == 0:
			return fmt.Sprintf("its %s tag is missing", want[0])
		case len(got) > 1:
			return fmt.Sprintf("it has more than one %s tag", want[0])
		case got[0] != want[1]:
			return fmt.Sprintf("its %s tag does not name this question", want[0])
		}
	}
	return ""
}

// wrongTime holds an answer to request.created_at <= created_at < expiration.
func (r *Request) wrongTime(ev *nostr.Event) *Fault {
	if ev.CreatedAt < r.Event.CreatedAt {
		return &Fault{WhyEarly, "it was written before the question"}
	}
	if r.Expires != 0 && int64(ev.CreatedAt) >= r.Expires {
		return &Fault{WhyLate, "it came after the deadline"}
	}
	return nil
}

// act says what an event is to a request: one of the acts, or "" when it is
// no try at an answer. The asker's own comments and events that are requests
// themselves are conversation.
func (r *Request) act(ev *nostr.Event) Act {
	if ev.PubKey == r.Event.PubKey || !names(ev, r.Event.ID) {
		return ""
	}
	switch {
	case ev.Kind == KindComment && Classify(ev) != NotRequest:
		return ""
	case ev.Kind == KindComment && r.Form == Native:
		return ActAnswer
	case ev.Kind == KindComment:
		return ActReply
	case ev.Kind == KindReaction && r.Form == Older && r.Request != RequestQuestion:
		return verdict(ev.Content)
	}
	return ""
}

// Answers says whether an event is an answer to the request that counts, as far
// as the two events alone can tell: comments and reactions that are mere
// conversation are none.
func (r *Request) Answers(ev *nostr.Event) bool {
	act := r.act(ev)
	if act == "" {
		return false
	}
	_, fault := r.judge(ev, act)
	return fault == nil
}

// judge reads an event as one act on a request.
func (r *Request) judge(ev *nostr.Event, act Act) (Answer, *Fault) {
	if act == ActAnswer {
		return ValidateAnswer(r, ev)
	}
	if !r.asks(ev.PubKey) {
		return Answer{}, &Fault{WhyNotAsked, "its author is not among the people asked"}
	}
	if fault := r.wrongTime(ev); fault != nil {
		return Answer{}, fault
	}
	if act != ActReply {
		return Answer{}, nil
	}
	if err := checkText(ev.Content); err != nil {
		return Answer{}, &Fault{WhyContent, err.Error()}
	}
	return Answer{Text: ev.Content}, nil
}

// verdict reads a reaction: "+", or empty as NIP-25 has it, approves; "-"
// denies; anything else is an ordinary reaction.
func verdict(content string) Act {
	switch content {
	case "+", "":
		return ActApprove
	case "-":
		return ActDeny
	}
	return ""
}

// names says whether an event is addressed to id: a reaction by its last e
// tag (NIP-25), a comment by its e tag, or by E when it has no e at all.
func names(ev *nostr.Event, id string) bool {
	targets := values(ev.Tags, "e")
	if len(targets) == 0 && ev.Kind == KindComment {
		targets = values(ev.Tags, "E")
	}
	if ev.Kind == KindReaction && len(targets) > 1 {
		targets = targets[len(targets)-1:]
	}
	for _, t := range targets {
		if t == id {
			return true
		}
	}
	return false
}
