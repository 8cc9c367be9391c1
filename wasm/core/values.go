package core

import (
	"context"
	"encoding/json"
	"fmt"
)

// keep stores a small value as JSON.
func (c *Core) keep(ctx context.Context, bucket, key string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("keep %s: %w", bucket, err)
	}
	if err := c.Store.Set(ctx, bucket, key, text); err != nil {
		return fmt.Errorf("keep %s: %w", bucket, err)
	}
	return nil
}

// load reads a small value that keep has stored; ok is false when there is none.
func load[T any](ctx context.Context, c *Core, bucket, key string) (value T, ok bool) {
	text, err := c.Store.Get(ctx, bucket, key)
	if err != nil {
		return value, false
	}
	return value, json.Unmarshal(text, &value) == nil
}

// smallValue names a value that is kept in the store.
type smallValue struct{ bucket, key string }

// keepLater keeps a small value in the background. Of several for one key the
// last one stays: they are written one after the other. mu is held.
func (c *Core) keepLater(bucket, key string, value any) {
	c.unkept[smallValue{bucket, key}] = value
	if !c.keeping {
		c.keeping = c.spawn(c.keepAll)
	}
}

// keepAll keeps what waits to be kept, until nothing does.
func (c *Core) keepAll() {
	for {
		c.mu.Lock()
		batch := c.unkept
		c.unkept = map[smallValue]any{}
		c.keeping = len(batch) > 0
		c.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		for at, value := range batch {
			if err := c.keep(c.ctx, at.bucket, at.key, value); err != nil && c.ctx.Err() == nil {
				c.notice("storage", err.Error())
			}
		}
	}
}
