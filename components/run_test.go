package components

import (
	"math/rand/v2"
	"strings"
	"testing"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/room"
	"parley/wasm/run"
)

func sampleRun(change func(*RunShown)) *Run {
	s := RunShown{
		View: run.View{
			Prompt: "p1", HasPrompt: true, Question: "What did it cost?", Started: 1_700_000_000, Last: 1_700_000_001,
			State: run.StateStreaming, Text: "The run used **18.40**",
		},
		Delivery: Delivery{State: "stored", Of: 1, Stored: 1}, CanStop: true,
	}
	if change != nil {
		change(&s)
	}
	feed := &RunFeed{}
	feed.Take(s, 0, 0)
	return &Run{
		Feed: feed, ID: "p1", Me: room.Person{PubKey: "me", Name: "Mira"},
		Agent: room.Person{PubKey: "bb", Name: "Scout", Agent: "agent of Ana"}, Models: []string{"small", "large"},
	}
}

func TestARunIsOneArticleOfItsPrompt(t *testing.T) {
	at(t, 1_700_000_014)
	d := draw(t, sampleRun(nil))
	article := d.one("article", "data-run", "p1")
	for name, want := range map[string]string{"data-event": "p1", "data-state": "streaming", "role": "article", "data-kind": "25802", "data-status": "stored"} {
		if got, _ := attr(article, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := words(d.one("", "data-run-text", "")); got != "The run used 18.40" {
		t.Errorf("the answer reads %q", got)
	}
	if said := words(article); !strings.Contains(said, "Writing · 14 s") {
		t.Errorf("the run says %q", said)
	}
	if got := strings.Join(d.buttons(), " "); got != "Stop" {
		t.Errorf("a live run offers %q", got)
	}
}

func TestStatesOfARunInWords(t *testing.T) {
	at(t, 1_700_000_100)
	ended := func(state run.State) func(*RunShown) {
		return func(s *RunShown) { s.View.State, s.CanStop, s.View.Ended = state, false, 1_700_000_020 }
	}
	failed := func(code run.Code) func(*RunShown) {
		return func(s *RunShown) {
			ended(run.StateFailed)(s)
			s.Retry, s.View.Error = true, &run.ErrorView{Code: code, Message: "as it says"}
		}
	}
	for _, step := range []struct {
		name string
		want []string
		set  func(*RunShown)
	}{
		{"waiting", []string{"Waiting to be sent", "Stop"}, func(s *RunShown) { s.View.State, s.Delivery = run.StateWaiting, Delivery{State: "waiting"} }},
		{"sent", []string{"Sent, not picked up yet"}, func(s *RunShown) { s.View.State, s.Delivery = run.StateSent, Delivery{State: "sent"} }},
		{"stored", []string{"Stored, not picked up yet"}, func(s *RunShown) { s.View.State = run.StateSent }},
		{"a tool", []string{"Using calculator"}, func(s *RunShown) {
			s.View.State, s.View.Tools = run.StateToolUse, []run.ToolView{{Key: "c1", Name: "calculator", Phase: run.PhaseStart}}
		}},
		{"done", []string{"Done · 20 s", "412 tokens in, 188 out, about 0.0100 USD", "Copy", "Edit and ask again", "Delete…"}, func(s *RunShown) {
			ended(run.StateDone)(s)
			s.View.Usage, s.View.Cost = &run.Usage{InputTokens: 412, OutputTokens: 188}, &run.Price{Amount: 0.01, Currency: "USD"}
		}},
		{"stopped", []string{"Stopped", "You stopped it."}, func(s *RunShown) {
			ended(run.StateCancelled)(s)
			s.View.CancelReason, s.View.Error = run.ReasonUser, &run.ErrorView{Code: run.Cancelled}
		}},
		{"incomplete", []string{"Incomplete", "Check again", "Stop", "What came so far is kept"}, func(s *RunShown) { s.View.State = run.StateIncomplete }},
		{"nobody listens", []string{"No relay took this question", "“nobody”", "The agent is not listening"}, func(s *RunShown) {
			ended(run.StateFailed)(s)
			s.View.Refused, s.View.Notes = "mute: nobody", []run.Note{run.NoteNotListening}
		}},
		{"not allowed", []string{"The agent does not answer you", "as it says", "Ask its owner", "agent of Ana"}, failed(run.Unauthorized)},
		{"no such model", []string{"Try small", "Try large"}, failed(run.UnsupportedModel)},
		{"a code that nobody knows", []string{"breaks the rules"}, failed("WHAT")},
		{"degraded", []string{"pieces of this answer are missing, marked (…)", "The run (…) used"}, func(s *RunShown) {
			s.View.Degraded, s.View.Gaps = true, []int{len("The run")}
		}},
	} {
		t.Run(step.name, func(t *testing.T) {
			said := words(draw(t, sampleRun(step.set)).root)
			for _, want := range step.want {
				if !strings.Contains(said, want) {
					t.Errorf("%q is not in %q", want, said)
				}
			}
		})
	}
}

func TestEveryCodeHasWords(t *testing.T) {
	for _, code := range []run.Code{
		run.UnsupportedEncryption, run.UnsupportedModel, run.UnsupportedSchemaVersion, run.Cancelled, run.RateLimit,
		run.Unauthorized, run.BlockedSender, run.ModelUnavailable, run.SessionLimit, run.ParseError, run.EmptyResponse,
		run.ToolError, run.InvalidSchema, run.UnsupportedFeature, run.InvalidSequence, run.InternalError,
	} {
		if errorWords[code][0] == "" {
			t.Errorf("no words for %s", code)
		}
	}
}

func TestWhoseFaultItWas(t *testing.T) {
	for _, code := range []run.Code{run.ParseError, run.InvalidSchema, run.InvalidSequence} {
		ours, theirs := wordsOf(&run.ErrorView{Code: code}), wordsOf(&run.ErrorView{Code: code, Broken: true})
		if ours == theirs || ours[0] == "" || theirs[0] == "" {
			t.Errorf("%s sent by the agent: %q, found in what it sent: %q", code, ours, theirs)
		}
	}
	if words := wordsOf(&run.ErrorView{Code: "ODD"}); words != errorWords[run.InvalidSchema] {
		t.Errorf("an unknown code: %q", words)
	}
}

func TestRetryWaitsForTheAgent(t *testing.T) {
	limited := func(s *RunShown) {
		s.View.State, s.CanStop, s.Retry = run.StateFailed, false, true
		s.View.Error = &run.ErrorView{Code: run.RateLimit, RetryAfter: 30, RetryAt: 1_700_000_030}
	}
	at(t, 1_700_000_018)
	d := draw(t, sampleRun(limited))
	retry := func(d drawing) bool {
		for _, b := range d.all("button", "", "") {
			if words(b) == "Retry" {
				return !isDisabled(b)
			}
		}
		t.Fatal("there is no Retry")
		return false
	}
	if retry(d) || !strings.Contains(words(d.root), "in 12 s") {
		t.Errorf("Retry works too early: %q", words(d.root))
	}
	at(t, 1_700_000_030)
	if d = draw(t, sampleRun(limited)); !retry(d) {
		t.Error("Retry does not work in time")
	}
}

func TestToolRowsAreClosedAndMereText(t *testing.T) {
	ms, no := int64(123), false
	d := draw(t, sampleRun(func(s *RunShown) {
		s.View.Tools = []run.ToolView{
			{Key: "c1", Name: "calculator", Phase: run.PhaseResult, Arguments: `{"expression":"18.40 / 2.31"}`, DurationMS: &ms, Advertised: true},
			{Key: "c2", Name: "<b>shell</b>", Phase: run.PhaseResult, Success: &no, RequiresApproval: true},
			{Key: "c3", Name: "clock", Phase: run.PhaseStart, Advertised: true},
		}
	}))
	row := d.one("details", "data-tool", "calculator")
	if got := words(row); got != "calculator 18.40 / 2.31 0.12 s · done" {
		t.Errorf("the row reads %q", got)
	}
	if _, open := attr(row, "open"); open {
		t.Error("the row is open")
	}
	if got := words(d.one("details", "data-tool", "<b>shell</b>")); got != "<b>shell</b> not advertised needs approval failed" {
		t.Errorf("the hostile row reads %q", got)
	}
	if got, _ := attr(d.one("details", "data-tool", "clock"), "data-phase"); got != run.PhaseStart {
		t.Errorf("the phase is %q", got)
	}
}

func TestThinkingIsClosedAndApart(t *testing.T) {
	d := draw(t, sampleRun(func(s *RunShown) {
		s.View.Thinking, s.View.ThinkingStarted, s.View.ThinkingEnded = "hm, hm", 1_700_000_000, 1_700_000_006
	}))
	if got := words(d.one("summary", "", "")); got != "Thought for 6 s" {
		t.Errorf("the summary reads %q", got)
	}
	d.one("", "data-run-thinking", "")
	if strings.Contains(words(d.one("", "data-run-text", "")), "hm") {
		t.Error("the reasoning stands in the answer")
	}
}

func TestAFeedPutsPiecesTogether(t *testing.T) {
	whole := strings.Repeat("Ein Satz mit Umlauten: äöü. ", 40)
	r := rand.New(rand.NewPCG(1, 2))
	feed := &RunFeed{}
	var sizes int
	for at := 0; at < len(whole); {
		next := min(len(whole), at+1+r.IntN(30))
		feed.Take(RunShown{View: run.View{Text: whole[at:next]}}, at, 0)
		at = next
		if got := feed.Shown().View.Text; got != whole[:at] {
			t.Fatalf("after %d bytes the text is %q", at, got)
		}
		sizes++
	}
	kept := feed.Shown().View.Text
	feed.Take(RunShown{View: run.View{Text: "another end"}}, 8, 0)
	if got := feed.Shown().View.Text; got != whole[:8]+"another end" {
		t.Errorf("a text that goes back is %q", got)
	}
	if kept != whole {
		t.Error("what was shown before has changed")
	}
	feed.Take(RunShown{View: run.View{Text: "x"}}, 1000, 0)
	if got := feed.Shown().View.Text; got != whole[:8]+"another endx" {
		t.Errorf("a patch past the end gives %q", got)
	}
}

// swapped is a place where a Run gets another feed.
type swapped struct {
	ui.Compo
	feed *RunFeed
	ctx  ui.Context
}

// OnPreRender implements ui.PreRenderer: a place to act from in a test.
func (s *swapped) OnPreRender(ctx ui.Context) { s.ctx = ctx }

func (s *swapped) Render() ui.UI { return ui.Div().Body(&Run{Feed: s.feed, ID: "p1"}) }

func TestARunListensToTheFeedItHasNow(t *testing.T) {
	at(t, 1_700_000_014)
	shown := *sampleRun(nil).Feed.Shown()
	first, second := &RunFeed{}, &RunFeed{}
	first.Take(shown, 0, 0)
	shown.View.Text += " again"
	second.Take(shown, 0, 0)
	s, engine := &swapped{feed: first}, ui.NewTestEngine()
	if err := engine.Load(s); err != nil {
		t.Fatal(err)
	}
	engine.ConsumeAll()
	s.ctx.Dispatch(func(ui.Context) { s.feed = second })
	engine.ConsumeAll()
	shown.View.State, shown.View.Text = run.StateDone, " and more"
	second.Take(shown, len(second.Shown().View.Text), 0)
	engine.ConsumeAll()
	if got := ui.HTMLString(s); !strings.Contains(got, " more") || !strings.Contains(got, `data-state="done"`) {
		t.Errorf("what the second feed says is not drawn: %s", got)
	}
}

func TestGapsAreMarkedWhileTheTextGrows(t *testing.T) {
	var g gapped
	for _, step := range []struct {
		text string
		gaps []int
		want string
	}{
		{"One", nil, "One"},
		{"One three", []int{3}, "One (…)  three"},
		{"One three four", []int{3}, "One (…)  three four"},
		{"One three four six", []int{3, 14}, "One (…)  three four (…)  six"},
		{"One two three four", nil, "One two three four"},
		{"One two", []int{7}, "One two"},
		{"One two x", []int{7}, "One two (…)  x"},
		{"Another x", []int{7}, "Another (…)  x"},
	} {
		if got := g.marked(step.text, step.gaps); got != step.want {
			t.Errorf("%q with gaps %v reads %q, want %q", step.text, step.gaps, got, step.want)
		}
	}
}

func TestSessionsWithUnreadAnswersSaySo(t *testing.T) {
	d := draw(t, &SessionList{Lines: []SessionLine{
		{Href: "/agents/n/s1", Title: "Soak test", When: "now", State: run.StateDone, Unread: true},
		{Href: "/agents/n/s2", State: run.StateFailed},
	}})
	if got := words(d.one("ul", "", "")); got != "Soak test new answer now Still to be decrypted… Failed" {
		t.Errorf("the list reads %q", got)
	}
}

func TestOnlyWhatAnAgentOffersCanBeChosen(t *testing.T) {
	bare := draw(t, &PromptOptions{Info: run.DefaultInfo("bb")})
	if n := len(bare.all("select", "", "")) + len(bare.all("input", "", "")); n != 0 {
		t.Errorf("an agent that says nothing offers %d things", n)
	}
	d := draw(t, &PromptOptions{Named: true, Info: run.Info{SupportedModels: []string{"small"}, DefaultModel: "small", SupportsNIP59: true},
		Choice: PromptChoice{Thinking: run.ThinkHigh}, Meter: Meter{Price: "about $0.01"}})
	d.one("select", "aria-label", "Model")
	d.one("select", "aria-label", "Thinking")
	d.one("input", "name", "hide")
	if got, _ := attr(d.one("option", "value", run.ThinkHigh), "selected"); got != "" && got != "true" {
		t.Errorf("the choice is not shown: %q", got)
	}
	if said := words(d.root); !strings.Contains(said, "about $0.01 so far, a hint") {
		t.Errorf("the price reads %q", said)
	}
}
