package agent

import (
	"fmt"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/run"
)

func TestWhoMayAsk(t *testing.T) {
	p := newPlace(t, nil)
	friend, foe := secretKey(), secretKey()
	config := p.configure()
	config.AllowAll, config.Allow = false, []string{keysOf(t, friend).PubKey, keysOf(t, foe).PubKey}
	config.Block = []string{keysOf(t, foe).PubKey}
	config.Limits.Prompts = 2
	a := live(t, config)
	as := func(secret [32]byte) *client {
		c := &client{person: &person{t: t, keys: keysOf(t, secret), url: p.url, change: make(chan struct{}), eose: map[string]bool{}}, agent: a.PubKey()}
		c.connect(func(me string) []nostr.Filter { return []nostr.Filter{run.FilterAnswers(me, c.agent)} })
		return c
	}
	stranger := as(secretKey())
	stranger.failure(stranger.prompt(run.Question{Message: "hello"}), run.Unauthorized)
	blocked := as(foe)
	blocked.failure(blocked.prompt(run.Question{Message: "hello"}), run.BlockedSender)
	c := as(friend)
	if end := c.end(c.prompt(run.Question{Message: "hello"})); end.Response == nil {
		t.Errorf("got %+v", end)
	}
	c.failure(c.prompt(run.Question{Message: "hello", Model: "gpt-17"}), run.UnsupportedModel)
	if f := c.failure(c.prompt(run.Question{Message: "one too many"}), run.RateLimit); f.RetryAfter < 1 || f.RetryAfter > 60 {
		t.Errorf("got %+v", f)
	}
}

func TestRunsOfOneSenderAtATimeAndPromptsOfOneSessionAreBounded(t *testing.T) {
	p := newPlace(t, nil)
	config := p.configure()
	config.Limits.MaxActive, config.Limits.MaxTurns = 2, 3
	turns := puppets(&config)
	a := live(t, config)
	c := p.ask(a.PubKey())
	first, second := c.prompt(run.Question{Message: "1"}), c.prompt(run.Question{Message: "2"})
	one, two := <-turns, <-turns
	if f := c.failure(c.prompt(run.Question{Message: "3"}), run.RateLimit); f.RetryAfter != run.ActiveRetry {
		t.Errorf("got %+v", f)
	}
	one.done("one")
	two.done("two")
	c.end(first)
	c.end(second)
	third := c.prompt(run.Question{Message: "4"})
	(<-turns).done("three")
	c.end(third)
	c.failure(c.prompt(run.Question{Message: "5"}), run.SessionLimit)
	other := c.prompt(run.Question{Message: "6", Session: "session:other"})
	(<-turns).done("in another session")
	c.end(other)
}

// TestWhatAllAskTogetherIsBounded: keys cost nothing, so that a bound for each of
// them is none for somebody with many.
func TestWhatAllAskTogetherIsBounded(t *testing.T) {
	p := newPlace(t, nil)
	config := p.configure()
	config.Limits.AllActive, config.Limits.AllPrompts = 3, 5
	turns := puppets(&config)
	a := live(t, config)
	prompt := func() (*client, string) {
		c := p.ask(a.PubKey())
		return c, c.prompt(run.Question{Message: "hello"})
	}
	answered := func(turn *part, c *client, id string) {
		turn.done("done")
		c.end(id)
	}
	var ends []func()
	for range config.Limits.AllActive {
		c, id := prompt()
		turn := <-turns
		ends = append(ends, func() { answered(turn, c, id) })
	}
	c, id := prompt()
	if f := c.failure(id, run.RateLimit); f.RetryAfter != run.ActiveRetry {
		t.Errorf("one more at once: %+v", f)
	}
	for _, end := range ends {
		end()
	}
	for range config.Limits.AllPrompts - config.Limits.AllActive {
		c, id := prompt()
		answered(<-turns, c, id)
	}
	c, id = prompt()
	if f := c.failure(id, run.RateLimit); f.RetryAfter <= run.ActiveRetry || f.RetryAfter > 60 {
		t.Errorf("one more in a minute: %+v", f)
	}
}

// TestRefusalsAreBounded: so many are told in a minute; the others leave no trace.
func TestRefusalsAreBounded(t *testing.T) {
	p := newPlace(t, nil)
	config := p.configure()
	config.Limits.AllPrompts = 5
	a := live(t, config)
	a.mu.Lock()
	for i := range 50 {
		key := fmt.Sprintf("%064x", i)
		a.refuse(prompt{in: run.Input{Event: &nostr.Event{ID: key, PubKey: key}}}, run.Failure{Code: run.InvalidSchema, Message: "no"})
	}
	a.mu.Unlock()
	a.journal.look(func(s *state) {
		if len(s.over) != config.Limits.AllPrompts || len(s.runs) != 0 {
			t.Errorf("%d and %d are remembered", len(s.over), len(s.runs))
		}
	})
}
