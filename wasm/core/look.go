package core

import (
	"context"

	"parley/wasm/port"
)

// lookBucket keeps how this browser shows things: one value, for every account.
const lookBucket = "look"

func (c *Core) restoreLook(ctx context.Context) error {
	look, _ := load[port.Look](ctx, c, lookBucket, lookBucket)
	c.mu.Lock()
	c.look = look
	c.mu.Unlock()
	return nil
}

func (c *Core) setLook(ctx context.Context, l port.Look) error {
	if err := c.keep(ctx, lookBucket, lookBucket, l); err != nil {
		return err
	}
	c.mu.Lock()
	c.look = l
	c.mu.Unlock()
	c.touch()
	return nil
}
