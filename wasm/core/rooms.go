package core

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nbd-wtf/go-nostr"

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
	// off at its own limit, so that what lies between is asked for too.
	PageFull = 450
	// SyncOverlap is how far back, in seconds, a room asks again after a reload.
	SyncOverlap = 600
)

// roomState is one room: its fold, and how much of it is here.
type roomState struct {
	ref        room.Ref
	fold       *room.Fold
	listed     bool // in my list of rooms
	site       bool // listed by the site
	watchers   int
	read       bool   // the store was read
	subscribed bool   // asked its relay, in this connection's life
	synced     bool   // the relay has said EOSE since
	problem    string // why it cannot be loaded
	joining    string // state of my request to join
	invite     string
	relayKey   string
	cursor     *store.Cursor // the oldest event read from the store
	bottom     bool          // the store has nothing older
	paging     bool          // older messages are being fetched
	asked      map[string]bool
	burst      burst // what came before EOSE
	saved      savedRoom
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

// burst counts what a subscription brings before its EOSE.
type burst struct {
	events int
	oldest int64
}

// roomBucket holds savedRoom by "relay id", for each account its own.
func (c *Core) roomBucket() string { return "rooms/" + c.identity.me }

func roomKey(ref room.Ref) string { return ref.Relay + " " + ref.ID }

func roomOfKey(key string) (room.Ref, bool) {
	url, id, ok := strings.Cut(key, " ")
	return room.Ref{Relay: url, ID: id}, ok && url != "" && id != ""
}

// restoreRooms lists the rooms of the account and of the site.
func (c *Core) restoreRooms(ctx context.Context) error {
	kept, err := c.Store.List(ctx, c.roomBucket())
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
		r.saved = saved[ref]
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
		saved: c.saved[ref], asked: map[string]bool{}, asks: ask.NewBook(), tasks: task.NewBook(),
	}
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
	c.openCards()
	c.openSessions()
}

// offline is the state of a relay that cannot even be tried.
func offline(url string, why error, now int64) relay.State {
	return relay.State{URL: url, Phase: relay.Offline, Reason: why.Error(), Since: now}
}

// openRoom reads a room from the store, then asks its relay; each once.
func (c *Core) openRoom(r *roomState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !r.read {
		r.read = true
		c.spawn(func() {
			c.readRoom(c.ctx, r)
			c.openRoom(r)
		})
		return
	}
	if r.cursor == nil && !r.bottom {
		return // still being read
	}
	if !c.relays.mayOpen(r.ref.Relay) {
		c.relays.askOpen(r.ref.Relay)
		r.problem = "This room is on " + r.ref.Relay + ", which is not among your relays."
		c.touch()
		return
	}
	if r.subscribed {
		return
	}
	r.subscribed, r.synced, r.problem, r.burst = true, false, "", burst{}
	if err := c.pool.Connect(r.ref.Relay); err != nil {
		r.problem = err.Error()
		return
	}
	me := c.identity.me
	err := c.pool.Subscribe(r.ref.Relay, subscription(roomSub+r.ref.ID, func(since int64) []nostr.Filter {
		return c.roomFilters(r, since, me)
	}))
	if err != nil {
		r.subscribed, r.problem = false, err.Error()
	}
	c.spawn(func() { c.learnRelayKey(c.ctx, r.ref.Relay) })
}

const roomSub = "room " // before a room's id: the name of its subscription

// roomFilters asks for what is new since the last time, or for the end of a
// room that was never here. It is called by the pool, at every connection.
func (c *Core) roomFilters(r *roomState, since int64, me string) []nostr.Filter {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.burst = burst{}
	if since == 0 && r.saved.SyncTo > 0 {
		since = r.saved.SyncTo - SyncOverlap
	}
	meta := room.MetaFilters(r.ref, r.relayKey, me)
	if since == 0 {
		return append(room.FirstFilters(r.ref, FirstPage), meta...)
	}
	return append(room.LiveFilters(r.ref, since), meta...)
}

// readRoom folds the newest of what the store has of a room.
func (c *Core) readRoom(ctx context.Context, r *roomState) {
	where := &store.RoomRef{Relay: r.ref.Relay, ID: r.ref.ID}
	meta, err := c.Store.Query(ctx, store.Query{Room: where, Kinds: metaKinds})
	if err == nil {
		c.foldRecords(r.ref.Relay, meta)
		err = c.readOlder(ctx, r)
	}
	if err != nil && ctx.Err() == nil {
		c.notice("storage", "A room cannot be read from this browser: "+err.Error())
		c.mu.Lock()
		r.bottom = true
		c.mu.Unlock()
	}
	c.mu.Lock()
	for _, e := range c.outbox {
		if roomOf(e) == r.ref {
			c.foldOwn(*e, r.ref)
		}
	}
	c.mu.Unlock()
	c.touch()
}

var metaKinds = []int{39000, 39001, 39002, 39003}

// readOlder folds one more page of the store.
func (c *Core) readOlder(ctx context.Context, r *roomState) error {
	c.mu.Lock()
	q := store.Query{Room: &store.RoomRef{Relay: r.ref.Relay, ID: r.ref.ID}, Before: r.cursor, Limit: StorePage}
	c.mu.Unlock()
	records, err := c.Store.Query(ctx, q)
	if err != nil {
		return err
	}
	c.foldRecords(r.ref.Relay, records)
	c.mu.Lock()
	if n := len(records); n > 0 {
		last := records[n-1].Event
		r.cursor = &store.Cursor{CreatedAt: int64(last.CreatedAt), ID: last.ID}
	}
	r.bottom = len(records) < StorePage
	c.mu.Unlock()
	return nil
}

func (c *Core) foldRecords(relayURL string, records []store.Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rec := range records {
		c.known.add(relayURL, rec.Event)
		c.fold(rec.Event, rec.Seen, relayURL)
	}
	c.touch()
}

// foldRoom hands an event to the room it belongs to: its h, or for what a
// relay signs about a room its d, on the relay it came from. mu is held.
func (c *Core) foldRoom(e *nostr.Event, seen int64, relayURL string) {
	name := "h"
	if e.Kind >= 39000 && e.Kind <= 39009 {
		name = "d"
	}
	tag := e.Tags.Find(name)
	if relayURL == "" {
		return
	}
	if len(tag) < 2 || tag[1] == "" {
		c.foldHomeless(e, seen, relayURL)
		return
	}
	c.foldInto(c.room(room.Ref{Relay: relayURL, ID: tag[1]}), e, seen)
}

// foldHomeless hands a deletion or reaction that names no room to the rooms
// that hold what it names.
func (c *Core) foldHomeless(e *nostr.Event, seen int64, relayURL string) {
	if e.Kind != nostr.KindDeletion && e.Kind != nostr.KindReaction {
		return
	}
	for ref, r := range c.rooms {
		if ref.Relay != relayURL {
			continue
		}
		for t := range e.Tags.FindAll("e") {
			if len(t) > 1 && r.fold.Event(t[1]) != nil {
				c.foldInto(r, e, seen)
				break
			}
		}
	}
}

func (c *Core) foldInto(r *roomState, e *nostr.Event, seen int64) {
	if !r.fold.Add(e, seen) && r.fold.Event(e.ID) == nil && !c.cards.wants(e.Kind) {
		return
	}
	if e.Kind == 39002 {
		c.joined(r)
	}
	c.foldCards(r, e, seen)
}

// foldOwn shows an act of mine at once, wherever it is on its way. mu is held.
func (c *Core) foldOwn(entry store.Entry, ref room.Ref) {
	e := eventOf(&entry)
	if ref == (room.Ref{}) {
		ref = roomOf(&entry)
	}
	switch {
	case isRunKind(e.Kind):
		c.foldOwnRun(e, entry)
	case e.Kind == nostr.KindProfileMetadata:
		c.foldProfile(e, entry.CreatedAt)
	case ref != (room.Ref{}):
		c.foldRoom(e, entry.CreatedAt, ref.Relay)
	}
	c.dirtyEvent(e.ID)
}

// unfold takes a withdrawn act out of sight. mu is held.
func (c *Core) unfold(e *nostr.Event, entry *store.Entry) {
	if isRunKind(e.Kind) {
		c.unfoldRun(e)
		return
	}
	if r := c.rooms[roomOf(entry)]; r != nil {
		r.fold.Remove(e.ID)
		c.unfoldCards(e)
	}
}

// subscriptionEnd takes an EOSE, or the relay's words when it ended a
// subscription for good. mu is held.
func (c *Core) subscriptionEnd(ctx context.Context, url, sub, refused string) {
	id, ok := strings.CutPrefix(sub, roomSub)
	if !ok {
		c.cardsEnd(url, sub, refused)
		c.sessionsEnd(url, sub, refused)
		return
	}
	r := c.rooms[room.Ref{Relay: url, ID: id}]
	if r == nil {
		return
	}
	if refused != "" {
		r.subscribed, r.problem = false, "The relay does not show this room: "+refused
		return
	}
	first := r.saved.SyncTo == 0
	since := max(0, r.saved.SyncTo-SyncOverlap)
	r.synced = true
	got := r.burst
	now := c.now()
	if first {
		r.saved.From, r.saved.End = got.oldest, got.events == 0
		r.saved.SyncTo = now
		if last, ok := r.fold.Last(); ok && r.saved.Mark == (room.Mark{}) {
			c.moveMark(r, last.ID) // nothing is new to somebody who was never here
		}
		c.saveRoom(r)
		c.fetchAround(r, r.fold.Window("", FirstPage, 0).IDs)
		return
	}
	if got.events >= PageFull && got.oldest > since {
		c.spawn(func() { c.fillGap(ctx, r, since, got.oldest) })
		return
	}
	r.saved.SyncTo = now
	c.saveRoom(r)
}

// count notes what comes before a room's EOSE. mu is held.
func (c *Core) count(a arrival) {
	id, ok := strings.CutPrefix(a.sub, roomSub)
	if !ok {
		return
	}
	r := c.rooms[room.Ref{Relay: a.relay, ID: id}]
	if r == nil || r.synced || !inTimeline(a.event.Kind) {
		return
	}
	at := int64(a.event.CreatedAt)
	if r.burst.events++; r.burst.oldest == 0 || at < r.burst.oldest {
		r.burst.oldest = at
	}
}

func inTimeline(kind int) bool { return kind == 9 || kind == 11 || kind == 43001 }

// fillGap asks for what a relay has cut off between two times.
func (c *Core) fillGap(ctx context.Context, r *roomState, since, until int64) {
	for until > since {
		filters := room.LiveFilters(r.ref, since)
		for i := range filters {
			at := nostr.Timestamp(until)
			filters[i].Until = &at
		}
		events, _, err := c.pool.Fetch(ctx, r.ref.Relay, filters...)
		if err != nil {
			return // the next connection asks from the same place again
		}
		oldest := c.takeFetched(ctx, r.ref.Relay, events)
		if len(events) == 0 {
			break
		}
		if oldest >= until {
			oldest = until - 1 // a full page within one second
		}
		until = oldest
	}
	c.mu.Lock()
	r.saved.SyncTo = c.now()
	c.saveRoom(r)
	c.mu.Unlock()
	c.touch()
}

// takeFetched takes the answer of a one-shot and gives the created_at of its
// oldest event, 0 for none.
func (c *Core) takeFetched(ctx context.Context, url string, events []*nostr.Event) int64 {
	var oldest int64
	batch := make([]arrival, len(events))
	for i, e := range events {
		batch[i] = arrival{event: e, relay: url}
		if at := int64(e.CreatedAt); oldest == 0 || at < oldest {
			oldest = at
		}
	}
	c.take(ctx, batch)
	return oldest
}

// pageOlder fetches older messages of a room: from the store as far as it is
// known to hold them all, then from the relay.
func (c *Core) pageOlder(ctx context.Context, r *roomState) {
	defer func() {
		c.mu.Lock()
		r.paging = false
		c.mu.Unlock()
		c.touch()
	}()
	c.mu.Lock()
	whole := r.cursor != nil && r.cursor.CreatedAt > r.saved.From // From 0: everything
	online := c.relays.states[r.ref.Relay].Phase == "online"
	bottom, until, end := r.bottom, r.saved.From, r.saved.End
	c.mu.Unlock()
	if !bottom && (whole || end || !online) {
		if err := c.readOlder(ctx, r); err != nil {
			c.notice("storage", "Older messages cannot be read: "+err.Error())
		}
		return
	}
	if !online || end {
		return
	}
	events, complete, err := c.pool.Fetch(ctx, r.ref.Relay, room.OlderFilters(r.ref, until, OlderPage)...)
	if err != nil {
		return
	}
	oldest := c.takeFetched(ctx, r.ref.Relay, events)
	ids := make([]string, len(events))
	for i, e := range events {
		ids[i] = e.ID
	}
	c.fetchAround(r, ids)
	c.mu.Lock()
	switch {
	case len(events) == 0 && complete:
		r.saved.End = true
	case oldest < until:
		r.saved.From = oldest
	case complete && len(events) < OlderPage:
		r.saved.End = true
	default:
		r.saved.From = until - 1 // a full page within one second
	}
	c.saveRoom(r)
	c.mu.Unlock()
}

// fetchAround asks in the background for what names these messages: their
// reactions, edits and replies may be older than what else is asked for.
func (c *Core) fetchAround(r *roomState, ids []string) {
	if len(ids) == 0 {
		return
	}
	c.spawn(func() {
		events, _, err := c.pool.Fetch(c.ctx, r.ref.Relay, room.AroundFilters(r.ref, ids)...)
		if err == nil {
			c.takeFetched(c.ctx, r.ref.Relay, events)
		}
	})
}

// saveRoom keeps what is to be kept of a room, in the background. mu is held.
func (c *Core) saveRoom(r *roomState) {
	saved, bucket := r.saved, c.roomBucket()
	saved.Listed = r.listed
	c.saved[r.ref] = saved
	c.spawn(func() {
		if err := c.keep(c.ctx, bucket, roomKey(r.ref), saved); err != nil && c.ctx.Err() == nil {
			c.notice("storage", err.Error())
		}
	})
}

// subscription is a short way to write a relay.Subscription.
func subscription(name string, filters func(since int64) []nostr.Filter) relay.Subscription {
	return relay.Subscription{Name: name, Filters: filters}
}
