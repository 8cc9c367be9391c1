package agent

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/run"
)

// client is a person in an AI session with one agent.
type client struct {
	*person
	agent string
	wrap  bool
}

// ask opens a client to an agent.
func (p *place) ask(agent string) *client {
	p.t.Helper()
	return &client{person: p.join(func(me string) []nostr.Filter {
		return []nostr.Filter{run.FilterAnswers(me, agent), run.FilterWraps(me, 0)}
	}), agent: agent}
}

// prompt sends a prompt and gives its run's id.
func (c *client) prompt(q run.Question) string {
	c.t.Helper()
	id, err := c.tryPrompt(q)
	if err != nil {
		c.t.Fatal(err)
	}
	return id
}

func (c *client) tryPrompt(q run.Question) (string, error) {
	c.t.Helper()
	q.Client = c.keys.PubKey
	d, err := run.NewPrompt(q, run.DefaultInfo(c.agent), time.Now().Unix())
	if err != nil {
		c.t.Fatal(err)
	}
	return c.draft(d)
}

// draft sends a message, wrapped if that is how the client speaks.
func (c *client) draft(d run.Draft) (string, error) {
	c.t.Helper()
	content, err := c.keys.Encrypt(d.To, d.Plain)
	if err != nil {
		c.t.Fatal(err)
	}
	ev := d.Event(c.keys.PubKey, content)
	if !c.wrap {
		err := c.try(&ev)
		return ev.ID, err
	}
	var times [16]byte
	rand.Read(times[:])
	wrap, err := run.Wrap(ev, d.To, c.keys, keysOf(c.t, secretKey()), time.Now().Unix(), times)
	if err != nil {
		c.t.Fatal(err)
	}
	return run.Rumour(ev).ID, c.send(&wrap)
}

func (c *client) cancel(id, reason string) {
	c.t.Helper()
	d, err := run.NewCancel(id, c.keys.PubKey, c.agent, "", reason, time.Now().Unix())
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.draft(d); err != nil {
		c.t.Fatal(err)
	}
}

// inputs opens everything that belongs to a run; the caller holds mu.
func (c *client) inputs(id string) []run.Input {
	var all []run.Input
	for _, ev := range c.events {
		in := run.Input{Event: ev}
		if ev.Kind == run.KindWrap || ev.Kind == run.KindWrapLive {
			rumour, err := run.Unwrap(ev, c.keys.PubKey, c.keys.Decrypt)
			if err != nil {
				c.t.Errorf("a wrap that does not open: %v", err)
				continue
			}
			in.Event, in.Wrapped = rumour, true
		}
		if run.RunOf(in.Event) != id {
			continue
		}
		plain, err := c.keys.Decrypt(in.Event.PubKey, in.Event.Content)
		if err != nil {
			c.t.Errorf("an event that does not open: %v", err)
			continue
		}
		in.Plain, in.Opening = plain, run.Opened
		all = append(all, in)
	}
	return all
}

// messages are the parsed messages of a run; the caller holds mu.
func (c *client) messages(id string) (all []run.Message) {
	for _, in := range c.inputs(id) {
		head, err := run.ParseHead(in.Event)
		if err != nil {
			c.t.Errorf("a message without its tags: %v", err)
			continue
		}
		m, err := run.Parse(head, in.Plain)
		if err != nil {
			c.t.Errorf("a message that breaks the rules: %v: %s", err, in.Plain)
		}
		all = append(all, m)
	}
	return all
}

// end waits for the terminal of a run.
func (c *client) end(id string) run.Message {
	c.t.Helper()
	var end run.Message
	c.until("the terminal of "+id, func() bool {
		for _, m := range c.messages(id) {
			if run.IsTerminal(m.Kind) {
				end = m
				return true
			}
		}
		return false
	})
	return end
}

func TestThePromptIsAnsweredAndTheDeltasMakeTheText(t *testing.T) {
	p := newPlace(t, nil)
	a := live(t, p.configure())
	c := p.ask(a.PubKey())
	id := c.prompt(run.Question{Message: "stream 50 lines"})
	end := c.end(id)
	if end.Response == nil || !strings.Contains(end.Response.Text, "50. ") || !strings.Contains(end.Response.Text, "That was all.") {
		t.Fatalf("got %+v", end)
	}
	if u := end.Response.Usage; u == nil || u.InputTokens != 3 || u.OutputTokens < 100 {
		t.Errorf("usage is %+v", u)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var text strings.Builder
	statuses, seq := 0, int64(0)
	for _, m := range c.messages(id) {
		switch {
		case m.Status != nil:
			statuses++
		case m.Delta != nil:
			if m.Delta.Seq == nil || *m.Delta.Seq != seq {
				t.Errorf("seq is %v, want %d", m.Delta.Seq, seq)
			}
			seq++
			text.WriteString(m.Delta.Text)
		}
	}
	if statuses == 0 || seq == 0 || !strings.HasPrefix(end.Response.Text, text.String()) {
		t.Errorf("%d statuses, %d deltas: %q", statuses, seq, text.String())
	}
}
