//go:build !js

package core

import (
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func TestAMessageThatHasNoRoomInItsSecondIsNotDatedAhead(t *testing.T) {
	c := New(Config{})
	r := c.room(lobby(fakeURL))
	now := c.now()
	r.fold.Add(&nostr.Event{ID: strings.Repeat("f", 64), PubKey: agentKey, Kind: 9, CreatedAt: nostr.Timestamp(now), Tags: inRoom("lobby")}, now)
	e := nostr.Event{Kind: 9, PubKey: agentKey, CreatedAt: nostr.Timestamp(now), Tags: inRoom("lobby")}
	c.place(t.Context(), r, &e)
	if int64(e.CreatedAt) <= now || int64(e.CreatedAt) > c.now() {
		t.Errorf("it is dated %d s after the last one, %d s ahead", int64(e.CreatedAt)-now, int64(e.CreatedAt)-c.now())
	}
}
