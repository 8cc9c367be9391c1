package relay

import (
	"strings"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"
)

// TestAddress: AUTH is for exactly the public URL; the names of this machine
// are one.
func TestAddress(t *testing.T) {
	for _, test := range []struct {
		own, given string
		same       bool
	}{
		{"wss://chat.example/relay", "wss://chat.example/relay", true},
		{"wss://chat.example/relay", "WSS://Chat.Example:443/relay/", true},
		{"wss://chat.example/relay", "wss://chat.example./relay", true},
		{"wss://chat.example/", "wss://chat.example", true},
		{"wss://chat.example/relay", "wss://chat.example", false},
		{"wss://chat.example/relay", "wss://chat.example/Relay", false},
		{"wss://chat.example/relay", "ws://chat.example/relay", false},
		{"wss://chat.example/relay", "https://chat.example/relay", false},
		{"wss://chat.example/relay", "wss://chat.example:444/relay", false},
		{"wss://chat.example/relay", "wss://evil.example/?chat.example/relay", false},
		{"wss://chat.example/relay", "wss://chat.example.evil.example/relay", false},
		{"wss://chat.example/relay", "wss://evil.chat.example/relay", false},
		{"wss://chat.example/relay", "wss://chat.example/relay?x=1", false},
		{"wss://chat.example/relay", "wss://chat.example/relay?", false},
		{"wss://chat.example/relay", "wss://chat.example/relay#x", false},
		{"wss://chat.example/relay", "wss://a@chat.example/relay", false},
		{"wss://chat.example/relay", "wss://chat.example@evil.example/relay", false},
		{"wss://chat.example/relay", "wss://localhost/relay", false},
		{"wss://chat.example/relay", "chat.example/relay", false},
		{"wss://chat.example/relay", "", false},
		{"ws://localhost:8080/relay", "ws://127.0.0.1:8080/relay", true},
		{"ws://127.0.0.1:8080/relay", "ws://[::1]:8080/relay", true},
		{"ws://[::1]:8080/relay", "ws://LOCALHOST:8080/relay", true},
		{"ws://localhost:8080/relay", "ws://localhost:8081/relay", false},
		{"ws://localhost:8080/relay", "ws://127.0.0.2:8080/relay", false},
		{"ws://localhost:8080/relay", "ws://localhost.example:8080/relay", false},
		{"ws://localhost/relay", "ws://127.0.0.1:80/relay", true},
	} {
		own, err := parseAddress(test.own)
		if err != nil {
			t.Fatal(err)
		}
		given, err := parseAddress(test.given)
		if got := err == nil && given == own; got != test.same {
			t.Errorf("%s for %s: %v, %v", test.given, test.own, got, err)
		}
	}
}

func FuzzAddress(f *testing.F) {
	f.Add("ws://localhost:8080/relay")
	f.Add("wss://a@b/?c#d")
	f.Fuzz(func(t *testing.T, raw string) {
		a, err := parseAddress(raw)
		if err != nil {
			return
		}
		if a.host == "" || a.port == "" || a.scheme != "ws" && a.scheme != "wss" {
			t.Errorf("%q is %+v", raw, a)
		}
	})
}

// TestAuth is "Signed Event Verification" of NIP-42, one wrong thing at a time.
func TestAuth(t *testing.T) {
	p := openPlace(t, nil)
	ann := newPerson(t, 1)
	for name, test := range map[string]struct {
		change func(c *client, ev *nostr.Event)
		ok     bool
	}{
		"good":            {func(*client, *nostr.Event) {}, true},
		"another kind":    {func(_ *client, ev *nostr.Event) { ev.Kind = 1 }, false},
		"9 minutes old":   {func(_ *client, ev *nostr.Event) { ev.CreatedAt -= 540 }, true},
		"11 minutes old":  {func(_ *client, ev *nostr.Event) { ev.CreatedAt -= 660 }, false},
		"9 minutes ahead": {func(_ *client, ev *nostr.Event) { ev.CreatedAt += 540 }, true},
		"11 min ahead":    {func(_ *client, ev *nostr.Event) { ev.CreatedAt += 660 }, false},
		"another relay":   {func(_ *client, ev *nostr.Event) { ev.Tags[0][1] = "wss://evil.example/?" + p.config.URL }, false},
		"no relay":        {func(_ *client, ev *nostr.Event) { ev.Tags = ev.Tags[1:] }, false},
		"short relay":     {func(_ *client, ev *nostr.Event) { ev.Tags[0] = nostr.Tag{"relay"} }, false},
		"no challenge":    {func(_ *client, ev *nostr.Event) { ev.Tags = ev.Tags[:1] }, false},
		"other challenge": {func(_ *client, ev *nostr.Event) { ev.Tags[1][1] = p.dial(t).challenge }, false},
		"no tags":         {func(_ *client, ev *nostr.Event) { ev.Tags = nil }, false},
	} {
		c := p.dial(t)
		ev := ann.sign(t, kindAuth, "", nostr.Tag{"relay", p.config.URL}, nostr.Tag{"challenge", c.challenge})
		test.change(c, ev)
		ann.resign(t, ev)
		c.send(msgAuth, ev)
		h := c.want(func(h heard) bool { return h.label == msgOK && h.id == ev.ID })
		if h.ok != test.ok || !h.ok && !strings.HasPrefix(h.words, invalid) {
			t.Errorf("%s: %v %q", name, h.ok, h.words)
		}
		if got := c.closed("dm", obj{"kinds": []int{4}}); (got == "") != test.ok {
			t.Errorf("%s: signed in is %v", name, got == "")
		}
	}
	c := p.dial(t)
	ev := ann.sign(t, kindAuth, "", nostr.Tag{"relay", p.config.URL}, nostr.Tag{"challenge", c.challenge})
	ev.Sig = ann.sign(t, 1, "").Sig
	c.send(msgAuth, ev)
	if h := c.want(func(h heard) bool { return h.label == msgOK }); h.ok {
		t.Error("a false signature was believed")
	}
}

// TestAuthThenAsk: a REQ right behind an AUTH is answered as its key, each time.
func TestAuthThenAsk(t *testing.T) {
	p := openPlace(t, nil)
	ann := newPerson(t, 1)
	p.dial(t).accept(ann.sign(t, 4, "for me", nostr.Tag{"p", ann.key}))
	for range scaled(40) {
		c := p.dial(t)
		ev := ann.sign(t, kindAuth, "", nostr.Tag{"relay", p.config.URL}, nostr.Tag{"challenge", c.challenge})
		c.send(msgAuth, ev)
		if got := c.ask("dm", obj{"kinds": []int{4}}); len(got) != 1 {
			t.Fatalf("got %d", len(got))
		}
		c.ws.Close()
	}
}

// TestSeveralKeys: a connection is all the people it has proven to be, up to a
// limit.
func TestSeveralKeys(t *testing.T) {
	p := openPlace(t, nil)
	c := p.dial(t)
	c.signIn(p, newPerson(t, 1))
	for n := range MaxKeys - 1 {
		who := newPerson(t, byte(n+2))
		c.accept(who.sign(t, 4, "a note to myself"))
		c.signIn(p, who)
	}
	if h := c.auth(newPerson(t, 200), p.config.URL, c.challenge); h.ok || !strings.HasPrefix(h.words, restricted) {
		t.Errorf("one more: %v %q", h.ok, h.words)
	}
	c.signIn(p, newPerson(t, 1))
	if got := c.ask("dm", obj{"kinds": []int{4}}); len(got) != MaxKeys-1 {
		t.Errorf("got %d of %d", len(got), MaxKeys-1)
	}
}

// TestAuthIsNotAnEvent: kind 22242 is never kept or passed on.
func TestAuthIsNotAnEvent(t *testing.T) {
	p := openPlace(t, nil)
	ann, c := newPerson(t, 1), p.dial(t)
	c.ask("all", obj{"kinds": []int{kindAuth}})
	c.refuse(invalid, ann.sign(t, kindAuth, "", nostr.Tag{"relay", p.config.URL}, nostr.Tag{"challenge", c.challenge}))
	c.signIn(p, ann)
	c.sync()
	if got := c.drain("all"); len(got) > 0 {
		t.Error("AUTH went to others")
	}
}

// TestProtected is NIP-70.
func TestProtected(t *testing.T) {
	p := openPlace(t, nil)
	ann, bob, c := newPerson(t, 1), newPerson(t, 2), p.dial(t)
	ev := ann.sign(t, 1, "mine", nostr.Tag{"-"})
	c.refuse(authRequired, ev)
	c.signIn(p, bob)
	c.refuse(restricted, ev)
	c.signIn(p, ann)
	c.accept(ev)
	raw, err := ev.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	c.refuse(blocked, bob.sign(t, kindRepost, string(raw), nostr.Tag{"e", ev.ID}))
	c.accept(bob.sign(t, kindRepost, "", nostr.Tag{"e", ev.ID}))
	open, err := ann.signAt(t, time.Now().Unix(), 1, "open").MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	c.accept(bob.sign(t, kindRepost, string(open)))
	if err := p.Publish(t.Context(), ann.sign(t, 1, "from inside", nostr.Tag{"-"})); err != nil {
		t.Error(err)
	}
}
