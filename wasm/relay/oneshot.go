package relay

import (
	"slices"

	"github.com/nbd-wtf/go-nostr"
)

// fetched is the outcome of a Fetch.
type fetched struct {
	events   []*nostr.Event
	complete bool
	err      error
}

// oneShot is the part of a sub that only a Fetch has.
type oneShot struct {
	events  []*nostr.Event
	outcome chan<- fetched // holds 1; nil once told
}

// finish tells the caller, once.
func (o *oneShot) finish(f fetched) {
	if o.outcome != nil {
		f.events = o.events
		o.outcome <- f
		o.outcome = nil
	}
}

func (r *relay) fetch(name string, filters []nostr.Filter, outcome chan<- fetched) {
	r.subs = append(r.subs, &sub{
		name: name, one: &oneShot{outcome: outcome},
		filters: func(int64) []nostr.Filter { return filters },
	})
	r.kick()
}

// endFetches ends every Fetch for the same reason: unlike subscriptions they
// do not wait for a better connection.
func (r *relay) endFetches(why error) {
	for _, s := range slices.Clone(r.subs) {
		if s.one != nil {
			r.endSub(s, fetched{err: why})
		}
	}
}
