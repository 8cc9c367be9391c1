package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/agent/brain"
	server "parley/server/relay"
	"parley/wasm/run"
)

// puppets gives an agent whose turns the test plays.
func puppets(c *Config) chan *part {
	turns := make(chan *part, 50)
	c.Brain = &puppet{act: func(ctx context.Context, turn brain.Turn, out brain.Out) (brain.Answer, error) {
		p := &part{turn, out, ctx, make(chan outcome, 1)}
		turns <- p
		select {
		case o := <-p.end:
			return o.answer, o.err
		case <-ctx.Done():
			return brain.Answer{}, context.Cause(ctx)
		}
	}}
	return turns
}

// failure waits for the failure that ends a run.
func (c *client) failure(id string, code run.Code) *run.Failure {
	c.t.Helper()
	end := c.end(id)
	if end.Failure == nil || end.Failure.Code != code {
		c.t.Fatalf("the run ends with %+v %+v, want %s", end.Failure, end.Response, code)
	}
	return end.Failure
}

// ends counts the terminals of a run.
func (c *client) ends(id string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.messages(id) {
		if run.IsTerminal(m.Kind) {
			n++
		}
	}
	return n
}

func TestACancelEndsTheRunOnceAndKeepsWhatWasSaid(t *testing.T) {
	for _, wrapped := range []bool{false, true} {
		p := newPlace(t, nil)
		config := p.configure()
		turns := puppets(&config)
		a := live(t, config)
		c := p.ask(a.PubKey())
		c.wrap = wrapped
		id := c.prompt(run.Question{Message: "begin"})
		turn := <-turns
		if err := turn.out.Say("half an answer"); err != nil {
			t.Fatal(err)
		}
		c.cancel(id, run.ReasonUser)
		c.cancel(id, run.ReasonTimeout)
		f := c.failure(id, run.Cancelled)
		if !strings.Contains(f.Details, "user_cancel") {
			t.Errorf("details are %s", f.Details)
		}
		<-turn.ctx.Done()
		c.cancel(id, run.ReasonUser) // too late
		if err := turn.out.Say("more"); err == nil {
			t.Error("a cancelled turn can speak")
		}
		next := c.prompt(run.Question{Message: "again"})
		(<-turns).done("answered")
		c.cancel(next, run.ReasonUser)
		if end := c.end(next); end.Response == nil && end.Failure.Code != run.Cancelled {
			t.Errorf("the second run ends with %+v", end)
		}
		if n := c.ends(id); n != 1 {
			t.Errorf("%d terminals", n)
		}
		c.until("what was said", func() bool { // a delta may be overtaken by the end
			text := ""
			for _, m := range c.messages(id) {
				if m.Delta != nil {
					text += m.Delta.Text
				}
			}
			return text == "half an answer"
		})
		a.stop()
	}
}

func TestSomebodyElsesCancelIsIgnored(t *testing.T) {
	p := newPlace(t, nil)
	config := p.configure()
	turns := puppets(&config)
	a := live(t, config)
	c, other := p.ask(a.PubKey()), p.ask(a.PubKey())
	id := c.prompt(run.Question{Message: "begin"})
	turn := <-turns
	other.cancel(id, run.ReasonUser)
	mark := other.prompt(run.Question{Message: "the agent has seen the cancel"})
	(<-turns).done("yes")
	other.end(mark)
	if turn.ctx.Err() != nil {
		t.Error("the run was cancelled")
	}
	turn.done("done")
	c.end(id)
}

func TestEveryErrorCanBeShown(t *testing.T) {
	p := newPlace(t, nil)
	config := p.configure()
	config.Limits.Prompts = 100
	a := live(t, config)
	c := p.ask(a.PubKey())
	for _, code := range []run.Code{run.UnsupportedEncryption, run.UnsupportedModel, run.UnsupportedSchemaVersion, run.Cancelled,
		run.RateLimit, run.Unauthorized, run.BlockedSender, run.ModelUnavailable, run.SessionLimit, run.ParseError, run.EmptyResponse,
		run.ToolError, run.InvalidSchema, run.UnsupportedFeature, run.InvalidSequence, run.InternalError} {
		f := c.failure(c.prompt(run.Question{Message: "error " + string(code) + " 7"}), code)
		if f.RetryAfter != 7 {
			t.Errorf("%s: %+v", code, f)
		}
	}
	c.failure(c.prompt(run.Question{Message: "empty"}), run.EmptyResponse)
	c.failure(c.prompt(run.Question{Message: "crash"}), run.InternalError)
}

func TestToolsAreTold(t *testing.T) {
	p := newPlace(t, nil)
	a := live(t, p.configure())
	for _, wrapped := range []bool{false, true} {
		c := p.ask(a.PubKey())
		c.wrap = wrapped
		id := c.prompt(run.Question{Message: "6 * 7"})
		if end := c.end(id); end.Response == nil || !strings.Contains(end.Response.Text, "**42**") {
			t.Errorf("the end is %+v", end)
		}
		c.mu.Lock()
		var tools []run.Tool
		for _, m := range c.messages(id) {
			if m.Tool != nil {
				tools = append(tools, *m.Tool)
			}
		}
		for _, in := range c.inputs(id) {
			if in.Wrapped != wrapped {
				t.Errorf("kind %d came wrapped: %v", in.Event.Kind, in.Wrapped)
			}
		}
		c.mu.Unlock()
		if len(tools) != 2 || tools[0].Name != "calculator" || tools[0].Phase != run.PhaseStart || tools[1].Phase != run.PhaseResult ||
			tools[0].CallID != tools[1].CallID || tools[1].Success == nil || !*tools[1].Success || tools[1].DurationMS == nil {
			t.Fatalf("told are %+v", tools)
		}
		if hidden := tools[0].Arguments == "" && tools[1].Output == ""; hidden != wrapped {
			t.Errorf("wrapped %v: told are %+v", wrapped, tools)
		}
	}
}

func TestASessionRemembersAndIsBounded(t *testing.T) {
	p := newPlace(t, nil)
	config := p.configure()
	turns := puppets(&config)
	config.Brain.(*puppet).tokens = 100
	a := live(t, config)
	c := p.ask(a.PubKey())
	say := func(message, answer string) *part {
		id := c.prompt(run.Question{Message: message, Session: "session:a"})
		turn := <-turns
		turn.done(answer)
		c.end(id)
		return turn
	}
	say("first", "one")
	if turn := say("second", strings.Repeat("a", 300)); len(turn.turn.History) != 2 || turn.turn.History[0].Text != "first" ||
		turn.turn.History[0].Mine || turn.turn.History[1].Text != "one" || !turn.turn.History[1].Mine {
		t.Errorf("the history is %+v", turn.turn.History)
	}
	if turn := say("third", "x"); len(turn.turn.History) != 4 {
		t.Errorf("the history is %+v", turn.turn.History)
	}
	if turn := say(strings.Repeat("b", 100), "x"); len(turn.turn.History) != 2 || turn.turn.History[0].Text != "third" {
		t.Errorf("the history is %+v", turn.turn.History)
	}
	a.stop()
	a = live(t, config)
	if turn := say("after a restart", "x"); len(turn.turn.History) < 2 {
		t.Errorf("the history is %+v", turn.turn.History)
	}
}

func TestStatusAtLeastEvery30SecondsWhileItWorks(t *testing.T) {
	clock := newFakeClock()
	p := newPlace(t, clock.Now)
	config := p.configure()
	config.Clock = clock
	turns := puppets(&config)
	a := live(t, config)
	c := p.ask(a.PubKey())
	id := c.prompt(run.Question{Message: "work long"})
	turn := <-turns
	half := 50
	if err := turn.out.Status(run.StatusToolUse, &half, "digging"); err != nil {
		t.Fatal(err)
	}
	statuses := func(n int) {
		c.until(fmt.Sprintf("%d statuses", n), func() bool {
			got := 0
			for _, m := range c.messages(id) {
				if m.Status != nil {
					got++
				}
			}
			return got >= n
		})
	}
	statuses(2)
	for i := range 4 {
		for range 6 { // the agent looks every 5 s
			clock.waitFor(t, 5*time.Second)
			clock.advance(5 * time.Second)
		}
		statuses(3 + i)
	}
	c.mu.Lock()
	for _, m := range c.messages(id)[2:] {
		if m.Status != nil && (m.Status.State != run.StatusToolUse || m.Status.Info != "digging" || *m.Status.Progress != 50) {
			t.Errorf("the status is repeated as %+v", m.Status)
		}
	}
	c.mu.Unlock()
	turn.done("done")
	c.end(id)
}

func TestDeltasAtMost10ASecondAndOf4kB(t *testing.T) {
	clock := newFakeClock()
	p := newPlace(t, clock.Now)
	config := p.configure()
	config.Clock = clock
	turns := puppets(&config)
	a := live(t, config)
	c := p.ask(a.PubKey())
	id := c.prompt(run.Question{Message: "write much"})
	turn := <-turns
	text := strings.Repeat("ä long text. ", 1000)
	for i := range len(text) / 10 {
		if err := turn.out.Say(text[i*10 : i*10+10]); err != nil {
			t.Fatal(err)
		}
	}
	deltas := func() (all []string) {
		for _, m := range c.messages(id) {
			if m.Delta != nil {
				all = append(all, m.Delta.Text)
			}
		}
		return all
	}
	for n := 1; n <= 3; n++ {
		c.until("a delta", func() bool { return len(deltas()) >= n })
		clock.waitFor(t, 100*time.Millisecond)
		c.mu.Lock()
		if got := len(deltas()); got != n {
			t.Errorf("%d deltas after %d ms", got, (n-1)*100)
		}
		c.mu.Unlock()
		clock.advance(100 * time.Millisecond)
	}
	turn.done("")
	end := c.end(id)
	if end.Response == nil || end.Response.Text != text[:len(text)/10*10] {
		t.Errorf("the answer has %d bytes", len(end.Response.Text))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if got := strings.Join(deltas(), ""); !strings.HasPrefix(end.Response.Text, got) {
		t.Error("the deltas are not the text")
	}
	for _, d := range deltas() {
		if len(d) > run.MaxDeltaBytes {
			t.Errorf("a delta of %d bytes", len(d))
		}
	}
}

func TestAnAnswerThatIsTooLargeStillEndsTheRun(t *testing.T) {
	p := newPlace(t, nil)
	a := live(t, p.configure())
	c := p.ask(a.PubKey())
	<-a.homes[0].known
	if end := c.end(c.prompt(run.Question{Message: "big 1000"})); end.Response == nil || len(end.Response.Text) != 1_024_000 {
		t.Errorf("1 MB: %+v", end.Failure)
	}
	if f := c.failure(c.prompt(run.Question{Message: "big 2500"}), run.InternalError); !strings.Contains(f.Details, "too_large") {
		t.Errorf("got %+v", f)
	}
	p.rule(func(_ context.Context, _ server.Lookup, ev *nostr.Event, _ int64) error {
		if ev.Kind == run.KindResponse && len(ev.Content) > 1000 {
			return errors.New("invalid: event too large")
		}
		return nil
	})
	if f := c.failure(c.prompt(run.Question{Message: "big 20"}), run.InternalError); !strings.Contains(f.Details, "too_large") {
		t.Errorf("got %+v", f)
	}
	c.wrap = true
	if f := c.failure(c.prompt(run.Question{Message: "big 300"}), run.InternalError); !strings.Contains(f.Details, "too_large") {
		t.Errorf("wrapped: got %+v", f)
	}
}

func TestARunThatTakesTooLongIsGivenUp(t *testing.T) {
	clock := newFakeClock()
	p := newPlace(t, clock.Now)
	config := p.configure()
	config.Clock, config.Limits.RunTime = clock, time.Minute
	turns := puppets(&config)
	a := live(t, config)
	c := p.ask(a.PubKey())
	id := c.prompt(run.Question{Message: "never ends"})
	<-turns
	clock.waitFor(t, time.Minute)
	clock.advance(time.Minute)
	if f := c.failure(id, run.InternalError); !strings.Contains(f.Details, "timeout") {
		t.Errorf("got %+v", f)
	}
}

func TestAPromptThatCannotBeReadIsRefusedOnce(t *testing.T) {
	p := newPlace(t, nil)
	a := live(t, p.configure())
	c := p.ask(a.PubKey())
	raw := func(plain string, change func(ev *nostr.Event)) string {
		content, err := c.keys.Encrypt(a.PubKey(), plain)
		if err != nil {
			t.Fatal(err)
		}
		ev := nostr.Event{Kind: run.KindPrompt, CreatedAt: nostr.Now(), Content: content, Tags: nostr.Tags{{"p", a.PubKey()}, {"encryption", "nip44"}}}
		if change != nil {
			change(&ev)
		}
		return c.publish(&ev).ID
	}
	c.failure(raw("{", nil), run.ParseError)
	c.failure(raw(`{"ver":1}`, nil), run.InvalidSchema)
	c.failure(raw(`{"ver":1,"message":"x"}`, func(ev *nostr.Event) { ev.Tags[1][1] = "nip04" }), run.UnsupportedEncryption)
	c.failure(raw(`{"ver":1,"message":"x","tool_schema_version":9}`, nil), run.UnsupportedSchemaVersion)
	long, _ := json.Marshal(map[string]any{"ver": 1, "message": strings.Repeat("a", MaxPromptBytes)})
	c.failure(raw(string(long), nil), run.InvalidSchema)
	c.failure(raw(`{"ver":1,"message":"x"}`, func(ev *nostr.Event) { ev.Content = "not encrypted" }), run.ParseError)
}

func TestTheAgentIntroducesItself(t *testing.T) {
	p := newPlace(t, nil)
	config := p.configure()
	a := live(t, config)
	m := p.join(func(string) []nostr.Filter {
		return []nostr.Filter{{Kinds: []int{0, run.KindInfo}, Authors: []string{a.PubKey()}}}
	})
	info, err := run.ParseInfo(m.find("the info", func(ev *nostr.Event) bool { return ev.Kind == run.KindInfo }))
	if err != nil {
		t.Fatal(err)
	}
	if !info.SupportsNIP59 || !info.SupportsStreaming || info.MaxPromptBytes != MaxPromptBytes || info.ToolSchemaVersion != 1 ||
		strings.Join(info.ToolNames, " ") != "calculator clock" || len(info.ToolSchemas) != 2 || info.DefaultModel == "" || info.D != run.DefaultD {
		t.Errorf("the info is %+v", info)
	}
	profile := m.find("the profile", func(ev *nostr.Event) bool { return ev.Kind == 0 })
	if !strings.Contains(profile.Content, `"bot":true`) || !strings.Contains(profile.Content, "House agent") {
		t.Errorf("the profile is %s", profile.Content)
	}
	a.stop()
	a = live(t, config) // nothing has changed, so nothing is said again
	<-a.homes[0].told
	a.stop()
	config.Tools = config.Tools[:1] // and now it has
	a = live(t, config)
	newer := m.find("the new info", func(ev *nostr.Event) bool { return ev.Kind == run.KindInfo && ev.ID != info.Event })
	if again, err := run.ParseInfo(newer); err != nil || !again.Newer(&info) || len(again.ToolNames) != 1 {
		t.Errorf("got %+v, %v", again, err)
	}
	if n := m.count(func(ev *nostr.Event) bool { return true }); n != 3 {
		t.Errorf("%d events about the agent", n)
	}
}
