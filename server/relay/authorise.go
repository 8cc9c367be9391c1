package relay

import (
	"slices"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/relay/store"
)

// authorise says whether the author of a moderation event, a join or a leave
// may do that to a room in this state. rm is nil when there is no such room.
func (r *Relay) authorise(ev *nostr.Event, rm *room, gone bool) error {
	if ev.Kind != kindInvite && store.Expires(ev) != 0 {
		return refuse(invalid, "what makes or changes a room cannot expire")
	}
	if ev.Kind == kindCreateRoom {
		return authoriseCreation(ev, rm, gone)
	}
	if rm == nil || rm.hidden && !rm.isMember(ev.PubKey) && ev.PubKey != r.key.public && ev.Kind != kindJoin {
		return errNoRoom
	}
	switch ev.Kind {
	case kindJoin:
		return authoriseJoin(ev, rm, r.now())
	case kindLeave:
		return authoriseLeave(ev, rm)
	}
	rank := rankOf(rm.members[ev.PubKey])
	if ev.PubKey == r.key.public {
		rank = rankRelay
	}
	if rank < rankAdmin {
		return refuse(restricted, "only admins of the room may do this")
	}
	switch ev.Kind {
	case kindPutUser, kindRemoveUser:
		return authoriseUsers(ev, rm, rank)
	case kindEditMeta:
		return checkMeta(ev)
	case kindDeleteEvent:
		return need(ev, "e", "the event to delete")
	case kindDeleteRoom:
		if rank < rankOwner {
			return refuse(restricted, "only the owner may delete the room")
		}
		return nil
	case kindInvite:
		return need(ev, "code", "the code of the invitation")
	}
	return refuse(blocked, "this relay does not know kind %d", ev.Kind)
}

func authoriseCreation(ev *nostr.Event, rm *room, gone bool) error {
	switch id := store.Room(ev); {
	case rm != nil:
		return refuse(blocked, "a room with this id is here already")
	case gone:
		return refuse(blocked, "a room with this id was deleted; choose another id")
	case len(id) > MaxRoomID:
		return refuse(invalid, "the id of a room has at most %d bytes", MaxRoomID)
	}
	return checkMeta(ev)
}

// authoriseJoin: an open room takes everybody but those an admin removed, a
// closed one those with a code. NIP-29 wants `duplicate:` for members.
func authoriseJoin(ev *nostr.Event, rm *room, now int64) error {
	code := ""
	if tag := ev.Tags.Find("code"); tag != nil {
		code = tag[1]
	}
	switch {
	case rm.isMember(ev.PubKey):
		return refuse(duplicate, "you are a member of this room already")
	case len(rm.members) >= MaxMembers:
		return errFull
	case rm.opens(code, now):
		return nil
	case rm.hidden:
		return errNoRoom
	case rm.barred[ev.PubKey]:
		return refuse(restricted, "an admin has removed you from this room; ask for an invitation")
	case code != "" && rm.closed:
		return refuse(restricted, "this invitation is not good, or not any more")
	case rm.closed:
		return refuse(restricted, "this room is closed; ask one of its admins for an invitation")
	}
	return nil
}

var errFull = refuse(restricted, "this room is full: it has %d members", MaxMembers)

func authoriseLeave(ev *nostr.Event, rm *room) error {
	if !rm.isMember(ev.PubKey) {
		return refuse(duplicate, "you are not a member of this room")
	}
	if rankOf(rm.members[ev.PubKey]) == rankOwner && len(rm.members) > 1 && !otherOwner(rm, ev.PubKey) {
		return refuse(restricted, "you are its only owner: make somebody else owner first, or delete the room")
	}
	return nil
}

func otherOwner(rm *room, key string) bool {
	for k, roles := range rm.members {
		if k != key && rankOf(roles) == rankOwner {
			return true
		}
	}
	return false
}

// authoriseUsers: one acts on oneself and on those below one, and makes nobody
// more than one is oneself.
func authoriseUsers(ev *nostr.Event, rm *room, rank int) error {
	if err := need(ev, "p", "the person"); err != nil {
		return err
	}
	added := map[string]bool{}
	for tag := range ev.Tags.FindAll("p") {
		key := tag[1]
		self := key == ev.PubKey
		if ev.Kind == kindPutUser && !rm.isMember(key) {
			added[key] = true
		}
		switch {
		case len(rm.members)+len(added) > MaxMembers:
			return errFull
		case !isHex(key, 64):
			return refuse(invalid, "a p tag holds no public key")
		case !self && rankOf(rm.members[key]) >= rank:
			return refuse(restricted, "you may not do this to an admin or owner of equal standing")
		case ev.Kind == kindPutUser && rankOf(tag[2:]) > rank:
			return refuse(restricted, "you may not give somebody a role above yours")
		case self && rank == rankOwner && !otherOwner(rm, key) &&
			(ev.Kind == kindRemoveUser || rankOf(tag[2:]) < rankOwner):
			return refuse(restricted, "you are its only owner: make somebody else owner first, or delete the room")
		}
	}
	return nil
}

// checkMeta bounds what a room says of itself.
func checkMeta(ev *nostr.Event) error {
	for _, tag := range ev.Tags {
		if len(tag) == 0 {
			continue
		}
		most := MaxRoomAbout
		switch tag[0] {
		case "parent", "child":
			return refuse(blocked, "this relay has no rooms within rooms")
		case "name":
			most = MaxRoomName
		}
		if slices.ContainsFunc(tag, func(s string) bool { return len(s) > most }) {
			return refuse(invalid, "the %s of a room has at most %d bytes", tag[0], most)
		}
	}
	return nil
}

// need asks for a tag with a value.
func need(ev *nostr.Event, name, what string) error {
	tag := ev.Tags.Find(name)
	if tag == nil || tag[1] == "" {
		return refuse(invalid, "the %s tag with %s is missing", name, what)
	}
	return nil
}
