package core

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"parley/wasm/ask"
	"parley/wasm/port"
	"parley/wasm/relay"
	"parley/wasm/room"
	"parley/wasm/store"
	"parley/wasm/task"
)

const (
	// FirstPage is how many messages a room that is opened for the first time
	// asks its relay for, and OlderPage how many more at a time after that.
	FirstPage = 200
	OlderPage = 200
	// StorePage is how many stored events of all kinds a room reads at a time.
	StorePage = 600
	// PageFull is from how many events on a relay's answer may have been cut
	// off at its own limit, so that what lies between is asked for too. Relays
	// give 100 and more.
	PageFull = 90
	// SyncOverlap is how far back, in seconds, a room asks again after a reload,
	// SyncStep how far the place to ask from moves before it is kept again.
	SyncOverlap = 600
	SyncStep    = 60
)

// roomState is one room: its fold, and how much of it is here.
type roomState struct {
	ref        room.Ref
	born       int // counts the rooms that were made
	fold       *room.Fold
	listed     bool // in my list of rooms
	site       bool // listed by the site
	watchers   int
	read       bool          // the store was read, or is being
	here       chan struct{} // closed once the store was read
	arrived    func()        // closes here
	subscribed bool          // to be heard live
	live       bool          // what arrives is heard, on this connection
	current    bool          // ... and all that was missed is here
	catching   bool          // what was missed is being asked for
	check      bool          // its live subscription was refused: to be asked about by itself
	refused    bool          // the relay does not show it, on this connection
	again      bool          // ... and may do so later
	polled     bool          // no live subscription is to be had for it
	pollAt     int64         // when it is asked about again
	early      []arrival     // what came before it was live
	looked     int           // how much was looked at again on this connection
	synced     bool          // it was asked about, with what came of it
	problem    string        // why it cannot be loaded
	joining    string        // state of my request to join
	relayKey   string
	cursor     *store.Cursor // the oldest event read from the store
	bottom     bool          // the store has nothing older
	paging     bool          // older messages are being fetched
	rest       int64         // a one-shot failed: none before this time
	asked      map[string]bool
	saved      savedRoom
	keptSync   int64 // saved.SyncTo as the store has it
	asks       *ask.Book
	tasks      *task.Book
}

// savedRoom is what is kept of a room for an account.
type savedRoom struct {
	Listed  bool      `json:"listed"`
	Removed bool      `json:"removed,omitempty"` // one of the site's that the person left
	Mark    room.Mark `json:"mark"`
	SyncTo  int64     `json:"sync_to,omitempty"` // everything up to here was delivered
	From    int64     `json:"from,omitempty"`    // ... and from here on, without a gap
	End     bool      `json:"end,omitempty"`     // the relay has nothing before From
}

// roomBucket holds savedRoom by "relay id", for each account its own. mu is held.
func (c *Core) roomBucket() string { return "rooms/" + c.identity.me }

func roomKey(ref room.Ref) string { return ref.Relay + " " + ref.ID }

func roomOfKey(key string) (room.Ref, bool) {
	url, id, ok := strings.Cut(key, " ")
	return room.Ref{Relay: url, ID: id}, ok && url != "" && id != ""
}

// restoreRooms lists the rooms of the account and of the site.
func (c *Core) restoreRooms(ctx context.Context) error {
	c.mu.Lock()
	bucket := c.roomBucket()
	c.mu.Unlock()
	kept, err := c.Store.List(ctx, bucket)
	if err != nil {
		return fmt.Errorf("read the list of rooms: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	saved := map[room.Ref]savedRoom{}
	for key, text := range kept {
		var s savedRoom
		if ref, ok := roomOfKey(key); ok && json.Unmarshal(text, &s) == nil {
			saved[ref] = s
		}
	}
	c.saved = saved
	for ref, r := range c.rooms { // of another account before
		r.saved, r.keptSync, r.joining = saved[ref], saved[ref].SyncTo, ""
		r.asked = map[string]bool{}
	}
	for ref, s := range saved {
		if s.Listed {
			c.room(ref).listed = true
		}
	}
	if url, ok := c.defaultRelay(); ok {
		for _, id := range c.Site.Rooms {
			ref := room.Ref{Relay: url, ID: id}
			if saved[ref].Removed {
				continue
			}
			r := c.room(ref)
			r.listed, r.site = true, true
		}
	}
	return nil
}

// room gives the state of a room, made on first use. mu is held.
func (c *Core) room(ref room.Ref) *roomState {
	if r := c.rooms[ref]; r != nil {
		return r
	}
	r := &roomState{
		ref: ref, fold: room.New(ref, c.relayKeys[ref.Relay], c.profiles),
		saved: c.saved[ref], keptSync: c.saved[ref].SyncTo,
		asked: map[string]bool{}, asks: ask.NewBook(), tasks: task.NewBook(),
	}
	c.born++
	r.born = c.born
	r.here = make(chan struct{})
	r.arrived = sync.OnceFunc(func() { close(r.here) })
	r.fold.SetBlocked(keysOf(c.blocked))
	c.rooms[ref] = r
	return r
}

func keysOf(set map[string]bool) []string {
	keys := make([]string, 0, len(set))
	for k := range set {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// normalRef checks a room's name; without a relay it is on the default one.
func (c *Core) normalRef(r room.Ref) (room.Ref, error) {
	if r.ID == "" || len(r.ID) > MaxRoomID {
		return r, invalid("A room's id has 1 to %d bytes.", MaxRoomID)
	}
	if r.Relay == "" {
		url, ok := c.defaultRelay()
		if !ok {
			return r, &port.Error{Code: port.CodeUnavailable, Message: "There is no relay to look for this room on. Add one in the settings."}
		}
		return room.Ref{Relay: url, ID: r.ID}, nil
	}
	url, err := normalURL(r.Relay)
	return room.Ref{Relay: url, ID: r.ID}, err
}

// MaxRoomID is the longest room id taken, in bytes.
const MaxRoomID = 256

// connectAll connects to every relay that is in use and subscribes every room
// that is listed or watched.
func (c *Core) connectAll() {
	c.mu.Lock()
	for _, url := range c.relays.order {
		if err := c.pool.Connect(url); err != nil {
			c.relays.states[url] = offline(url, err, c.now())
		}
	}
	var rooms []*roomState
	for _, r := range c.rooms {
		if r.listed || r.watchers > 0 {
			rooms = append(rooms, r)
		}
	}
	c.mu.Unlock()
	for _, r := range rooms {
		c.openRoom(r)
	}
	c.openSessions()
	c.mu.Lock()
	c.replanAll()
	c.mu.Unlock()
}

// offline is the state of a relay that cannot even be tried.
func offline(url string, why error, now int64) relay.State {
	return relay.State{URL: url, Phase: relay.Offline, Reason: why.Error(), Since: now}
}

// saveRoom keeps what is to be kept of a room, in the background. mu is held.
func (c *Core) saveRoom(r *roomState) {
	saved := r.saved
	saved.Listed = r.listed
	if c.leaks {
		saved.SyncTo = r.keptSync // the store does not hold all that came since
	}
	r.keptSync = saved.SyncTo
	c.saved[r.ref] = saved
	c.keepLater(c.roomBucket(), roomKey(r.ref), saved)
}
