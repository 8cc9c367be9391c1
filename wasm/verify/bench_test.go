package verify

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// The figures set beside those of other libraries: the same content, tags and
// number of authors, in the same JavaScript engine.
const (
	benchContent = "hello world this is a chat message of ordinary length, with some words."
	benchAuthors = 10
)

func benchFrames(b *testing.B, n, authors int) (frames [][]byte) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		e := &nostr.Event{
			Kind: 9, CreatedAt: nostr.Timestamp(1700000000 + i), Content: benchContent,
			Tags: nostr.Tags{{"h", "room"}},
		}
		if err := Sign(e, [32]byte{0: 1, 31: byte(i % authors)}, random32(r)); err != nil {
			b.Fatal(err)
		}
		frame, err := json.Marshal([]any{"EVENT", "sub", e})
		if err != nil {
			b.Fatal(err)
		}
		frames = append(frames, frame)
	}
	return frames
}

func benchVerify(b *testing.B, n, authors int) {
	frames := benchFrames(b, n, authors)
	seed := rand.NewChaCha8([32]byte{1})
	events := make([]*nostr.Event, n)
	b.ReportAllocs()
	for b.Loop() {
		for i, frame := range frames {
			_, e, err := ParseFrame(frame)
			if err != nil {
				b.Fatal(err)
			}
			events[i] = e
		}
		for _, err := range Batch(events, seed) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1e3/float64(b.N)/float64(n), "us/event")
}

func BenchmarkFrameToVerified(b *testing.B)          { benchVerify(b, SliceSize, benchAuthors) }
func BenchmarkFrameToVerified64(b *testing.B)        { benchVerify(b, 64, benchAuthors) }
func BenchmarkFrameToVerified1024(b *testing.B)      { benchVerify(b, 1024, benchAuthors) }
func BenchmarkFrameToVerifiedStrangers(b *testing.B) { benchVerify(b, SliceSize, SliceSize) }
func BenchmarkFrameToVerifiedFew(b *testing.B)       { benchVerify(b, 4, 4) }
func BenchmarkFrameToVerifiedMinBatch(b *testing.B)  { benchVerify(b, minBatch, minBatch) }

func benchEvent(b *testing.B) *nostr.Event {
	_, e, err := ParseFrame(benchFrames(b, 1, 1)[0])
	if err != nil {
		b.Fatal(err)
	}
	return e
}

func BenchmarkEvent(b *testing.B) {
	e := benchEvent(b)
	for b.Loop() {
		if err := Event(e); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBadBatch has one event in 16 with a wrong signature.
func BenchmarkBadBatch(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	events := make([]*nostr.Event, SliceSize)
	for i := range events {
		events[i] = signed(b, r, i%benchAuthors)
		if i%16 == 3 {
			tampers[4](r, events[i], nil)
		}
	}
	seed := rand.NewChaCha8([32]byte{1})
	for b.Loop() {
		Batch(events, seed)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1e3/float64(b.N)/SliceSize, "us/event")
}

func BenchmarkSign(b *testing.B) {
	e := &nostr.Event{Kind: 9, CreatedAt: 1, Content: benchContent, Tags: nostr.Tags{{"h", "room"}}}
	for b.Loop() {
		if err := Sign(e, [32]byte{31: 7}, [32]byte{1}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseFrame(b *testing.B) {
	frame := benchFrames(b, 1, 1)[0]
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := ParseFrame(frame); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkID(b *testing.B) {
	e := benchEvent(b)
	for b.Loop() {
		ID(e)
	}
}
