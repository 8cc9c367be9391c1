package relay

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/relay/store"
)

// The room of a fresh start.
const (
	lobbyID    = "lobby"
	lobbyName  = "Lobby"
	lobbyAbout = "The first room. Everyone can read and write here."
)

// rooms is the state of all rooms.
type rooms struct {
	relayKey string

	change sync.Mutex // held through a whole change: check, commit, broadcast

	mu   sync.RWMutex
	byID map[string]*room
	gone map[string]bool // deleted rooms; their ids stay taken
}

// openRooms rebuilds the rooms from the stored events, makes the lobby on a
// fresh start, and puts right what the relay itself says of the rooms.
func (r *Relay) openRooms() error {
	rs := &rooms{relayKey: r.key.public, byID: map[string]*room{}, gone: map[string]bool{}}
	r.rooms = rs
	err := r.store.Replay(func(ev *nostr.Event) { rs.replay(ev) })
	if err != nil {
		return fmt.Errorf("reading the rooms: %w", err)
	}
	for _, rm := range rs.byID {
		if err := r.redescribe(rm); err != nil {
			return fmt.Errorf("describing room %q: %w", rm.id, err)
		}
	}
	if err := r.openLobby(); err != nil {
		return fmt.Errorf("opening the lobby: %w", err)
	}
	return nil
}

// replay applies one stored event. Whether it was allowed was settled when it
// was stored.
func (rs *rooms) replay(ev *nostr.Event) {
	id := store.Room(ev)
	switch rm := rs.byID[id]; {
	case ev.Kind == kindDeleteRoom:
		delete(rs.byID, id)
		rs.gone[id] = true
	case ev.Kind == kindCreateRoom && rm == nil:
		rm = newRoom(id)
		rm.apply(ev, rs.relayKey)
		rs.byID[id] = rm
	case rm != nil:
		rm.apply(ev, rs.relayKey)
	}
}

// redescribe signs anew what is missing or out of date of a room's 39000 to
// 39003, as after a crash, a new relay key, or an update of the program.
func (r *Relay) redescribe(rm *room) error {
	return r.store.Update(func(tx *store.Tx) error {
		wanted := rm.describes()
		for kind := kindMeta; kind <= kindRoles; kind++ {
			stored, err := tx.AtAddress(strconv.Itoa(kind) + ":" + r.key.public + ":" + rm.id)
			if err != nil {
				return err
			}
			if stored != nil {
				rm.stamp = max(rm.stamp, int64(stored.CreatedAt))
				if sameTags(stored.Tags, wanted[kind]) {
					delete(wanted, kind)
				}
			}
		}
		signed, err := r.describe(rm, wanted)
		if err != nil {
			return err
		}
		for _, ev := range signed {
			if err := tx.Save(ev, r.now()); err != nil {
				return err
			}
		}
		return nil
	})
}

// describe signs what the relay says of a room, newer than all it has said.
func (r *Relay) describe(rm *room, tags map[int]nostr.Tags) ([]*nostr.Event, error) {
	if len(tags) == 0 {
		return nil, nil
	}
	rm.stamp = max(r.now(), rm.stamp+1)
	var out []*nostr.Event
	for kind := kindMeta; kind <= kindRoles; kind++ {
		if tags[kind] == nil {
			continue
		}
		ev := &nostr.Event{Kind: kind, CreatedAt: nostr.Timestamp(rm.stamp), Tags: tags[kind]}
		if err := r.key.sign(ev); err != nil {
			return nil, err
		}
		out = append(out, ev)
	}
	return out, nil
}

// changed are the tags in next that differ from before; all with before nil.
func changed(before, next *room) map[int]nostr.Tags {
	tags := next.describes()
	if before == nil {
		return tags
	}
	old := before.describes()
	for kind := range tags {
		if sameTags(old[kind], tags[kind]) {
			delete(tags, kind)
		}
	}
	return tags
}

func sameTags(a, b nostr.Tags) bool {
	return slices.EqualFunc(a, b, func(x, y nostr.Tag) bool { return slices.Equal(x, y) })
}

// openLobby makes the lobby unless there is or was one, and puts the admins of
// the configuration in charge of it.
func (r *Relay) openLobby() error {
	at := nostr.Timestamp(r.now())
	room := nostr.Tag{"h", lobbyID}
	var events []*nostr.Event
	lobby := r.rooms.byID[lobbyID]
	if r.rooms.gone[lobbyID] {
		return nil
	}
	if lobby == nil {
		events = append(events,
			&nostr.Event{Kind: kindCreateRoom, CreatedAt: at, Tags: nostr.Tags{room}},
			&nostr.Event{Kind: kindEditMeta, CreatedAt: at, Tags: nostr.Tags{room, {"name", lobbyName}, {"about", lobbyAbout}}})
	}
	for _, key := range r.config.Admins {
		if !isHex(key, 64) {
			return fmt.Errorf("the admin %q is no public key of 64 hex digits", key)
		}
		if lobby == nil || rankOf(lobby.members[key]) < rankAdmin {
			events = append(events, &nostr.Event{Kind: kindPutUser, CreatedAt: at, Tags: nostr.Tags{room, {"p", key, roleAdmin}}})
		}
	}
	for _, ev := range events {
		if err := r.key.sign(ev); err != nil {
			return err
		}
		if err := r.moderate(ev); err != nil {
			return err
		}
	}
	return nil
}

// mayWrite says whether an event may go into the room it names, if it names
// one. Who wrote something may always take it back.
func (rs *rooms) mayWrite(ev *nostr.Event) error {
	id := store.Room(ev)
	if id == "" || ev.PubKey == rs.relayKey {
		return nil
	}
	rs.mu.RLock()
	defer rs.mu.RUnlock()
	rm := rs.byID[id]
	switch {
	case rm == nil, rm.hidden && !rm.isMember(ev.PubKey):
		return errNoRoom
	case ev.Kind == kindDelete:
		return nil
	case rm.barred[ev.PubKey]:
		return refuse(blocked, "an admin has removed you from this room")
	case (rm.restricted || rm.private) && !rm.isMember(ev.PubKey):
		return refuse(restricted, "only members can write in this room")
	case !rm.takes(ev.Kind):
		return refuse(blocked, "this room does not take events of kind %d", ev.Kind)
	}
	return nil
}

var errNoRoom = refuse(blocked, "no such room")
