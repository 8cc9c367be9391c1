package store

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func openTest(t testing.TB) *Store {
	t.Helper()
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// hexID is the nth id or key; the store does not look at signatures.
func hexID(n int) string { return fmt.Sprintf("%064x", n+1) }

func save(t testing.TB, s *Store, ev *nostr.Event) {
	t.Helper()
	if err := s.Update(func(tx *Tx) error { return tx.Save(ev, 0) }); err != nil {
		t.Fatal(err)
	}
}

// all reads a query to its end.
func all(t testing.TB, s *Store, f nostr.Filter) []Row {
	t.Helper()
	var out []Row
	for c := s.Query(f); ; {
		rows, err := c.Next(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) == 0 {
			return out
		}
		out = append(out, rows...)
	}
}

// random makes events that share a lot, so that filters meet.
type random struct{ *rand.Rand }

func (r random) event(n int) *nostr.Event {
	ev := &nostr.Event{
		ID: hexID(r.IntN(1 << 30)), PubKey: hexID(r.IntN(5)), Sig: strings.Repeat("0", 128),
		CreatedAt: nostr.Timestamp(r.IntN(20)), Kind: []int{1, 7, 9, 11, 1111}[r.IntN(5)], Content: fmt.Sprint(n), Tags: nostr.Tags{},
	}
	if r.IntN(3) > 0 {
		ev.Tags = append(ev.Tags, nostr.Tag{"h", r.room()})
	}
	for range r.IntN(4) {
		ev.Tags = append(ev.Tags, nostr.Tag{r.name(), r.value()})
	}
	return ev
}

// room is a name, or one that looks like a key.
func (r random) room() string {
	return []string{"a", "b", hexID(1), strings.ToUpper(hexID(0xabc))}[r.IntN(4)]
}
func (r random) name() string { return []string{"e", "p", "t", "d", "E"}[r.IntN(5)] }
func (r random) value() string {
	return []string{"x", "y", "", hexID(0), hexID(1), hexID(2), strings.ToUpper(hexID(0xabc))}[r.IntN(7)]
}

func some[T any](r random, most int, one func() T) []T {
	var out []T
	for range 1 + r.IntN(most) {
		out = append(out, one())
	}
	return out
}

func (r random) filter(evs []*nostr.Event) nostr.Filter {
	var f nostr.Filter
	if r.IntN(8) == 0 {
		f.IDs = some(r, 20, func() string { return evs[r.IntN(len(evs))].ID })
	}
	if r.IntN(2) == 0 {
		f.Kinds = some(r, 8, func() int { return []int{1, 7, 9, 11, 1111, 5, 6}[r.IntN(7)] })
	}
	if r.IntN(3) == 0 {
		f.Authors = some(r, 7, func() string { return hexID(r.IntN(7)) })
	}
	for range r.IntN(3) {
		if f.Tags == nil {
			f.Tags = nostr.TagMap{}
		}
		f.Tags[r.name()] = some(r, 4, r.value)
	}
	if r.IntN(3) == 0 {
		if f.Tags == nil {
			f.Tags = nostr.TagMap{}
		}
		f.Tags["h"] = some(r, 3, r.room)
	}
	if r.IntN(4) == 0 {
		at := nostr.Timestamp(r.IntN(20))
		f.Since = &at
	}
	if r.IntN(4) == 0 {
		at := nostr.Timestamp(r.IntN(20))
		f.Until = &at
	}
	if r.IntN(3) == 0 {
		f.Limit = 1 + r.IntN(50)
	}
	return f
}

// TestQueriesAgreeWithMatches: whichever index leads, a query gives what the
// filter matches, newest first, then lowest id.
func TestQueriesAgreeWithMatches(t *testing.T) {
	r := random{rand.New(rand.NewPCG(1, 2))}
	s := openTest(t)
	var evs []*nostr.Event
	for n := range 300 {
		ev := r.event(n)
		evs = append(evs, ev)
		save(t, s, ev)
	}
	slices.SortFunc(evs, func(a, b *nostr.Event) int {
		if a.CreatedAt != b.CreatedAt {
			return int(b.CreatedAt - a.CreatedAt)
		}
		return strings.Compare(a.ID, b.ID)
	})
	for n := range 250 {
		f := r.filter(evs)
		var want []string
		for _, ev := range evs {
			if f.Matches(ev) {
				want = append(want, ev.ID)
			}
		}
		var got []string
		for _, row := range all(t, s, f) {
			got = append(got, hex.EncodeToString(row.Key.id))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("filter %d %v: got %d, want %d:\n%v\n%v", n, f, len(got), len(want), got, want)
		}
	}
}

// TestPages: rows come in pages bounded by number and by bytes.
func TestPages(t *testing.T) {
	s := openTest(t)
	const small, large = keysAtOnce + rowsAtOnce + 1, 5
	err := s.Update(func(tx *Tx) error {
		for n := range small {
			if err := tx.Save(&nostr.Event{ID: hexID(n), PubKey: hexID(0), Kind: 1, CreatedAt: 5}, 0); err != nil {
				return err
			}
		}
		for n := range large {
			ev := &nostr.Event{ID: hexID(small + n), PubKey: hexID(0), Kind: 2, CreatedAt: 5, Content: strings.Repeat("x", bytesAtOnce/2)}
			if err := tx.Save(ev, 0); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[int]struct{ rows, page int }{1: {small, rowsAtOnce}, 2: {large, 1}} {
		rows, largest := 0, 0
		for c := s.Query(nostr.Filter{Kinds: []int{kind}}); ; {
			page, err := c.Next(context.Background(), 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(page) == 0 {
				break
			}
			rows, largest = rows+len(page), max(largest, len(page))
		}
		if rows != want.rows || largest != want.page {
			t.Errorf("kind %d: %d rows in pages of at most %d, want %+v", kind, rows, largest, want)
		}
	}
}

// TestEveryQueryHasAnIndex: no filter makes SQLite read a whole table.
func TestEveryQueryHasAnIndex(t *testing.T) {
	r := random{rand.New(rand.NewPCG(3, 4))}
	s := openTest(t)
	evs := []*nostr.Event{r.event(0)}
	for range 100 {
		f := r.filter(evs)
		for _, after := range []Key{{}, {ord: -5, id: make([]byte, 32)}} {
			query, args := selectKeys(plan(f), f, after, 100)
			rows, err := s.read.Query("EXPLAIN QUERY PLAN "+query, args...)
			if err != nil {
				t.Fatalf("%v: %v\n%s", f, err, query)
			}
			for rows.Next() {
				var a, b, c int
				var detail string
				if err := rows.Scan(&a, &b, &c, &detail); err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(detail, "SCAN e") && !strings.Contains(detail, "USING") || strings.HasPrefix(detail, "SCAN t") {
					t.Fatalf("%v: %s\n%s", f, detail, query)
				}
			}
			if err := errors.Join(rows.Err(), rows.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestRoomsAndKindsAreWalkedInOrder: the queries a room is opened with stop at
// their limit and sort nothing.
func TestRoomsAndKindsAreWalkedInOrder(t *testing.T) {
	s := openTest(t)
	for _, f := range []nostr.Filter{
		{Kinds: []int{9}, Tags: nostr.TagMap{"h": {"a"}}},
		{Tags: nostr.TagMap{"h": {"a"}}},
		{Kinds: []int{9, 11}, Tags: nostr.TagMap{"p": {hexID(1)}}},
		{Kinds: []int{0}, Authors: []string{hexID(1)}},
		{Kinds: []int{1}}, {},
	} {
		query, args := selectKeys(plan(f), f, Key{}, 100)
		rows, err := s.read.Query("EXPLAIN QUERY PLAN "+query, args...)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var a, b, c int
			var detail string
			if err := rows.Scan(&a, &b, &c, &detail); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(detail, "TEMP B-TREE") {
				t.Errorf("%v: %s", f, detail)
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPanicsAndFailures: a job that falls takes its batch with it and nothing
// else.
func TestPanicsAndFailures(t *testing.T) {
	s := openTest(t)
	if err := s.Update(func(tx *Tx) error { panic("a mistake") }); err == nil || !strings.Contains(err.Error(), "a mistake") {
		t.Errorf("a panic: %v", err)
	}
	if err := s.Update(func(tx *Tx) error { _, err := tx.exec("INSERT INTO nowhere VALUES (1)"); return err }); err == nil {
		t.Error("a statement that fails does not")
	}
	own := errors.New("own")
	if err := s.Update(func(tx *Tx) error { return own }); !errors.Is(err, own) {
		t.Errorf("an error of its own: %v", err)
	}
	save(t, s, &nostr.Event{ID: hexID(1), PubKey: hexID(1), Kind: 1})
	if got := len(all(t, s, nostr.Filter{})); got != 1 {
		t.Errorf("%d events", got)
	}
}

// TestCloseWhileWriting: each job is done or told that it is not.
func TestCloseWhileWriting(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	kept := 0
	begun := make(chan struct{}, 8)
	for n := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := 0; ; i++ {
				ev := &nostr.Event{ID: hexID(n*1_000_000 + i), PubKey: hexID(0), Kind: 1}
				err := s.Update(func(tx *Tx) error { return tx.Save(ev, 0) })
				if err != nil {
					if !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
					return
				}
				mu.Lock()
				kept++
				mu.Unlock()
				if i == 10 {
					begun <- struct{}{}
				}
			}
		}()
	}
	for range 8 {
		<-begun
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	if s, err = Open(dir); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := len(allRows(t, s)); got != kept {
		t.Errorf("%d of %d are kept", got, kept)
	}
}

func allRows(t *testing.T, s *Store) []Row { return all(t, s, nostr.Filter{}) }

// TestLongTagValues: what is too long to be found is stored all the same.
func TestLongTagValues(t *testing.T) {
	s := openTest(t)
	for n, length := range []int{MaxTagValue, MaxTagValue + 1} {
		value := strings.Repeat("v", length)
		save(t, s, &nostr.Event{ID: hexID(n), PubKey: hexID(0), Kind: 1, Tags: nostr.Tags{{"t", value}, {"t", value}}})
		got := all(t, s, nostr.Filter{Tags: nostr.TagMap{"t": {value}}})
		if want := length <= MaxTagValue; len(got) == 1 != want {
			t.Errorf("%d bytes: found %d", length, len(got))
		}
	}
	if got := all(t, s, nostr.Filter{}); len(got) != 2 {
		t.Errorf("%d are stored", len(got))
	}
}

func TestManyTags(t *testing.T) {
	s := openTest(t)
	ev := &nostr.Event{ID: hexID(1), PubKey: hexID(0), Kind: 1}
	for n := range 2*tagsAtOnce + 3 {
		ev.Tags = append(ev.Tags, nostr.Tag{"t", fmt.Sprint(n)})
	}
	save(t, s, ev)
	for n := range ev.Tags {
		if got := all(t, s, nostr.Filter{Tags: nostr.TagMap{"t": {fmt.Sprint(n)}}}); len(got) != 1 {
			t.Fatalf("tag %d is not found", n)
		}
	}
	if err := s.Update(func(tx *Tx) error { return tx.remove(append(make([]byte, 31), 2)) }); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := s.read.QueryRow("SELECT count(*) FROM tags").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d tags are left of an event that is gone (%v)", left, err)
	}
}

// TestOddFolders: a folder with odd letters in its name is one, too.
func TestOddFolders(t *testing.T) {
	s, err := Open(t.TempDir() + "/a b?c#d%41/ü")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
