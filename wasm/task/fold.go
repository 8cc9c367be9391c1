package task

import (
	"cmp"
	"slices"

	"github.com/nbd-wtf/go-nostr"
)

// Fold gathers what is known of one task. Its state is a function of the set
// of (event, earliest seen) that was added: order and repetition make no
// difference. Adding costs a binary search, and a view no more than the
// entries it shows, however much progress there was. A Fold is not safe for
// concurrent use.
type Fold struct {
	id       string
	request  *Request
	items    map[string]*item // every event kept, by id
	early    []*item          // those that came before the request
	progress []*item          // the agent's 43003, by (created_at, id)
	log      []*item          // the other events that count, and !cancel messages, in the same order
	gone     int              // of progress, those their author deleted
	deleted  map[deletion]bool

	sign      int64 // the agent's last sign of life
	signStale bool
}

type item struct {
	ev       *nostr.Event
	seen     int64
	gone     bool     // deleted by its own author
	progress Progress // of a 43003
}

// deletion is what a kind 5 event says: an author wants an event gone.
type deletion struct{ target, author string }

// NewFold starts the fold of the task whose request has an id.
func NewFold(id string) *Fold {
	return &Fold{id: id, items: map[string]*item{}, deleted: map[deletion]bool{}}
}

// ID returns the id of the fold's request.
func (f *Fold) ID() string { return f.id }

// Request returns the request, or nil while it has not come.
func (f *Fold) Request() *Request { return f.request }

// Add takes an event that was first seen at a time (unix seconds, our own
// clock) and says whether the view may have changed. Events that have nothing
// to do with the task, or whose author may not write them, are left out. The
// fold keeps ev and never changes it.
//
// What to add: the request, the events of kinds 43002 to 43006 that name it,
// deletions (kind 5), and the messages of its room and thread for which
// [IsCancelMessage] holds.
func (f *Fold) Add(ev *nostr.Event, seen int64) bool {
	if ev == nil {
		return false
	}
	if it := f.items[ev.ID]; it != nil {
		if seen >= it.seen {
			return false
		}
		it.seen = seen
		f.signStale = true
		return true
	}
	it := &item{ev: ev, seen: seen}
	switch {
	case ev.ID == f.id:
		return f.addRequest(it)
	case ev.Kind == KindDeletion:
		return f.addDeletion(it)
	case !isAnswer(ev.Kind) && ev.Kind != KindCancel || !answers(ev, f.id):
		if !IsCancelMessage(ev) {
			return false
		}
	}
	if f.request == nil {
		f.items[ev.ID] = it
		f.early = append(f.early, it)
		return true
	}
	return f.place(it)
}

func (f *Fold) addRequest(it *item) bool {
	r, _ := Parse(it.ev) // a request that nobody can take says so itself, in Invalid
	if r == nil {
		return false
	}
	f.request = r
	f.items[f.id] = it
	it.gone = f.deleted[deletion{f.id, it.ev.PubKey}]
	early := f.early
	f.early = nil
	for _, e := range early {
		if !f.place(e) {
			delete(f.items, e.ev.ID)
		}
	}
	return true
}

func (f *Fold) addDeletion(it *item) bool {
	changed := false
	for _, target := range values(it.ev.Tags, "e") {
		d := deletion{target, it.ev.PubKey}
		if f.deleted[d] {
			continue
		}
		f.deleted[d] = true
		t := f.items[target]
		if t == nil || t.ev.PubKey != d.author || t.gone {
			continue
		}
		t.gone = true
		changed = true
		f.signStale = true
		if t.ev.Kind == KindProgress && f.request != nil {
			f.gone++
		}
	}
	return changed
}

// place puts an event of a known task where it belongs, and says whether it
// belongs anywhere.
func (f *Fold) place(it *item) bool {
	r := f.request
	if IsCancelMessage(it.ev) {
		if !r.concerns(it.ev) {
			return false
		}
	} else if !r.mayWrite(it.ev) {
		return false
	}
	f.items[it.ev.ID] = it
	it.gone = f.deleted[deletion{it.ev.ID, it.ev.PubKey}]
	if it.ev.Kind == KindProgress {
		it.progress = readProgress(it.ev)
		f.progress = insert(f.progress, it)
		if it.gone {
			f.gone++
		}
	} else {
		f.log = insert(f.log, it)
	}
	f.noteSign(it)
	return true
}

// noteSign keeps the newest sign of life of the agent.
func (f *Fold) noteSign(it *item) {
	if isAnswer(it.ev.Kind) && !it.gone {
		f.sign = max(f.sign, it.at())
	}
}

// lastSign is the newest sign of life, counted anew only after an earlier
// sighting or a deletion has moved one back.
func (f *Fold) lastSign() int64 {
	if f.signStale {
		f.sign, f.signStale = 0, false
		for _, it := range f.progress {
			f.noteSign(it)
		}
		for _, it := range f.log {
			f.noteSign(it)
		}
	}
	return f.sign
}

// at is when an event happened, for durations: as it says itself, but no later
// than when it was first seen, so that a clock that is ahead shows no future.
func (it *item) at() int64 { return min(int64(it.ev.CreatedAt), it.seen) }

func insert(list []*item, it *item) []*item {
	if n := len(list); n == 0 || byTime(list[n-1], it) < 0 {
		return append(list, it)
	}
	i, _ := slices.BinarySearchFunc(list, it, byTime)
	return slices.Insert(list, i, it)
}

// byTime is the protocol's order of events: by (created_at, id).
func byTime(a, b *item) int {
	return cmp.Or(cmp.Compare(a.ev.CreatedAt, b.ev.CreatedAt), cmp.Compare(a.ev.ID, b.ev.ID))
}
