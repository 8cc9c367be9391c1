package components

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/ask"
	"parley/wasm/room"
)

// Ask is a question with the names in it. It is never changed once given.
type Ask struct {
	View     ask.View
	People   map[string]room.Person // by hex key
	Me       string                 // hex key, "" when signed out
	Refs     []room.Link
	Delivery Delivery // of my answer, while it is on its way
	Draft    string   // what was typed and not sent, as AskForm keeps it
}

// AskForm is a question as a form: what is asked, what can be answered, and
// what became of it. What somebody types stays here through every update of
// the question, and goes out as a draft.
type AskForm struct {
	ui.Compo

	A *Ask

	choices  []string // ids, in the order of the options
	text     string
	touched  bool // something was chosen or typed here
	drafted  string
	replying bool      // the reply to an older request is open
	busy     bool      // an answer is on its way to the core
	was      ask.State // when it was sent
	problem  string
	ctx      ui.Context
}

// nearLimit is how many code points before the limit the counter appears.
const nearLimit = 500

// askDraft is a form's draft, in JSON.
type askDraft struct {
	Choices []string `json:"choices,omitempty"`
	Text    string   `json:"text,omitempty"`
}

// CompoID implements ui.DismountEnforcer: what is typed belongs to one question.
func (f *AskForm) CompoID() string { return f.A.View.ID }

// OnInit implements ui.Initializer.
func (f *AskForm) OnInit() { f.takeDraft() }

// OnMount implements ui.Mounter.
func (f *AskForm) OnMount(ctx ui.Context) {
	f.ctx = ctx
	f.writeText()
}

// OnUpdate implements ui.Updater.
func (f *AskForm) OnUpdate(ctx ui.Context) {
	if f.A.View.State != f.was || f.A.Delivery.State != "" {
		f.busy = false
	}
	if f.takeDraft() {
		ctx.Defer(func(ui.Context) { f.writeText() })
	}
}

// takeDraft takes what was typed earlier, unless something was typed here.
func (f *AskForm) takeDraft() bool {
	var d askDraft
	if f.touched || f.A.Draft == f.drafted || json.Unmarshal([]byte(f.A.Draft), &d) != nil {
		return false
	}
	f.drafted = f.A.Draft
	f.choices, f.text = nil, d.Text
	for _, id := range d.Choices {
		f.choose(id, true)
	}
	f.replying = d.Text != "" && f.A.View.Form == ask.Older
	return true
}

// writeText puts the text into its field.
func (f *AskForm) writeText() { setValue(find(f.JSValue(), "textarea"), f.text) }

// Render implements ui.Composer.
func (f *AskForm) Render() ui.UI {
	v := &f.A.View
	if v.State == ask.Invalid {
		return ui.Div().Class("stack", "ask").Body(f.prose(), f.invalid())
	}
	card := ui.Div().Class("card", "ask", "ask-"+f.look())
	body := f.head()
	switch {
	case v.Form == ask.Native:
		body = append(body, ui.Form().Class("stack").OnSubmit(f.onSubmit).OnKeyDown(f.onKey).
			Body(f.fieldset(), f.foot()))
	default:
		body = append(body, f.prose(), f.verdicts(), f.foot())
	}
	return card.Body(append(body, f.outcome()...)...)
}

// look is how the form is to look: an approval and a confirmation are no mere
// questions.
func (f *AskForm) look() string {
	v := &f.A.View
	switch {
	case v.Interaction == ask.Approval || v.Form == ask.Older && v.Request == ask.RequestApprove:
		return "approval"
	case v.Interaction == ask.Confirmation || v.Form == ask.Older && v.Request == ask.RequestDecide:
		return "confirmation"
	}
	return "question"
}

// head is the kind of question, and the state in words.
func (f *AskForm) head() []ui.UI {
	label := map[string]string{"approval": "Approval", "confirmation": "Confirmation", "question": "Question"}[f.look()]
	if f.A.View.Form == ask.Older && f.look() == "confirmation" {
		label = "Decision"
	}
	return []ui.UI{ui.Div().Class("row", "card-head").Body(
		ui.Span().Class("kind").Body(Icon("ask"), ui.Text(label)), askPill(&f.A.View),
	)}
}

// title is the question's heading: its subject, else its text.
func (f *AskForm) title() ui.UI {
	v := &f.A.View
	if v.Subject != "" {
		return ui.Text(v.Subject)
	}
	return &Markdown{Text: v.Text, Links: f.A.Refs}
}

// prose is the question in words, for those that have no fieldset.
func (f *AskForm) prose() ui.UI {
	v := &f.A.View
	if v.Subject == "" {
		return &Markdown{Text: v.Text, Links: f.A.Refs}
	}
	return ui.Div().Class("stack").Body(
		ui.H3().Dir("auto").Text(v.Subject), &Markdown{Text: v.Text, Links: f.A.Refs})
}

func (f *AskForm) invalid() ui.UI {
	v := &f.A.View
	return ui.P().Class("note").Dir("auto").Text(sentence(ask.NoteInvalid + ": " + v.Reason))
}

// answer is what would be sent now.
func (f *AskForm) answer() ask.Answer { return ask.Answer{Choices: f.choices, Text: f.text} }

// whyNotYet says what is missing before the answer can be sent; "" when
// nothing is.
func (f *AskForm) whyNotYet() string {
	v := &f.A.View
	r := &ask.Request{Selection: v.Selection, Options: v.Options, Freeform: v.Freeform}
	if v.Form == ask.Older {
		r.Selection = ask.Text // a reply is held to the same limits
	}
	if r.Selection == ask.Text && strings.TrimSpace(f.text) == "" {
		return "Write an answer first"
	}
	if v.Freeform && len(f.choices) == 0 && f.text == "" {
		return "Choose an option or add details"
	}
	if _, err := ask.WriteAnswer(r, f.answer()); err != nil {
		return sentence(err.Error())
	}
	return ""
}

// counter says how much of the limit is used, once that is near.
func (f *AskForm) counter() string {
	n := utf8.RuneCountInString(f.text)
	if n < ask.MaxAnswer-nearLimit {
		return ""
	}
	return Number(n) + " of " + Number(ask.MaxAnswer) + " characters"
}

// choose marks an option as chosen or not. Of a single selection one stays.
func (f *AskForm) choose(id string, on bool) {
	if !f.offers(id) {
		return // a draft may be older than the form
	}
	chosen := map[string]bool{}
	if f.A.View.Selection == ask.Multiple {
		for _, c := range f.choices {
			chosen[c] = true
		}
	}
	chosen[id] = on
	f.choices = nil
	for _, o := range f.A.View.Options {
		if chosen[o.ID] {
			f.choices = append(f.choices, o.ID)
		}
	}
}

func (f *AskForm) offers(id string) bool {
	for _, o := range f.A.View.Options {
		if o.ID == id {
			return true
		}
	}
	return false
}

func (f *AskForm) chosen(id string) bool {
	for _, c := range f.choices {
		if c == id {
			return true
		}
	}
	return false
}

// open reports whether something can be chosen or typed now.
func (f *AskForm) open() bool { return f.A.View.Answerable && !f.busy }

// keep has the draft kept.
func (f *AskForm) keep(ctx ui.Context) {
	f.touched, f.problem = true, ""
	draft := ""
	if len(f.choices) > 0 || f.text != "" {
		raw, err := json.Marshal(askDraft{f.choices, f.text})
		if err != nil {
			return // strings are always JSON
		}
		draft = string(raw)
	}
	ctx.NewActionWithValue(DoType, Words{Key: "ask " + f.A.View.ID, Text: draft})
}

func (f *AskForm) onChoose(ctx ui.Context, _ ui.Event) {
	input := ctx.JSSrc()
	f.choose(input.Get("value").String(), input.Get("checked").Truthy())
	f.keep(ctx)
}

// onText takes a letter. The form is drawn anew only when it looks otherwise.
func (f *AskForm) onText(ctx ui.Context, _ ui.Event) {
	why, count, problem := f.whyNotYet(), f.counter(), f.problem
	f.text = ctx.JSSrc().Get("value").String()
	f.keep(ctx)
	if why == f.whyNotYet() && count == f.counter() && problem == "" {
		ctx.PreventUpdate()
	}
}

func (f *AskForm) onSubmit(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	if f.whyNotYet() == "" {
		f.send(ctx, AnswerAct{Choices: f.choices, Text: f.text})
	}
}

// onKey sends with Control or Command and Enter from the text, too.
func (f *AskForm) onKey(ctx ui.Context, e ui.Event) {
	if e.Get("key").String() != "Enter" || !e.Get("ctrlKey").Truthy() && !e.Get("metaKey").Truthy() {
		ctx.PreventUpdate()
		return
	}
	f.onSubmit(ctx, e)
}

// send hands an answer to the page. A second press finds the form busy.
func (f *AskForm) send(ctx ui.Context, act AnswerAct) {
	if !f.open() {
		return
	}
	f.busy, f.was, f.problem = true, f.A.View.State, ""
	act.ID = f.A.View.ID
	act.Result = func(problem string) {
		f.problem = problem
		if problem != "" {
			f.busy = false
		} else {
			f.touched, f.replying = false, false
		}
		if f.ctx.Context != nil {
			f.ctx.Update()
		}
	}
	ctx.NewActionWithValue(DoAnswer, act)
}
