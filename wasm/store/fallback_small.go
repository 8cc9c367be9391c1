package store

import (
	"context"
	"errors"
	"slices"
)

// The outbox and the small values of a store that fell back to memory.

func (f *fallback) PutOutbox(ctx context.Context, e Entry) error {
	return f.write(
		func(base Store) error { return base.PutOutbox(ctx, e) },
		func() error {
			err := f.over.PutOutbox(ctx, e)
			if err == nil {
				f.recall(goneEntry, e.ID)
			}
			return err
		})
}

func (f *fallback) Outbox(ctx context.Context) ([]Entry, error) {
	var below []Entry
	if _, err := f.readBase(func(base Store) (err error) {
		below, err = base.Outbox(ctx)
		return err
	}); err != nil {
		return nil, err
	}
	over, err := f.over.Outbox(ctx)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(over)
	for _, e := range below {
		replaced := slices.ContainsFunc(over, func(o Entry) bool { return o.ID == e.ID })
		if !replaced && !f.isGone(goneEntry, e.ID) {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, byOrder)
	return all, nil
}

func (f *fallback) DeleteOutbox(ctx context.Context, id string) error {
	return f.write(
		func(base Store) error { return base.DeleteOutbox(ctx, id) },
		func() error {
			f.forget(goneEntry, id)
			return f.over.DeleteOutbox(ctx, id)
		})
}

func (f *fallback) Get(ctx context.Context, bucket, key string) ([]byte, error) {
	value, err := f.over.Get(ctx, bucket, key)
	if !errors.Is(err, ErrNotFound) || f.isGone(goneValue, valueKey(bucket, key)) {
		return value, err
	}
	ok, err := f.readBase(func(base Store) (err error) {
		value, err = base.Get(ctx, bucket, key)
		return err
	})
	if err == nil && !ok {
		err = ErrNotFound
	}
	return value, err
}

func (f *fallback) Set(ctx context.Context, bucket, key string, value []byte) error {
	return f.write(
		func(base Store) error { return base.Set(ctx, bucket, key, value) },
		func() error {
			err := f.over.Set(ctx, bucket, key, value)
			if err == nil {
				f.recall(goneValue, valueKey(bucket, key))
			}
			return err
		})
}

func (f *fallback) Remove(ctx context.Context, bucket, key string) error {
	return f.write(
		func(base Store) error { return base.Remove(ctx, bucket, key) },
		func() error {
			f.forget(goneValue, valueKey(bucket, key))
			return f.over.Remove(ctx, bucket, key)
		})
}

func (f *fallback) List(ctx context.Context, bucket string) (map[string][]byte, error) {
	all := map[string][]byte{}
	if _, err := f.readBase(func(base Store) error {
		below, err := base.List(ctx, bucket)
		if err == nil {
			all = below
		}
		return err
	}); err != nil {
		return nil, err
	}
	for key := range all {
		if f.isGone(goneValue, valueKey(bucket, key)) {
			delete(all, key)
		}
	}
	over, err := f.over.List(ctx, bucket)
	if err != nil {
		return nil, err
	}
	for key, value := range over {
		all[key] = value
	}
	return all, nil
}
