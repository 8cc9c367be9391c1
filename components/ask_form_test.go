package components

import (
	"strings"
	"testing"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
	"golang.org/x/net/html"

	"parley/wasm/ask"
	"parley/wasm/room"
)

// sampleAsk is an open question to me, to be changed by a test.
func sampleAsk(change func(*ask.View)) *Ask {
	v := ask.View{
		ID: "q1", Asker: "bb", Kind: 9, Form: ask.Native, State: ask.Open, Request: ask.RequestQuestion,
		Interaction: ask.Question, Selection: ask.Single, Subject: "Ship 1.4?", Text: "The build is **green**.",
		Options: []ask.Option{{ID: "ship", Label: "Ship it"}, {ID: "hold", Label: "Hold"}},
		Asked:   []string{"aa", "me"}, Answerable: true, Offers: []ask.Offer{ask.OfferAnswer},
	}
	if change != nil {
		change(&v)
	}
	return &Ask{View: v, Me: "me", People: map[string]room.Person{
		"aa": {PubKey: "aa", Name: "Ana"}, "bb": {PubKey: "bb", Name: "Scout"},
	}}
}

func settledBy(who, label, text string) func(*ask.View) {
	return func(v *ask.View) {
		v.State, v.Outcome, v.Answerable = ask.Answered, ask.OutcomeAnswered, false
		v.Answer = &ask.Entry{ID: "a1", By: who, At: 1_700_000_000, Act: ask.ActAnswer, Text: text, Settles: true, Counts: true,
			Choices: []ask.Option{{ID: "ship", Label: label}}}
		v.History, v.HistoryCount = []ask.Entry{*v.Answer}, 1
	}
}

func isDisabled(n *html.Node) bool {
	_, has := attr(n, "disabled")
	value, _ := attr(n, "disabled")
	return has && value != "false"
}

func TestAnOpenQuestionIsAFieldsetOfItsOptions(t *testing.T) {
	d := draw(t, &AskForm{A: sampleAsk(func(v *ask.View) { v.Freeform = true })})
	set := d.one("fieldset", "", "")
	if got := words(d.one("legend", "", "")); got != "Ship 1.4?" {
		t.Errorf("the legend is %q", got)
	}
	about, _ := attr(set, "aria-describedby")
	if got := words(d.one("", "id", about)); got != "The build is green ." {
		t.Errorf("the question is described by %q", got)
	}
	radios := d.all("input", "type", "radio")
	if len(radios) != 2 {
		t.Fatalf("%d radios, want 2", len(radios))
	}
	for i, id := range []string{"ship", "hold"} {
		if got, _ := attr(radios[i], "value"); got != id {
			t.Errorf("option %d has the value %q, want %q", i, got, id)
		}
		if got, _ := attr(radios[i], "checked"); got == "" || got == "true" {
			t.Errorf("option %d is chosen at first", i)
		}
		if isDisabled(radios[i]) {
			t.Errorf("option %d cannot be chosen", i)
		}
	}
	d.one("textarea", "aria-label", "Add details")
	if !isDisabled(d.one("button", "type", "submit")) {
		t.Error("an empty answer can be sent")
	}
	if said := words(d.root); !strings.Contains(said, "Choose an option or add details") || !strings.Contains(said, "Asked: you, Ana") {
		t.Errorf("the form says %q", said)
	}
}

func TestSeveralChoicesAreCheckboxes(t *testing.T) {
	d := draw(t, &AskForm{A: sampleAsk(func(v *ask.View) { v.Selection = ask.Multiple })})
	if n := len(d.all("input", "type", "checkbox")); n != 2 {
		t.Errorf("%d checkboxes, want 2", n)
	}
}

func TestWhatWasTypedComesBack(t *testing.T) {
	a := sampleAsk(func(v *ask.View) { v.Freeform = true })
	a.Draft = `{"choices":["hold","gone"],"text":"not yet"}`
	f := &AskForm{A: a}
	d := draw(t, f)
	if got, _ := attr(d.one("input", "value", "hold"), "checked"); got != "true" && got != "" {
		t.Errorf("the kept choice is not chosen: %q", got)
	}
	if f.text != "not yet" || len(f.choices) != 1 {
		t.Errorf("kept: %q, %v", f.text, f.choices)
	}
	if isDisabled(d.one("button", "type", "submit")) {
		t.Error("a whole answer cannot be sent")
	}
}

func TestAClosedQuestionShowsItsAnswerAndTakesNoOther(t *testing.T) {
	a := sampleAsk(settledBy("aa", "Ship it", "with care"))
	a.Draft = `{"text":"I was about to say"}`
	a.View.Freeform = true
	d := draw(t, &AskForm{A: a})
	for _, input := range d.all("input", "", "") {
		if !isDisabled(input) {
			t.Error("an input of a closed question can be used")
		}
	}
	if !isDisabled(d.one("textarea", "", "")) {
		t.Error("the text of a closed question can be changed")
	}
	answer := words(d.one("", "data-answer", "a1"))
	for _, want := range []string{"Ana answered: Ship it", "with care"} {
		if !strings.Contains(answer, want) {
			t.Errorf("%q is not in %q", want, answer)
		}
	}
	if len(d.all("button", "type", "submit")) != 0 {
		t.Error("a closed question has a button to answer")
	}
}

func TestStatesOfAQuestionInWords(t *testing.T) {
	for _, step := range []struct {
		name string
		want []string
		set  func(*ask.View)
	}{
		{"open", []string{"Waits for you", "no deadline"}, nil},
		{"not asked", []string{"Open", "You are not among the people asked"}, func(v *ask.View) {
			v.Answerable, v.WhyNot = false, "you are not among the people asked"
		}},
		{"expired", []string{"Expired"}, func(v *ask.View) { v.State, v.Answerable = ask.Expired, false }},
		{"withdrawn", []string{"Withdrawn", ask.NoteWithdrawn}, func(v *ask.View) { v.State, v.Answerable = ask.Withdrawn, false }},
		{"invalid", []string{ask.NoteInvalid, "it has no options"}, func(v *ask.View) {
			v.State, v.Answerable, v.Note, v.Reason = ask.Invalid, false, ask.NoteInvalid, "it has no options"
		}},
		{"sending", []string{"Sending", "Your answer: Hold", ask.NoteWaiting}, func(v *ask.View) {
			v.State, v.Answerable, v.WaitNote = ask.Sending, false, ask.NoteWaiting
			v.Own = &ask.Entry{ID: "own", By: "me", Choices: []ask.Option{{ID: "hold", Label: "Hold"}}}
		}},
		{"mine", []string{"Answered", "You answered: Ship it", "Picked up by Scout"}, func(v *ask.View) {
			settledBy("me", "Ship it", "")(v)
			v.PickedUp = &ask.Pickup{By: "bb", At: 1_700_000_060}
		}},
		{"one came after", []string{"History: 2 answers", "It came after the answer that settled the question"}, func(v *ask.View) {
			settledBy("aa", "Ship it", "")(v)
			v.HistoryCount = 2
			v.History = append(v.History, ask.Entry{ID: "a2", By: "me", Why: ask.WhyCameAfter,
				Reason: "it came after the answer that settled the question"})
		}},
	} {
		t.Run(step.name, func(t *testing.T) {
			said := words(draw(t, &AskForm{A: sampleAsk(step.set)}).root)
			for _, want := range step.want {
				if !strings.Contains(said, want) {
					t.Errorf("%q is not in %q", want, said)
				}
			}
		})
	}
}

func TestAnOlderRequestHasButtons(t *testing.T) {
	older := func(request string, offers ...ask.Offer) *Ask {
		return sampleAsk(func(v *ask.View) {
			v.Form, v.Request, v.Options, v.Selection, v.Interaction, v.Offers = ask.Older, request, nil, "", "", offers
		})
	}
	d := draw(t, &AskForm{A: older(ask.RequestApprove, ask.OfferApprove, ask.OfferDeny, ask.OfferReply)})
	if got := strings.Join(d.buttons(), " "); got != "Approve Deny Reply" {
		t.Errorf("approve offers %q", got)
	}
	d = draw(t, &AskForm{A: older(ask.RequestQuestion, ask.OfferReply)})
	if got := strings.Join(d.buttons(), " "); got != "Reply" {
		t.Errorf("question offers %q", got)
	}
	a := older(ask.RequestQuestion, ask.OfferReply)
	a.Draft = `{"text":"half a reply"}`
	d = draw(t, &AskForm{A: a})
	d.one("textarea", "aria-label", "Your reply")
	if got := strings.Join(d.buttons(), " "); got != "Reply Send reply" {
		t.Errorf("an open reply offers %q", got)
	}
}

func TestTheCounterComesNearTheLimit(t *testing.T) {
	for _, step := range []struct {
		n     int
		count bool
		sends bool
	}{
		{ask.MaxAnswer - nearLimit - 1, false, true}, {ask.MaxAnswer - nearLimit, true, true},
		{ask.MaxAnswer, true, true}, {ask.MaxAnswer + 1, true, false},
	} {
		f := &AskForm{A: sampleAsk(func(v *ask.View) { v.Selection, v.Options = ask.Text, nil })}
		f.text = strings.Repeat("ä", step.n)
		if got := f.counter() != ""; got != step.count {
			t.Errorf("%d characters: counted %v", step.n, got)
		}
		if got := f.whyNotYet() == ""; got != step.sends {
			t.Errorf("%d characters: can be sent %v, %s", step.n, got, f.whyNotYet())
		}
	}
}

// pressed is a form whose button is pressed twice before the page has an
// answer.
type pressed struct {
	AskForm
	sent []AnswerAct
}

// OnPreRender implements ui.PreRenderer: a place to act from in a test.
func (p *pressed) OnPreRender(ctx ui.Context) {
	ctx.Handle(DoAnswer, func(_ ui.Context, a ui.Action) { p.sent = append(p.sent, a.Value.(AnswerAct)) })
	p.choose("ship", true)
	p.send(ctx, AnswerAct{Choices: p.choices})
	p.send(ctx, AnswerAct{Choices: p.choices})
}

func TestADoubleClickSendsOnce(t *testing.T) {
	p := &pressed{AskForm: AskForm{A: sampleAsk(nil)}}
	engine := ui.NewTestEngine()
	if err := engine.Load(p); err != nil {
		t.Fatal(err)
	}
	engine.ConsumeAll()
	if len(p.sent) != 1 || p.sent[0].ID != "q1" || len(p.sent[0].Choices) != 1 || p.sent[0].Choices[0] != "ship" {
		t.Fatalf("sent %+v", p.sent)
	}
	p.sent[0].Result("The time to answer has passed.")
	if p.busy || p.problem == "" || len(p.choices) != 1 {
		t.Error("after a refusal the form does not say so, or what was chosen is gone")
	}
}

func TestTheRecordSaysWhoDecidedWhat(t *testing.T) {
	a := sampleAsk(settledBy("aa", "Ship it", "with care"))
	a.Me, a.People["me"] = "", room.Person{PubKey: "me", Name: "Mira"}
	said := words(draw(t, &AskRecord{A: a, Room: "Lobby", Relay: "wss://relay.example", Exportable: true}).root)
	for _, want := range []string{"Asked by Scout (bb)", "People asked Ana, Mira", "Room Lobby", "Ana (aa) answered", "Ship it ship Chosen", "Hold hold", "This one settled it", "Export"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in %q", want, said)
		}
	}
}
