package relay

import (
	"context"
	"fmt"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/relay/store"
	"parley/wasm/ask"
	"parley/wasm/task"
)

// Lookup is what a rule may see: the stored events, as they are at the moment
// the new one would be saved.
type Lookup interface {
	// Event returns an event by id, nil when it is not here.
	Event(id string) (*nostr.Event, error)
	// Referring returns the events of some kinds that name an id in an e tag,
	// newest first, a thousand at most.
	Referring(id string, kinds ...int) ([]*nostr.Event, error)
}

var _ Lookup = (*store.Tx)(nil)

// Rule says whether an event may be saved; now is the relay's clock in unix
// seconds. An error is the refusal, in words for a person; it may begin with a
// prefix of NIP-01, and gets `blocked:` otherwise. Rules run one at a time
// while everybody waits, so they must be quick, and they must let pass at once
// what is not theirs.
type Rule func(ctx context.Context, look Lookup, ev *nostr.Event, now int64) error

// ask asks every rule. A rule that panics refuses.
func (r *Relay) ask(look Lookup, ev *nostr.Event) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a rule failed on event %s: %v", ev.ID, p)
		}
	}()
	for _, rule := range r.rules {
		if err := rule(context.Background(), look, ev, r.now()); err != nil {
			return prefixed(err)
		}
	}
	return nil
}

// maxNamed is how many events an answer may name before the rest is not looked
// up any more. A good answer names one.
const maxNamed = 8

// questionRule keeps invalid questions out, and answers that cannot count.
func questionRule(_ context.Context, look Lookup, ev *nostr.Event, now int64) error {
	if err := ask.CheckRequest(ev); err != nil {
		return refuse(invalid, "%s", err.Error())
	}
	if ev.Kind != 7 && ev.Kind != 1111 {
		return nil
	}
	for _, id := range named(ev) {
		request, err := look.Event(id)
		if err != nil {
			return err
		}
		if request == nil || !hasTag(request, "request") {
			continue
		}
		if err := ask.CheckAnswer(request, ev, now); err != nil {
			return refuse(invalid, "this answer does not count: %s", err.Error())
		}
	}
	return nil
}

// named are the ids in an event's e and E tags, each once.
func named(ev *nostr.Event) []string {
	var ids []string
	seen := map[string]bool{}
	for _, tag := range ev.Tags {
		if len(tag) >= 2 && (tag[0] == "e" || tag[0] == "E") && !seen[tag[1]] && len(ids) < maxNamed {
			seen[tag[1]] = true
			ids = append(ids, tag[1])
		}
	}
	return ids
}

func hasTag(ev *nostr.Event, name string) bool {
	for _, tag := range ev.Tags {
		if len(tag) > 0 && tag[0] == name {
			return true
		}
	}
	return false
}

// taskRule: what happens to a task is told by the agent it names, its cancel
// comes from who asked for it, and the agent ends it once.
func taskRule(_ context.Context, look Lookup, ev *nostr.Event, _ int64) error {
	switch ev.Kind {
	case task.KindRequest:
		if _, err := task.Parse(ev); err != nil {
			return refuse(invalid, "this task cannot be taken: %s", err.Error())
		}
		return nil
	case task.KindAccepted, task.KindProgress, task.KindResult, task.KindCancel, task.KindError:
	default:
		return nil
	}
	for _, id := range task.Names(ev) {
		request, err := look.Event(id)
		if err != nil {
			return err
		}
		if request == nil || request.Kind != task.KindRequest {
			continue
		}
		if err := checkTaskEvent(look, request, ev); err != nil {
			return err
		}
	}
	return nil
}

func checkTaskEvent(look Lookup, request, ev *nostr.Event) error {
	wanted, err := task.Parse(request)
	if err != nil {
		return refuse(blocked, "this task cannot be taken: %s", err.Error())
	}
	switch {
	case store.Room(ev) != wanted.Room:
		return refuse(blocked, "the task is in another room")
	case ev.Kind == task.KindCancel && ev.PubKey != request.PubKey:
		return refuse(blocked, "only who asked for the task may cancel it")
	case ev.Kind == task.KindCancel:
		return nil
	case ev.PubKey != wanted.Agent:
		return refuse(blocked, "only the agent that the task names may do this")
	case ev.Kind != task.KindResult && ev.Kind != task.KindError:
		return nil
	}
	ends, err := look.Referring(request.ID, task.KindResult, task.KindError)
	if err != nil {
		return err
	}
	for _, end := range ends {
		if end.PubKey == ev.PubKey && end.ID != ev.ID {
			return refuse(blocked, "the agent has ended this task already")
		}
	}
	return nil
}
