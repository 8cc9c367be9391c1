// Package store keeps what the client must not lose: signed events with the
// time they first arrived, the outbox, unsigned drafts and small values.
//
// There are two stores behind one interface: [NewMemory] everywhere, and
// IndexedDB in the browser's worker. [Open] gives the best one there is and
// never fails: where nothing can be kept it gives memory, and
// [Store.Durable] says so in words for a person.
package store

import (
	"context"
	"errors"

	"github.com/nbd-wtf/go-nostr"
)

// ErrNotFound is returned by [Store.Get] for a key that holds nothing.
var ErrNotFound = errors.New("store: nothing is kept under this key")

// ErrClosed is returned by every method after [Store.Close].
var ErrClosed = errors.New("store: closed")

// Record is a signed event and what we know about its arrival.
type Record struct {
	// Event is verified before it is put. The store never changes it, and
	// neither may a caller: stores hand out the same pointer many times.
	Event *nostr.Event
	// Seen is the first arrival by our own clock, in unix seconds.
	Seen int64
	// Relays are the relays it came from, in normal form (relay.Normalize),
	// sorted. Empty for an own event that no relay has given back yet.
	Relays []string
}

// RoomRef names a room: two relays with the same room id are two rooms.
type RoomRef struct {
	// Relay is the room's relay URL in normal form.
	Relay string
	// ID is the value of the h tag (NIP-29).
	ID string
}

// Cursor is a place in the newest-first order of a query's answer.
type Cursor struct {
	// CreatedAt is the event's created_at, in unix seconds.
	CreatedAt int64
	// ID is the event's id, which orders events of the same second.
	ID string
}

// Query asks for events. Every field that is set must match (as in a NIP-01
// filter); the zero Query matches everything.
type Query struct {
	// Room limits to events of one room: those that came from its relay and
	// carry its id in an h tag, and, for the kinds a relay signs about a room
	// (39000 to 39009, NIP-29), in their d tag.
	Room    *RoomRef
	IDs     []string
	Authors []string
	Kinds   []int
	// Tag is one letter; an event matches when the first value of one of its
	// tags of that name is one of Values. Ignored when Values is empty.
	Tag    string
	Values []string
	// Since and Until bound created_at, both inclusive, in unix seconds; 0
	// means no bound.
	Since, Until int64
	// Before continues an earlier answer: only what comes after this place in
	// newest-first order.
	Before *Cursor
	// Limit is the largest number of records wanted; 0 means all of them.
	Limit int
}

// Store keeps events, the outbox and small values. All methods may be called
// from any goroutine and return when the work is done. Writes that are under
// way at the same time share a transaction, so many small ones are cheap.
type Store interface {
	// Put keeps events. One that is kept already keeps the earlier Seen and
	// gains the new Relays, so putting twice changes nothing. Either all of
	// the records are kept or an error is returned.
	Put(ctx context.Context, records []Record) error
	// Query answers newest first: created_at descending, then id ascending.
	Query(ctx context.Context, q Query) ([]Record, error)
	// Delete forgets events; ids that are not kept are no error.
	Delete(ctx context.Context, ids []string) error

	// PutOutbox keeps an entry under its ID, replacing the one before.
	PutOutbox(ctx context.Context, entry Entry) error
	// Outbox gives every entry by (Order, CreatedAt, ID).
	Outbox(ctx context.Context) ([]Entry, error)
	// DeleteOutbox forgets an entry; an unknown id is no error.
	DeleteOutbox(ctx context.Context, id string) error

	// Get gives a copy of a small value, or ErrNotFound.
	Get(ctx context.Context, bucket, key string) ([]byte, error)
	// Set keeps a copy of a small value. Buckets need no making.
	Set(ctx context.Context, bucket, key string, value []byte) error
	// Remove forgets a small value; an unknown key is no error.
	Remove(ctx context.Context, bucket, key string) error
	// List gives copies of all values of one bucket by key.
	List(ctx context.Context, bucket string) (map[string][]byte, error)

	// Wipe forgets everything. Unlike other writes it reports a failure
	// rather than falling back to memory: it is a promise to a person.
	Wipe(ctx context.Context) error
	// Close ends the store. What was called before is finished first.
	Close() error
	// Durable tells whether what is kept survives a reload, and if not, why,
	// in words for a person. It may turn false at any time.
	Durable() (bool, string)
}
