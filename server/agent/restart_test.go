package agent

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"

	server "parley/server/relay"
	"parley/wasm/run"
)

func TestStoppingTheAgentEndsOpenRuns(t *testing.T) {
	p := newPlace(t, nil)
	config := p.configure()
	turns := puppets(&config)
	a := live(t, config)
	c := p.ask(a.PubKey())
	id := c.prompt(run.Question{Message: "begin"})
	<-turns
	a.stop()
	if f := c.failure(id, run.InternalError); !strings.Contains(f.Details, "shutdown") {
		t.Errorf("got %+v", f)
	}
	live(t, config).stop()
	if n := c.ends(id); n != 1 {
		t.Errorf("%d terminals", n)
	}
}

func TestAPromptIsNeverRunTwice(t *testing.T) {
	for _, kept := range []bool{true, false} {
		p := newPlace(t, nil)
		config := p.configure()
		turns := puppets(&config)
		a := live(t, config)
		c := p.ask(a.PubKey())
		id := c.prompt(run.Question{Message: "once"})
		(<-turns).done("answered")
		c.end(id)
		a.stop()
		away := c.prompt(run.Question{Message: "while it was away"})
		if !kept { // the journal is lost, but for when the agent listened last
			config.Dir = t.TempDir()
			j, err := openJournal(config.Dir, config.Secret, time.Now().Unix(), testLog())
			if err != nil {
				t.Fatal(err)
			}
			j.heard(time.Now().Unix())
			if err := j.close(); err != nil {
				t.Fatal(err)
			}
		}
		a = live(t, config)
		turn := <-turns
		if turn.turn.ID != away {
			t.Errorf("journal %v: run is %+v", kept, turn.turn)
		}
		turn.done("answered")
		c.end(away)
		mark := c.prompt(run.Question{Message: "last"})
		turn = <-turns
		if turn.turn.ID != mark {
			t.Errorf("journal %v: run is %+v", kept, turn.turn)
		}
		turn.done("answered")
		c.end(mark)
		if n := c.ends(id); n != 1 {
			t.Errorf("journal %v: %d terminals", kept, n)
		}
		a.stop()
	}
}

// TestALatePromptIsAnswered: its author was offline when it was written, and
// the agent has been stopped and started since.
func TestALatePromptIsAnswered(t *testing.T) {
	const hour = 60 * 60
	p := newPlace(t, nil)
	config := p.configure()
	now := time.Now().Unix()
	j, err := openJournal(config.Dir, config.Secret, now, testLog())
	if err != nil {
		t.Fatal(err)
	}
	j.heard(now - 2*hour)
	j.heard(now - 1)
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	a := live(t, config)
	for _, wrapped := range []bool{false, true} {
		c := p.ask(a.PubKey())
		c.wrap = wrapped
		ask := func(at int64) string {
			d, err := run.NewPrompt(run.Question{Client: c.keys.PubKey, Message: "time"}, run.DefaultInfo(c.agent), at)
			if err != nil {
				t.Fatal(err)
			}
			id, err := c.draft(d)
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		early, late := ask(now-3*hour), ask(now-hour)
		c.end(late)
		if n := c.ends(early); n != 0 {
			t.Errorf("wrapped %v: a prompt from before the agent's first start has %d terminals", wrapped, n)
		}
	}
	for _, c := range []struct{ since, from, want int64 }{
		{0, now, now}, {now + 600, now, now}, {now + maxAway + 600, now, now + 600},
	} {
		if got := promptsSince(c.since, c.from); got != c.want {
			t.Errorf("since %d, from %d: %d", c.since-now, c.from-now, got-now)
		}
	}
}

func TestACrashEndsTheRunAfterTheRestart(t *testing.T) {
	for _, wrapped := range []bool{false, true} {
		p := newPlace(t, nil)
		config := p.configure()
		turns := puppets(&config)
		a := live(t, config)
		c := p.ask(a.PubKey())
		c.wrap = wrapped
		id := c.prompt(run.Question{Message: "begin"})
		<-turns
		a.kill()
		if n := c.ends(id); n != 0 {
			t.Fatalf("%d terminals after the crash", n)
		}
		a = live(t, config)
		if f := c.failure(id, run.InternalError); !strings.Contains(f.Details, "restart") {
			t.Errorf("got %+v", f)
		}
		a.stop()
		live(t, config).stop()
		if n := c.ends(id); n != 1 {
			t.Errorf("%d terminals", n)
		}
	}
}

func TestATerminalThatNoRelayHasIsToldAfterTheRestart(t *testing.T) {
	p := newPlace(t, nil)
	config := p.configure()
	turns := puppets(&config)
	a := live(t, config)
	c := p.ask(a.PubKey())
	refuse := make(chan struct{}, 100)
	open := make(chan struct{})
	p.rule(func(_ context.Context, _ server.Lookup, ev *nostr.Event, _ int64) error {
		select {
		case <-open:
			return nil
		default:
		}
		if ev.Kind == run.KindResponse {
			refuse <- struct{}{}
			return errors.New("error: the disk is full")
		}
		return nil
	})
	id := c.prompt(run.Question{Message: "begin"})
	(<-turns).done("the answer")
	<-refuse
	a.stop()
	close(open)
	live(t, config)
	if end := c.end(id); end.Response == nil || end.Response.Text != "the answer" {
		t.Errorf("got %+v", end)
	}
}

func TestOnSeveralRelaysAPromptIsRunOnceAndAnsweredOnEach(t *testing.T) {
	one, two := newPlace(t, nil), newPlace(t, nil)
	config := one.configure()
	config.Relays = append(config.Relays, Relay{URL: two.url}, Relay{URL: "ws://127.0.0.1:1"})
	turns := puppets(&config)
	a := live(t, config)
	c := one.ask(a.PubKey())
	far := &client{person: &person{t: t, keys: c.keys, url: two.url, change: make(chan struct{}), eose: map[string]bool{}}, agent: a.PubKey()}
	far.connect(func(me string) []nostr.Filter { return []nostr.Filter{run.FilterAnswers(me, far.agent)} })
	d, err := run.NewPrompt(run.Question{Client: c.keys.PubKey, Message: "hello"}, run.DefaultInfo(a.PubKey()), time.Now().Unix())
	if err != nil {
		t.Fatal(err)
	}
	content, err := c.keys.Encrypt(d.To, d.Plain)
	if err != nil {
		t.Fatal(err)
	}
	ev := d.Event(c.keys.PubKey, content)
	c.publish(&ev)
	if err := far.send(&ev); err != nil {
		t.Fatal(err)
	}
	(<-turns).done("once")
	near, other := c.end(ev.ID), far.end(ev.ID)
	if near.ID != other.ID {
		t.Error("two terminals")
	}
	select {
	case turn := <-turns:
		t.Errorf("it was run again: %+v", turn.turn)
	default:
	}
}
