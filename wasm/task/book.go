package task

import (
	"cmp"
	"slices"

	"github.com/nbd-wtf/go-nostr"
)

// Book folds many tasks at once: it is handed every event that comes and
// routes each to the tasks it concerns, also when an event comes before the
// request it names. It is not safe for concurrent use.
//
// Deletions, !cancel messages and events of the task kinds are kept for good.
// Events of no concern cost nothing.
type Book struct {
	folds     map[string]*Fold
	owners    map[string][]*Fold              // event id -> the tasks it was given to
	naming    map[string]map[string]*sighting // named request -> events of the task kinds, by id
	deletions map[string]map[string]*sighting // named event -> deletions, by id
	cancels   map[place]map[string]*sighting  // !cancel messages, by id
	tasks     map[place][]*Fold               // the tasks that a message there may be about
}

// place is where a !cancel message is read: a room, or a thread by its root.
type place struct{ room, root string }

type sighting struct {
	ev   *nostr.Event
	seen int64
}

// NewBook returns an empty book.
func NewBook() *Book {
	return &Book{
		folds:     map[string]*Fold{},
		owners:    map[string][]*Fold{},
		naming:    map[string]map[string]*sighting{},
		deletions: map[string]map[string]*sighting{},
		cancels:   map[place]map[string]*sighting{},
		tasks:     map[place][]*Fold{},
	}
}

// Add takes an event with its first sighting and returns the ids of the tasks
// whose view may have changed.
func (b *Book) Add(ev *nostr.Event, seen int64) []string {
	var touched []string
	switch {
	case ev == nil:
	case ev.Kind == KindRequest:
		return b.addRequest(ev, seen)
	case isAnswer(ev.Kind) || ev.Kind == KindCancel:
		for _, id := range Names(ev) {
			keep(b.naming, id, ev, seen)
			if f := b.folds[id]; f != nil {
				touched = b.give(touched, f, ev, seen)
			}
		}
	case ev.Kind == KindDeletion:
		for _, id := range values(ev.Tags, "e") {
			keep(b.deletions, id, ev, seen)
			if f := b.folds[id]; f != nil {
				touched = add(touched, f, ev, seen)
			}
			for _, f := range b.owners[id] {
				touched = add(touched, f, ev, seen)
			}
		}
	case IsCancelMessage(ev):
		at := placeOf(ev)
		keep(b.cancels, at, ev, seen)
		for _, f := range b.tasks[at] {
			touched = b.give(touched, f, ev, seen)
		}
	}
	return touched
}

// Fold returns the fold of a task, or nil when its request has not come.
func (b *Book) Fold(id string) *Fold { return b.folds[id] }

// IDs returns the ids of every task in the book, by (created_at, id).
func (b *Book) IDs() []string {
	ids := make([]string, 0, len(b.folds))
	for id := range b.folds {
		ids = append(ids, id)
	}
	at := func(id string) nostr.Timestamp { return b.folds[id].request.Event.CreatedAt }
	slices.SortFunc(ids, func(x, y string) int {
		return cmp.Or(cmp.Compare(at(x), at(y)), cmp.Compare(x, y))
	})
	return ids
}

func (b *Book) addRequest(ev *nostr.Event, seen int64) []string {
	f := b.folds[ev.ID]
	if f != nil {
		return add(nil, f, ev, seen)
	}
	f = NewFold(ev.ID)
	b.folds[ev.ID] = f
	touched := b.give(nil, f, ev, seen)
	for _, s := range b.naming[ev.ID] {
		touched = b.give(touched, f, s.ev, s.seen)
	}
	for _, at := range []place{{room: f.request.Room}, {root: f.request.Root}} {
		b.tasks[at] = append(b.tasks[at], f)
		for _, s := range b.cancels[at] {
			touched = b.give(touched, f, s.ev, s.seen)
		}
	}
	return touched
}

// give hands an event to a task, with the deletions that name it.
func (b *Book) give(touched []string, f *Fold, ev *nostr.Event, seen int64) []string {
	touched = add(touched, f, ev, seen)
	if ev.ID == f.id || !slices.Contains(b.owners[ev.ID], f) {
		if ev.ID != f.id {
			b.owners[ev.ID] = append(b.owners[ev.ID], f)
		}
		for _, s := range b.deletions[ev.ID] {
			touched = add(touched, f, s.ev, s.seen)
		}
	}
	return touched
}

func add(touched []string, f *Fold, ev *nostr.Event, seen int64) []string {
	if f.Add(ev, seen) && !slices.Contains(touched, f.id) {
		touched = append(touched, f.id)
	}
	return touched
}

func keep[K comparable](index map[K]map[string]*sighting, key K, ev *nostr.Event, seen int64) {
	list := index[key]
	if list == nil {
		list = map[string]*sighting{}
		index[key] = list
	}
	if old := list[ev.ID]; old == nil {
		list[ev.ID] = &sighting{ev, seen}
	} else {
		old.seen = min(old.seen, seen)
	}
}

// placeOf is where a !cancel message is read.
func placeOf(ev *nostr.Event) place {
	if ev.Kind == KindMessage {
		return place{room: first(ev.Tags, "h")}
	}
	return place{root: threadOf(ev)}
}
