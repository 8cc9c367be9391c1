package core

import (
	"context"
	"slices"

	"parley/wasm/port"
	"parley/wasm/relay"
	"parley/wasm/room"
	"parley/wasm/verify"
)

// PageAhead is how many messages before the window are kept ready; with fewer
// the next page is fetched.
const PageAhead = 60

// ThreadPage is how many replies a thread asks its relay for at first.
const ThreadPage = 500

func (c *Core) beginRoom(ctx context.Context, w *watch) error {
	ref, err := c.normalRef(w.params.Room)
	if err != nil {
		return err
	}
	w.params.Room = ref
	c.mu.Lock()
	r := c.room(ref)
	r.watchers++
	c.mu.Unlock()
	w.close = func() { c.leave(r) }
	c.openRoom(r)
	return nil
}

func (c *Core) beginThread(ctx context.Context, w *watch) error {
	if !verify.IsID(w.params.ID) {
		return invalid("A thread is named by an event id, 64 hex digits; this is not one.")
	}
	if err := c.beginRoom(ctx, w); err != nil {
		return err
	}
	c.mu.Lock()
	r := c.rooms[w.params.Room]
	c.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wantThread(r, w.params.ID)
	return nil
}

// leave ends a watch of a room. One that is neither watched nor on my list is
// not asked about any more: a relay takes only so many questions at a time.
// mu is held.
func (c *Core) leave(r *roomState) {
	r.watchers--
	c.unhear(r)
}

// unhear ends the live subscription of a room that is neither on a page nor on
// my list. mu is held.
func (c *Core) unhear(r *roomState) {
	if r.watchers <= 0 && !r.listed && r.subscribed {
		r.subscribed, r.live, r.current, r.check = false, false, false, false
		c.replan(r.ref.Relay)
	}
}

// wantThread has a whole thread asked for once, since a room's own page may
// not reach back to it; again when the relay is opened or comes back, until it
// has answered. mu is held.
func (c *Core) wantThread(r *roomState, root string) {
	key := "thread " + root
	if r.asked[key] || r.asked["done "+root] || !c.relays.mayOpen(r.ref.Relay) {
		return
	}
	r.asked[key] = true
	c.spawn(func() {
		events, _, err := c.pool.Fetch(c.ctx, r.ref.Relay, room.ThreadFilters(r.ref, root, ThreadPage)...)
		c.takeFetched(c.ctx, r.ref.Relay, events)
		c.mu.Lock()
		delete(r.asked, key)
		r.asked["done "+root] = err == nil
		c.mu.Unlock()
		c.touch()
	})
}

// wantThreads is wantThread for every thread that is watched on a relay.
// mu is held.
func (c *Core) wantThreads(url string) {
	for _, w := range c.watches {
		if r := c.rooms[w.params.Room]; w.params.Name == port.ThreadName && r != nil && r.ref.Relay == url {
			c.wantThread(r, w.params.ID)
		}
	}
}

// timeline is the update of a room's or thread's watch; news is true when
// there are items in it.
func (c *Core) timeline(w *watch) (t port.Timeline, news bool) {
	r := c.rooms[w.params.Room]
	if r == nil { // wiped meanwhile
		r = c.room(w.params.Room)
	}
	root := w.params.ID
	c.shareChanges(r)
	win := c.cut(r, w)
	t = port.Timeline{
		Reset: w.reset, Order: win.IDs, Newer: win.Newer, RootID: root, Problem: r.problem,
		Older: win.Older > 0, Loading: len(win.IDs) == 0 && !r.settled() && r.problem == "",
	}
	if t.Order == nil {
		t.Order = []string{}
	}
	if root == "" {
		t.Older = t.Older || !r.exhausted()
		c.wantOlder(r, win)
	} else if r.fold.Event(root) == nil && !r.asked["done "+root] && r.problem == "" {
		t.Loading = true
	}
	if w.reset {
		w.items, w.infoHash = nil, 0
		t.DraftKey = draftKey(r.ref, root)
		t.Draft = c.drafts[t.DraftKey]
	}
	t.Items = c.items(r, w, win.IDs)
	c.unreadOf(r, w, &t)
	if info := c.roomInfo(r); w.infoChanged(info) {
		t.Info = &info
	}
	c.wantAround(r, win.IDs)
	return t, len(t.Items) > 0 || t.Info != nil
}

// settled tells whether a room is known as well as it can be now.
func (r *roomState) settled() bool { return r.synced || (r.bottom && !r.subscribed) }

// exhausted tells whether there is nothing older anywhere.
func (r *roomState) exhausted() bool {
	return (r.bottom && r.saved.End) || r.problem != ""
}

func (c *Core) cut(r *roomState, w *watch) room.Window {
	if w.params.ID != "" {
		return r.fold.ThreadWindow(w.params.ID, w.window.Anchor, w.window.Before, w.window.After)
	}
	return r.fold.Window(w.window.Anchor, w.window.Before, w.window.After)
}

// wantOlder has the next older page fetched when the window nears the
// beginning of what is here.
func (c *Core) wantOlder(r *roomState, win room.Window) {
	if win.Older >= PageAhead || r.paging || c.now() < r.rest || !r.read || r.exhausted() {
		return
	}
	if r.bottom && (!r.synced || c.relays.states[r.ref.Relay].Phase != relay.Online) {
		return // nothing to be had now
	}
	r.paging = true
	c.spawn(func() { c.pageOlder(c.ctx, r) })
}

// shareChanges tells every watch of a room which items may look different.
func (c *Core) shareChanges(r *roomState) {
	changed := r.fold.TakeChanged()
	for _, w := range c.watches {
		if w.params.Room != r.ref {
			continue
		}
		for _, id := range changed.Messages {
			w.markDirty(id)
		}
	}
}

func (w *watch) markDirty(id string) {
	if w.dirty == nil {
		w.dirty = map[string]bool{}
	}
	w.dirty[id] = true
}

// dirtyEvent has an event's item built again wherever it is watched. mu is held.
func (c *Core) dirtyEvent(id string) {
	for _, w := range c.watches {
		w.markDirty(id)
	}
}

// items gives those of a window that the page does not have as they are now.
func (c *Core) items(r *roomState, w *watch, ids []string) []port.Item {
	var items []port.Item
	in := make(map[string]bool, len(ids))
	for _, id := range ids {
		in[id] = true
		if _, has := w.items[id]; has && !w.dirty[id] {
			continue
		}
		item, ok := c.item(r, id)
		if ok && w.changed(id, item) {
			items = append(items, item)
		}
	}
	for id := range w.items { // the page keeps only what is in its window
		if !in[id] {
			delete(w.items, id)
		}
	}
	clear(w.dirty)
	return items
}

func (c *Core) item(r *roomState, id string) (port.Item, bool) {
	me := c.identity.me
	message, ok := r.fold.Message(id, me)
	if !ok {
		return port.Item{}, false
	}
	own := me != "" && message.Author.PubKey == me
	item := port.Item{Message: message, Own: own, Link: room.NEvent(id, r.ref.Relay, message.Author.PubKey, message.Kind)}
	if own || c.outbox[id] != nil { // or of another account of this browser, on its way
		item.Delivery = c.delivery(id)
	}
	item.CanDelete = own || r.fold.IsAdmin(me)
	c.addCards(&item)
	return item, true
}

// unreadOf counts what is after the reading mark. The divider stays where it
// was when the watch began.
func (c *Core) unreadOf(r *roomState, w *watch, t *port.Timeline) {
	if w.params.ID != "" || c.identity.me == "" && r.saved.Mark == (room.Mark{}) {
		return
	}
	unread := r.fold.Unread(r.saved.Mark, c.identity.me)
	t.Unread = unread.Count
	if !w.view.dividerOK && r.settled() {
		w.view.dividerOK = true
		if r.saved.Mark != (room.Mark{}) {
			w.view.divider = unread.First
		}
	}
	t.Divider = w.view.divider
}

// wantAround has fetched what the window's messages point at: the messages
// they reply to, and the people in them.
func (c *Core) wantAround(r *roomState, ids []string) {
	c.want(r.ref.Relay, r.fold.People(ids))
	if c.now() < r.rest || !c.relays.mayOpen(r.ref.Relay) {
		return
	}
	var missing []string
	for _, id := range r.fold.Missing(ids) {
		if !r.asked[id] {
			r.asked[id] = true
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return
	}
	c.spawn(func() {
		events, _, err := c.pool.Fetch(c.ctx, r.ref.Relay, room.IDFilters(missing)...)
		c.takeFetched(c.ctx, r.ref.Relay, events)
		if err != nil {
			c.mu.Lock()
			r.rest = c.now() + RestAfter
			for _, id := range missing {
				delete(r.asked, id)
			}
			c.mu.Unlock()
		}
	})
}

// roomInfo is the head and the side of a room.
func (c *Core) roomInfo(r *roomState) port.RoomInfo {
	me := c.identity.me
	info := port.RoomInfo{
		Meta: r.fold.Meta(), Listed: r.listed, Member: me != "" && r.fold.IsMember(me),
		Admin: me != "" && r.fold.IsAdmin(me), CanWrite: true, Upload: c.canUpload(r.ref.Relay),
	}
	if !info.Member {
		info.Joining = r.joining
	}
	for _, key := range r.fold.Members() {
		if c.isAgent(key) {
			info.Agents = append(info.Agents, key)
		}
	}
	for _, key := range c.siteAgents() {
		if !slices.Contains(info.Agents, key) {
			info.Agents = append(info.Agents, key)
		}
	}
	switch {
	case me == "":
		info.CanWrite, info.WhyNot = false, "Sign in to write"
	case info.Meta.Restricted && !info.Member:
		info.CanWrite, info.WhyNot = false, "Join to write"
	}
	return info
}
