package room

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

const manyMessages = 50_000

// manyEvents is a long room in which every message answers the one before it.
func manyEvents() []*nostr.Event {
	events := make([]*nostr.Event, manyMessages)
	for i := range events {
		events[i] = msg(i+1, []string{ana, bob, eve}[i%3], int64(1000+i), "a message of some words", q(i))
	}
	return events
}

func benchmarkAdd(b *testing.B, flushEach bool, arrange func([]*nostr.Event)) {
	events := manyEvents()
	arrange(events)
	b.ReportAllocs()
	for b.Loop() {
		f := New(here, relay, nil)
		for _, e := range events {
			f.Add(e, int64(e.CreatedAt))
			if flushEach {
				f.flush()
			}
		}
		f.flush()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/manyMessages, "ns/event")
}

func inOrder([]*nostr.Event) {}

func shuffle(events []*nostr.Event) {
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
}

func BenchmarkAddInOrder(b *testing.B)          { benchmarkAdd(b, false, inOrder) }
func BenchmarkAddInOrderOneByOne(b *testing.B)  { benchmarkAdd(b, true, inOrder) }
func BenchmarkAddReverse(b *testing.B)          { benchmarkAdd(b, false, slices.Reverse) }
func BenchmarkAddReverseOneByOne(b *testing.B)  { benchmarkAdd(b, true, slices.Reverse) }
func BenchmarkAddShuffled(b *testing.B)         { benchmarkAdd(b, false, shuffle) }
func BenchmarkAddShuffledOneByOne(b *testing.B) { benchmarkAdd(b, true, shuffle) }

func BenchmarkWindowInTheMiddle(b *testing.B) {
	f := filled(manyEvents()...)
	for b.Loop() {
		f.Window(id(manyMessages/2), 100, 100)
	}
}

func BenchmarkUnreadOfTen(b *testing.B) {
	f := filled(manyEvents()...)
	mark, _ := f.MarkAt(id(manyMessages-10), 1<<40)
	for b.Loop() {
		f.Unread(mark, ana)
	}
}

func BenchmarkMessage(b *testing.B) {
	f := filled(manyEvents()...)
	for b.Loop() {
		f.Message(id(manyMessages/2), ana)
	}
}

func BenchmarkProfileChange(b *testing.B) {
	f := filled(manyEvents()...)
	f.TakeChanged()
	at := int64(0)
	for b.Loop() {
		at++
		f.Add(evBare(1, KindProfile, id(0xabc), at, `{"name":"new"}`), at)
		f.TakeChanged()
	}
}
