package room

import (
	"cmp"

	"github.com/nbd-wtf/go-nostr"
)

// ClockAheadSeconds is how far created_at may lie past the first arrival of an
// event before it is called "clock ahead". Such an event moves no reading mark.
const ClockAheadSeconds = 300

// Key is where an event stands in a room by itself: min(created_at, seen) in
// unix seconds, then the id.
type Key struct {
	At int64
	ID string
}

// KeyOf returns the key of an event that first arrived at seen (unix seconds,
// by our own clock).
func KeyOf(e *nostr.Event, seen int64) Key {
	return Key{At: min(int64(e.CreatedAt), seen), ID: e.ID}
}

// Compare is negative when k stands before o, and zero for the same event.
func (k Key) Compare(o Key) int {
	if c := cmp.Compare(k.At, o.At); c != 0 {
		return c
	}
	return cmp.Compare(k.ID, o.ID)
}

// ClockAhead reports whether the author's clock ran ahead of ours by more than
// ClockAheadSeconds when the event first arrived.
func ClockAhead(createdAt, seen int64) bool {
	return createdAt-seen > ClockAheadSeconds
}

// Mark is a reading position: everything up to and with it was read. The zero
// Mark stands before every event.
type Mark struct {
	At int64  `json:"at"` // unix seconds
	ID string `json:"id"`
}

// Compare is negative when m stands before o.
func (m Mark) Compare(o Mark) int { return Key(m).Compare(Key(o)) }

// Clamp keeps a mark from standing after now (unix seconds).
func (m Mark) Clamp(now int64) Mark {
	m.At = min(m.At, now)
	return m
}

// Later returns the mark that stands further on, so that a mark never goes back.
func (m Mark) Later(o Mark) Mark {
	if m.Compare(o) < 0 {
		return o
	}
	return m
}
