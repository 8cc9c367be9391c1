package relay

import (
	"errors"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/relay/store"
)

// moderate carries out a moderation event, a join or a leave: it checks the
// right to do it, keeps it together with all that follows from it in one
// commit, and passes it all on.
//
// One change runs at a time. A removal, a leave and the end of a room go to
// those who could read them before, so that somebody who is removed learns of
// it; everything else to those who can read it afterwards.
func (r *Relay) moderate(ev *nostr.Event) error {
	rs := r.rooms
	rs.change.Lock()
	defer rs.change.Unlock()
	before, gone := rs.get(store.Room(ev))
	if err := r.authorise(ev, before, gone); err != nil {
		if known, lookErr := r.has(ev.ID); known || lookErr != nil {
			return errors.Join(lookErr, known2dup(known)) // a copy, whatever has changed since
		}
		return err
	}
	next := newRoom(store.Room(ev))
	if before != nil {
		next = before.clone()
	}
	follow, err := r.follow(ev)
	if err != nil {
		return err
	}
	next.apply(ev, rs.relayKey)
	for _, f := range follow {
		next.apply(f, rs.relayKey)
	}
	var said []*nostr.Event
	if ev.Kind != kindDeleteRoom {
		if said, err = r.describe(next, changed(before, next)); err != nil {
			return err
		}
	}
	if err := r.store.Update(func(tx *store.Tx) error { return r.keepChange(tx, ev, append(follow, said...)) }); err != nil {
		return err
	}
	r.announce(ev, follow, said, next)
	return nil
}

// announce passes a change on and makes it the room's state in between.
func (r *Relay) announce(ev *nostr.Event, follow, said []*nostr.Event, next *room) {
	before := []*nostr.Event{ev}
	var after []*nostr.Event
	switch ev.Kind {
	case kindRemoveUser, kindDeleteRoom:
	case kindLeave:
		before = append(before, follow...)
	default:
		before, after = nil, append([]*nostr.Event{ev}, follow...)
	}
	for _, e := range before {
		r.broadcast(e)
	}
	if ev.Kind == kindDeleteRoom {
		r.rooms.drop(next.id)
	} else {
		r.rooms.set(next)
	}
	for _, e := range append(after, said...) {
		r.broadcast(e)
	}
}

// keepChange saves a moderation event and what follows, and deletes what it
// asks to be deleted.
func (r *Relay) keepChange(tx *store.Tx, ev *nostr.Event, more []*nostr.Event) error {
	room := store.Room(ev)
	if ev.Kind == kindDeleteEvent {
		if err := checkTargets(tx, ev, room); err != nil {
			return err
		}
	}
	if err := tx.Save(ev, r.now()); err != nil {
		return err
	}
	switch ev.Kind {
	case kindDeleteEvent:
		for tag := range ev.Tags.FindAll("e") {
			if err := tx.DeleteInRoom(room, tag[1]); err != nil {
				return err
			}
		}
	case kindDeleteRoom:
		if err := tx.DeleteRoom(room, r.key.public, ev.ID); err != nil {
			return err
		}
	}
	for _, m := range more {
		if err := tx.Save(m, r.now()); err != nil && !errors.Is(err, store.ErrDuplicate) {
			return err
		}
	}
	return nil
}

// checkTargets: an admin deletes what is in the room, but not what made it.
func checkTargets(tx *store.Tx, ev *nostr.Event, room string) error {
	for tag := range ev.Tags.FindAll("e") {
		if !isHex(tag[1], 64) {
			return refuse(invalid, "an e tag holds no event id")
		}
		target, err := tx.Event(tag[1])
		switch {
		case err != nil:
			return err
		case target == nil:
		case store.Room(target) != room:
			return refuse(blocked, "that event is not in this room")
		case moderation(target.Kind) && target.Kind != kindInvite:
			return refuse(blocked, "what made the room cannot be deleted")
		}
	}
	return nil
}

// follow is what the relay itself adds: a join puts somebody in, a leave takes
// somebody out.
func (r *Relay) follow(ev *nostr.Event) ([]*nostr.Event, error) {
	kind := map[int]int{kindJoin: kindPutUser, kindLeave: kindRemoveUser}[ev.Kind]
	if kind == 0 {
		return nil, nil
	}
	f := &nostr.Event{
		Kind: kind, CreatedAt: nostr.Timestamp(r.now()),
		Tags: nostr.Tags{{"h", store.Room(ev)}, {"p", ev.PubKey}},
	}
	return []*nostr.Event{f}, r.key.sign(f)
}

func (r *Relay) has(id string) (known bool, err error) {
	err = r.store.Update(func(tx *store.Tx) error {
		ev, err := tx.Event(id)
		known = ev != nil
		return err
	})
	return known, err
}

func known2dup(known bool) error {
	if known {
		return store.ErrDuplicate
	}
	return nil
}

// get returns a room's state, nil when there is none, and whether it was
// deleted.
func (rs *rooms) get(id string) (rm *room, gone bool) {
	rs.mu.RLock()
	defer rs.mu.RUnlock()
	return rs.byID[id], rs.gone[id]
}

func (rs *rooms) set(rm *room) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.byID[rm.id] = rm
}

func (rs *rooms) drop(id string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	delete(rs.byID, id)
	rs.gone[id] = true
}
