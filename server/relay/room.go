package relay

import (
	"maps"
	"slices"
	"strconv"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/relay/store"
)

// Roles that give somebody power in a room. Other roles are kept and shown.
const (
	roleOwner = "owner" // who made the room: everything
	roleAdmin = "admin" // everything but other admins, the owner, and the room's end
)

// Ranks order who may act on whom.
const (
	rankMember = iota
	rankAdmin
	rankOwner
	rankRelay // the relay's own key
)

// room is the state of a room (NIP-29). It is a fold over the moderation events
// in the order the relay took them. Those in rooms.byID are never changed, only
// replaced.
type room struct {
	id                 string
	name, about        string
	picture, banner    string
	private, closed    bool
	restricted, hidden bool
	kinds              []string            // supported_kinds; nil: all
	members            map[string][]string // roles by key
	barred             map[string]bool     // removed by an admin
	invites            map[string]invite   // by code
	stamp              int64               // created_at of the newest 3900x
}

// invite is a code that opens a closed room.
type invite struct {
	event   string // the id of the 9009
	expires int64  // unix seconds, 0: never
}

func newRoom(id string) *room {
	return &room{id: id, members: map[string][]string{}, barred: map[string]bool{}, invites: map[string]invite{}}
}

func (rm *room) clone() *room {
	c := *rm
	c.members, c.barred, c.invites = maps.Clone(rm.members), maps.Clone(rm.barred), maps.Clone(rm.invites)
	return &c
}

func (rm *room) isMember(key string) bool { _, ok := rm.members[key]; return ok }

func (rm *room) anyMember(keys keyring) bool { return slices.ContainsFunc(keys, rm.isMember) }

func (rm *room) anyAdmin(keys keyring) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return rankOf(rm.members[k]) >= rankAdmin })
}

func rankOf(roles []string) int {
	switch {
	case slices.Contains(roles, roleOwner):
		return rankOwner
	case slices.Contains(roles, roleAdmin):
		return rankAdmin
	}
	return rankMember
}

// apply changes the state by a moderation event that was found good. Joining
// and leaving change nothing by themselves: the relay's own 9000 and 9001 do.
func (rm *room) apply(ev *nostr.Event, relayKey string) {
	switch ev.Kind {
	case kindCreateRoom:
		if ev.PubKey != relayKey {
			rm.members[ev.PubKey] = []string{roleOwner}
		}
		rm.describe(ev.Tags)
	case kindEditMeta:
		rm.describe(ev.Tags)
	case kindPutUser:
		for tag := range ev.Tags.FindAll("p") {
			rm.members[tag[1]] = slices.Clone(tag[2:])
			delete(rm.barred, tag[1])
		}
	case kindRemoveUser:
		for tag := range ev.Tags.FindAll("p") {
			delete(rm.members, tag[1])
			// The relay's own 9001 answers a 9022: who left may come back.
			rm.barred[tag[1]] = ev.PubKey != relayKey && ev.PubKey != tag[1]
		}
	case kindInvite:
		for tag := range ev.Tags.FindAll("code") {
			rm.invites[tag[1]] = invite{ev.ID, store.Expires(ev)}
		}
	case kindDeleteEvent:
		for tag := range ev.Tags.FindAll("e") {
			rm.revoke(tag[1])
		}
	}
}

// describe takes over what a 9002 says. It carries all of the metadata: a flag
// it leaves out is unset (NIP-29). A name stays until there is another.
func (rm *room) describe(tags nostr.Tags) {
	value := func(name string) string {
		if tag := tags.Find(name); tag != nil {
			return tag[1]
		}
		return ""
	}
	flag := func(name string) bool {
		return slices.ContainsFunc(tags, func(t nostr.Tag) bool { return len(t) > 0 && t[0] == name })
	}
	if name := value("name"); name != "" {
		rm.name = name
	}
	rm.about, rm.picture, rm.banner = value("about"), value("picture"), value("banner")
	rm.private, rm.closed = flag("private"), flag("closed")
	rm.restricted, rm.hidden = flag("restricted"), flag("hidden")
	rm.kinds = nil
	for _, tag := range tags {
		if len(tag) > 0 && tag[0] == "supported_kinds" {
			rm.kinds = append([]string{}, tag[1:]...)
		}
	}
}

// revoke takes back the codes of an invitation that was deleted.
func (rm *room) revoke(event string) {
	maps.DeleteFunc(rm.invites, func(_ string, i invite) bool { return i.event == event })
}

// opens says whether a code is good at a time.
func (rm *room) opens(code string, now int64) bool {
	i, ok := rm.invites[code]
	return ok && (i.expires == 0 || i.expires > now)
}

// takes says whether the room supports a kind of event.
func (rm *room) takes(kind int) bool {
	return rm.kinds == nil || kind == kindDelete || slices.Contains(rm.kinds, strconv.Itoa(kind))
}

// supportedRoles is what 39003 says.
var supportedRoles = nostr.Tags{
	{"role", roleOwner, "Made the room. Can do everything, and delete it."},
	{"role", roleAdmin, "Edits the room, adds and removes people, invites, and deletes messages."},
}

// describes are the tags of the room's 39000 to 39003, by kind.
func (rm *room) describes() map[int]nostr.Tags {
	d := nostr.Tag{"d", rm.id}
	meta, admins, members := nostr.Tags{d}, nostr.Tags{d}, nostr.Tags{d}
	for _, field := range [][2]string{{"name", rm.name}, {"about", rm.about}, {"picture", rm.picture}, {"banner", rm.banner}} {
		if field[1] != "" {
			meta = append(meta, nostr.Tag{field[0], field[1]})
		}
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"private", rm.private}, {"closed", rm.closed}, {"restricted", rm.restricted}, {"hidden", rm.hidden}} {
		if flag.set {
			meta = append(meta, nostr.Tag{flag.name})
		}
	}
	if rm.kinds != nil {
		meta = append(meta, append(nostr.Tag{"supported_kinds"}, rm.kinds...))
	}
	for _, key := range slices.Sorted(maps.Keys(rm.members)) {
		members = append(members, nostr.Tag{"p", key})
		if roles := rm.members[key]; rankOf(roles) >= rankAdmin {
			admins = append(admins, append(nostr.Tag{"p", key}, roles...))
		}
	}
	return map[int]nostr.Tags{
		kindMeta: meta, kindAdmins: admins, kindMembers: members,
		kindRoles: append(nostr.Tags{d}, supportedRoles...),
	}
}
