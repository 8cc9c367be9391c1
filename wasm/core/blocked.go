package core

import (
	"context"
	"fmt"

	"parley/wasm/port"
	"parley/wasm/room"
)

const blockBucket = "blocked" // public keys, for each account

func (c *Core) restoreBlocked(ctx context.Context) error {
	kept, err := c.Store.List(ctx, blockBucket+"/"+c.me())
	if err != nil {
		return fmt.Errorf("read the blocked people: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.blocked)
	for key := range kept {
		c.blocked[key] = true
	}
	c.applyBlocked()
	return nil
}

// blockedPeople is who is blocked, by name. mu is held.
func (c *Core) blockedPeople() []room.Person {
	keys := keysOf(c.blocked)
	people := make([]room.Person, 0, len(keys))
	for _, key := range keys {
		people = append(people, c.profiles.Person(key))
	}
	c.want("", keys)
	return people
}

func (c *Core) applyBlocked() {
	keys := keysOf(c.blocked)
	for _, r := range c.rooms {
		r.fold.SetBlocked(keys)
	}
	c.touch()
}

func (c *Core) block(ctx context.Context, p port.PubKey) error {
	key, err := publicKey(p.PubKey)
	if err != nil {
		return err
	}
	if key == c.me() {
		return invalid("This is you.")
	}
	if err := c.keep(ctx, blockBucket+"/"+c.me(), key, c.now()); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.blocked[key] = true
	c.applyBlocked()
	return nil
}

func (c *Core) unblock(ctx context.Context, p port.PubKey) error {
	key, err := publicKey(p.PubKey)
	if err != nil {
		return err
	}
	if err := c.Store.Remove(ctx, blockBucket+"/"+c.me(), key); err != nil {
		return fmt.Errorf("unblock: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.blocked, key)
	c.applyBlocked()
	return nil
}
