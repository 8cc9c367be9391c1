package relay

import (
	"slices"

	"parley/server/relay/store"
)

// Kinds the relay treats in a way of their own.
const (
	kindDelete       = 5     // NIP-09
	kindRepost       = 6     // NIP-18
	kindGroupRepost  = 16    // NIP-18
	kindWrap         = 1059  // NIP-59
	kindAuth         = 22242 // NIP-42
	kindPutUser      = 9000  // NIP-29, as all that follow
	kindRemoveUser   = 9001
	kindEditMeta     = 9002
	kindDeleteEvent  = 9005
	kindCreateRoom   = 9007
	kindDeleteRoom   = 9008
	kindInvite       = 9009
	kindJoin         = 9021
	kindLeave        = 9022
	kindMeta         = 39000
	kindAdmins       = 39001
	kindMembers      = 39002
	kindRoles        = 39003
	kindLastRoomMeta = 39009
)

// AI messages (kinds 25800 to 25806), in the number range that NIP-01 calls
// ephemeral. Three of them have to last.
const (
	kindFirstAI  = 25800
	kindPrompt   = 25802
	kindResponse = 25803
	kindAIError  = 25805
	kindLastAI   = 25806
)

// stored says whether events of a kind are kept, or only passed on.
func stored(kind int) bool {
	switch kind {
	case kindPrompt, kindResponse, kindAIError:
		return true
	}
	return kind < 20000 || kind >= 30000
}

// personal says whether events of a kind go to their author and those they are
// addressed to, and to nobody else.
func personal(kind int) bool {
	return kind == 4 || kind == kindWrap || kind == 21059 || kind >= kindFirstAI && kind <= kindLastAI
}

// roomKinds make no sense outside a room.
var roomKinds = []int{9, 11, 12, 20001, 20002, 40003, 43001, 43002, 43003, 43004, 43005, 43006}

func needsRoom(kind int) bool { return moderation(kind) || slices.Contains(roomKinds, kind) }

// moderation says whether a kind makes or changes a room.
func moderation(kind int) bool { return store.Moderation(kind) }

// roomMeta says whether a kind tells of a room, in the relay's own words.
func roomMeta(kind int) bool { return kind >= kindMeta && kind <= kindLastRoomMeta }
