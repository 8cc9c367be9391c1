package core

import (
	"context"
	"fmt"

	"parley/wasm/port"
	"parley/wasm/room"
)

const draftBucket = "drafts" // what was typed and not sent, by place, for each account

// MaxDraft and MaxDraftKey are the longest draft kept and the longest name of a
// place to write in, in bytes.
const (
	MaxDraft    = MaxText
	MaxDraftKey = 2048
)

// draftKey names the composer of a room or thread.
func draftKey(ref room.Ref, root string) string {
	key := "room " + ref.Relay + " " + ref.ID
	if root != "" {
		key += " " + root
	}
	return key
}

func (c *Core) restoreDrafts(ctx context.Context) error {
	kept, err := c.Store.List(ctx, draftBucket+"/"+c.me())
	if err != nil {
		return fmt.Errorf("read the drafts: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, text := range kept {
		if _, newer := c.drafts[key]; !newer {
			c.drafts[key] = string(text)
		}
	}
	return nil
}

func (c *Core) setDraft(ctx context.Context, p port.Draft) error {
	if len(p.Text) > MaxDraft {
		return invalid("A draft of over %d kB is not kept.", MaxDraft>>10)
	}
	if p.Key == "" || len(p.Key) > MaxDraftKey {
		return invalid("A draft's key has 1 to %d bytes.", MaxDraftKey)
	}
	c.mu.Lock()
	bucket := draftBucket + "/" + c.identity.me
	if p.Text == "" {
		delete(c.drafts, p.Key)
	} else {
		c.drafts[p.Key] = p.Text
	}
	c.mu.Unlock()
	var err error
	if p.Text == "" {
		err = c.Store.Remove(ctx, bucket, p.Key)
	} else {
		err = c.Store.Set(ctx, bucket, p.Key, []byte(p.Text))
	}
	if err != nil {
		return fmt.Errorf("keep the draft: %w", err)
	}
	return nil
}

func (c *Core) getDraft(_ context.Context, p port.Draft) (port.Draft, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p.Text = c.drafts[p.Key]
	return p, nil
}

func (c *Core) markRead(_ context.Context, p port.MarkParams) error {
	ref, err := c.normalRef(p.Room)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.rooms[ref]; r != nil {
		c.moveMark(r, p.ID)
	}
	return nil
}

// moveMark moves a room's reading mark forward, never back. mu is held.
func (c *Core) moveMark(r *roomState, id string) {
	mark, ok := r.fold.MarkAt(id, c.now())
	if !ok || r.saved.Mark.Compare(mark) >= 0 {
		return
	}
	r.saved.Mark = mark
	c.saveRoom(r)
	c.touch()
}

func (c *Core) markAllRead(_ context.Context, _ nothing) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.rooms {
		if last, ok := r.fold.Last(); ok && r.listed {
			c.moveMark(r, last.ID)
		}
	}
	c.markSessionsRead()
	return nil
}

// dismissNotice puts a notice away for this session.
func (c *Core) dismissNotice(_ context.Context, n port.Notice) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.notices {
		if c.notices[i].Code == n.Code {
			c.notices[i].Text = "" // stays, so that it is not put up again
		}
	}
	c.touch()
	return nil
}
