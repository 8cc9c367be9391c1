package verify

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nbd-wtf/go-nostr"
)

// signed makes an event of author number a.
func signed(t testing.TB, r *rand.Rand, a int) *nostr.Event {
	t.Helper()
	e := &nostr.Event{
		Kind: 9, CreatedAt: nostr.Timestamp(r.IntN(2e9)), Tags: nostr.Tags{{"h", "room"}},
		Content: fmt.Sprintf("message %d", r.Uint64()),
	}
	if err := Sign(e, [32]byte{0: 1, 31: byte(a + 1)}, random32(r)); err != nil {
		t.Fatal(err)
	}
	return e
}

func flip(r *rand.Rand, digits string) string {
	b := []byte(digits)
	i := r.IntN(len(b))
	b[i] = "123456789abcdef0"[hexValues[b[i]]]
	return string(b)
}

func rehash(e *nostr.Event) {
	id := ID(e)
	e.ID = hex.EncodeToString(id[:])
}

// tampers are the ways an event goes wrong. Some keep the id right.
var tampers = []func(r *rand.Rand, e, other *nostr.Event){
	func(r *rand.Rand, e, _ *nostr.Event) { e.Content += "." },
	func(r *rand.Rand, e, _ *nostr.Event) { e.Content += "."; rehash(e) },
	func(r *rand.Rand, e, _ *nostr.Event) { e.ID = flip(r, e.ID) },
	func(r *rand.Rand, e, _ *nostr.Event) { e.Sig = flip(r, e.Sig[:64]) + e.Sig[64:] },
	func(r *rand.Rand, e, _ *nostr.Event) { e.Sig = e.Sig[:64] + flip(r, e.Sig[64:]) },
	func(r *rand.Rand, e, _ *nostr.Event) { e.Sig = e.Sig[:64] + strings.Repeat("f", 64) },
	func(r *rand.Rand, e, _ *nostr.Event) { e.Sig = strings.Repeat("f", 64) + e.Sig[64:] },
	func(r *rand.Rand, e, o *nostr.Event) { e.Sig = o.Sig },
	func(r *rand.Rand, e, o *nostr.Event) { e.Sig, o.Sig = o.Sig, e.Sig },
	func(r *rand.Rand, e, o *nostr.Event) { e.PubKey = o.PubKey; rehash(e) },
	func(r *rand.Rand, e, _ *nostr.Event) { e.PubKey = flip(r, e.PubKey); rehash(e) },
	func(r *rand.Rand, e, _ *nostr.Event) { e.PubKey = strings.Repeat("f", 64); rehash(e) },
	func(r *rand.Rand, e, _ *nostr.Event) { e.Sig = strings.ToUpper(e.Sig) },
	func(r *rand.Rand, e, _ *nostr.Event) { e.Kind = -1 },
	func(r *rand.Rand, e, o *nostr.Event) { *e = *o }, // the same event twice
}

func TestBatchSaysWhatEventSays(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pool := make([]*nostr.Event, 80)
	for i := range pool {
		pool[i] = signed(t, r, i%7)
	}
	for round := range 60 {
		n := []int{0, 1, minBatch - 1, minBatch, 5, 17, 80}[round%7]
		events := make([]*nostr.Event, n)
		for i, k := range r.Perm(len(pool))[:n] {
			e := *pool[k]
			events[i] = &e
		}
		for range []int{0, 0, 1, 2, n}[round%5] {
			if n > 0 {
				tampers[r.IntN(len(tampers))](r, events[r.IntN(n)], events[r.IntN(n)])
			}
		}
		if n > 1 && r.IntN(5) == 0 {
			events[r.IntN(n)] = nil
		}
		compare(t, events)
	}
}

func compare(t *testing.T, events []*nostr.Event) {
	t.Helper()
	got := Batch(events, strings.NewReader(strings.Repeat("r", 32)))
	if len(got) != len(events) {
		t.Fatalf("%d results for %d events", len(got), len(events))
	}
	for i, e := range events {
		if want := Event(e); fmt.Sprint(got[i]) != fmt.Sprint(want) {
			t.Errorf("event %d of %d: %v, one by one %v", i, len(events), got[i], want)
		}
	}
}

func TestEveryTamperIsFoundInABatch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i, tamper := range tampers {
		events := make([]*nostr.Event, 20)
		for k := range events {
			events[k] = signed(t, r, k%3)
		}
		tamper(r, events[7], events[12])
		compare(t, events)
		if i < len(tampers)-1 && Event(events[7]) == nil {
			t.Errorf("tamper %d left the event good", i)
		}
	}
}

func TestBatchWithoutRandomnessChecksOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	events := []*nostr.Event{signed(t, r, 0), signed(t, r, 1), signed(t, r, 2), signed(t, r, 3)}
	tampers[4](r, events[2], nil)
	errs := Batch(events, iotest.ErrReader(errors.New("no randomness")))
	for i, err := range errs {
		if (err != nil) != (i == 2) {
			t.Errorf("event %d: %v", i, err)
		}
	}
}

func TestSlicesCoverTheHistory(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	good := signed(t, r, 0)
	bad := *good
	tampers[4](r, &bad, nil)
	for _, n := range []int{0, 1, SliceSize, SliceSize + 1, 2*SliceSize + 5} {
		events := make([]*nostr.Event, n)
		for i := range events {
			events[i] = good
		}
		if n > 0 {
			events[n-1] = &bad
		}
		next := 0
		for from, errs := range Slices(events, r8(r)) {
			if from != next || len(errs) == 0 || len(errs) > SliceSize {
				t.Fatalf("a slice of %d from %d, want it from %d", len(errs), from, next)
			}
			for i, err := range errs {
				if (err != nil) != (from+i == n-1) {
					t.Errorf("event %d of %d: %v", from+i, n, err)
				}
			}
			next += len(errs)
		}
		if next != n {
			t.Errorf("%d of %d events", next, n)
		}
	}
	for range Slices([]*nostr.Event{good, good}, r8(r)) {
		break // leaving early is no panic
	}
}

func r8(r *rand.Rand) *rand.ChaCha8 { return rand.NewChaCha8(random32(r)) }

func TestBatchesAtTheSameTime(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	events := make([]*nostr.Event, 10)
	for i := range events {
		events[i] = signed(t, r, i%2)
	}
	done := make(chan []error)
	for range 4 {
		seed := random32(r)
		go func() { done <- Batch(events, rand.NewChaCha8(seed)) }()
	}
	for range 4 {
		for i, err := range <-done {
			if err != nil {
				t.Errorf("event %d: %v", i, err)
			}
		}
	}
}
