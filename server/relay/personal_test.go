package relay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// TestPersonalKinds: they go to an AUTHed author or addressee, whatever the
// filter, a wrap to its addressee alone.
func TestPersonalKinds(t *testing.T) {
	p := openPlace(t, nil)
	author, addressee, third := newPerson(t, 1), newPerson(t, 2), newPerson(t, 3)
	clients := map[string]*client{"author": p.dial(t), "addressee": p.dial(t), "third": p.dial(t), "nobody": p.dial(t)}
	clients["author"].signIn(p, author)
	clients["addressee"].signIn(p, addressee)
	clients["third"].signIn(p, third)
	shapes := []any{
		obj{}, obj{"authors": []string{author.key}}, obj{"#p": []string{addressee.key}}, obj{"limit": 0},
		obj{"kinds": []int{1, 4, 1059, 21059, 25800, 25801, 25802, 25803, 25804, 25805, 25806}},
	}
	for _, c := range clients {
		for i, shape := range shapes {
			c.closed(fmt.Sprint(i), shape)
			c.drain(fmt.Sprint(i)) // what tells of the lobby
		}
	}
	writer := p.dial(t)
	for _, kind := range []int{4, 1059, 21059, 25800, 25801, 25802, 25803, 25804, 25805, 25806} {
		ev := author.sign(t, kind, "secret", nostr.Tag{"p", addressee.key})
		writer.accept(ev)
		for who, c := range clients {
			want := who == "addressee" || who == "author" && kind != 1059
			c.sync()
			for i := range shapes {
				if got := len(c.drain(fmt.Sprint(i))); got == 1 != want {
					t.Errorf("kind %d, live, filter %d: the %s got %d", kind, i, who, got)
				}
			}
			if !stored(kind) {
				continue
			}
			if got := c.ask("ids", obj{"ids": []string{ev.ID}}); len(got) == 1 != want {
				t.Errorf("kind %d, stored: the %s got %d", kind, who, len(got))
			}
		}
	}
}

func TestAskingForPersonalKindsOnlyNeedsAuth(t *testing.T) {
	p := openPlace(t, nil)
	c := p.dial(t)
	for _, only := range [][]int{{1059}, {4}, {25802, 25803}} {
		if words := c.closed("a", obj{"kinds": only}); !strings.HasPrefix(words, authRequired) {
			t.Errorf("%v: %q", only, words)
		}
		c.send(msgCount, "n", obj{"kinds": only})
		if h := c.want(func(h heard) bool { return h.id == "n" }); !strings.HasPrefix(h.words, authRequired) {
			t.Errorf("counting %v: %+v", only, h)
		}
	}
	if words := c.closed("a", obj{"kinds": []int{1059}}, obj{"kinds": []int{25803}}); !strings.HasPrefix(words, authRequired) {
		t.Errorf("two filters: %q", words)
	}
	if words := c.closed("a", obj{"kinds": []int{1059, 1}}); words != "" {
		t.Errorf("with others: %q", words)
	}
	c.signIn(p, newPerson(t, 1))
	if words := c.closed("a", obj{"kinds": []int{1059}}); words != "" {
		t.Errorf("signed in: %q", words)
	}
}

// TestStoredAndPassedOn: 25802, 25803 and 25805 last; other kinds from 20000 to
// 29999 are passed on, once, also when nobody listens.
func TestStoredAndPassedOn(t *testing.T) {
	p := openPlace(t, nil)
	ann, c := newPerson(t, 1), p.dial(t)
	lonely := ann.sign(t, 25800, "nobody listens", nostr.Tag{"p", ann.key})
	c.accept(lonely)
	c.signIn(p, ann)
	c.ask("live", obj{"authors": []string{ann.key}})
	keep := map[int]bool{25802: true, 25803: true, 25805: true}
	for _, kind := range []int{19999, 20000, 20500, 25800, 25801, 25802, 25803, 25804, 25805, 25806, 29999, 30000} {
		ev := ann.sign(t, kind, "", nostr.Tag{"p", ann.key})
		c.accept(ev)
		c.want(func(h heard) bool { return h.label == msgEvent && h.ev.ID == ev.ID })
		want := kind < 20000 || kind >= 30000 || keep[kind]
		if got := c.ask("stored", obj{"ids": []string{ev.ID}}); len(got) == 1 != want {
			t.Errorf("kind %d: stored %v, want %v", kind, len(got) == 1, want)
		}
		if h := c.publish(ev); !h.ok || !strings.HasPrefix(h.words, duplicate) {
			t.Errorf("kind %d again: %v %q", kind, h.ok, h.words)
		}
	}
	c.sync()
	if got := c.drain("live"); len(got) != 0 {
		t.Errorf("%d events were passed on twice", len(got))
	}
}

// TestRecent: copies of what was passed on are known for a long time, in little
// memory.
func TestRecent(t *testing.T) {
	r := newRecent(10)
	for i := range 25 {
		id := fmt.Sprint(i)
		if !r.add(id) || r.add(id) {
			t.Fatalf("%d: new twice, or never", i)
		}
	}
	for i := 15; i < 25; i++ {
		if r.add(fmt.Sprint(i)) {
			t.Errorf("%d is forgotten already", i)
		}
	}
	if n := len(r.new) + len(r.old); n > 20 {
		t.Errorf("%d are remembered", n)
	}
}

// TestDeltasStayInOrder: 2,000 deltas that were sent without waiting arrive in
// the order they were sent in.
func TestDeltasStayInOrder(t *testing.T) {
	p := openPlace(t, nil)
	agent, reader := newPerson(t, 1), newPerson(t, 2)
	in, out := p.dial(t), p.dial(t)
	in.signIn(p, reader)
	in.ask("live", obj{"#p": []string{reader.key}})
	n := scaled(2000)
	var last string
	for i := range n {
		kind := 25801
		if i%50 == 49 {
			kind = 25803 // one that is stored among them
		}
		ev := agent.sign(t, kind, fmt.Sprint(i), nostr.Tag{"p", reader.key})
		out.send(msgEvent, ev)
		last = ev.ID
	}
	for i := range n {
		h := in.want(func(h heard) bool { return h.label == msgEvent })
		if h.ev.Content != fmt.Sprint(i) {
			t.Fatalf("delta %s came in place %d", h.ev.Content, i)
		}
	}
	if h := out.want(func(h heard) bool { return h.label == msgOK && h.id == last }); !h.ok {
		t.Error(h.words)
	}
}
