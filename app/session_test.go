package app

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/components"
	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/run"
)

func runItem(id, text string, from int, state run.State) port.RunItem {
	return port.RunItem{From: from, View: run.View{
		Prompt: id, HasPrompt: true, Question: "Why?", Model: "small", ThinkingMode: run.ThinkHigh, State: state, Text: text,
	}}
}

func sessionView(change func(*port.SessionView)) port.SessionView {
	v := port.SessionView{
		Agent: room.Person{PubKey: "bot", Name: "Scout"}, NPub: "npub1scout", HasInfo: true, DraftKey: "agent bot s1", Order: []string{"p1"},
		Info: run.Info{Agent: "bot", Event: "e", SupportedModels: []string{"small", "large"}, SupportsNIP59: true, MaxPromptBytes: 1000,
			Encryption: []string{"nip44"}, Pricing: &run.Pricing{Currency: "USD", Per1kPromptTokens: 1}},
	}
	if change != nil {
		change(&v)
	}
	return v
}

func openSession(t *testing.T) *page {
	t.Helper()
	p := openPage(t, Route{Page: Session, NPub: "npub1scout", Session: "s1"})
	p.shows(port.AppName, meView())
	p.shows(port.SessionName, sessionView(func(v *port.SessionView) {
		v.Reset, v.Draft = true, "half a question"
		v.Runs = []port.RunItem{runItem("p1", "The first ", 0, run.StateStreaming)}
	}))
	return p
}

func TestPiecesOfAnAnswerDoNotDrawThePage(t *testing.T) {
	p := openSession(t)
	v := sessionView(func(v *port.SessionView) {
		v.Runs = []port.RunItem{runItem("p1", "words", len("The first "), run.StateStreaming)}
	})
	if p.s.session.take(v) {
		t.Error("a piece draws what stands around the answer")
	}
	if got := p.s.session.shown("p1").View.Text; got != "The first words" {
		t.Errorf("the answer is %q", got)
	}
	if p.s.session.head.Draft != "half a question" {
		t.Error("the draft is gone with the second update")
	}
	v.Order, v.Runs = []string{"p1", "p2"}, []port.RunItem{runItem("p2", "", 0, run.StateWaiting)}
	if !p.s.session.take(v) {
		t.Error("a new prompt draws nothing")
	}
	v = sessionView(func(v *port.SessionView) { v.Usage = &run.Usage{InputTokens: 1} })
	if !p.s.session.take(v) {
		t.Error("the usage beside the session is not drawn")
	}
}

func TestARunOnScreenKeepsItsFeedWhenAnotherCoreTellsOfIt(t *testing.T) {
	p := openSession(t)
	listened := p.s.session.feeds["p1"]
	p.shows(port.SessionName, sessionView(func(v *port.SessionView) {
		v.Reset = true
		v.Runs = []port.RunItem{runItem("p1", "The first words", 0, run.StateStreaming)}
	}))
	if p.s.session.feeds["p1"] != listened {
		t.Error("the run on screen listens to a feed that hears nothing more")
	}
	if got := p.s.session.shown("p1").View.Text; got != "The first words" {
		t.Errorf("the answer is %q", got)
	}
	p.shows(port.SessionName, sessionView(func(v *port.SessionView) { v.Reset, v.Order = true, []string{} }))
	if len(p.s.session.feeds) != 0 {
		t.Error("a run that the new core does not know is kept")
	}
}

func TestThePromptIsSentAsChosen(t *testing.T) {
	p := openSession(t)
	if c := p.choice(); c.Model != "small" || c.Thinking != run.ThinkHigh || c.Hide {
		t.Errorf("the next prompt is to be answered as %+v, not as the last one", c)
	}
	p.inbox.post(func() {
		p.setChoice(func(c *components.PromptChoice) { c.Model, c.Hide = "large", true })
		p.send(components.Words{Key: "agent bot s1", Text: "And now?"})
	})
	p.engine.ConsumeAll()
	var params port.PromptParams
	p.call(port.SendPrompt, &params)
	want := port.PromptParams{Agent: "npub1scout", Session: "s1", Text: "And now?", Model: "large", Thinking: run.ThinkHigh, Hide: true, Draft: "agent bot s1"}
	got, _ := json.Marshal(params)
	if expected, _ := json.Marshal(want); string(got) != string(expected) {
		t.Errorf("sent %s, want %s", got, expected)
	}
}

func TestWordsComeBackWhenAPromptIsRefused(t *testing.T) {
	p := openSession(t)
	p.inbox.post(func() { p.send(components.Words{Text: "And now?"}) })
	p.engine.ConsumeAll()
	e := p.call(port.SendPrompt, nil)
	p.says(port.Envelope{Type: port.Reply, ID: e.ID, Error: &port.Error{Code: port.CodeLocked, Message: "Unlock your key."}})
	p.engine.ConsumeAll()
	if p.s.write.fill != "And now?" || len(p.s.toasts) != 1 {
		t.Errorf("the composer gets %q, said: %+v", p.s.write.fill, p.s.toasts)
	}
}

func TestTheFirstPromptBeginsASession(t *testing.T) {
	p := openPage(t, Route{Page: Agent, NPub: "npub1scout"})
	p.shows(port.AppName, meView())
	p.shows(port.AgentName, port.AgentView{Agent: room.Person{PubKey: "bot", Name: "Scout"}, NPub: "npub1scout", DraftKey: "agent bot "})
	p.inbox.post(func() { p.send(components.Words{Text: "Hello"}) })
	p.engine.ConsumeAll()
	var params port.PromptParams
	if p.call(port.SendPrompt, &params); params.Session != "" || params.Agent != "npub1scout" {
		t.Errorf("sent %+v", params)
	}
}

func TestAQuestionThatWaitsForTheSignerStandsAtTheComposer(t *testing.T) {
	p := openSession(t)
	for _, signer := range []string{"local", "extension"} {
		p.s.app.Me.Signer = signer
		p.inbox.post(func() { p.send(components.Words{Text: "Who signs?"}) })
		p.engine.ConsumeAll()
		if shown := p.s.prompts.asked; (len(shown) == 1) != (signer != "local") {
			t.Errorf("%s: %q wait", signer, shown)
		}
	}
	first, second := p.s.prompts.asking("a"), p.s.prompts.asking("b")
	first()
	first()
	second()
	if got := p.s.prompts.asked; len(got) != 1 || got[0] != "Who signs?" {
		t.Errorf("left waiting: %q", got)
	}
}

func TestRetryIsANewPromptWithTheSameWords(t *testing.T) {
	p := openSession(t)
	p.inbox.post(func() { p.again(components.Again{ID: "p1", Model: "large"}) })
	p.engine.ConsumeAll()
	var params port.PromptParams
	if p.call(port.SendPrompt, &params); params.Text != "Why?" || params.Model != "large" || params.Session != "s1" || params.Thinking != run.ThinkHigh {
		t.Errorf("sent %+v", params)
	}
	if p.choice().Model != "large" {
		t.Error("the model that was taken is not the next one's")
	}
}

func TestTheMeterIsAHint(t *testing.T) {
	info := sessionView(nil).Info
	for _, step := range []struct {
		text    string
		price   string
		size    bool
		problem bool
	}{
		{"", "", false, false},
		{strings.Repeat("a", 400), "about 0.1000 USD", false, false},
		{strings.Repeat("a", 900), "about 0.2250 USD", true, false},
		{strings.Repeat("a", 1001), "about 0.2510 USD", false, true},
		{strings.Repeat("\"", 400), "about 0.1000 USD", true, false},   // two bytes each in JSON
		{strings.Repeat("\x01", 200), "about 0.0500 USD", false, true}, // six bytes each
	} {
		m := meterOf(&info, strings.Repeat("a", 64), components.PromptChoice{}, step.text)
		info.Agent = strings.Repeat("b", 64)
		if m.Price != step.price || (m.Size != "") != step.size || (m.Problem != "") != step.problem {
			t.Errorf("%d bytes: %+v", len(step.text), m)
		}
	}
	free := run.DefaultInfo("bot")
	if m := meterOf(&free, "me", components.PromptChoice{}, "hello"); m != (components.Meter{}) {
		t.Errorf("an agent without hints: %+v", m)
	}
}

func TestWhatAnAgentNoLongerOffersIsNotChosen(t *testing.T) {
	info := sessionView(nil).Info
	info.SupportsNIP59 = false
	if c := offered(components.PromptChoice{Model: "gone", Thinking: run.ThinkLow, Hide: true}, &info); c.Model != "" || c.Hide || c.Thinking != run.ThinkLow {
		t.Errorf("chosen: %+v", c)
	}
	bare := run.DefaultInfo("bot")
	if c := offered(components.PromptChoice{Model: "small", Thinking: run.ThinkLow}, &bare); c != (components.PromptChoice{}) {
		t.Errorf("of an agent that says nothing: %+v", c)
	}
}

func TestFinishedSentencesAreReadOutOnce(t *testing.T) {
	var r reader
	say := func(text string, state run.State) string {
		r.follow(&run.View{Prompt: "p1", Text: text, State: state}, "Scout")
		return r.next()
	}
	for _, step := range []struct {
		text  string
		state run.State
		want  string
	}{
		{"", run.StateSent, ""},
		{"The run", run.StateStreaming, ""},
		{"The run used **18.40** hours. It", run.StateStreaming, "The run used 18.40 hours."},
		{"The run used **18.40** hours. It was cheap", run.StateStreaming, ""},
		{"The run used **18.40** hours. It was cheap.\n\n# Why\n", run.StateStreaming, "It was cheap. Why"},
		{"The run used **18.40** hours. It was cheap.\n\n# Why\nBecause", run.StateDone, "Because Scout has answered."},
		{"The run used **18.40** hours. It was cheap.\n\n# Why\nBecause", run.StateDone, ""},
	} {
		if got := say(step.text, step.state); got != step.want {
			t.Errorf("%q reads %q, want %q", step.text, got, step.want)
		}
	}
	r.follow(&run.View{Prompt: "old", Text: "From last week.", State: run.StateDone}, "Scout")
	if got := r.next(); got != "" {
		t.Errorf("an answer that was there already reads %q", got)
	}
}

func TestALongAnswerIsReadOutInParts(t *testing.T) {
	var r reader
	for range 30 {
		r.say(strings.Repeat("word ", 20))
	}
	for parts := 0; ; parts++ {
		text := r.next()
		if text == "" {
			if parts < 3 {
				t.Errorf("read out in %d parts", parts)
			}
			return
		}
		if len(text) > maxPhrase {
			t.Errorf("a part of %d bytes", len(text))
		}
	}
}
