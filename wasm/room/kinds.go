package room

import (
	"slices"

	"github.com/nbd-wtf/go-nostr"
)

// Kinds of events that a room knows.
const (
	KindProfile     = 0     // NIP-01
	KindDelete      = 5     // NIP-09
	KindReaction    = 7     // NIP-25
	KindMessage     = 9     // NIP-C7
	KindThread      = 11    // NIP-7D
	KindThreadReply = 12    // reply in a thread, as Tiny and Buzz rooms write it
	KindComment     = 1111  // NIP-22
	KindReport      = 1984  // NIP-56
	KindPutUser     = 9000  // NIP-29
	KindRemoveUser  = 9001  // NIP-29
	KindEditMeta    = 9002  // NIP-29
	KindModDelete   = 9005  // NIP-29
	KindCreateRoom  = 9007  // NIP-29
	KindDeleteRoom  = 9008  // NIP-29
	KindInvite      = 9009  // NIP-29
	KindJoin        = 9021  // NIP-29
	KindLeave       = 9022  // NIP-29
	KindPresence    = 20001 // Tiny and Buzz rooms; never stored
	KindTyping      = 20002 // Tiny and Buzz rooms; never stored
	KindMeta        = 39000 // NIP-29, signed by the relay
	KindAdmins      = 39001 // NIP-29, signed by the relay
	KindMembers     = 39002 // NIP-29, signed by the relay
	KindRoles       = 39003 // NIP-29, signed by the relay
	KindEdit        = 40003 // Tiny and Buzz rooms
	KindTask        = 43001 // Tiny: a long task asked for
	KindTaskTaken   = 43002
	KindTaskStep    = 43003
	KindTaskResult  = 43004
	KindTaskCancel  = 43005
	KindTaskError   = 43006
)

// InTimeline reports whether events of a kind stand in a room's timeline.
func InTimeline(kind int) bool {
	return kind == KindMessage || kind == KindThread || kind == KindTask
}

// InThread reports whether events of a kind stand in their root's thread only.
func InThread(kind int) bool {
	return kind == KindThreadReply || kind == KindComment
}

// tagValue returns the first value of the first tag of that name, or "".
func tagValue(tags nostr.Tags, name string) string {
	for _, t := range tags {
		if len(t) >= 2 && t[0] == name {
			return t[1]
		}
	}
	return ""
}

// hasTag reports whether there is a tag of that name, with or without a value.
func hasTag(tags nostr.Tags, name string) bool {
	return slices.ContainsFunc(tags, func(t nostr.Tag) bool { return len(t) > 0 && t[0] == name })
}

// isHex32 reports whether s is 32 bytes in lower case hex, as ids and keys are.
func isHex32(s string) bool {
	if len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
