package relay

import (
	"context"
	"fmt"
	"slices"

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
		if err := ask.CheckAnswer(request, ev, now); err != nil {
			return refuse(invalid, "this answer does not count: %s", err.Error())
		}
	}
	return nil
}

// named are the ids in an event's e and E tags, each once.
func named(ev *nostr.Event) []string {
	var ids []string
	for _, tag := range ev.Tags {
		if len(tag) >= 2 && (tag[0] == "e" || tag[0] == "E") && !slices.Contains(ids, tag[1]) && len(ids) < maxNamed {
			ids = append(ids, tag[1])
		}
	}
	return ids
}

// taskRule keeps out tasks that nobody can take, and what others than its agent
// and its requester say of one. What is not here yet cannot be judged: it is
// taken, and readers judge it.
func taskRule(_ context.Context, look Lookup, ev *nostr.Event, _ int64) error {
	if err := task.CheckRequest(ev); err != nil {
		return refuse(invalid, "%s", err.Error())
	}
	if ev.Kind < task.KindAccepted || ev.Kind > task.KindError {
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
		ends, err := look.Referring(id, task.KindResult, task.KindError)
		if err != nil {
			return err
		}
		if err := task.CheckEvent(request, ends, ev); err != nil {
			return refuse(blocked, "%s", err.Error())
		}
	}
	return nil
}
