package core

import (
	"bytes"
	"context"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/room"
	"parley/wasm/verify"
)

// OrderTries is how many nonces are tried to give a message its place.
const OrderTries = 2048

// place gives a new message an id that sorts behind everything its author has
// seen in the room in the same second. Rooms are ordered by (time, id), ids
// are random, and times are seconds: without this, two messages written
// quickly one after the other would change places for everybody. The id is
// moved by a nonce tag (NIP-13, of no difficulty), and no further than needed,
// so that there is room for more in the same second. Where that cannot be had
// the message waits for the next second: dated ahead of the clock it would be
// sorted by when it arrived.
func (c *Core) place(ctx context.Context, r *roomState, e *nostr.Event) {
	for {
		c.mu.Lock()
		placed := c.placeNow(r, e)
		at, now := int64(e.CreatedAt), c.Now()
		c.mu.Unlock()
		if placed {
			return
		}
		if now.Unix() <= at {
			timer := time.NewTimer(now.Truncate(time.Second).Add(time.Second).Sub(now))
			select {
			case <-timer.C:
			case <-ctx.Done():
			}
			timer.Stop()
		}
		if next := c.now(); next > at {
			e.CreatedAt = nostr.Timestamp(next)
		} else {
			e.CreatedAt++ // a clock that stands still, or a call that nobody waits for
		}
	}
}

// placeNow is place in the second that it is; false when there is no room in it.
// mu is held.
func (c *Core) placeNow(r *roomState, e *nostr.Event) bool {
	last := c.lastBefore(r, e)
	if last == nil {
		return true
	}
	if int64(e.CreatedAt) < last.At { // it was written while the room was read
		e.CreatedAt = nostr.Timestamp(last.At)
	}
	floor, err := hex.DecodeString(last.ID)
	if err != nil || int64(e.CreatedAt) > last.At {
		return true
	}
	plain := e.Tags
	var best [32]byte
	var bestTags nostr.Tags
	for n := range OrderTries {
		if n > 0 {
			e.Tags = append(plain[:len(plain):len(plain)], nostr.Tag{"nonce", strconv.Itoa(n), "0"})
		}
		id := verify.ID(e)
		if bytes.Compare(id[:], floor) <= 0 || bestTags != nil && bytes.Compare(id[:], best[:]) >= 0 {
			continue
		}
		best, bestTags = id, e.Tags
		if near(id, floor) {
			break
		}
	}
	e.Tags = bestTags
	if bestTags == nil {
		e.Tags = plain
	}
	return bestTags != nil
}

// near tells whether an id is within 1/128 of the range behind the floor.
func near(id [32]byte, floor []byte) bool { return int(id[0])-int(floor[0]) <= 2 }

// lastBefore is the newest message where a new one will stand.
func (c *Core) lastBefore(r *roomState, e *nostr.Event) *room.Message {
	var ids []string
	switch {
	case inTimeline(e.Kind):
		ids = r.fold.Window("", 1, 0).IDs
	case e.Kind == 12 || e.Kind == 1111:
		ids = r.fold.ThreadWindow(rootOf(e), "", 1, 0).IDs
	}
	if len(ids) == 0 {
		return nil
	}
	m, ok := r.fold.Message(ids[len(ids)-1], c.identity.me)
	if !ok {
		return nil
	}
	return &m
}
