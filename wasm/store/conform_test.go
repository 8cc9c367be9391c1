package store

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// conform is what every Store must do. open gives a fresh, empty one.
func conform(t *testing.T, open func(t *testing.T) Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Store){
		"putting twice keeps the earliest seen and all relays": testPutMerges,
		"a record that cannot be read back is refused":         testPutRefuses,
		"an event comes back as it was put":                    testRoundTrip,
		"newest first, then lowest id":                         testOrder,
		"every query answers like a scan":                      testQueriesLikeScan,
		"pages join without gap or overlap":                    testPages,
		"many events of one second page alike":                 testSameSecond,
		"rooms are relay and id":                               testRooms,
		"a deleted event is gone, and may come back":           testDelete,
		"the limits of the index":                              testIndexLimits,
		"outbox":                                               testOutbox,
		"small values":                                         testValues,
		"many writers at once":                                 testConcurrent,
		"wiping leaves nothing":                                testWipe,
		"closed is closed":                                     testClosed,
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			defer s.Close()
			test(t, s)
		})
	}
}

func event(n int, at int64, kind int, author string, tags ...nostr.Tag) *nostr.Event {
	return &nostr.Event{
		ID: fmt.Sprintf("%064x", n), PubKey: author, CreatedAt: nostr.Timestamp(at), Kind: kind,
		Tags: append(nostr.Tags{}, tags...), Content: fmt.Sprint("event ", n), Sig: strings.Repeat("0", 128),
	}
}

func put(t *testing.T, s Store, records ...Record) {
	t.Helper()
	if err := s.Put(t.Context(), records); err != nil {
		t.Fatal(err)
	}
}

func query(t *testing.T, s Store, q Query) []Record {
	t.Helper()
	found, err := s.Query(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func ids(records []Record) []string {
	out := []string{}
	for _, r := range records {
		out = append(out, r.Event.ID)
	}
	return out
}

func wantIDs(t *testing.T, got []Record, want ...int) {
	t.Helper()
	list := []string{}
	for _, n := range want {
		list = append(list, fmt.Sprintf("%064x", n))
	}
	if !slices.Equal(ids(got), list) {
		t.Fatalf("got ids %v\nwant %v", ids(got), list)
	}
}

func testPutMerges(t *testing.T, s Store) {
	ev := event(1, 100, 9, "alice", nostr.Tag{"h", "room"})
	put(t, s, Record{ev, 50, []string{"wss://b"}}, Record{ev, 60, []string{"wss://a"}})
	put(t, s, Record{ev, 40, []string{"wss://b", "wss://c"}})
	put(t, s, Record{ev, 70, nil})
	got := query(t, s, Query{IDs: []string{ev.ID}})
	wantIDs(t, got, 1)
	if got[0].Seen != 40 || !slices.Equal(got[0].Relays, []string{"wss://a", "wss://b", "wss://c"}) {
		t.Fatalf("got seen %d relays %v", got[0].Seen, got[0].Relays)
	}
	for _, url := range got[0].Relays {
		wantIDs(t, query(t, s, Query{Room: &RoomRef{url, "room"}}), 1)
	}
}

func testPutRefuses(t *testing.T, s Store) {
	good := event(1, 1, 1, "a")
	short := event(2, 1, 1, "a")
	short.ID = "abc"
	upper := event(3, 1, 1, "a")
	upper.ID = strings.Repeat("A", 64)
	for name, bad := range map[string]Record{
		"no event": {}, "short id": {Event: short}, "upper case id": {Event: upper},
		"empty relay": {Event: good, Relays: []string{""}}, "relay with a space": {Event: good, Relays: []string{"wss://a b"}},
		"relay with a newline": {Event: good, Relays: []string{"wss://a\nb"}},
	} {
		if err := s.Put(t.Context(), []Record{{Event: event(9, 1, 1, "a")}, bad}); err == nil {
			t.Errorf("%s: was kept", name)
		}
	}
	if found := query(t, s, Query{}); len(found) != 0 {
		t.Fatalf("part of a refused put was kept: %v", ids(found))
	}
}

func testRoundTrip(t *testing.T, s Store) {
	for i, content := range []string{
		"", "plain", "line\nbreak\ttab \"quoted\" \\", "\u2028 \u2029 <>&", "מסר 🙂 é", "\x00\x01\x1f\x7f", strings.Repeat("long ", 50000),
	} {
		ev := event(i+1, int64(i), 9, strings.Repeat("ab", 32), nostr.Tag{"h", content}, nostr.Tag{"empty"}, nostr.Tag{"e", "", "wss://x"})
		ev.Content = content
		put(t, s, Record{ev, 7, []string{"wss://r"}})
		got := query(t, s, Query{IDs: []string{ev.ID}})
		if len(got) != 1 || !reflect.DeepEqual(got[0].Event, ev) {
			t.Fatalf("content %.40q came back as %+v", content, got)
		}
		if len(query(t, s, Query{Tag: "h", Values: []string{content}})) != 1 {
			t.Fatalf("not found by its tag %.40q", content)
		}
	}
}

func testOrder(t *testing.T, s Store) {
	put(t, s,
		Record{Event: event(3, 100, 9, "a")}, Record{Event: event(1, 100, 9, "a")}, Record{Event: event(2, 100, 9, "b")},
		Record{Event: event(4, -5, 9, "a")}, Record{Event: event(5, 1<<60, 9, "a")}, Record{Event: event(6, 0, 9, "a")})
	wantIDs(t, query(t, s, Query{}), 5, 1, 2, 3, 6, 4)
	wantIDs(t, query(t, s, Query{Authors: []string{"a", "b", "a"}, Limit: 3}), 5, 1, 2)
	wantIDs(t, query(t, s, Query{Since: 100}), 5, 1, 2, 3)
	wantIDs(t, query(t, s, Query{Until: 100}), 1, 2, 3, 6, 4)
	wantIDs(t, query(t, s, Query{Since: 100, Until: 100, Limit: 2}), 1, 2)
	wantIDs(t, query(t, s, Query{Since: 200, Until: 100}))
	wantIDs(t, query(t, s, Query{IDs: []string{fmt.Sprintf("%064x", 4), fmt.Sprintf("%064x", 1), "unknown"}}), 1, 4)
}

// world makes events that overlap in every way a query can ask for.
func world(r *rand.Rand, n int) []Record {
	var all []Record
	for i := range n {
		tags := []nostr.Tag{}
		for range r.IntN(4) {
			tags = append(tags, nostr.Tag{pick(r, "e", "p", "q", "E", "title"), pick(r, "v1", "v2", "v3"), "more"})
		}
		if r.IntN(2) == 0 {
			tags = append(tags, nostr.Tag{"h", pick(r, "room1", "room2")})
		}
		ev := event(i+1, int64(r.IntN(30)), []int{1, 7, 9, 39000}[r.IntN(4)], pick(r, "alice", "bob", "carol"), tags...)
		ev.Tags = append(ev.Tags, nostr.Tag{"d", pick(r, "room1", "other")})
		var relays []string
		for _, url := range []string{"wss://one", "wss://two"} {
			if r.IntN(2) == 0 {
				relays = append(relays, url)
			}
		}
		all = append(all, Record{ev, int64(r.IntN(100)), relays})
	}
	return all
}

func pick(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

func anyQuery(r *rand.Rand, all []Record) Query {
	q := Query{Limit: []int{0, 1, 3, 10}[r.IntN(4)]}
	if r.IntN(3) == 0 {
		q.Room = &RoomRef{pick(r, "wss://one", "wss://two", "wss://three"), pick(r, "room1", "room2")}
	}
	if r.IntN(3) == 0 {
		q.Kinds = []int{1, 39000, 9}[:1+r.IntN(3)]
	}
	if r.IntN(3) == 0 {
		q.Authors = []string{"bob", "alice", "nobody"}[:1+r.IntN(3)]
	}
	if r.IntN(3) == 0 {
		q.Tag, q.Values = pick(r, "e", "p", "q", "E"), []string{"v2", "v1", "v2"}[:1+r.IntN(3)]
	}
	if r.IntN(4) == 0 {
		q.Since = int64(r.IntN(30))
	}
	if r.IntN(4) == 0 {
		q.Until = int64(r.IntN(30))
	}
	if r.IntN(3) == 0 {
		ev := all[r.IntN(len(all))].Event
		q.Before = &Cursor{int64(ev.CreatedAt), ev.ID}
	}
	if r.IntN(6) == 0 {
		for range 5 {
			q.IDs = append(q.IDs, all[r.IntN(len(all))].Event.ID)
		}
	}
	return q
}

func testQueriesLikeScan(t *testing.T, s Store) {
	r := rand.New(rand.NewPCG(1, 2))
	all := world(r, 200)
	put(t, s, all...)
	for range 300 {
		q := anyQuery(r, all)
		want := []Record{}
		for _, rec := range all {
			if matches(q, rec) {
				want = append(want, rec)
			}
		}
		slices.SortFunc(want, byNewest)
		if q.Limit > 0 && len(want) > q.Limit {
			want = want[:q.Limit]
		}
		if got := ids(query(t, s, q)); !slices.Equal(got, ids(want)) {
			t.Fatalf("query %+v room %v before %v\ngot  %v\nwant %v", q, q.Room, q.Before, got, ids(want))
		}
	}
}

func readPages(t *testing.T, s Store, q Query) []string {
	t.Helper()
	var all []string
	for {
		page := query(t, s, q)
		if len(page) == 0 {
			return all
		}
		all = append(all, ids(page)...)
		last := page[len(page)-1].Event
		q.Before = &Cursor{int64(last.CreatedAt), last.ID}
	}
}

func testPages(t *testing.T, s Store) {
	r := rand.New(rand.NewPCG(3, 4))
	put(t, s, world(r, 300)...)
	for _, limit := range []int{1, 7, 50} {
		q := Query{Kinds: []int{9, 7}, Limit: limit}
		if got, want := readPages(t, s, q), ids(query(t, s, Query{Kinds: q.Kinds})); !slices.Equal(got, want) {
			t.Fatalf("pages of %d: got %d events, want %d", limit, len(got), len(want))
		}
	}
}

func testSameSecond(t *testing.T, s Store) {
	var all []Record
	for i := range 100 {
		// All share time and the start of the id.
		all = append(all, Record{Event: event(i, 1000, 9, "a", nostr.Tag{"h", "room"}), Relays: []string{"wss://r"}})
	}
	rand.New(rand.NewPCG(5, 6)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	put(t, s, all...)
	got := readPages(t, s, Query{Room: &RoomRef{"wss://r", "room"}, Limit: 3})
	if len(got) != 100 || !slices.IsSorted(got) {
		t.Fatalf("got %d events: %v", len(got), got)
	}
}

func testRooms(t *testing.T, s Store) {
	put(t, s,
		Record{event(1, 1, 9, "a", nostr.Tag{"h", "x"}), 1, []string{"wss://one"}},
		Record{event(2, 2, 9, "a", nostr.Tag{"h", "x"}), 1, []string{"wss://two"}},
		Record{event(3, 3, 9, "a", nostr.Tag{"h", "y"}), 1, []string{"wss://one"}},
		Record{event(4, 4, 39000, "relay", nostr.Tag{"d", "x"}), 1, []string{"wss://one"}},
		Record{event(5, 5, 9, "a", nostr.Tag{"d", "x"}), 1, []string{"wss://one"}},
		Record{event(6, 6, 7, "a", nostr.Tag{"h", "x"}), 1, []string{"wss://one"}})
	wantIDs(t, query(t, s, Query{Room: &RoomRef{"wss://one", "x"}}), 6, 4, 1)
	wantIDs(t, query(t, s, Query{Room: &RoomRef{"wss://one", "x"}, Kinds: []int{9, 39000}}), 4, 1)
	wantIDs(t, query(t, s, Query{Room: &RoomRef{"wss://two", "x"}}), 2)
	wantIDs(t, query(t, s, Query{Room: &RoomRef{"wss://two", "y"}}))
}

func testDelete(t *testing.T, s Store) {
	one, two := event(1, 1, 9, "a"), event(2, 2, 9, "a")
	put(t, s, Record{Event: one, Seen: 5}, Record{Event: two, Seen: 5})
	if err := s.Delete(t.Context(), []string{one.ID, "unknown"}); err != nil {
		t.Fatal(err)
	}
	wantIDs(t, query(t, s, Query{Authors: []string{"a"}}), 2)
	wantIDs(t, query(t, s, Query{IDs: []string{one.ID}}))
	put(t, s, Record{Event: one, Seen: 9})
	got := query(t, s, Query{})
	wantIDs(t, got, 2, 1)
	if got[1].Seen != 9 {
		t.Fatalf("a deleted event came back as seen at %d", got[1].Seen)
	}
}

func testIndexLimits(t *testing.T, s Store) {
	ev := event(1, 1, 3, "a")
	for i := range MaxTagKeys + 1 {
		ev.Tags = append(ev.Tags, nostr.Tag{"p", fmt.Sprint("key", i)}, nostr.Tag{"p", fmt.Sprint("key", i)})
	}
	room := event(2, 2, 9, "a")
	for i := range MaxRooms + 1 {
		room.Tags = append(room.Tags, nostr.Tag{"h", fmt.Sprint("room", i)})
	}
	put(t, s, Record{Event: ev}, Record{room, 1, []string{"wss://r"}})
	wantIDs(t, query(t, s, Query{Tag: "p", Values: []string{fmt.Sprint("key", MaxTagKeys-1)}}), 1)
	wantIDs(t, query(t, s, Query{Tag: "p", Values: []string{fmt.Sprint("key", MaxTagKeys)}}))
	wantIDs(t, query(t, s, Query{Room: &RoomRef{"wss://r", fmt.Sprint("room", MaxRooms-1)}}), 2)
	wantIDs(t, query(t, s, Query{Room: &RoomRef{"wss://r", fmt.Sprint("room", MaxRooms)}}))
	var authors []string
	for i := range MaxPaths / 2 {
		authors = append(authors, fmt.Sprint("author", i))
	}
	authors = append(authors, "a")
	wantIDs(t, query(t, s, Query{Authors: authors[1:], Kinds: []int{3, 4}}), 1)
	wantIDs(t, query(t, s, Query{Authors: authors, Kinds: []int{3, 4}}), 1)
}

func testOutbox(t *testing.T, s Store) {
	first := Entry{ID: "b", Event: event(1, 1, 9, "a"), CreatedAt: 10, Order: 1,
		Targets: []Target{{Relay: "wss://r", State: Waiting, Tries: 2, NextTry: 99, Code: CodeError, Reason: "error: x"}}}
	second := Entry{ID: "a", Draft: &Draft{Event: nostr.Event{Kind: 9, PubKey: "a", Content: "hi", Tags: nostr.Tags{}, CreatedAt: 3}, Reason: "locked"}, Order: 2}
	for _, e := range []Entry{second, first} {
		if err := s.PutOutbox(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Outbox(t.Context())
	if err != nil || !reflect.DeepEqual(got, []Entry{first, second}) {
		t.Fatalf("got %+v, %v", got, err)
	}
	got[0].Targets[0].State = Refused
	first.Order = 3
	if err := s.PutOutbox(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if got, err = s.Outbox(t.Context()); err != nil || !reflect.DeepEqual(got, []Entry{second, first}) {
		t.Fatalf("after replacing: %+v, %v", got, err)
	}
	if err := errors.Join(s.DeleteOutbox(t.Context(), "a"), s.DeleteOutbox(t.Context(), "unknown")); err != nil {
		t.Fatal(err)
	}
	if got, err = s.Outbox(t.Context()); err != nil || len(got) != 1 || got[0].ID != "b" {
		t.Fatalf("after deleting: %+v, %v", got, err)
	}
	for name, bad := range map[string]Entry{
		"no id": {Event: first.Event}, "neither": {ID: "x"}, "both": {ID: "x", Event: first.Event, Draft: second.Draft},
	} {
		if s.PutOutbox(t.Context(), bad) == nil {
			t.Errorf("%s: was kept", name)
		}
	}
}

func testValues(t *testing.T, s Store) {
	if _, err := s.Get(t.Context(), "drafts", "x"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("an absent value gave %v", err)
	}
	value := []byte{0, 1, 255}
	for _, kv := range []struct{ bucket, key string }{{"drafts", "x"}, {"drafts", ""}, {"drafts", "ü\x00y"}, {"draft", "sx"}, {"drafts2", "x"}} {
		if err := s.Set(t.Context(), kv.bucket, kv.key, value); err != nil {
			t.Fatal(err)
		}
	}
	value[0] = 9
	if got, err := s.Get(t.Context(), "drafts", "x"); err != nil || !bytes.Equal(got, []byte{0, 1, 255}) {
		t.Fatalf("got %v, %v", got, err)
	}
	if err := errors.Join(s.Set(t.Context(), "drafts", "x", nil), s.Remove(t.Context(), "drafts", ""), s.Remove(t.Context(), "none", "x")); err != nil {
		t.Fatal(err)
	}
	got, err := s.List(t.Context(), "drafts")
	if want := map[string][]byte{"x": {}, "ü\x00y": {0, 1, 255}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("listed %v, %v", got, err)
	}
	if got, err := s.List(t.Context(), "none"); err != nil || got == nil || len(got) != 0 {
		t.Fatalf("an unknown bucket listed %v, %v", got, err)
	}
	for _, bad := range []string{"", "a\x00b"} {
		if s.Set(t.Context(), bad, "x", nil) == nil {
			t.Errorf("bucket %q was taken", bad)
		}
	}
}

func testConcurrent(t *testing.T, s Store) {
	var wg sync.WaitGroup
	errs := make(chan error, 400)
	for i := range 100 {
		for _, url := range []string{"wss://a", "wss://b", "wss://c"} {
			wg.Go(func() {
				errs <- s.Put(t.Context(), []Record{{event(i+1, int64(i), 9, "a"), int64(i), []string{url}}})
			})
		}
		wg.Go(func() { errs <- s.Set(t.Context(), "b", fmt.Sprint(i), []byte{byte(i)}) })
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	found := query(t, s, Query{})
	if len(found) != 100 {
		t.Fatalf("%d of 100 events", len(found))
	}
	for _, r := range found {
		if len(r.Relays) != 3 {
			t.Fatalf("event %s kept relays %v", r.Event.ID, r.Relays)
		}
	}
	if list, err := s.List(t.Context(), "b"); err != nil || len(list) != 100 {
		t.Fatalf("%d of 100 values, %v", len(list), err)
	}
}

func testWipe(t *testing.T, s Store) {
	put(t, s, Record{Event: event(1, 1, 9, "a")})
	err := errors.Join(
		s.Set(t.Context(), "b", "k", []byte("v")),
		s.PutOutbox(t.Context(), Entry{ID: "x", Event: event(1, 1, 9, "a")}),
		s.Wipe(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	list, _ := s.List(t.Context(), "b")
	entries, _ := s.Outbox(t.Context())
	if len(query(t, s, Query{})) != 0 || len(list) != 0 || len(entries) != 0 {
		t.Fatal("something is left")
	}
	put(t, s, Record{Event: event(2, 1, 9, "a")})
	wantIDs(t, query(t, s, Query{}), 2)
}

func testClosed(t *testing.T, s Store) {
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, queryErr := s.Query(t.Context(), Query{})
	_, getErr := s.Get(t.Context(), "b", "k")
	for name, err := range map[string]error{
		"Put":   s.Put(t.Context(), []Record{{Event: event(1, 1, 1, "a")}}),
		"Query": queryErr, "Get": getErr, "Set": s.Set(t.Context(), "b", "k", nil),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s after Close gave %v", name, err)
		}
	}
}
