package room

import "github.com/nbd-wtf/go-nostr"

// Words is what a person wrote, to be made into an event.
type Words struct {
	Text    string
	Files   []File
	Subject string // threads only
}

// All Build functions return an unsigned event without a public key and id; at
// is its created_at in unix seconds.

// BuildMessage is a kind 9 message (NIP-C7).
func BuildMessage(ref Ref, w Words, at int64) nostr.Event { return nostr.Event{} }

// BuildReply is a kind 9 message that quotes its parent in a q tag (NIP-C7).
func BuildReply(ref Ref, parent *nostr.Event, w Words, at int64) nostr.Event { return nostr.Event{} }

// BuildThread opens a thread: kind 11 with title and subject (NIP-7D).
func BuildThread(ref Ref, w Words, at int64) nostr.Event { return nostr.Event{} }

// BuildThreadReply is a reply in the thread of root, to parent (nil or root for
// the root itself), of kind 12 or 1111: see Fold.ThreadReplyKind.
func BuildThreadReply(ref Ref, kind int, root, parent *nostr.Event, w Words, at int64) nostr.Event {
	return nostr.Event{}
}

// BuildReaction is a kind 7 (NIP-25).
func BuildReaction(ref Ref, target *nostr.Event, content string, at int64) nostr.Event {
	return nostr.Event{}
}

// BuildEdit is a kind 40003 that replaces the text of an own message.
func BuildEdit(ref Ref, target *nostr.Event, text string, at int64) nostr.Event { return nostr.Event{} }

// BuildDelete is a kind 5 for own events (NIP-09).
func BuildDelete(ref Ref, targets []*nostr.Event, reason string, at int64) nostr.Event {
	return nostr.Event{}
}

// BuildReport is a kind 1984 of a NIP-56 type about a message.
func BuildReport(ref Ref, target *nostr.Event, reportType, words string, at int64) nostr.Event {
	return nostr.Event{}
}
