package store

import (
	"context"
	"slices"
	"sync"
)

// tailLimit is how many late records are sorted in one by one rather than by
// sorting all.
const tailLimit = 8

// memory is a store that ends with the program.
type memory struct {
	why string

	mu     sync.Mutex
	closed bool
	events map[string]*item
	byPath map[string]*shelf
	outbox map[string]Entry
	values map[string]map[string][]byte
}

var _ Store = (*memory)(nil)

// item is a kept record. dead is set when it was deleted, so that shelves can
// drop it when they are next read.
type item struct {
	record Record
	dead   bool
}

// shelf holds the items under one path. The first sorted ones are newest
// first; the rest came later and wait to be sorted in.
type shelf struct {
	items  []*item
	sorted int
}

// NewMemory gives an empty store in memory. why is what Durable says.
func NewMemory(why string) Store { return newMemory(why) }

func newMemory(why string) *memory {
	m := &memory{why: why}
	m.clear()
	return m
}

func (m *memory) clear() {
	m.events = map[string]*item{}
	m.byPath = map[string]*shelf{}
	m.outbox = map[string]Entry{}
	m.values = map[string]map[string][]byte{}
}

// enter locks an open store.
func (m *memory) enter(ctx context.Context) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil, ErrClosed
	}
	return m.mu.Unlock, nil
}

func (m *memory) Put(ctx context.Context, records []Record) error {
	if err := checkRecords(records); err != nil {
		return err
	}
	leave, err := m.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	for _, r := range records {
		m.put(r)
	}
	return nil
}

func (m *memory) put(r Record) {
	kept, known := m.events[r.Event.ID]
	if !known {
		r.Relays = normalRelays(slices.Clone(r.Relays))
		kept = &item{record: r}
		m.events[r.Event.ID] = kept
		m.shelve(kept, paths(r))
		return
	}
	next, changed := merged(kept.record, r)
	if !changed {
		return
	}
	before := roomPaths(kept.record)
	kept.record = next
	m.shelve(kept, slices.DeleteFunc(roomPaths(next), func(path string) bool {
		return slices.Contains(before, path)
	}))
}

func (m *memory) shelve(it *item, paths []string) {
	for _, path := range paths {
		s := m.byPath[path]
		if s == nil {
			s = &shelf{}
			m.byPath[path] = s
		}
		s.items = append(s.items, it)
	}
}

func (m *memory) Query(ctx context.Context, q Query) ([]Record, error) {
	leave, err := m.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if len(q.IDs) > 0 {
		var found []Record
		for _, id := range distinct(q.IDs) {
			if it := m.events[id]; it != nil {
				found = append(found, it.record)
			}
		}
		return finish(q, found), nil
	}
	var streams []stream
	for _, path := range plan(q) {
		if s := m.byPath[path]; s != nil {
			streams = append(streams, s.from(q))
		}
	}
	return merge(q, streams)
}

func (m *memory) Delete(ctx context.Context, ids []string) error {
	leave, err := m.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	for _, id := range ids {
		it := m.events[id]
		if it == nil {
			continue
		}
		it.dead = true
		delete(m.events, id)
		for _, path := range paths(it.record) {
			// A pass over the shelf per deletion would be slow: it is marked
			// untidy, and drops its dead when it is next read.
			s := m.byPath[path]
			if s.sorted = min(s.sorted, len(s.items)-1); s.sorted == 0 && len(s.items) == 1 {
				delete(m.byPath, path)
			}
		}
	}
	return nil
}

// tidy drops the dead and sorts in what came late.
func (s *shelf) tidy() {
	if s.sorted == len(s.items) {
		return
	}
	before := len(s.items)
	s.items = slices.DeleteFunc(s.items, func(it *item) bool { return it.dead })
	order := func(a, b *item) int { return byNewest(a.record, b.record) }
	late := len(s.items) - s.sorted
	if before != len(s.items) || late > tailLimit {
		slices.SortFunc(s.items, order)
	} else {
		for i := s.sorted; i < len(s.items); i++ {
			it := s.items[i]
			at, _ := slices.BinarySearchFunc(s.items[:i], it, order)
			copy(s.items[at+1:i+1], s.items[at:i])
			s.items[at] = it
		}
	}
	s.sorted = len(s.items)
}

// from gives the shelf's records from where a query's answer can begin.
func (s *shelf) from(q Query) stream {
	s.tidy()
	at, _ := slices.BinarySearchFunc(s.items, q, func(it *item, q Query) int {
		ev := it.record.Event
		if (q.Until != 0 && int64(ev.CreatedAt) > q.Until) ||
			(q.Before != nil && !after(int64(ev.CreatedAt), ev.ID, *q.Before)) {
			return -1
		}
		return 1
	})
	return &shelfStream{items: s.items[at:], since: q.Since}
}

type shelfStream struct {
	items []*item
	since int64
}

func (s *shelfStream) peek() (Record, bool, error) {
	if len(s.items) == 0 || (s.since != 0 && int64(s.items[0].record.Event.CreatedAt) < s.since) {
		return Record{}, false, nil
	}
	return s.items[0].record, true, nil
}

func (s *shelfStream) skip() { s.items = s.items[1:] }

// sliceStream gives records that are at hand.
type sliceStream struct{ records []Record }

func (s *sliceStream) sort() { slices.SortFunc(s.records, byNewest) }

func (s *sliceStream) peek() (Record, bool, error) {
	if len(s.records) == 0 {
		return Record{}, false, nil
	}
	return s.records[0], true, nil
}

func (s *sliceStream) skip() { s.records = s.records[1:] }

// holds tells whether an event is kept.
func (m *memory) holds(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.events[id] != nil
}
