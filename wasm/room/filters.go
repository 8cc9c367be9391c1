package room

import (
	"slices"

	"github.com/nbd-wtf/go-nostr"
)

// MaxFilterIDs is how many ids or keys one filter names; more are spread over
// several filters, since relays limit what one may hold.
const MaxFilterIDs = 200

// Kinds that a room is loaded with.
var (
	timelineKinds = []int{KindMessage, KindThread, KindTask}
	replyKinds    = []int{KindThreadReply, KindComment}
	actKinds      = []int{KindDelete, KindReaction, KindModDelete, KindEdit}
	taskKinds     = []int{KindTaskTaken, KindTaskStep, KindTaskResult, KindTaskCancel, KindTaskError}
	stateKinds    = []int{KindMeta, KindAdmins, KindMembers, KindRoles}
)

// FirstFilters asks for the end of a room: up to limit messages of the
// timeline, as many replies, acts and task events, and the newest of who was
// added and removed. Metadata is asked for by StateFilter.
func FirstFilters(ref Ref, limit int) nostr.Filters {
	return nostr.Filters{
		inRoom(ref, timelineKinds, limit),
		inRoom(ref, replyKinds, limit),
		inRoom(ref, slices.Concat(actKinds, taskKinds), limit),
		inRoom(ref, []int{KindPutUser, KindRemoveUser}, limit),
	}
}

// ArrivingFilter asks for what arrives in these rooms from now on, however long
// ago it was written (a message may have waited in an outbox), and for those
// who type. Of what the relay has only the newest one comes along. At most
// MaxFilterIDs rooms.
func ArrivingFilter(rooms []string) nostr.Filter {
	f := inRooms(rooms, slices.Concat(timelineKinds, replyKinds, actKinds, taskKinds,
		[]int{KindPutUser, KindRemoveUser, KindPresence, KindTyping}))
	f.Limit = 1
	return f
}

// MissedFilter asks for everything of these rooms that is dated since (unix
// seconds) or later. At most MaxFilterIDs rooms.
func MissedFilter(rooms []string, since int64) nostr.Filter {
	f := inRooms(rooms, slices.Concat(timelineKinds, replyKinds, actKinds, taskKinds, []int{KindPutUser, KindRemoveUser}))
	from := nostr.Timestamp(since)
	f.Since = &from
	return f
}

// LateFilters asks for the newest messages and replies of a room, up to limit
// of each: among them is what arrived while nobody listened and is dated before
// any since.
func LateFilters(ref Ref, limit int) nostr.Filters {
	return nostr.Filters{inRoom(ref, timelineKinds, limit), inRoom(ref, replyKinds, limit)}
}

// OlderFilters asks for up to limit messages of the timeline until a time (unix
// seconds, inclusive). What was done to them is asked for by AroundFilters.
func OlderFilters(ref Ref, until int64, limit int) nostr.Filters {
	to := nostr.Timestamp(until)
	older := inRoom(ref, timelineKinds, limit)
	older.Until = &to
	return nostr.Filters{older}
}

// AroundFilters asks for what names these messages: reactions, edits,
// deletions, replies, answers and task events.
func AroundFilters(ref Ref, ids []string) nostr.Filters {
	var fs nostr.Filters
	kinds := slices.Concat(replyKinds, actKinds, taskKinds)
	for some := range slices.Chunk(ids, MaxFilterIDs) {
		f := inRoom(ref, kinds, 0)
		f.Tags["e"] = slices.Clone(some)
		upper := inRoom(ref, []int{KindComment}, 0)
		upper.Tags["E"] = slices.Clone(some)
		fs = append(fs, f, upper)
	}
	return fs
}

// ThreadFilters asks for a thread: its root, up to limit replies, and as many
// of what else names the root.
func ThreadFilters(ref Ref, root string, limit int) nostr.Filters {
	lower := inRoom(ref, slices.Concat(replyKinds, []int{KindTask, KindMessage}, actKinds, taskKinds), limit)
	lower.Tags["e"] = []string{root}
	upper := inRoom(ref, []int{KindComment}, limit)
	upper.Tags["E"] = []string{root}
	return nostr.Filters{{IDs: []string{root}}, lower, upper}
}

// StateFilter asks for the 39000 to 39003 of these rooms, signed by relayKey
// unless that is "". At most MaxFilterIDs rooms.
func StateFilter(rooms []string, relayKey string) nostr.Filter {
	f := nostr.Filter{Kinds: slices.Clone(stateKinds), Tags: nostr.TagMap{"d": slices.Clone(rooms)}}
	if relayKey != "" {
		f.Authors = []string{relayKey}
	}
	return f
}

// MineFilter asks whether somebody was added to these rooms or removed. At most
// MaxFilterIDs rooms.
func MineFilter(rooms []string, me string) nostr.Filter {
	f := inRooms(rooms, []int{KindPutUser, KindRemoveUser})
	f.Tags["p"] = []string{me}
	return f
}

// DeletionFilters asks for the deletions of these events that name no room:
// NIP-09 does not ask for an `h`.
func DeletionFilters(ids []string) nostr.Filters {
	var fs nostr.Filters
	for some := range slices.Chunk(ids, MaxFilterIDs) {
		fs = append(fs, nostr.Filter{Kinds: []int{KindDelete}, Tags: nostr.TagMap{"e": slices.Clone(some)}})
	}
	return fs
}

// DeletionsBy asks for what these people (at most MaxFilterIDs) delete, in rooms
// and elsewhere.
func DeletionsBy(pubkeys []string) nostr.Filter {
	return nostr.Filter{Kinds: []int{KindDelete}, Authors: slices.Clone(pubkeys)}
}

// ProfileFilters asks for the kind 0 of these keys.
func ProfileFilters(pubkeys []string) nostr.Filters {
	var fs nostr.Filters
	for some := range slices.Chunk(pubkeys, MaxFilterIDs) {
		fs = append(fs, nostr.Filter{Kinds: []int{KindProfile}, Authors: slices.Clone(some)})
	}
	return fs
}

// IDFilters asks for events by id.
func IDFilters(ids []string) nostr.Filters {
	var fs nostr.Filters
	for some := range slices.Chunk(ids, MaxFilterIDs) {
		fs = append(fs, nostr.Filter{IDs: slices.Clone(some)})
	}
	return fs
}

// RoomsFilters asks for up to limit rooms that a relay lists.
func RoomsFilters(limit int) nostr.Filters {
	return nostr.Filters{{Kinds: []int{KindMeta}, Limit: limit}}
}

func inRoom(ref Ref, kinds []int, limit int) nostr.Filter {
	f := inRooms([]string{ref.ID}, kinds)
	f.Limit = limit
	return f
}

func inRooms(rooms []string, kinds []int) nostr.Filter {
	return nostr.Filter{Kinds: slices.Clone(kinds), Tags: nostr.TagMap{"h": slices.Clone(rooms)}}
}
