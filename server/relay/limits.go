package relay

import (
	"time"

	"parley/server/relay/store"
)

// Sizes. They are said in the relay's NIP-11 document where it has a field.
const (
	// MaxContent is the longest content of an event, in characters.
	MaxContent = 2 << 20
	// MaxMessage is the longest message from a client, in bytes.
	MaxMessage = 2<<20 + 256<<10
	// MaxTags is how many tags an event may have.
	MaxTags = 5000
	// MaxSubID is the longest subscription id, in characters (NIP-01).
	MaxSubID = 64
	// MaxRoomID is the longest id of a room, in bytes.
	MaxRoomID = 128
	// MaxRoomName and MaxRoomAbout bound what a room says of itself, in bytes.
	MaxRoomName  = 200
	MaxRoomAbout = 4000
	// MaxSubs is how many subscriptions a connection may hold.
	MaxSubs = 100
	// MaxFilters is how many filters a REQ or COUNT may have, MaxFilterValues
	// how many values they may name together.
	MaxFilters      = 100
	MaxFilterValues = 10_000
	// MaxKeys is as how many people one connection may AUTH.
	MaxKeys = 16
	// MaxQueries is how many REQs and COUNTs of one connection read the store
	// at once; others wait.
	MaxQueries = 2
	// MaxCounts is how many COUNTs of one connection may wait.
	MaxCounts = 20
	// ReadsPerIP is how many looks into the store one address has at once, of
	// the store.Readers there are.
	ReadsPerIP = store.Readers - 1
	// MaxPrevious is how many earlier events a message may refer to (NIP-29).
	MaxPrevious = 50
	// MaxMembers is how many people a room has.
	MaxMembers = 5000
)

// Messages longer than shortMessage are read one in each of LongMessages places,
// of which one address has LongPerIP.
const (
	shortMessage = 64 << 10
	LongMessages = 64
	LongPerIP    = 16
)

// Output. Each connection has a queue, counted in bytes.
const (
	// MaxBacklog is how many bytes may wait for a client that does not read.
	// Past it the connection is closed: live events wait for nobody.
	MaxBacklog = 8 << 20
	// StoredBacklog is how many bytes may wait before stored events are read
	// on for a client.
	StoredBacklog = 512 << 10
)

// Times.
const (
	// AuthWindow is how far from now an AUTH event may be dated (NIP-42).
	AuthWindow = 10 * time.Minute
	// MaxAhead is how far ahead of our clock an event may be dated.
	MaxAhead = 15 * time.Minute
	// PingEvery is how often a client is asked for a sign of life, SilentFor
	// how long it may give none.
	PingEvery = 25 * time.Second
	SilentFor = 75 * time.Second
	// WriteWait is how long a client may take for each 64 kB.
	WriteWait = 20 * time.Second
	// PageWait is how long one look into the store may take.
	PageWait = 10 * time.Second
	// SweepEvery is how often expired events are removed.
	SweepEvery = time.Minute
)

// Limits are those that a place may want otherwise. Zero means the default.
type Limits struct {
	// ConnsPerIP and Conns bound the connections of one address and of all.
	ConnsPerIP int
	Conns      int
	// Events a second and at once, per address and per key, and their bytes
	// per address. An event with many tags counts as several (see costOf). An agent streams 10 deltas a second; someone who moves a
	// room here brings 5,000 messages.
	EventRate, EventBurst int
	ByteRate, ByteBurst   int
	// Requests (REQ, COUNT, AUTH) a second and at once, per address.
	RequestRate, RequestBurst int
	// Hidden is how many stored events that a client may not read are passed
	// over in one answer.
	Hidden int
	// Off lifts all of the above but Hidden, for tests and benchmarks.
	Off bool
}

// The defaults of Limits.
const (
	ConnsPerIP   = 256
	Conns        = 4096
	EventRate    = 400
	EventBurst   = 12_000
	ByteRate     = 4 << 20
	ByteBurst    = 128 << 20
	RequestRate  = 100
	RequestBurst = 2000
	Hidden       = 50_000
)

func (l Limits) withDefaults() Limits {
	for _, d := range []struct {
		field *int
		value int
	}{
		{&l.ConnsPerIP, ConnsPerIP}, {&l.Conns, Conns}, {&l.EventRate, EventRate}, {&l.EventBurst, EventBurst},
		{&l.ByteRate, ByteRate}, {&l.ByteBurst, ByteBurst}, {&l.RequestRate, RequestRate}, {&l.RequestBurst, RequestBurst},
		{&l.Hidden, Hidden},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	return l
}
