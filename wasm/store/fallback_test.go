package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// flaky is a durable store in memory whose failures a test turns on.
type flaky struct {
	*memory
	writes, reads, wipes error
}

func newFlaky() *flaky { return &flaky{memory: newMemory("")} }

func (f *flaky) Durable() (bool, string) { return true, "" }

func (f *flaky) Put(ctx context.Context, r []Record) error {
	if f.writes != nil {
		return f.writes
	}
	return f.memory.Put(ctx, r)
}

func (f *flaky) Delete(ctx context.Context, ids []string) error {
	if f.writes != nil {
		return f.writes
	}
	return f.memory.Delete(ctx, ids)
}

func (f *flaky) PutOutbox(ctx context.Context, e Entry) error {
	if f.writes != nil {
		return f.writes
	}
	return f.memory.PutOutbox(ctx, e)
}

func (f *flaky) DeleteOutbox(ctx context.Context, id string) error {
	if f.writes != nil {
		return f.writes
	}
	return f.memory.DeleteOutbox(ctx, id)
}

func (f *flaky) Set(ctx context.Context, bucket, key string, value []byte) error {
	if f.writes != nil {
		return f.writes
	}
	return f.memory.Set(ctx, bucket, key, value)
}

func (f *flaky) Remove(ctx context.Context, bucket, key string) error {
	if f.writes != nil {
		return f.writes
	}
	return f.memory.Remove(ctx, bucket, key)
}

func (f *flaky) Query(ctx context.Context, q Query) ([]Record, error) {
	if f.reads != nil {
		return nil, f.reads
	}
	return f.memory.Query(ctx, q)
}

func (f *flaky) Wipe(ctx context.Context) error {
	if f.wipes != nil {
		return f.wipes
	}
	return f.memory.Wipe(ctx)
}

var full = &Failure{Code: FailedQuota, Op: "write", Err: errors.New("full")}

func TestFallbackConforms(t *testing.T) {
	t.Run("while the base works", func(t *testing.T) {
		conform(t, func(*testing.T) Store { return newFallback(newFlaky(), nil, nil) })
	})
	t.Run("when the base takes no writes", func(t *testing.T) {
		conform(t, func(*testing.T) Store {
			base := newFlaky()
			base.writes = full
			return newFallback(base, nil, nil)
		})
	})
	t.Run("when the base could not be opened", func(t *testing.T) {
		conform(t, func(*testing.T) Store {
			base := newFlaky()
			base.writes, base.reads = full, full
			return newFallback(base, full, nil)
		})
	})
}

func TestAFailedWriteGoesOnInMemoryAndSaysSoOnce(t *testing.T) {
	base := newFlaky()
	var told []string
	s := newFallback(base, nil, func(why string) { told = append(told, why) })
	old, kept := event(1, 1, 9, "a"), event(2, 2, 9, "a")
	put(t, s, Record{old, 5, []string{"wss://a"}}, Record{Event: kept, Seen: 5})
	if err := errors.Join(s.Set(t.Context(), "b", "old", []byte("1")), s.Set(t.Context(), "b", "gone", []byte("2")),
		s.PutOutbox(t.Context(), Entry{ID: "old", Event: old, Order: 1}), s.PutOutbox(t.Context(), Entry{ID: "gone", Event: old, Order: 2})); err != nil {
		t.Fatal(err)
	}
	if ok, why := s.Durable(); !ok || why != "" {
		t.Fatal("not durable while all is well")
	}
	base.writes = full
	put(t, s, Record{event(3, 3, 9, "a"), 6, nil})
	put(t, s, Record{old, 9, []string{"wss://b"}})
	err := errors.Join(
		s.Delete(t.Context(), []string{kept.ID}),
		s.Set(t.Context(), "b", "new", []byte("3")), s.Remove(t.Context(), "b", "gone"),
		s.PutOutbox(t.Context(), Entry{ID: "new", Event: old, Order: 0}), s.DeleteOutbox(t.Context(), "gone"))
	if err != nil {
		t.Fatal(err)
	}
	if ok, why := s.Durable(); ok || why != full.Words() || !slices.Equal(told, []string{why}) {
		t.Fatalf("durable %t, %q, told %q", ok, why, told)
	}
	got := query(t, s, Query{Authors: []string{"a"}})
	wantIDs(t, got, 3, 1)
	if got[1].Seen != 5 || len(got[1].Relays) != 2 {
		t.Fatalf("merged to %+v", got[1])
	}
	wantIDs(t, query(t, s, Query{Limit: 1, Until: 2}), 1)
	list, err := s.List(t.Context(), "b")
	if err != nil || len(list) != 2 || string(list["old"]) != "1" || string(list["new"]) != "3" {
		t.Fatalf("listed %v, %v", list, err)
	}
	if _, err := s.Get(t.Context(), "b", "gone"); !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	entries, err := s.Outbox(t.Context())
	if err != nil || len(entries) != 2 || entries[0].ID != "new" || entries[1].ID != "old" {
		t.Fatalf("outbox %+v, %v", entries, err)
	}
	put(t, s, Record{Event: kept, Seen: 20}) // what was deleted may come back
	if got := query(t, s, Query{IDs: []string{kept.ID}}); len(got) != 1 || got[0].Seen != 20 {
		t.Fatalf("came back as %+v", got)
	}
	// The base stops being readable too: what is in memory is not lost.
	base.reads = &Failure{Code: FailedLost, Op: "read", Err: errors.New("closed")}
	wantIDs(t, query(t, s, Query{}), 3, 2, 1)
	if len(told) != 1 {
		t.Fatalf("told %d times", len(told))
	}
}

func TestAQueryOverBaseAndMemoryAnswersLikeOneStore(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	all := world(r, 150)
	base := newFlaky()
	s, whole := newFallback(base, nil, nil), newMemory("")
	put(t, s, all[:100]...)
	base.writes = full
	put(t, s, all[50:]...)
	put(t, whole, all...)
	for i := range 40 {
		id := []string{all[i*3].Event.ID}
		if err := errors.Join(s.Delete(t.Context(), id), whole.Delete(t.Context(), id)); err != nil {
			t.Fatal(err)
		}
	}
	for range 300 {
		q := anyQuery(r, all)
		if got, want := ids(query(t, s, q)), ids(query(t, whole, q)); !slices.Equal(got, want) {
			t.Fatalf("query %+v\ngot  %v\nwant %v", q, got, want)
		}
	}
}

func TestErrorsThatAreNotTheBrowsersAreNotSwallowed(t *testing.T) {
	base := newFlaky()
	s := newFallback(base, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Put(ctx, []Record{{Event: event(1, 1, 9, "a")}}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if ok, _ := s.Durable(); !ok {
		t.Fatal("a cancelled call ended durability")
	}
	base.wipes = full
	if err := s.Wipe(t.Context()); !errors.Is(err, full) {
		t.Fatalf("a failed wipe gave %v", err)
	}
}

func TestOutsideABrowserNothingIsDurable(t *testing.T) {
	if ok, why := NewMemory("because").Durable(); ok || why != "because" {
		t.Fatal(ok, why)
	}
}

func TestEveryFailureHasWordsForAPerson(t *testing.T) {
	said := map[string]bool{}
	for _, code := range []FailureCode{FailedQuota, FailedRefused, FailedBlocked, FailedNewer, FailedLost, FailedOther} {
		words := (&Failure{Code: code}).Words()
		if err := (&Failure{Code: code, Op: "write", Err: full}); words == "" || said[words] || !errors.Is(err, full) {
			t.Errorf("%s says %q", code, words)
		}
		said[words] = true
	}
}
