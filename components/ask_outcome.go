package components

import (
	"strings"
	"unicode"
	"unicode/utf8"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/ask"
	"parley/wasm/room"
)

// names lists people: "you, Ana and 2 others".
func (a *Ask) names(keys []string) string {
	const most = 6
	list := make([]string, 0, len(keys))
	for _, key := range keys {
		name := a.name(key)
		if key == a.Me {
			list = append([]string{name}, list...)
		} else {
			list = append(list, name)
		}
	}
	if n := len(list) - most; n > 1 {
		list = append(list[:most], Plural(n, "other", "others"))
	}
	return strings.Join(list, ", ")
}

// name is what to call a key: "you" for the reader.
func (a *Ask) name(key string) string {
	if key == a.Me && key != "" {
		return "you"
	}
	if p, ok := a.People[key]; ok && p.Name != "" {
		return p.Name
	}
	return shortKey(key)
}

// Name is name at the beginning of a sentence.
func (a *Ask) Name(key string) string {
	if key == a.Me && key != "" {
		return "You"
	}
	return a.name(key)
}

// shortKey names a key about which nothing is known.
func shortKey(key string) string {
	const shown = 8
	if len(key) <= shown {
		return key
	}
	return key[:shown] + "…"
}

// sentence makes a reason a sentence: a capital first.
func sentence(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
}

// askPill is a question's state in words, with the time that is left.
func askPill(v *ask.View) ui.UI {
	words, class := "", ""
	switch v.State {
	case ask.Open:
		words, class = "Open", "run"
		if v.Answerable {
			words, class = "Waits for you", "wait"
		}
		if v.Expires != 0 {
			return ui.Span().Class("pill", class).Body(ui.Text(words+" · "), &Ticking{Kind: TickLeft, At: v.Expires})
		}
	case ask.Sending:
		words, class = "Sending", "run"
	case ask.Answered:
		words, class = sentence(string(v.Outcome)), "done"
		if v.Outcome == ask.OutcomeDenied {
			class = "bad"
		}
	case ask.Expired:
		words = "Expired"
	case ask.Invalid:
		words, class = "Not valid", "bad"
	case ask.Withdrawn:
		words = "Withdrawn"
	default:
		words = "Not loaded"
	}
	return ui.Span().Class("pill", class).Text(words)
}

// outcome is what became of a question: my answer on its way, the one that
// settled it, what came besides.
func (f *AskForm) outcome() []ui.UI {
	v := &f.A.View
	var parts, history []ui.UI
	if v.State == ask.Withdrawn {
		parts = append(parts, ui.P().Class("note").Text(ask.NoteWithdrawn))
	}
	if v.Own != nil {
		parts = append(parts, f.own())
	}
	if v.Answer != nil {
		parts = append(parts, f.settled())
	}
	if refused := f.refused(); refused != nil {
		parts = append(parts, refused)
	}
	if v.HistoryCount > 1 || v.HistoryCount == 1 && v.Answer == nil {
		history = append(history, f.history())
	}
	return []ui.UI{slot(parts...), slot(history...)}
}

// own is my answer while no relay has it.
func (f *AskForm) own() ui.UI {
	v := &f.A.View
	words := f.A.Delivery.words()
	if v.WaitNote != "" {
		words = v.WaitNote
		if f.A.Delivery.Reason != "" {
			words += ": " + room.Refusal(f.A.Delivery.Reason)
		}
	}
	line := []ui.UI{ui.Span().Class("delivery", "grow").Dir("auto").Text(words)}
	if f.A.Delivery.Drop {
		id := v.Own.ID
		line = append(line, ui.Button().Type("button").Class("textbtn").Text("Take back").
			OnClick(func(ctx ui.Context, _ ui.Event) { ctx.NewActionWithValue(DoTakeBack, id) }, ui.EventScope(id)))
	}
	return ui.Div().Class("answer").Body(answerBody("Your answer", v.Own), ui.Div().Class("status").Body(line...))
}

// settled is the answer that closed the question.
func (f *AskForm) settled() ui.UI {
	v := &f.A.View
	status := []ui.UI{ui.Time().DateTime(ISOTime(v.Answer.At)).Title(FullTime(v.Answer.At)).Text(Moment(v.Answer.At))}
	if words := f.A.Delivery.words(); words != "" && v.Answer.By == f.A.Me {
		status = append(status, ui.Span().Class("delivery").Dir("auto").Text(words))
	}
	if p := v.PickedUp; p != nil {
		status = append(status, ui.Span().Class("picked").Title(FullTime(p.At)).Body(
			ui.Text("Picked up by "), ui.Bdi().Text(f.A.name(p.By)), ui.Text(", "+Clock(p.At))))
	}
	who := f.A.Name(v.Answer.By) + " " + string(v.Outcome)
	return ui.Div().Class("answer").DataSet("answer", v.Answer.ID).Body(
		answerBody(who, v.Answer), ui.Div().Class("status").Body(status...))
}

// answerBody is an answer by its labels and its text.
func answerBody(who string, e *ask.Entry) ui.UI {
	labels := make([]string, 0, len(e.Choices))
	for _, o := range e.Choices {
		labels = append(labels, o.Label)
	}
	parts := []ui.UI{ui.P().Dir("auto").Body(
		ui.Span().Class("answer-who").Dir("auto").Text(who+ifText(labels, ": ")),
		ui.B().Dir("auto").Text(strings.Join(labels, ", ")))}
	if e.Text != "" {
		parts = append(parts, ui.Blockquote().Class("answer-text").Dir("auto").Text(e.Text))
	}
	return ui.Div().Body(parts...)
}

func ifText(list []string, text string) string {
	if len(list) == 0 {
		return ""
	}
	return text
}

// refused says that no relay takes my answer, whose words are in the form
// still, and offers to send the same answer again; nil when none was refused.
func (f *AskForm) refused() ui.UI {
	d := f.A.Delivery
	if d.State != "refused" || f.A.View.State == ask.Sending {
		return nil
	}
	words := ui.P().Class("problem", "grow").Role("alert").Dir("auto").Text("Your answer was refused. " + room.Refusal(d.Reason))
	if d.ID == "" || !f.A.View.Answerable {
		return words
	}
	id := d.ID
	return ui.Div().Class("row", "refused").Body(words,
		ui.Button().Type("button").Class("btn").Text("Retry").
			OnClick(func(ctx ui.Context, _ ui.Event) { ctx.NewActionWithValue(DoRetry, id) }, ui.EventScope(id)))
}

// history lists every answer, with why those do not count that do not.
func (f *AskForm) history() ui.UI {
	v := &f.A.View
	return ui.Details().Class("fold", "history").Body(
		ui.Summary().Text("History: "+Plural(v.HistoryCount, "answer", "answers")),
		ui.Ol().Body(askEntries(f.A, v.History)...),
	)
}

// askEntries are the answers of a question's history.
func askEntries(a *Ask, list []ask.Entry) []ui.UI {
	items := make([]ui.UI, 0, len(list))
	for i := range list {
		e := &list[i]
		words := sentence(e.Reason)
		if e.Settles {
			words = "This one settled it"
		}
		items = append(items, ui.Li().DataSet("entry-why", string(e.Why)).Body(
			ui.Div().Class("row").Body(
				ui.B().Body(Name(a.Name(e.By))),
				ui.Time().DateTime(ISOTime(e.At)).Title(FullTime(e.At)).Text(Moment(e.At)),
			),
			ui.P().Class("history-words").Dir("auto").Text(entryWords(e)),
			ui.P().Class("hint").Dir("auto").Text(words),
		))
	}
	return items
}

// entryWords is an answer in a line; what could not be read stands as it came.
func entryWords(e *ask.Entry) string {
	if text := e.String(); text != "" {
		return text
	}
	const most = 300
	if runes := []rune(e.Content); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return e.Content
}
