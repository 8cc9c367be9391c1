package ask

import (
	"slices"

	"github.com/nbd-wtf/go-nostr"
)

// Book folds many requests at once: it is handed every event that comes and
// routes each to the requests it concerns, also when an event comes before
// what it names. It is not safe for concurrent use.
type Book struct {
	folds   map[string]*Fold
	answers map[string][]string             // event id -> requests it is addressed to
	waiting map[string]map[string]*sighting // named id -> events that name it, by id
}

type sighting struct {
	ev   *nostr.Event
	seen int64
}

// NewBook returns an empty book.
func NewBook() *Book {
	return &Book{
		folds:   map[string]*Fold{},
		answers: map[string][]string{},
		waiting: map[string]map[string]*sighting{},
	}
}

// Add takes an event with its first sighting and returns the ids of the
// requests whose view may have changed. Events of no concern are cheap, but
// those of kinds 5, 7, 9, 12 and 1111 that name something unknown are kept,
// since it may turn out to be a request or an answer.
func (b *Book) Add(ev *nostr.Event, seen int64) []string {
	if ev == nil {
		return nil
	}
	var touched []string
	if form := Classify(ev); form == Native || form == Older {
		f := b.folds[ev.ID]
		if f == nil {
			f = NewFold(ev.ID)
			b.folds[ev.ID] = f
		}
		touched = b.give(touched, f, ev, seen)
		touched = b.release(touched, ev.ID)
	}
	switch ev.Kind {
	case KindDeletion, KindReaction, KindMessage, KindReply, KindComment:
		for _, t := range ev.Tags {
			if len(t) >= 2 && (t[0] == "e" || t[0] == "E" || t[0] == "q") {
				touched = b.route(touched, t[1], ev, seen)
			}
		}
	}
	return touched
}

// Fold returns the fold of a request, or nil when it has not come.
func (b *Book) Fold(id string) *Fold { return b.folds[id] }

// IDs returns the ids of every request in the book, by (created_at, id).
func (b *Book) IDs() []string {
	events := make([]*nostr.Event, 0, len(b.folds))
	for _, f := range b.folds {
		events = append(events, f.request.Event)
	}
	slices.SortFunc(events, compare)
	ids := make([]string, len(events))
	for i, ev := range events {
		ids[i] = ev.ID
	}
	return ids
}

// route hands an event to the request that has the named id, to those that the
// named event answers, or lets it wait for it.
func (b *Book) route(touched []string, name string, ev *nostr.Event, seen int64) []string {
	f, owners := b.folds[name], b.answers[name]
	if f == nil && owners == nil {
		b.wait(name, ev, seen)
		return touched
	}
	for _, id := range owners {
		touched = b.give(touched, b.folds[id], ev, seen)
	}
	if f == nil {
		return touched
	}
	touched = b.give(touched, f, ev, seen)
	if !slices.Contains(b.answers[ev.ID], name) && names(ev, name) && ev.Kind != KindDeletion {
		b.answers[ev.ID] = append(b.answers[ev.ID], name)
		touched = b.release(touched, ev.ID)
	}
	return touched
}

func (b *Book) give(touched []string, f *Fold, ev *nostr.Event, seen int64) []string {
	if f.Add(ev, seen) && !slices.Contains(touched, f.id) {
		touched = append(touched, f.id)
	}
	return touched
}

func (b *Book) wait(name string, ev *nostr.Event, seen int64) {
	list := b.waiting[name]
	if list == nil {
		list = map[string]*sighting{}
		b.waiting[name] = list
	}
	if old := list[ev.ID]; old == nil {
		list[ev.ID] = &sighting{ev, seen}
	} else {
		old.seen = min(old.seen, seen)
	}
}

// release routes what waited for an id, now that it is known.
func (b *Book) release(touched []string, name string) []string {
	list := b.waiting[name]
	delete(b.waiting, name)
	for _, s := range list {
		touched = b.route(touched, name, s.ev, s.seen)
	}
	return touched
}
