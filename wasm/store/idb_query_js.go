package store

import (
	"context"
	"math"

	"parley/wasm/internal/idb"
)

// How many records a stream reads at a time: at first about what the query
// wants, then twice as many each time.
const (
	leastRead = 8
	mostRead  = 1024
)

func (s *idbStore) Query(ctx context.Context, q Query) ([]Record, error) {
	if len(q.IDs) > 0 {
		found, err := s.byID(ctx, distinct(q.IDs))
		return finish(q, found), err
	}
	from, to := int64(math.MaxInt64), int64(math.MinInt64)
	if q.Until != 0 {
		from = q.Until
	}
	if q.Before != nil {
		from = min(from, q.Before.CreatedAt)
	}
	if q.Since != 0 {
		to = q.Since
	}
	if from < to {
		return nil, s.usable()
	}
	paths := plan(q)
	first := mostRead / 2
	if q.Limit > 0 {
		// A little more than wanted, for what matches will leave out.
		first = min(max(q.Limit*5/4/len(paths), leastRead), mostRead)
	}
	all := make([]*idbStream, len(paths))
	streams := make([]stream, len(paths))
	for i, path := range paths {
		key := pathKey(path)
		all[i] = &idbStream{
			store: s, ctx: ctx, read: first,
			keys: idb.Range{From: key + timeKey(from), To: key + timeKey(to) + "~"},
		}
		streams[i] = all[i]
	}
	if err := s.fill(ctx, all...); err != nil {
		return nil, err
	}
	return merge(q, streams)
}

// byID gives the records kept under some ids, in no order.
func (s *idbStore) byID(ctx context.Context, ids []string) ([]Record, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	return s.lookUp(ctx, ids)
}

// lookUp is byID also while the store closes, for the writer.
func (s *idbStore) lookUp(ctx context.Context, ids []string) ([]Record, error) {
	requests := make([]idb.Request, len(ids))
	err := s.db.Do(ctx, idb.ReadOnly, []string{eventStore}, func(tx idb.Tx) error {
		for i, id := range ids {
			requests[i] = tx.Store(eventStore).Get(id)
		}
		return nil
	})
	if err != nil {
		return nil, failure("read events", err)
	}
	var found []Record
	for _, request := range requests {
		if value := request.Result(); !value.IsUndefined() {
			// A damaged record must not take the others with it.
			if r, err := decodeRecord(value.Get("v").String()); err == nil {
				found = append(found, r)
			}
		}
	}
	return found, nil
}

// idbStream reads what is under one path, newest first.
type idbStream struct {
	store *idbStore
	ctx   context.Context // of the one query it lives for
	keys  idb.Range       // what is left
	past  *Cursor         // the last record read
	read  int             // how many to read next
	ready []Record
	ended bool
}

func (s *idbStream) peek() (Record, bool, error) {
	for len(s.ready) == 0 && !s.ended {
		if err := s.store.fill(s.ctx, s); err != nil {
			return Record{}, false, err
		}
	}
	if len(s.ready) == 0 {
		return Record{}, false, nil
	}
	return s.ready[0], true, nil
}

func (s *idbStream) skip() { s.ready = s.ready[1:] }

// fill reads the next records of some streams in one transaction.
func (s *idbStore) fill(ctx context.Context, streams ...*idbStream) error {
	requests := make([]idb.Request, len(streams))
	err := s.read(ctx, "read events", eventStore, func(tx idb.Tx) error {
		index := tx.Store(eventStore).Index(byPathIndex)
		for i, stream := range streams {
			requests[i] = index.All(stream.keys, stream.read)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, stream := range streams {
		stream.take(requests[i])
	}
	return nil
}

// take adds the answer to one read. The next read begins at the last key of
// this one, since several records may share a key; they come in order of id,
// so what was read before is known by its place.
func (s *idbStream) take(request idb.Request) {
	values := idb.Values(request.Result())
	s.ended = len(values) < s.read
	s.read = min(s.read*2, mostRead)
	news := false
	for _, value := range values {
		r, err := decodeRecord(value.Get("v").String())
		if err != nil {
			continue
		}
		at, id := int64(r.Event.CreatedAt), r.Event.ID
		if s.past != nil && !after(at, id, *s.past) {
			continue
		}
		news = true
		s.past = &Cursor{at, id}
		s.ready = append(s.ready, r)
	}
	if s.past != nil {
		s.keys.From = s.keys.From[:keyDigits] + timeKey(s.past.CreatedAt) + s.past.ID[:idInKey]
	}
	if !news && !s.ended {
		// More records share one key than were read: read past them.
		s.read = len(values) * 2
	}
}
