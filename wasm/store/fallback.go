package store

import (
	"context"
	"errors"
	"sync"
)

// fallback is a durable store that goes on in memory when the durable one
// fails. What the durable one holds stays readable as long as it can be read;
// what is written after the failure lies over it, in memory.
type fallback struct {
	base Store
	// changed is told once why the store stopped being durable; may be nil.
	changed func(why string)

	mu sync.Mutex
	// failure is nil while the base takes writes.
	failure *Failure
	// unreadable is set when the base does not even answer reads.
	unreadable bool
	// over holds what was written since the failure, gone what was removed.
	over *memory
	gone map[goneKey]bool
}

var _ Store = (*fallback)(nil)

// goneKey names something that was deleted while only memory takes writes.
type goneKey struct{ what, key string }

const (
	goneEvent = "event"
	goneEntry = "entry"
	goneValue = "value"
)

func valueKey(bucket, key string) string { return bucket + "\x00" + key }

// newFallback makes base survive its own failures. When opening it failed
// already, base is only used by Wipe and Close, and failed says why.
func newFallback(base Store, failed *Failure, changed func(why string)) *fallback {
	f := &fallback{base: base, changed: changed, over: newMemory(""), gone: map[goneKey]bool{}}
	f.failure, f.unreadable = failed, failed != nil
	return f
}

// write runs a write on the base, or on memory once the base has failed.
func (f *fallback) write(base func(Store) error, over func() error) error {
	if !f.degraded() {
		err := base(f.base)
		var failure *Failure
		if !errors.As(err, &failure) {
			return err
		}
		f.degrade(failure)
	}
	return over()
}

func (f *fallback) degraded() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failure != nil
}

func (f *fallback) degrade(failure *Failure) {
	f.mu.Lock()
	first := f.failure == nil
	if first {
		f.failure = failure
	}
	f.mu.Unlock()
	if first && f.changed != nil {
		f.changed(failure.Words())
	}
}

// readBase runs a read on the base and tells whether its answer counts. A
// failure ends reading from the base for good: better to say so once than to
// have history come and go.
func (f *fallback) readBase(read func(Store) error) (bool, error) {
	f.mu.Lock()
	unreadable := f.unreadable
	f.mu.Unlock()
	if unreadable {
		return false, nil
	}
	err := read(f.base)
	var failure *Failure
	if !errors.As(err, &failure) {
		return err == nil, err
	}
	f.degrade(failure)
	f.mu.Lock()
	f.unreadable = true
	f.mu.Unlock()
	return false, nil
}

func (f *fallback) forget(what, key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gone[goneKey{what, key}] = true
}

func (f *fallback) recall(what, key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.gone, goneKey{what, key})
}

func (f *fallback) isGone(what, key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.gone[goneKey{what, key}]
}

func (f *fallback) Put(ctx context.Context, records []Record) error {
	if err := checkRecords(records); err != nil {
		return err
	}
	return f.write(
		func(base Store) error { return base.Put(ctx, records) },
		func() error { return f.putOver(ctx, records) })
}

// putOver keeps records in memory, on top of what the base knows of them.
func (f *fallback) putOver(ctx context.Context, records []Record) error {
	ids := make([]string, len(records))
	for i, r := range records {
		ids[i] = r.Event.ID
	}
	var known []Record
	if len(ids) > 0 {
		if _, err := f.readBase(func(base Store) (err error) {
			known, err = base.Query(ctx, Query{IDs: ids})
			return err
		}); err != nil {
			return err
		}
	}
	for _, r := range known {
		if f.isGone(goneEvent, r.Event.ID) {
			continue
		}
		if err := f.over.Put(ctx, []Record{r}); err != nil {
			return err
		}
	}
	return f.over.Put(ctx, records)
}

func (f *fallback) Query(ctx context.Context, q Query) ([]Record, error) {
	if !f.degraded() {
		var found []Record
		if ok, err := f.readBase(func(base Store) (err error) {
			found, err = base.Query(ctx, q)
			return err
		}); ok || err != nil {
			return found, err
		}
	}
	over, err := f.over.Query(ctx, q)
	if err != nil {
		return nil, err
	}
	var below []Record
	if _, err := f.readBase(func(base Store) (err error) {
		below, err = f.queryBase(ctx, base, q)
		return err
	}); err != nil {
		return nil, err
	}
	// No event is in both: what memory holds of one includes what the base
	// holds of it, and queryBase leaves it out.
	return merge(q, []stream{&sliceStream{records: over}, &sliceStream{records: below}})
}

// queryBase answers from the base, without what is gone or held in memory.
func (f *fallback) queryBase(ctx context.Context, base Store, q Query) ([]Record, error) {
	var kept []Record
	for {
		page, err := base.Query(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, r := range page {
			if !f.isGone(goneEvent, r.Event.ID) && !f.over.holds(r.Event.ID) {
				kept = append(kept, r)
			}
		}
		if q.Limit <= 0 || len(page) < q.Limit || len(kept) >= q.Limit {
			return kept, nil
		}
		last := page[len(page)-1].Event
		q.Before = &Cursor{CreatedAt: int64(last.CreatedAt), ID: last.ID}
	}
}

func (f *fallback) Delete(ctx context.Context, ids []string) error {
	return f.write(
		func(base Store) error { return base.Delete(ctx, ids) },
		func() error {
			if err := f.over.Delete(ctx, ids); err != nil {
				return err
			}
			for _, id := range ids {
				f.forget(goneEvent, id)
			}
			return nil
		})
}

func (f *fallback) Durable() (bool, string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failure != nil {
		return false, f.failure.Words()
	}
	return f.base.Durable()
}

// Wipe empties memory and then the base, whose failure is reported: a person
// who wipes a browser must know when something is left in it.
func (f *fallback) Wipe(ctx context.Context) error {
	if err := f.over.Wipe(ctx); err != nil {
		return err
	}
	if err := f.base.Wipe(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.gone)
	return nil
}

func (f *fallback) Close() error {
	return errors.Join(f.over.Close(), f.base.Close())
}
