package relay

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"
)

func TestPublishAndAsk(t *testing.T) {
	p := openPlace(t, nil)
	ann, c, live := newPerson(t, 1), p.dial(t), p.dial(t)
	live.ask("live", obj{"kinds": []int{1}})
	a, b := ann.signAt(t, 100, 1, "a"), ann.signAt(t, 200, 1, "b")
	c.accept(a, b)
	if got := idsOf(c.ask("q", obj{"authors": []string{ann.key}})); !slices.Equal(got, []string{b.ID, a.ID}) {
		t.Errorf("stored: %v", got)
	}
	live.sync()
	if got := idsOf(live.drain("live")); !slices.Equal(got, []string{a.ID, b.ID}) {
		t.Errorf("live: %v", got)
	}
	if h := c.publish(a); !h.ok || h.words != "duplicate: this event is here already" {
		t.Errorf("a duplicate: %v %q", h.ok, h.words)
	}
	live.sync()
	if got := live.drain("live"); len(got) > 0 {
		t.Error("a duplicate was passed on")
	}
}

// TestFalseEvents: what is not what it says is refused.
func TestFalseEvents(t *testing.T) {
	p := openPlace(t, nil)
	ann, c := newPerson(t, 1), p.dial(t)
	good := func() *nostr.Event { return ann.sign(t, 1, fmt.Sprint(serial.Add(1)), nostr.Tag{"t", "x"}) }
	for name, change := range map[string]func(*nostr.Event){
		"content":   func(ev *nostr.Event) { ev.Content += "x" },
		"tags":      func(ev *nostr.Event) { ev.Tags[0][1] = "y" },
		"date":      func(ev *nostr.Event) { ev.CreatedAt-- },
		"author":    func(ev *nostr.Event) { ev.PubKey = newPerson(t, 2).key },
		"signature": func(ev *nostr.Event) { ev.Sig = good().Sig },
		"id":        func(ev *nostr.Event) { ev.ID = good().ID },
		"uppercase": func(ev *nostr.Event) { ev.Sig = strings.ToUpper(ev.Sig) },
	} {
		t.Run(name, func(t *testing.T) {
			ev := good()
			change(ev)
			c.refuse(invalid, ev)
		})
	}
	if got := c.ask("all", obj{"authors": []string{ann.key}}); len(got) > 0 {
		t.Errorf("%d false events are stored", len(got))
	}
}

// TestClock: an event may be old, but not far ahead of our clock.
func TestClock(t *testing.T) {
	p := openPlace(t, nil)
	ann, c, now := newPerson(t, 1), p.dial(t), time.Now().Unix()
	ahead := int64(MaxAhead.Seconds())
	c.accept(ann.signAt(t, 0, 1, "1970"), ann.signAt(t, now+ahead-60, 1, "soon"))
	c.refuse(invalid, ann.signAt(t, now+ahead+60, 1, "later"))
}

func TestReplaceable(t *testing.T) {
	p := openPlace(t, nil)
	ann, bob, c := newPerson(t, 1), newPerson(t, 2), p.dial(t)
	for _, kind := range []int{0, 3, 10002, 19999, 30023, 31340, 39999} {
		d := nostr.Tag{"d", "x"}
		old, next := ann.signAt(t, 100, kind, "old", d), ann.signAt(t, 200, kind, "new", d)
		tieA, tieB := ann.signAt(t, 300, kind, "a", d), ann.signAt(t, 300, kind, "b", d)
		low, high := tieA, tieB
		if tieB.ID < tieA.ID {
			low, high = tieB, tieA
		}
		others := []*nostr.Event{bob.signAt(t, 50, kind, "bob's", d)}
		if kind >= 30000 {
			others = append(others, ann.signAt(t, 50, kind, "another d", nostr.Tag{"d", "y"}), ann.signAt(t, 50, kind, "no d"))
		}
		c.accept(others...)
		c.accept(old, next)
		c.refuse(duplicate, old)
		c.refuse(duplicate, ann.signAt(t, 150, kind, "older", d))
		c.accept(high, low) // of one date, the lowest id
		c.refuse(duplicate, high)
		got := idsOf(c.ask("q", obj{"kinds": []int{kind}}))
		if want := append([]string{low.ID}, idsOf(others)...); !sameSet(got, want) {
			t.Errorf("kind %d: got %v, want %v", kind, got, want)
		}
	}
}

func sameSet(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

// TestDeletion is NIP-09, and that deleted events stay away.
func TestDeletion(t *testing.T) {
	p := openPlace(t, nil)
	ann, bob, c := newPerson(t, 1), newPerson(t, 2), p.dial(t)
	gone := func(ev *nostr.Event) {
		t.Helper()
		if got := c.ask("q", obj{"ids": []string{ev.ID}}); len(got) != 0 {
			t.Error("it is still here")
		}
		c.refuse(blocked, ev)
	}
	here := func(ev *nostr.Event) {
		t.Helper()
		if got := c.ask("q", obj{"ids": []string{ev.ID}}); len(got) != 1 {
			t.Error("it is gone")
		}
	}
	t.Run("own, and it stays away", func(t *testing.T) {
		ev := ann.sign(t, 1, "1")
		del := ann.sign(t, kindDelete, "", nostr.Tag{"e", ev.ID})
		c.accept(ev, del)
		gone(ev)
		here(del)
	})
	t.Run("before it arrives", func(t *testing.T) {
		ev := ann.sign(t, 1, "2")
		c.accept(ann.sign(t, kindDelete, "", nostr.Tag{"e", ev.ID}))
		gone(ev)
	})
	t.Run("of somebody else, ignored", func(t *testing.T) {
		ev, later := ann.sign(t, 1, "3"), ann.sign(t, 1, "4")
		c.accept(ev, bob.sign(t, kindDelete, "", nostr.Tag{"e", ev.ID}, nostr.Tag{"e", later.ID}), later)
		here(ev)
		here(later)
	})
	t.Run("of a deletion, without effect", func(t *testing.T) {
		ev := ann.sign(t, 1, "5")
		del := ann.sign(t, kindDelete, "", nostr.Tag{"e", ev.ID})
		c.accept(ev, del, ann.sign(t, kindDelete, "", nostr.Tag{"e", del.ID}))
		here(del)
		gone(ev)
	})
	t.Run("of an address, up to its date", func(t *testing.T) {
		d := nostr.Tag{"d", "a:b"}
		old, newer := ann.signAt(t, 100, 30023, "old", d), ann.signAt(t, 300, 30023, "newer", d)
		address := nostr.Tag{"a", "30023:" + ann.key + ":a:b"}
		c.accept(old, bob.signAt(t, 200, kindDelete, "", address))
		here(old)
		c.accept(ann.signAt(t, 200, kindDelete, "", address))
		gone(old)
		c.refuse(blocked, ann.signAt(t, 200, 30023, "of that second", d))
		c.accept(newer)
		here(newer)
		c.accept(ann.signAt(t, 250, kindDelete, "again", address))
		here(newer)
	})
	t.Run("of a wrap, by its addressee", func(t *testing.T) {
		wrap := newPerson(t, 99).sign(t, kindWrap, "", nostr.Tag{"p", bob.key})
		other := newPerson(t, 98).sign(t, kindWrap, "", nostr.Tag{"p", ann.key})
		c.accept(wrap, other, bob.sign(t, kindDelete, "", nostr.Tag{"e", wrap.ID}, nostr.Tag{"e", other.ID}))
		reader := p.dial(t)
		reader.signIn(p, ann)
		reader.signIn(p, bob)
		if got := idsOf(reader.ask("q", obj{"kinds": []int{kindWrap}})); !slices.Equal(got, []string{other.ID}) {
			t.Errorf("got %v", got)
		}
		c.refuse(blocked, wrap)
	})
	t.Run("with nonsense in it", func(t *testing.T) {
		c.accept(ann.sign(t, kindDelete, "", nostr.Tag{"e"}, nostr.Tag{"e", "x"}, nostr.Tag{"a"}, nostr.Tag{"a", "::"},
			nostr.Tag{"a", "030023:" + ann.key + ":x"}, nostr.Tag{"a", "x:" + ann.key + ":x"}))
	})
}

// TestExpiration is NIP-40, and that a question's deadline is none.
func TestExpiration(t *testing.T) {
	clock := newClock()
	p := openPlace(t, func(c *Config) { c.Clock = clock.now })
	ann, c, now := newPerson(t, 1), p.dial(t), clock.now().Unix()
	at := func(s int64) nostr.Tag { return nostr.Tag{"expiration", fmt.Sprint(now + s)} }
	passing := ann.sign(t, 1, "passing", at(60))
	question := ann.sign(t, 9, "yes?", nostr.Tag{"h", lobbyID}, nostr.Tag{"request", "question"}, nostr.Tag{"p", ann.key}, at(60))
	odd := ann.sign(t, 1, "odd", nostr.Tag{"expiration", "soon"})
	c.accept(passing, question, odd)
	c.refuse(invalid, ann.sign(t, 1, "over", at(0)))
	c.refuse(invalid, ann.sign(t, 20500, "over", at(0)))
	ids := obj{"ids": []string{passing.ID, question.ID, odd.ID}}
	if got := c.ask("q", ids); len(got) != 3 {
		t.Errorf("before: %d", len(got))
	}
	clock.pass(61)
	if got := idsOf(c.ask("q", ids)); !sameSet(got, []string{question.ID, odd.ID}) {
		t.Errorf("after: %v", got)
	}
	p.expire()
	clock.pass(-61) // were it only hidden, it would be back
	if got := idsOf(c.ask("q", ids)); !sameSet(got, []string{question.ID, odd.ID}) {
		t.Errorf("after it was removed: %v", got)
	}
}

// TestCount is NIP-45.
func TestCount(t *testing.T) {
	p := openPlace(t, nil)
	ann, c := newPerson(t, 1), p.dial(t)
	for i := range 30 {
		c.accept(ann.signAt(t, int64(i), 1, "", nostr.Tag{"t", fmt.Sprint(i % 3)}))
	}
	for _, test := range []struct {
		filters []any
		want    int
	}{
		{[]any{obj{"kinds": []int{1}}}, 30},
		{[]any{obj{"kinds": []int{1}, "limit": 3}}, 30},
		{[]any{obj{"#t": []string{"1"}}}, 10},
		{[]any{obj{"#t": []string{"1", "2"}, "since": 15}}, 10},
		{[]any{obj{"#t": []string{"1"}}, obj{"since": 15, "kinds": []int{1}}}, 20},
		{[]any{obj{"kinds": []int{2}}}, 0},
	} {
		c.send(append([]any{msgCount, "n"}, test.filters...)...)
		if h := c.want(func(h heard) bool { return h.label == msgCount && h.id == "n" }); h.count != test.want {
			t.Errorf("%v: %d, want %d", test.filters, h.count, test.want)
		}
	}
}

// TestFilters: events come once, however many filters they match, each filter
// up to its own limit.
func TestFilters(t *testing.T) {
	p := openPlace(t, nil)
	ann, c := newPerson(t, 1), p.dial(t)
	for i := range 10 {
		c.accept(ann.signAt(t, int64(100+i), 1+i%2, fmt.Sprint(i), nostr.Tag{"t", "x"}))
	}
	texts := func(filters ...any) string {
		var b strings.Builder
		for _, ev := range c.ask("q", filters...) {
			b.WriteString(ev.Content)
		}
		return b.String()
	}
	for _, test := range []struct {
		want    string
		filters []any
	}{
		{"9876543210", []any{obj{"#t": []string{"x"}}}},
		{"987", []any{obj{"#t": []string{"x"}, "limit": 3}}},
		{"86420" + "97531", []any{obj{"kinds": []int{1}}, obj{"#t": []string{"x"}}}},
		{"86" + "97", []any{obj{"kinds": []int{1}, "limit": 2}, obj{"#t": []string{"x"}, "limit": 4}}},
		{"97531", []any{obj{"limit": 0}, obj{"kinds": []int{2}}}},
		{"543", []any{obj{"#t": []string{"x"}, "since": 103, "until": 105}}},
		{"", []any{obj{"ids": []string{}}}},
		{"", []any{obj{"#t": []string{}}}},
		{"9876543210", []any{obj{"#t": []string{"x", "x", "y"}, "authors": []string{ann.key}, "kinds": []int{1, 2, 3}}}},
	} {
		if got := texts(test.filters...); got != test.want {
			t.Errorf("%v: got %s, want %s", test.filters, got, test.want)
		}
	}
}
