package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
)

// The outbox and the small values of a store in memory.

func (m *memory) PutOutbox(ctx context.Context, e Entry) error {
	if err := checkEntry(e); err != nil {
		return err
	}
	leave, err := m.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	m.outbox[e.ID] = cloneEntry(e)
	return nil
}

func (m *memory) Outbox(ctx context.Context) ([]Entry, error) {
	leave, err := m.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var all []Entry
	for _, e := range m.outbox {
		all = append(all, cloneEntry(e))
	}
	slices.SortFunc(all, byOrder)
	return all, nil
}

func (m *memory) DeleteOutbox(ctx context.Context, id string) error {
	leave, err := m.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	delete(m.outbox, id)
	return nil
}

func (m *memory) Get(ctx context.Context, bucket, key string) ([]byte, error) {
	leave, err := m.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	value, known := m.values[bucket][key]
	if !known {
		return nil, ErrNotFound
	}
	return copied(value), nil
}

func (m *memory) Set(ctx context.Context, bucket, key string, value []byte) error {
	if err := checkBucket(bucket); err != nil {
		return err
	}
	leave, err := m.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if m.values[bucket] == nil {
		m.values[bucket] = map[string][]byte{}
	}
	m.values[bucket][key] = copied(value)
	return nil
}

func (m *memory) Remove(ctx context.Context, bucket, key string) error {
	leave, err := m.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	delete(m.values[bucket], key)
	return nil
}

func (m *memory) List(ctx context.Context, bucket string) (map[string][]byte, error) {
	leave, err := m.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	all := maps.Clone(m.values[bucket])
	if all == nil {
		all = map[string][]byte{}
	}
	for key, value := range all {
		all[key] = copied(value)
	}
	return all, nil
}

func (m *memory) Wipe(ctx context.Context) error {
	leave, err := m.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	m.clear()
	return nil
}

func (m *memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.clear()
	return nil
}

func (m *memory) Durable() (bool, string) { return false, m.why }

// checkEntry refuses entries that could not be told apart or acted on.
func checkEntry(e Entry) error {
	switch {
	case e.ID == "":
		return errors.New("store: an outbox entry needs an id")
	case (e.Event == nil) == (e.Draft == nil):
		return errors.New("store: an outbox entry is either a signed event or a draft")
	}
	return nil
}

// checkBucket refuses what would run into another bucket's keys.
func checkBucket(bucket string) error {
	if bucket == "" || bytes.IndexByte([]byte(bucket), 0) >= 0 {
		return errors.New("store: a bucket needs a name without NUL")
	}
	return nil
}

func byOrder(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// cloneEntry copies what a caller might change in place.
func cloneEntry(e Entry) Entry {
	e.Targets = slices.Clone(e.Targets)
	if e.Draft != nil {
		draft := *e.Draft
		e.Draft = &draft
	}
	return e
}

// copied is a copy that is never nil, so that an empty value stays one.
func copied(b []byte) []byte { return append([]byte{}, b...) }
