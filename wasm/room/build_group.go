package room

import (
	"slices"

	"github.com/nbd-wtf/go-nostr"
)

// Settings is what an admin can set of a room (NIP-29 kind 9002).
type Settings struct {
	Name       string
	About      string
	Picture    string
	Private    bool // only members can read
	Closed     bool // requests to join are not honoured without an invitation
	Restricted bool // only members can write
}

// BuildCreateRoom is a kind 9007.
func BuildCreateRoom(ref Ref, at int64) nostr.Event {
	return template(KindCreateRoom, at, "", nostr.Tag{"h", ref.ID})
}

// BuildEditMeta is a kind 9002. It carries all of the room's metadata, as what
// it leaves out is unset: tags of the current 39000 (nil when there is none)
// that Settings does not cover are kept, such as `parent` and `child`.
func BuildEditMeta(ref Ref, s Settings, current *nostr.Event, at int64) nostr.Event {
	tags := nostr.Tags{{"h", ref.ID}, {"name", s.Name}}
	for _, field := range [][2]string{{"about", s.About}, {"picture", s.Picture}} {
		if field[1] != "" {
			tags = append(tags, nostr.Tag{field[0], field[1]})
		}
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"private", s.Private}, {"closed", s.Closed}, {"restricted", s.Restricted}} {
		if flag.set {
			tags = append(tags, nostr.Tag{flag.name})
		}
	}
	covered := []string{"d", "h", "name", "about", "picture", "private", "closed", "restricted",
		"public", "open", "previous"}
	if current != nil {
		for _, t := range current.Tags {
			if len(t) > 0 && !slices.Contains(covered, t[0]) {
				tags = append(tags, slices.Clone(t))
			}
		}
	}
	return template(KindEditMeta, at, "", tags...)
}

// BuildDeleteRoom is a kind 9008.
func BuildDeleteRoom(ref Ref, at int64) nostr.Event {
	return template(KindDeleteRoom, at, "", nostr.Tag{"h", ref.ID})
}

// BuildPutUser is a kind 9000: adds a member, or sets their roles.
func BuildPutUser(ref Ref, pubkey string, roles []string, at int64) nostr.Event {
	return template(KindPutUser, at, "", nostr.Tag{"h", ref.ID}, append(nostr.Tag{"p", pubkey}, roles...))
}

// BuildRemoveUser is a kind 9001.
func BuildRemoveUser(ref Ref, pubkey string, at int64) nostr.Event {
	return template(KindRemoveUser, at, "", nostr.Tag{"h", ref.ID}, nostr.Tag{"p", pubkey})
}

// BuildModDelete is a kind 9005: an admin deletes an event of anybody.
func BuildModDelete(ref Ref, id, reason string, at int64) nostr.Event {
	return template(KindModDelete, at, reason, nostr.Tag{"h", ref.ID}, nostr.Tag{"e", id})
}

// BuildInvite is a kind 9009 with a code.
func BuildInvite(ref Ref, code string, at int64) nostr.Event {
	return template(KindInvite, at, "", nostr.Tag{"h", ref.ID}, nostr.Tag{"code", code})
}

// BuildJoin is a kind 9021, with an invite code when there is one.
func BuildJoin(ref Ref, code, reason string, at int64) nostr.Event {
	tags := nostr.Tags{{"h", ref.ID}}
	if code != "" {
		tags = append(tags, nostr.Tag{"code", code})
	}
	return template(KindJoin, at, reason, tags...)
}

// BuildLeave is a kind 9022.
func BuildLeave(ref Ref, at int64) nostr.Event {
	return template(KindLeave, at, "", nostr.Tag{"h", ref.ID})
}
