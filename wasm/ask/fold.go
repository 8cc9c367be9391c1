package ask

import (
	"cmp"
	"slices"

	"github.com/nbd-wtf/go-nostr"
)

// Fold gathers what is known of one request. Its state is a function of the
// set of (event, earliest seen) that was added: order and repetition make no
// difference. Adding costs a binary search; a view costs one pass over the
// answers. A Fold is not safe for concurrent use.
type Fold struct {
	id      string
	request *Request
	items   map[string]*item   // every event kept, by id
	answers []*item            // events addressed to the request, by (created_at, id)
	signs   map[string][]*item // by what they name: events that may be a pick-up of an answer
	deleted map[string]deleters
}

// item is one event with its earliest sighting and, once the request is known,
// what it is to the request.
type item struct {
	ev     *nostr.Event
	seen   int64
	act    Act
	answer Answer
	fault  *Fault
}

// deleters are the authors of the deletions (NIP-09) that name an event, with
// the deletion's item. Only an event's own author can delete it.
type deleters map[string]*item

// NewFold starts the fold of the request with an id.
func NewFold(id string) *Fold {
	return &Fold{
		id:      id,
		items:   map[string]*item{},
		signs:   map[string][]*item{},
		deleted: map[string]deleters{},
	}
}

// ID returns the id of the fold's request.
func (f *Fold) ID() string { return f.id }

// Request returns the request, or nil while it has not come.
func (f *Fold) Request() *Request { return f.request }

// Add takes an event that was first seen at a time (unix seconds, our own
// clock) and says whether the view may have changed. Events that have nothing
// to do with the request are left out. The fold keeps ev and never changes it.
//
// What to add: the request itself, and everything that names it or one of its
// answers in an e, E or q tag, of kinds 5, 7, 9, 12 and 1111.
func (f *Fold) Add(ev *nostr.Event, seen int64) bool {
	if ev == nil {
		return false
	}
	if it := f.items[ev.ID]; it != nil {
		if seen >= it.seen {
			return false
		}
		it.seen = seen
		return true
	}
	it := &item{ev: ev, seen: seen}
	if ev.ID == f.id {
		return f.addRequest(it)
	}
	switch ev.Kind {
	case KindDeletion:
		return f.addDeletion(it)
	case KindReaction, KindMessage, KindReply, KindComment:
		if names(ev, f.id) && (ev.Kind == KindReaction || ev.Kind == KindComment) {
			f.addAnswer(it)
		}
		f.addSign(it)
	}
	return f.items[ev.ID] != nil
}

func (f *Fold) addRequest(it *item) bool {
	r, _ := Parse(it.ev) // an invalid request says so itself, in Invalid
	if r == nil {
		return false
	}
	f.request = r
	f.items[f.id] = it
	for _, a := range f.answers {
		f.judge(a)
	}
	return true
}

func (f *Fold) addDeletion(it *item) bool {
	for _, target := range values(it.ev.Tags, "e") {
		by := f.deleted[target]
		if by == nil {
			by = deleters{}
			f.deleted[target] = by
		}
		if old := by[it.ev.PubKey]; old == nil || before(it.ev, old.ev) {
			by[it.ev.PubKey] = it
		}
		f.items[it.ev.ID] = it
	}
	return f.items[it.ev.ID] != nil
}

func (f *Fold) addAnswer(it *item) {
	f.items[it.ev.ID] = it
	i, _ := slices.BinarySearchFunc(f.answers, it, byTime)
	f.answers = slices.Insert(f.answers, i, it)
	if f.request != nil {
		f.judge(it)
	}
}

// addSign keeps an event that names something other than the request: it may
// be the asker's reaction or reply to an answer, which may not have come yet.
func (f *Fold) addSign(it *item) {
	if f.request != nil && it.ev.PubKey != f.request.Event.PubKey {
		return
	}
	for _, t := range it.ev.Tags {
		if len(t) < 2 || t[0] != "e" && t[0] != "q" || t[1] == f.id {
			continue
		}
		if list := f.signs[t[1]]; len(list) == 0 || list[len(list)-1] != it {
			f.signs[t[1]] = append(list, it)
		}
		f.items[it.ev.ID] = it
	}
}

func (f *Fold) judge(it *item) {
	it.act = f.request.act(it.ev)
	if it.act != "" {
		it.answer, it.fault = f.request.judge(it.ev, it.act)
	}
}

// isDeleted says whether an event's own author deleted it.
func (f *Fold) isDeleted(ev *nostr.Event) bool {
	return f.deleted[ev.ID][ev.PubKey] != nil
}

// settling finds the answer that settles the request, or nil.
func (f *Fold) settling() *item {
	valid := func(it *item, reaction bool) bool {
		isReaction := it.act == ActApprove || it.act == ActDeny
		return it.act != "" && it.fault == nil && isReaction == reaction && !f.isDeleted(it.ev)
	}
	// Older requests: the newest reaction of an asked key wins over any reply.
	// Native ones have no reactions among their acts.
	for _, it := range slices.Backward(f.answers) {
		if valid(it, true) {
			return it
		}
	}
	// The first valid answer is the one the agent acts on.
	for _, it := range f.answers {
		if valid(it, false) {
			return it
		}
	}
	return nil
}

// pickup finds the asker's first reaction or reply to an answer, or nil.
func (f *Fold) pickup(answer *item) *item {
	var found *item
	for _, it := range f.signs[answer.ev.ID] {
		if it.ev.PubKey != f.request.Event.PubKey || f.isDeleted(it.ev) {
			continue
		}
		if found == nil || before(it.ev, found.ev) {
			found = it
		}
	}
	return found
}

// compare is the protocol's order of events: by (created_at, id).
func compare(a, b *nostr.Event) int {
	return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
}

func before(a, b *nostr.Event) bool { return compare(a, b) < 0 }

func byTime(a, b *item) int { return compare(a.ev, b.ev) }
