package room

import "github.com/nbd-wtf/go-nostr"

// Settings is what an admin can set of a room (NIP-29 kind 9002).
type Settings struct {
	Name, About, Picture        string
	Private, Closed, Restricted bool
}

// BuildCreateRoom is a kind 9007.
func BuildCreateRoom(ref Ref, at int64) nostr.Event { return nostr.Event{} }

// BuildEditMeta is a kind 9002. Tags of the room's current 39000 (nil when
// there is none) that Settings does not cover are kept.
func BuildEditMeta(ref Ref, s Settings, current *nostr.Event, at int64) nostr.Event {
	return nostr.Event{}
}

// BuildDeleteRoom is a kind 9008.
func BuildDeleteRoom(ref Ref, at int64) nostr.Event { return nostr.Event{} }

// BuildPutUser is a kind 9000: adds a member, or sets their roles.
func BuildPutUser(ref Ref, pubkey string, roles []string, at int64) nostr.Event { return nostr.Event{} }

// BuildRemoveUser is a kind 9001.
func BuildRemoveUser(ref Ref, pubkey string, at int64) nostr.Event { return nostr.Event{} }

// BuildModDelete is a kind 9005: an admin deletes an event of anybody.
func BuildModDelete(ref Ref, id, reason string, at int64) nostr.Event { return nostr.Event{} }

// BuildInvite is a kind 9009 with a code.
func BuildInvite(ref Ref, code string, at int64) nostr.Event { return nostr.Event{} }

// BuildJoin is a kind 9021, with an invite code when there is one.
func BuildJoin(ref Ref, code, reason string, at int64) nostr.Event { return nostr.Event{} }

// BuildLeave is a kind 9022.
func BuildLeave(ref Ref, at int64) nostr.Event { return nostr.Event{} }
