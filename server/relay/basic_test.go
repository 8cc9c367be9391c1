package relay

import (
	"slices"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func TestPublishAndAsk(t *testing.T) {
	p := openPlace(t, nil)
	ann, c := newPerson(t, 1), p.dial(t)
	live := p.dial(t)
	live.ask("live", obj{"kinds": []int{1}})
	a, b := ann.signAt(t, 100, 1, "a"), ann.signAt(t, 200, 1, "b")
	c.accept(a, b)
	if got := idsOf(c.ask("q", obj{"authors": []string{ann.key}})); !slices.Equal(got, []string{b.ID, a.ID}) {
		t.Errorf("got %v", got)
	}
	live.want(func(h heard) bool { return h.ev != nil && h.ev.ID == b.ID })
	if h := c.publish(a); !h.ok || h.words != "duplicate: this event is here already" {
		t.Errorf("a duplicate: %v %q", h.ok, h.words)
	}
	live.sync()
	if got := idsOf(live.drain("live")); !slices.Equal(got, []string{a.ID}) {
		t.Errorf("live: %v", got)
	}
	if got := c.ask("lobby", obj{"kinds": []int{kindMeta}}); len(got) != 1 || got[0].Tags.FindWithValue("name", lobbyName) == nil {
		t.Errorf("lobby: %v", got)
	}
	c.accept(ann.sign(t, 9, "hi", nostr.Tag{"h", lobbyID}))
}
