package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/ask"
)

// AskRecord is the decision record of a question, to be read, printed and
// saved: who was asked what, who answered, and which answers did not count.
type AskRecord struct {
	ui.Compo

	A          *Ask   // with no Me: on paper nobody is "you"
	Room       string // name
	Relay      string // URL
	Link       string // nevent, to copy
	Exportable bool
}

// Render implements ui.Composer.
func (r *AskRecord) Render() ui.UI {
	v := &r.A.View
	parts := []ui.UI{
		ui.H2().Text("Decision record"),
		ui.Dl().Class("kv", "record").Body(r.facts()...),
	}
	if len(v.Options) > 0 {
		parts = append(parts, ui.H3().Text("Options"), r.options())
	}
	parts = append(parts, ui.H3().Text("Answers"))
	if len(v.History) == 0 {
		parts = append(parts, ui.P().Class("sub").Text("Nobody has answered."))
	} else {
		parts = append(parts, ui.Ol().Class("record-answers").Body(askEntries(r.A, v.History)...))
	}
	if n := v.HistoryCount - len(v.History); n > 0 {
		parts = append(parts, ui.P().Class("hint").Text(Plural(n, "older answer is", "older answers are")+" not listed here; the export has all."))
	}
	return ui.Section().Class("panel", "record-panel").Aria("label", "Decision record").Body(append(parts, r.actions())...)
}

func (r *AskRecord) facts() []ui.UI {
	v := &r.A.View
	question := v.Subject
	if question == "" {
		question = firstLine(v.Text)
	}
	facts := [][2]string{
		{"Question", question},
		{"Asked by", r.A.Name(v.Asker) + " (" + shortKey(v.Asker) + ")"},
		{"Asked on", FullTime(v.CreatedAt)},
		{"People asked", r.A.names(v.Asked)},
		{"Room", r.Room},
		{"Relay", r.Relay},
		{"Outcome", recordOutcome(r.A)},
	}
	if v.Expires != 0 {
		facts = append(facts, [2]string{"Open until", FullTime(v.Expires)})
	}
	if p := v.PickedUp; p != nil {
		facts = append(facts, [2]string{"Picked up", r.A.Name(p.By) + ", " + FullTime(p.At)})
	}
	return factRows(append(facts, [2]string{"Event", v.ID}))
}

// recordOutcome says in a line what came of a question.
func recordOutcome(a *Ask) string {
	v := &a.View
	switch v.State {
	case ask.Answered:
		return a.Name(v.Answer.By) + " (" + shortKey(v.Answer.By) + ") " + string(v.Outcome) + " on " + FullTime(v.Answer.At)
	case ask.Open:
		return "Open"
	case ask.Sending:
		return "Your answer is on its way"
	case ask.Expired:
		return "Expired without an answer"
	case ask.Withdrawn:
		return ask.NoteWithdrawn
	case ask.Invalid:
		return ask.NoteInvalid + ": " + v.Reason
	}
	return ""
}

// options are what could be chosen, with those that were.
func (r *AskRecord) options() ui.UI {
	v := &r.A.View
	chosen := map[string]bool{}
	if v.Answer != nil {
		for _, o := range v.Answer.Choices {
			chosen[o.ID] = true
		}
	}
	items := make([]ui.UI, 0, len(v.Options))
	for _, o := range v.Options {
		words := []ui.UI{ui.Span().Dir("auto").Text(o.Label), ui.Code().Text(o.ID)}
		if chosen[o.ID] {
			words = append(words, ui.Span().Class("pill", "done").Text("Chosen"))
		}
		items = append(items, ui.Li().Class("row").Body(words...))
	}
	return ui.Ul().Class("record-options").Body(items...)
}

func (r *AskRecord) actions() ui.UI {
	return ui.Div().Class("row", "no-print").Body(
		ui.Button().Type("button").Class("btn").Text("Export").Disabled(!r.Exportable).
			OnClick(func(ctx ui.Context, _ ui.Event) { ctx.NewAction(DoExport) }),
		ui.Button().Type("button").Class("btn").Text("Print").
			OnClick(func(ctx ui.Context, _ ui.Event) {
				ctx.PreventUpdate()
				ui.Window().Call("print")
			}),
		ui.Button().Type("button").Class("btn").Text("Copy link").
			OnClick(func(ctx ui.Context, _ ui.Event) {
				ctx.NewActionWithValue(DoCopy, Copy{Text: "/" + r.Link, What: "Link"})
			}),
	)
}
