package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"parley/wasm/internal/idb"
)

// mostWrites is how many events share a transaction at most, so that the
// first caller does not wait for the last.
const mostWrites = 1000

// write is one queued change.
type write struct {
	put    []Record
	remove []string
	// other changes the outbox or the small values.
	other func(tx idb.Tx)
	// strict waits for the disk: for what exists nowhere else yet.
	strict bool
	done   chan error // holds 1
}

func (s *idbStore) Put(ctx context.Context, records []Record) error {
	if err := checkRecords(records); err != nil {
		return err
	}
	return s.enqueue(ctx, &write{put: records})
}

func (s *idbStore) Delete(ctx context.Context, ids []string) error {
	return s.enqueue(ctx, &write{remove: ids})
}

func (s *idbStore) PutOutbox(ctx context.Context, e Entry) error {
	if err := checkEntry(e); err != nil {
		return err
	}
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return s.enqueue(ctx, &write{strict: true, other: func(tx idb.Tx) {
		tx.Store(outboxStore).Put(map[string]any{"id": e.ID, "v": string(text)})
	}})
}

func (s *idbStore) DeleteOutbox(ctx context.Context, id string) error {
	return s.enqueue(ctx, &write{other: func(tx idb.Tx) { tx.Store(outboxStore).Delete(id) }})
}

func (s *idbStore) Set(ctx context.Context, bucket, key string, value []byte) error {
	if err := checkBucket(bucket); err != nil {
		return err
	}
	bytes := idb.Bytes(value)
	return s.enqueue(ctx, &write{other: func(tx idb.Tx) {
		tx.Store(valueStore).PutAt(valueKey(bucket, key), bytes)
	}})
}

func (s *idbStore) Remove(ctx context.Context, bucket, key string) error {
	return s.enqueue(ctx, &write{other: func(tx idb.Tx) {
		tx.Store(valueStore).Delete(valueKey(bucket, key))
	}})
}

// enqueue hands a change to the writer and waits for it.
func (s *idbStore) enqueue(ctx context.Context, w *write) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.usable(); err != nil {
		return err
	}
	w.done = make(chan error, 1)
	s.mu.Lock()
	s.queue = append(s.queue, w)
	if s.running == nil {
		s.running = make(chan struct{})
		go s.run()
	}
	s.mu.Unlock()
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run is the writer: it ends when the queue is empty. One writer at a time
// keeps the order of changes, and makes reading before writing safe.
func (s *idbStore) run() {
	for {
		batch := s.nextBatch()
		if batch == nil {
			return
		}
		err := s.commit(batch)
		if err != nil && len(batch) > 1 {
			// Perhaps only one of them is to blame.
			for _, w := range batch {
				w.done <- s.commit([]*write{w})
			}
			continue
		}
		for _, w := range batch {
			w.done <- err
		}
	}
}

// nextBatch takes what shares the next transaction, or ends the writer.
func (s *idbStore) nextBatch() []*write {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		s.queue = nil
		close(s.running)
		s.running = nil
		return nil
	}
	n, events := 0, 0
	for n < len(s.queue) && (n == 0 || events+len(s.queue[n].put) <= mostWrites) {
		events += len(s.queue[n].put)
		n++
	}
	batch := s.queue[:n:n]
	s.queue = s.queue[n:]
	return batch
}

// commit makes a batch of changes. After a failure that is not another's in
// the same batch none later succeeds, or a reload would show the later
// without the earlier.
func (s *idbStore) commit(batch []*write) error {
	if s.broken != nil {
		return s.broken
	}
	err := s.transact(batch)
	if f, ok := err.(*Failure); ok && len(batch) == 1 {
		s.broken = f
	}
	return err
}

// transact makes a batch of changes in one transaction.
func (s *idbStore) transact(batch []*write) error {
	changes, err := s.eventChanges(batch)
	if err != nil {
		return err
	}
	mode := idb.ReadWrite
	stores := map[string]bool{}
	for _, w := range batch {
		if w.strict {
			mode = idb.ReadWriteStrict
		}
		if w.other != nil {
			stores[outboxStore], stores[valueStore] = true, true
		}
	}
	if len(changes) > 0 {
		stores[eventStore] = true
	}
	if len(stores) == 0 {
		return nil
	}
	names := make([]string, 0, len(stores))
	for name := range stores {
		names = append(names, name)
	}
	return failure("write", s.db.Do(context.Background(), mode, names, func(tx idb.Tx) error {
		for _, w := range batch {
			if w.other != nil {
				w.other(tx)
			}
		}
		return putChanges(tx, changes)
	}))
}

// change is what becomes of one event; a nil record means that it goes.
type change struct {
	id     string
	record *Record
}

// eventChanges plays a batch through over what is kept.
func (s *idbStore) eventChanges(batch []*write) ([]change, error) {
	kept, err := s.keptOf(batch)
	if err != nil {
		return nil, err
	}
	var order []string
	next := map[string]*Record{}
	set := func(id string, r *Record) {
		if _, touched := next[id]; !touched {
			order = append(order, id)
		}
		next[id] = r
	}
	for _, w := range batch {
		for _, r := range w.put {
			id := r.Event.ID
			old, known := kept[id]
			changed := true
			if known {
				r, changed = merged(old, r)
			} else {
				r.Relays = normalRelays(slices.Clone(r.Relays))
			}
			if changed {
				kept[id] = r
				set(id, &r)
			}
		}
		for _, id := range w.remove {
			delete(kept, id)
			set(id, nil)
		}
	}
	changes := make([]change, len(order))
	for i, id := range order {
		changes[i] = change{id, next[id]}
	}
	return changes, nil
}

// keptOf gives what is kept of the events that a batch puts.
func (s *idbStore) keptOf(batch []*write) (map[string]Record, error) {
	var ids []string
	for _, w := range batch {
		for _, r := range w.put {
			ids = append(ids, r.Event.ID)
		}
	}
	kept := map[string]Record{}
	if len(ids) == 0 {
		return kept, nil
	}
	found, err := s.lookUp(context.Background(), distinct(ids))
	for _, r := range found {
		kept[r.Event.ID] = r
	}
	return kept, err
}

func putChanges(tx idb.Tx, changes []change) error {
	if len(changes) == 0 {
		return nil
	}
	events := tx.Store(eventStore)
	for _, c := range changes {
		if c.record == nil {
			events.Delete(c.id)
			continue
		}
		text, err := encodeRecord(*c.record)
		if err != nil {
			return err
		}
		at := int64(c.record.Event.CreatedAt)
		var keys strings.Builder
		for i, path := range paths(*c.record) {
			if i > 0 {
				keys.WriteByte(' ')
			}
			keys.WriteString(sortKey(path, at, c.id))
		}
		// One string is handed over rather than one per key.
		events.Put(map[string]any{"id": c.id, "k": idb.Words(keys.String()), "v": text})
	}
	return nil
}
