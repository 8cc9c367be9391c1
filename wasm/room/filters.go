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
// added and removed. Metadata is asked for by MetaFilters.
func FirstFilters(ref Ref, limit int) nostr.Filters {
	return nostr.Filters{
		inRoom(ref, timelineKinds, limit),
		inRoom(ref, replyKinds, limit),
		inRoom(ref, slices.Concat(actKinds, taskKinds), limit),
		inRoom(ref, []int{KindPutUser, KindRemoveUser}, limit),
	}
}

// LiveFilters asks for everything of a room from since (unix seconds) on, those
// who type and its metadata included.
func LiveFilters(ref Ref, since int64) nostr.Filters {
	from := nostr.Timestamp(since)
	live := inRoom(ref, slices.Concat(timelineKinds, replyKinds, actKinds, taskKinds,
		[]int{KindPutUser, KindRemoveUser, KindPresence, KindTyping}), 0)
	live.Since = &from
	meta := nostr.Filter{Kinds: stateKinds, Tags: nostr.TagMap{"d": {ref.ID}}, Since: &from}
	return nostr.Filters{live, meta}
}

// LateFilters asks for what arrives from now on however long ago it was
// written: a message may have waited in an outbox for longer than any since
// reaches back. The newest one that the relay has comes along.
func LateFilters(ref Ref) nostr.Filters {
	return nostr.Filters{inRoom(ref, slices.Concat(timelineKinds, replyKinds, actKinds, taskKinds), 1)}
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

// MetaFilters asks for 39000 to 39003, signed by relayKey unless that is "",
// and whether me ("" for nobody) was added or removed.
func MetaFilters(ref Ref, relayKey, me string) nostr.Filters {
	meta := nostr.Filter{Kinds: stateKinds, Tags: nostr.TagMap{"d": {ref.ID}}}
	if relayKey != "" {
		meta.Authors = []string{relayKey}
	}
	fs := nostr.Filters{meta}
	if me != "" {
		mine := inRoom(ref, []int{KindPutUser, KindRemoveUser}, 0)
		mine.Tags["p"] = []string{me}
		fs = append(fs, mine)
	}
	return fs
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
	return nostr.Filter{Kinds: slices.Clone(kinds), Tags: nostr.TagMap{"h": {ref.ID}}, Limit: limit}
}
