package relay

import (
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// TestMayWrite: everybody in an open room but those an admin removed, in others
// the members.
func TestMayWrite(t *testing.T) {
	ann, bob := newPerson(t, 3), newPerson(t, 4)
	place := openPlace(t, func(c *Config) { c.Admins = []string{ann.key} })
	c := place.dial(t)
	lobby := nostr.Tag{"h", lobbyID}
	if !place.MayWrite(bob.key) {
		t.Error("the lobby is open, and bob may not write")
	}
	c.accept(bob.sign(t, kindJoin, "", lobby), ann.sign(t, kindRemoveUser, "", lobby, p(bob)))
	if place.MayWrite(bob.key) {
		t.Error("bob was removed from the only room, and may write")
	}
	for _, flag := range []string{"restricted", "private", "hidden"} {
		c.accept(ann.sign(t, kindEditMeta, flag, lobby, nostr.Tag{"name", "Lobby"}, nostr.Tag{flag}))
		if stranger := newPerson(t, 5); place.MayWrite(stranger.key) || !place.MayWrite(ann.key) {
			t.Errorf("a %s room: a stranger may write: %v, its admin: %v", flag, place.MayWrite(stranger.key), place.MayWrite(ann.key))
		}
	}
}
