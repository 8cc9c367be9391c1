package ask

import (
	"reflect"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func TestABookSaysWhoseViewMayHaveChanged(t *testing.T) {
	one, two := form(), older("approve", put("expiration", "1900000000"))
	answer := reply(one, ana, start+1, "stop")
	b := NewBook()
	for i, c := range []struct {
		ev   *nostr.Event
		want []string
	}{
		{reaction(answer, agent, start+2, "👀"), nil},
		{answer, nil},
		{event(KindMessage, ana, start, "hi"), nil},
		{one, []string{one.ID}},
		{two, []string{two.ID}},
		{two, nil},
		{reaction(two, bo, start+3, "+"), []string{two.ID}},
		{deletion(ana, start+4, answer), []string{one.ID}},
		{event(KindMessage, bo, start+5, "See", nostr.Tag{"q", key("elsewhere")}), nil},
		{nil, nil},
	} {
		if got := b.Add(c.ev, start+9); !reflect.DeepEqual(got, c.want) {
			t.Errorf("event %d: touched %v, want %v", i, got, c.want)
		}
	}
	if got := b.Fold(one.ID).View(start+9, ana); got.State != Open || whys(got)[answer.ID] != WhyDeleted {
		t.Errorf("the first: %q, %v", got.State, whys(got))
	}
	if got := b.Fold(two.ID).View(start+9, ana).Outcome; got != OutcomeApproved {
		t.Errorf("the second: %q", got)
	}
	if b.Fold(key("none")) != nil || len(b.IDs()) != 2 {
		t.Errorf("ids %v", b.IDs())
	}
	if got := b.Add(answer, start); len(got) != 1 {
		t.Errorf("an earlier sighting touched %v", got)
	}
}

func TestABookReadsEveryTag(t *testing.T) {
	req := form()
	odd := reply(req, ana, start+1, "stop", func(ev *nostr.Event) {
		ev.Tags = append(nostr.Tags{{}, {"e"}, {"h", "games"}}, ev.Tags...)
	})
	b := NewBook()
	b.Add(req, start)
	if got := b.Add(odd, start+1); len(got) != 1 {
		t.Errorf("touched %v", got)
	}
}
