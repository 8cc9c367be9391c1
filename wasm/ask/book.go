package ask

import (
	"slices"

	"github.com/nbd-wtf/go-nostr"
)

// Book folds many requests at once: it is handed every event that comes and
// routes each to the requests it concerns, also when an event comes before
// what it names. It is not safe for concurrent use.
//
// Events of kinds 5, 7, 9, 12 and 1111 that name another event are kept for
// good, since what they name may turn out to be a request or an answer to one:
// some 200 bytes each beside the event. Others cost nothing.
type Book struct {
	folds  map[string]*Fold
	owners map[string][]*Fold     // event id -> the requests it is addressed to
	known  map[string]*sighting   // events that name something, by their own id
	naming map[string][]*sighting // the same, by what they name
}

type sighting struct {
	ev   *nostr.Event
	seen int64
}

// NewBook returns an empty book.
func NewBook() *Book {
	return &Book{
		folds:  map[string]*Fold{},
		owners: map[string][]*Fold{},
		known:  map[string]*sighting{},
		naming: map[string][]*sighting{},
	}
}

// Add takes an event with its first sighting and returns the ids of the
// requests whose view may have changed.
func (b *Book) Add(ev *nostr.Event, seen int64) []string {
	if ev == nil {
		return nil
	}
	var touched []string
	if form := Classify(ev); form == Native || form == Older {
		touched = b.addRequest(ev, seen)
	}
	switch ev.Kind {
	case KindDeletion, KindReaction, KindMessage, KindReply, KindComment:
		if ids := targets(ev); len(ids) > 0 {
			touched = b.addNaming(touched, ids, ev, seen)
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

func (b *Book) addRequest(ev *nostr.Event, seen int64) []string {
	f := b.folds[ev.ID]
	if f != nil {
		return b.give(nil, f, ev, seen)
	}
	f = NewFold(ev.ID)
	b.folds[ev.ID] = f
	touched := b.give(nil, f, ev, seen)
	for _, s := range b.naming[ev.ID] {
		touched = b.address(touched, f, s)
	}
	return touched
}

// addNaming keeps an event under everything it names and hands it to the
// requests among that, and to those that one of the named events answers.
func (b *Book) addNaming(touched, ids []string, ev *nostr.Event, seen int64) []string {
	s := b.known[ev.ID]
	switch {
	case s == nil:
		s = &sighting{ev, seen}
		b.known[ev.ID] = s
		for _, id := range ids {
			b.naming[id] = append(b.naming[id], s)
		}
	case seen >= s.seen:
		return touched
	default:
		s.seen = seen
	}
	for _, id := range ids {
		for _, f := range b.owners[id] {
			touched = b.give(touched, f, ev, s.seen)
		}
		if f := b.folds[id]; f != nil {
			touched = b.address(touched, f, s)
		}
	}
	return touched
}

// address hands an event to a request that it names. If it may be an answer,
// whatever names the answer concerns the request as well.
func (b *Book) address(touched []string, f *Fold, s *sighting) []string {
	touched = b.give(touched, f, s.ev, s.seen)
	id := s.ev.ID
	if s.ev.Kind == KindDeletion || !names(s.ev, f.id) || slices.Contains(b.owners[id], f) {
		return touched
	}
	b.owners[id] = append(b.owners[id], f)
	for _, about := range b.naming[id] {
		touched = b.give(touched, f, about.ev, about.seen)
	}
	return touched
}

func (b *Book) give(touched []string, f *Fold, ev *nostr.Event, seen int64) []string {
	if f.Add(ev, seen) && !slices.Contains(touched, f.id) {
		touched = append(touched, f.id)
	}
	return touched
}

// targets are the ids that an event names in e, E and q tags, each once.
func targets(ev *nostr.Event) []string {
	var out []string
	seen := map[string]bool{}
	for _, t := range ev.Tags {
		if len(t) < 2 || t[0] != "e" && t[0] != "E" && t[0] != "q" || seen[t[1]] {
			continue
		}
		seen[t[1]] = true
		out = append(out, t[1])
	}
	return out
}
