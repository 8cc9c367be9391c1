package task

import (
	"cmp"
	"slices"

	"github.com/nbd-wtf/go-nostr"
)

// Book folds many tasks at once: it is handed every event that comes and
// routes each to the tasks it concerns, also when an event comes before the
// request it names. It is not safe for concurrent use.
type Book struct {
	folds   map[string]*Fold
	owners  map[string][]string             // event id -> tasks it was given to
	waiting map[string]map[string]*sighting // named id -> events that name it, by id
	threads map[string]map[string]bool      // thread root -> tasks in it
	rooms   map[string]map[string]bool      // room -> tasks in it
	cancels map[string]*sighting            // !cancel messages, by id
}

type sighting struct {
	ev   *nostr.Event
	seen int64
}

// NewBook returns an empty book.
func NewBook() *Book {
	return &Book{
		folds:   map[string]*Fold{},
		owners:  map[string][]string{},
		waiting: map[string]map[string]*sighting{},
		threads: map[string]map[string]bool{},
		rooms:   map[string]map[string]bool{},
		cancels: map[string]*sighting{},
	}
}

// Add takes an event with its first sighting and returns the ids of the tasks
// whose view may have changed. Events of no concern are cheap; those of the
// task kinds and deletions that name something unknown are kept.
func (b *Book) Add(ev *nostr.Event, seen int64) []string {
	switch {
	case ev == nil:
		return nil
	case ev.Kind == KindRequest:
		return b.addRequest(ev, seen)
	case isAnswer(ev.Kind) || ev.Kind == KindCancel:
		var touched []string
		for _, id := range Names(ev) {
			touched = b.route(touched, id, ev, seen)
		}
		return touched
	case ev.Kind == KindDeletion:
		var touched []string
		for _, id := range values(ev.Tags, "e") {
			touched = b.route(touched, id, ev, seen)
		}
		return touched
	case IsCancelMessage(ev):
		return b.addCancel(ev, seen)
	}
	return nil
}

// Fold returns the fold of a task, or nil when its request has not come.
func (b *Book) Fold(id string) *Fold { return b.folds[id] }

// IDs returns the ids of every task in the book, by (created_at, id).
func (b *Book) IDs() []string {
	ids := make([]string, 0, len(b.folds))
	for id := range b.folds {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(x, y string) int {
		return cmp.Or(cmp.Compare(b.folds[x].request.Event.CreatedAt, b.folds[y].request.Event.CreatedAt), cmp.Compare(x, y))
	})
	return ids
}

func (b *Book) addRequest(ev *nostr.Event, seen int64) []string {
	f := b.folds[ev.ID]
	if f != nil {
		return b.give(nil, f, ev, seen)
	}
	f = NewFold(ev.ID)
	b.folds[ev.ID] = f
	touched := b.give(nil, f, ev, seen)
	mark(b.threads, f.request.Root, f.id)
	mark(b.rooms, f.request.Room, f.id)
	for _, s := range b.cancels {
		if f.request.concerns(s.ev) {
			touched = b.give(touched, f, s.ev, s.seen)
		}
	}
	return b.release(touched, ev.ID)
}

func mark(index map[string]map[string]bool, key, id string) {
	if index[key] == nil {
		index[key] = map[string]bool{}
	}
	index[key][id] = true
}

func (b *Book) addCancel(ev *nostr.Event, seen int64) []string {
	if old := b.cancels[ev.ID]; old == nil {
		b.cancels[ev.ID] = &sighting{ev, seen}
	} else {
		old.seen = min(old.seen, seen)
	}
	index := b.rooms[first(ev.Tags, "h")]
	if ev.Kind == KindReply {
		root := marked(ev.Tags, "root")
		if root == "" {
			root = first(ev.Tags, "e")
		}
		index = b.threads[root]
	}
	var touched []string
	for id := range index {
		touched = b.give(touched, b.folds[id], ev, seen)
	}
	slices.Sort(touched)
	return b.release(touched, ev.ID)
}

// route hands an event to the task that has the named id, to those that the
// named event was given to (a deletion of it), or lets it wait.
func (b *Book) route(touched []string, name string, ev *nostr.Event, seen int64) []string {
	known := false
	if f := b.folds[name]; f != nil {
		known = true
		touched = b.give(touched, f, ev, seen)
	}
	for _, id := range b.owners[name] {
		known = true
		touched = b.give(touched, b.folds[id], ev, seen)
	}
	if known {
		return b.release(touched, ev.ID)
	}
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
	return touched
}

func (b *Book) give(touched []string, f *Fold, ev *nostr.Event, seen int64) []string {
	if ev.ID != f.id && ev.Kind != KindDeletion && !slices.Contains(b.owners[ev.ID], f.id) {
		b.owners[ev.ID] = append(b.owners[ev.ID], f.id)
	}
	if f.Add(ev, seen) && !slices.Contains(touched, f.id) {
		touched = append(touched, f.id)
	}
	return touched
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
