package room

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// seenEvent is one element of the set that a room is a function of.
type seenEvent struct {
	e    *nostr.Event
	seen int64
}

// randomRoom makes events that name each other in every way, with odd clocks,
// few seconds (so that ties are common) and few people. Sometimes they name
// each other in circles.
func randomRoom(r *rand.Rand, size int) []seenEvent {
	people := []string{ana, bob, eve}
	kinds := []int{9, 9, 9, 11, 12, 12, 1111, 1111, 43001, 7, 7, 40003, 5, 9005, 9000, 9001, 0, 39000, 39001, 39002}
	var set []seenEvent
	for n := 1; n <= size; n++ {
		kind := kinds[r.IntN(len(kinds))]
		e := ev(n, kind, people[r.IntN(3)], int64(100+r.IntN(30)), fmt.Sprint("text ", n))
		for range r.IntN(3) {
			other := 1 + r.IntN(n+1)
			tag := []nostr.Tag{q(other), root(other), re(other), up(other), {"e", id(other)}}[r.IntN(5)]
			e.Tags = append(e.Tags, tag)
		}
		if r.IntN(5) == 0 {
			e.Content += " nostr:" + NPub(people[r.IntN(3)])
		}
		switch {
		case kind == 9 && r.IntN(8) == 0:
			e.Tags = append(e.Tags, nostr.Tag{"request", "question"}, nostr.Tag{"tinyagent", "1"})
		case kind == 7:
			e.Content = []string{"+", "", "-", "🎉"}[r.IntN(4)]
		case kind == 0:
			e.Content = fmt.Sprintf(`{"name":"name %d"}`, n)
		case kind >= 9000:
			e.Tags = append(e.Tags, nostr.Tag{"p", people[r.IntN(3)]})
		}
		if kind >= 39000 && kind < 40000 {
			e.PubKey = relay
			e.Tags = append(e.Tags, nostr.Tag{"d", here.ID}, nostr.Tag{"name", fmt.Sprint("room ", n)})
		}
		set = append(set, seenEvent{e, int64(90 + r.IntN(40))})
	}
	return set
}

// snapshot is everything that a fold shows.
type snapshot struct {
	Order    Window
	Threads  map[string][]string
	Messages map[string]Message
	Answers  map[string]bool
	Meta     Meta
	Unread   Unread
	Members  []string
}

func snap(f *Fold, size int) snapshot {
	s := snapshot{
		Order: f.Window("", 1<<30, 0), Threads: map[string][]string{}, Messages: map[string]Message{},
		Answers: map[string]bool{}, Meta: f.Meta(), Members: f.Members(),
		Unread: f.Unread(Mark{At: 110, ID: id(7)}, ana),
	}
	for n := 1; n <= size+1; n++ {
		if m, ok := f.Message(id(n), ana); ok {
			s.Messages[id(n)] = m
		}
		if thread := f.Thread(id(n)); len(thread) > 0 {
			s.Threads[id(n)] = thread
		}
		s.Answers[id(n)] = f.IsAnswer(id(n))
	}
	return s
}

func fold(set []seenEvent, flush bool) *Fold {
	f := New(here, relay, nil)
	for _, s := range set {
		f.Add(s.e, s.seen)
		if flush {
			f.flush()
		}
	}
	return f
}

func TestTheSameSetIsTheSameRoom(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		size := 5 + r.IntN(40)
		set := randomRoom(r, size)
		want := snap(fold(set, false), size)
		shuffled := slices.Clone(set)
		reversed := slices.Clone(set)
		slices.Reverse(reversed)
		var noisy []seenEvent // shuffled, repeated, with later sightings before and after
		for _, s := range set {
			noisy = append(noisy, s, s, seenEvent{s.e, s.seen + 1 + int64(r.IntN(50))})
		}
		for _, other := range [][]seenEvent{shuffled, noisy} {
			r.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
		}
		for name, f := range map[string]*Fold{
			"one by one":           fold(set, true),
			"reversed":             fold(reversed, false),
			"reversed, one by one": fold(reversed, true),
			"shuffled":             fold(shuffled, false),
			"noisy, one by one":    fold(noisy, true),
		} {
			if got := snap(f, size); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, %s: %s", seed, name, difference(got, want))
			}
		}
	}
}

func TestWithdrawnEventsLeaveNoTrace(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 2))
		size := 5 + r.IntN(40)
		set := randomRoom(r, size)
		f := fold(set, seed%2 == 0)
		var kept []seenEvent
		for _, s := range set {
			replaced := s.e.Kind == KindProfile || isState(s.e.Kind)
			if replaced || r.IntN(3) > 0 {
				kept = append(kept, s)
				continue
			}
			if known := f.Event(s.e.ID) != nil; f.Remove(s.e.ID) != known {
				t.Fatalf("seed %d: removed what is not there", seed)
			}
		}
		if got, want := snap(f, size), snap(fold(kept, false), size); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %s", seed, difference(got, want))
		}
		if len(kept) == 0 && len(f.children)+len(f.threads)+len(f.acts.reactions) > 0 {
			t.Fatalf("seed %d: something is left", seed)
		}
	}
}

func TestTheKeyAndTheBlockedMayComeLater(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		set := randomRoom(r, 30)
		early, late := New(here, relay, nil), New(here, "", nil)
		early.SetBlocked([]string{bob})
		for _, s := range set {
			early.Add(s.e, s.seen)
			late.Add(s.e, s.seen)
		}
		late.flush()
		late.SetRelayKey(relay)
		late.SetBlocked([]string{bob})
		if got, want := snap(late, 30), snap(early, 30); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %s", seed, difference(got, want))
		}
	}
}

// Whatever looks different after an event was said to have changed.
func TestTakeChangedMissesNothing(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 4))
		set := randomRoom(r, 30)
		f := New(here, relay, nil)
		before := snap(f, 30)
		act := func(what string, do func()) {
			f.TakeChanged()
			do()
			changed := f.TakeChanged()
			after := snap(f, 30)
			for n := 1; n <= 31; n++ {
				if !reflect.DeepEqual(before.Messages[id(n)], after.Messages[id(n)]) && !slices.Contains(changed.Messages, id(n)) {
					t.Fatalf("seed %d: %s changed message %d: %+v, %+v", seed, what, n, before.Messages[id(n)], after.Messages[id(n)])
				}
				// That a root itself comes or goes is a change of its message.
				replies := func(s snapshot) []string { return without1(s.Threads[id(n)], id(n)) }
				if !slices.Equal(replies(before), replies(after)) && !slices.Contains(changed.Threads, id(n)) {
					t.Fatalf("seed %d: %s changed thread %d", seed, what, n)
				}
			}
			if !reflect.DeepEqual(before.Order, after.Order) && !changed.Timeline {
				t.Fatalf("seed %d: %s changed the timeline", seed, what)
			}
			if !reflect.DeepEqual(before.Meta, after.Meta) && !changed.Meta {
				t.Fatalf("seed %d: %s changed the metadata", seed, what)
			}
			before = after
		}
		for _, s := range set {
			act(fmt.Sprintf("adding %s", s.e), func() { f.Add(s.e, s.seen) })
		}
		act("an earlier sighting", func() { f.Add(set[9].e, 1) })
		act("blocking", func() { f.SetBlocked([]string{eve}) })
		act("an agent", func() { f.people.SetAgent(bob, "Ana") })
		act("another relay key", func() { f.SetRelayKey("") })
		for _, s := range set {
			act(fmt.Sprintf("removing %s", s.e), func() { f.Remove(s.e.ID) })
		}
		if changed := f.TakeChanged(); changed.Timeline || changed.Meta || changed.Messages != nil || changed.Threads != nil {
			t.Fatalf("nothing happened: %+v", changed)
		}
	}
}

func without1(ids []string, id string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(s string) bool { return s == id })
}

// A child never stands before a parent, and lists and places agree.
func TestOrderHolds(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 5))
		set := randomRoom(r, 60)
		f := fold(set, seed%2 == 0)
		ids := f.Window("", 1<<30, 0).IDs
		for i, s := range ids {
			n := f.message(s)
			if i > 0 && f.message(ids[i-1]).place.compare(n.place) >= 0 {
				t.Fatalf("seed %d: %s stands wrong", seed, s)
			}
			for _, parent := range n.parents {
				p := f.message(parent)
				if p != nil && (p.cycle == "" || p.cycle != n.cycle) && p.place.compare(n.place) >= 0 {
					t.Fatalf("seed %d: %s stands before its parent", seed, s)
				}
			}
		}
	}
}

func difference(got, want snapshot) string {
	var b strings.Builder
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range g.NumField() {
		if !reflect.DeepEqual(g.Field(i).Interface(), w.Field(i).Interface()) {
			fmt.Fprintf(&b, "\n%s: %+v\nwant %+v", g.Type().Field(i).Name, g.Field(i), w.Field(i))
		}
	}
	return b.String()
}
