package components

import (
	"strconv"
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/ask"
)

// AskDialog writes a question to people of a room.
type AskDialog struct {
	ui.Compo

	People []Candidate
	Inside bool // opened in a thread: the question stands there, too
	Form   FormState

	kind    string // the selection: single, multiple or text
	options int    // how many fields for options there are
	problem string
}

// Sizes of the dialog.
const (
	fewOptions = 2
	manyPeople = 8 // from here on they can be searched
)

// deadlines are the times that a question made here can stay open.
var deadlines = []struct {
	label   string
	minutes int
}{
	{"Until it is answered", 0}, {"5 minutes", 5}, {"15 minutes", 15}, {"1 hour", 60},
	{"4 hours", 4 * 60}, {"1 day", 24 * 60}, {"3 days", 3 * 24 * 60}, {"1 week", 7 * 24 * 60},
}

// OnInit implements ui.Initializer.
func (d *AskDialog) OnInit() { d.kind, d.options = string(ask.Single), fewOptions }

// OnMount implements ui.Mounter.
func (d *AskDialog) OnMount(ctx ui.Context) { showDialog(ctx) }

// Render implements ui.Composer.
func (d *AskDialog) Render() ui.UI {
	parts := []ui.UI{
		field("ask-subject", "Title", "text", "Short; may stay empty."),
		labelledArea("ask-question", "Question", 3),
		d.people(),
		tick("ask-notify", "Notify them", "Their app may give them a notice.", true),
		choice("ask-selection", "Answer", d.kind, [][2]string{
			{string(ask.Single), "One of the options"}, {string(ask.Multiple), "Any of the options"}, {string(ask.Text), "In their own words"},
		}, d.onKind),
	}
	if d.kind != string(ask.Text) {
		parts = append(parts, d.optionFields(), tick("ask-freeform", "They may add details", "", true))
	}
	parts = append(parts, d.deadline())
	if d.Inside {
		parts = append(parts, ui.P().Class("hint").Text("The question stands in this thread, and in the room for everybody to see."))
	}
	problem := d.Form
	if d.problem != "" {
		problem = FormState{Error: d.problem}
	}
	parts = append(parts, problem.message(), ui.Div().Class("row", "end").Body(
		ui.Button().Type("button").Class("btn").Text("Cancel").OnClick(d.onCancel),
		submit("Ask", d.Form.Busy),
	))
	return dialogFrame("Ask a question", d.onCancel, ui.Form().Class("stack").OnSubmit(d.onSubmit).Body(parts...))
}

func (d *AskDialog) people() ui.UI {
	rows := []ui.UI{ui.Legend().Text("Who is asked")}
	if len(d.People) == 0 {
		rows = append(rows, ui.P().Class("hint").Text("Nobody else is known in this room yet."))
	}
	for _, c := range d.People {
		rows = append(rows, candidate(c))
	}
	class := "people-pick"
	if len(d.People) > manyPeople {
		class = "people-pick many"
	}
	return ui.FieldSet().Class("opts", class).Body(rows...)
}

func candidate(c Candidate) ui.UI {
	words := []ui.UI{Name(c.Person.Name)}
	if c.Person.Agent != "" {
		words = append(words, ui.Span().Class("tag").Dir("auto").Text(c.Person.Agent))
	}
	return ui.Label().Class("tick").Body(
		ui.Input().Type("checkbox").Name("ask-person").Value(c.Person.PubKey),
		Face(c.Person, "sm"),
		ui.Span().Class("row").Body(words...),
	)
}

func (d *AskDialog) optionFields() ui.UI {
	rows := []ui.UI{ui.Legend().Text("Options")}
	for i := range d.options {
		rows = append(rows, ui.Input().Class("field").Type("text").Name("ask-option").
			Aria("label", "Option "+strconv.Itoa(i+1)).Placeholder("Option "+strconv.Itoa(i+1)).AutoComplete(false))
	}
	if d.options < ask.MaxOptions {
		rows = append(rows, ui.Button().Type("button").Class("btn").Text("Add an option").OnClick(d.onMore))
	}
	return ui.FieldSet().Class("opts").Body(rows...)
}

func (d *AskDialog) deadline() ui.UI {
	list := make([][2]string, 0, len(deadlines))
	for _, l := range deadlines {
		list = append(list, [2]string{strconv.Itoa(l.minutes), l.label})
	}
	return choice("ask-minutes", "Open", "", list, nil)
}

func (d *AskDialog) onKind(ctx ui.Context, _ ui.Event) { d.kind = ctx.JSSrc().Get("value").String() }

func (d *AskDialog) onMore(ctx ui.Context, _ ui.Event) {
	d.options++
	root := d.JSValue()
	ctx.Defer(func(ui.Context) {
		if list := findAll(root, named("ask-option")); len(list) > 0 {
			list[len(list)-1].Call("focus")
		}
	})
}

func (d *AskDialog) onCancel(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	closeDialog(ctx)
}

func (d *AskDialog) onSubmit(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	draft := d.draft()
	if d.problem = draft.problem(); d.problem == "" {
		ctx.NewActionWithValue(DoAsk, draft)
	}
}

// draft reads what stands in the fields.
func (d *AskDialog) draft() AskDraft {
	root := d.JSValue()
	draft := AskDraft{
		Subject: strings.TrimSpace(valueOf(root, named("ask-subject"))), Text: valueOf(root, named("ask-question")),
		Notify: checked(root, named("ask-notify")), Selection: d.kind,
	}
	for _, box := range findAll(root, named("ask-person")) {
		if box.Get("checked").Truthy() {
			draft.People = append(draft.People, box.Get("value").String())
		}
	}
	if d.kind != string(ask.Text) {
		draft.Freeform = checked(root, named("ask-freeform"))
		for _, input := range findAll(root, named("ask-option")) {
			if label := strings.TrimSpace(input.Get("value").String()); label != "" {
				draft.Options = append(draft.Options, label)
			}
		}
	}
	draft.Minutes, _ = strconv.Atoi(valueOf(root, named("ask-minutes"))) // the options are numbers
	return draft
}

// problem says what is missing before the question can be sent.
func (d AskDraft) problem() string {
	switch {
	case strings.TrimSpace(d.Text) == "":
		return "Write the question first."
	case len(d.People) == 0:
		return "Choose who is asked."
	case d.Selection != string(ask.Text) && len(d.Options) < fewOptions:
		return "Write at least two options, or let them answer in their own words."
	}
	return ""
}
