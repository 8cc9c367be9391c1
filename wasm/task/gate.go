package task

import (
	"errors"
	"fmt"

	"github.com/nbd-wtf/go-nostr"
)

// CheckRequest is what a relay asks of an event before it takes it as a task:
// nil for a request that an agent can take and for any other kind, else what
// is wrong, in words. The relay puts the NIP-01 prefix before it.
func CheckRequest(ev *nostr.Event) error {
	if _, err := Parse(ev); err != nil && !errors.Is(err, ErrNotRequest) {
		return fmt.Errorf("this task cannot be taken: %w", err)
	}
	return nil
}

// CheckEvent is what a relay asks of an event of kinds 43002 to 43006 before
// it takes it: nil when its author may write it about the request, else why
// not, in words. Request is the one that the event names, nil when the relay
// does not have it; existing are the events about it that the relay has.
// Events of other kinds are none of its business.
//
// The relay takes a second 43002, since an agent that was restarted may begin
// again, and an agent's end after the requester's cancel, since the two may
// cross on the way.
func CheckEvent(request *nostr.Event, existing []*nostr.Event, ev *nostr.Event) error {
	if ev == nil || !isAnswer(ev.Kind) && ev.Kind != KindCancel {
		return nil
	}
	r, err := Parse(request)
	if r == nil {
		return errors.New("the task that this event names is not known here")
	}
	switch {
	case err != nil:
		return fmt.Errorf("nobody can take this task: %w", err)
	case !answers(ev, r.Event.ID):
		return errors.New("its e tag does not name the task")
	case first(ev.Tags, "h") != r.Room:
		return errors.New("its h tag does not name the task's room")
	case r.mayWrite(ev):
	case ev.Kind == KindCancel:
		return errors.New("only the person who asked for the task can cancel it")
	default:
		return errors.New("only the agent that the task names can answer it")
	}
	if ev.Kind == KindCancel || !isTerminal(ev.Kind) {
		return nil
	}
	for _, old := range existing {
		if old == nil || old.ID == ev.ID || old.Kind == KindCancel || !isTerminal(old.Kind) {
			continue
		}
		if r.mayWrite(old) && answers(old, r.Event.ID) {
			return errors.New("the task has ended already: it gets one result or error")
		}
	}
	return nil
}

// Finished says whether a task has ended, from the events that a relay has
// about it. An agent asks before it runs a request, so that a restart does not
// run a finished task again.
func Finished(r *Request, existing []*nostr.Event) bool {
	for _, ev := range existing {
		if ev != nil && isTerminal(ev.Kind) && r.mayWrite(ev) && answers(ev, r.Event.ID) {
			return true
		}
	}
	return false
}
