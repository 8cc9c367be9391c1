package room

import "github.com/nbd-wtf/go-nostr"

// FirstFilters asks for the end of a room: up to limit messages of the
// timeline, the newest replies and acts, and the metadata.
func FirstFilters(ref Ref, limit int) nostr.Filters { return nil }

// LiveFilters asks for everything of a room from since (unix seconds) on.
func LiveFilters(ref Ref, since int64) nostr.Filters { return nil }

// OlderFilters asks for up to limit messages of the timeline until a time (unix
// seconds, inclusive).
func OlderFilters(ref Ref, until int64, limit int) nostr.Filters { return nil }

// AroundFilters asks for what names these messages: reactions, edits,
// deletions, replies, answers and task events.
func AroundFilters(ref Ref, ids []string) nostr.Filters { return nil }

// ThreadFilters asks for a thread: its root, its replies and what names them.
func ThreadFilters(ref Ref, root string, limit int) nostr.Filters { return nil }

// MetaFilters asks for 39000 to 39003, and whether me ("" for nobody) was added
// or removed. relayKey may be "".
func MetaFilters(ref Ref, relayKey, me string) nostr.Filters { return nil }

// ProfileFilters asks for the kind 0 of these keys.
func ProfileFilters(pubkeys []string) nostr.Filters { return nil }

// IDFilters asks for events by id.
func IDFilters(ids []string) nostr.Filters { return nil }

// RoomsFilters asks for every room that a relay lists.
func RoomsFilters(limit int) nostr.Filters { return nil }
