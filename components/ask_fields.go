package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/ask"
)

// fieldset is the question with what can be chosen and typed.
func (f *AskForm) fieldset() ui.UI {
	v := &f.A.View
	set := ui.FieldSet().Class("opts")
	parts := []ui.UI{ui.Legend().Dir("auto").Body(f.title())}
	if v.Subject != "" {
		set = set.Aria("describedby", "ask-about-"+v.ID)
		parts = append(parts, ui.Div().ID("ask-about-"+v.ID).Class("ask-about").Body(&Markdown{Text: v.Text, Links: f.A.Refs}))
	}
	for _, o := range v.Options {
		parts = append(parts, f.option(o))
	}
	switch {
	case v.Selection == ask.Text:
		parts = append(parts, f.textField("Your answer"))
	case v.Freeform:
		parts = append(parts, f.textField("Add details"))
	}
	return set.Body(parts...)
}

func (f *AskForm) option(o ask.Option) ui.UI {
	kind := "radio"
	if f.A.View.Selection == ask.Multiple {
		kind = "checkbox"
	}
	return ui.Label().Class("opt").Body(
		ui.Input().Type(kind).Name("ask-"+f.A.View.ID).Value(o.ID).
			Checked(f.marked(o.ID)).Disabled(!f.open()).
			OnChange(f.onChoose, ui.EventScope(f.A.View.ID, o.ID)),
		ui.Span().Dir("auto").Text(o.Label),
	)
}

// marked reports whether an option is shown as chosen: what was chosen here,
// and once the question is closed, else what settled it.
func (f *AskForm) marked(id string) bool {
	settled := f.A.View.Answer
	if settled == nil || len(f.choices) > 0 || f.text != "" {
		return f.chosen(id)
	}
	for _, o := range settled.Choices {
		if o.ID == id {
			return true
		}
	}
	return false
}

// textField is where a text is typed. Closed, it is there only when something
// stands in it that was not sent.
func (f *AskForm) textField(label string) ui.UI {
	v := &f.A.View
	sent := f.text == "" || v.Answer != nil && v.Answer.By == f.A.Me && v.Answer.Text == f.text
	if !v.Answerable && sent && v.State != ask.Sending {
		return ui.Text("")
	}
	return ui.Textarea().Class("field").Name("ask-text").Rows(2).Dir("auto").
		Aria("label", label).Placeholder(label).Disabled(!f.open()).
		OnInput(f.onText, ui.EventScope(f.A.View.ID))
}

// foot says who is asked, what is missing, and sends.
func (f *AskForm) foot() ui.UI {
	v := &f.A.View
	parts := []ui.UI{}
	if count := f.counter(); count != "" && v.Answerable {
		parts = append(parts, ui.P().Class("hint", "ask-count").Text(count))
	}
	if f.problem != "" {
		parts = append(parts, ui.P().Class("problem").Role("alert").Dir("auto").Text(f.problem))
	}
	row := []ui.UI{ui.Span().Class("hint", "grow").Body(f.asked()...)}
	if v.Form == ask.Native && v.Answerable {
		row = append(row, f.button())
	}
	return ui.Div().Class("stack", "ask-foot").Body(slot(parts...), ui.Div().Class("row").Body(row...))
}

// button sends, with what is missing beside it.
func (f *AskForm) button() ui.UI {
	why := f.whyNotYet()
	id := "ask-why-" + f.A.View.ID
	button := ui.Button().Type("submit").Class("btn", "main").Disabled(why != "" || f.busy).Text("Answer")
	words := why
	if f.busy {
		words = "Sending…"
	}
	return ui.Span().Class("row").Body(
		ui.Span().ID(id).Class("hint").Dir("auto").Text(words), button.Aria("describedby", id))
}

// asked is who can answer, and why the reader cannot.
func (f *AskForm) asked() []ui.UI {
	v := &f.A.View
	parts := []ui.UI{ui.Text("Asked: "), ui.Bdi().Text(f.A.names(v.Asked))}
	if v.Expires == 0 && v.State == ask.Open {
		parts = append(parts, ui.Text(" · no deadline"))
	}
	if v.Expires != 0 {
		word := " · open until "
		if v.State != ask.Open && v.State != ask.Sending {
			word = " · was open until "
		}
		parts = append(parts, ui.Text(word),
			ui.Time().DateTime(ISOTime(v.Expires)).Title(FullTime(v.Expires)).Text(Moment(v.Expires)))
	}
	if !v.Answerable && v.State == ask.Open && v.WhyNot != "" {
		parts = append(parts, ui.Br(), ui.Span().Class("ask-whynot").Text(sentence(v.WhyNot)))
	}
	return parts
}

// verdicts are the buttons of an older request, and its reply.
func (f *AskForm) verdicts() ui.UI {
	v := &f.A.View
	buttons := make([]ui.UI, 0, len(v.Offers))
	for _, offer := range v.Offers {
		switch offer {
		case ask.OfferApprove:
			buttons = append(buttons, f.verdict("Approve", "approve", "main"))
		case ask.OfferDeny:
			buttons = append(buttons, f.verdict("Deny", "deny", ""))
		case ask.OfferReply:
			buttons = append(buttons, ui.Button().Type("button").Class("btn").Text("Reply").Disabled(f.busy).
				Aria("expanded", f.replying).OnClick(f.onReply, ui.EventScope(v.ID)))
		}
	}
	parts := []ui.UI{}
	if len(buttons) > 0 {
		parts = append(parts, ui.Div().Class("row").Body(buttons...))
	}
	if f.replying && (v.Answerable || f.text != "") {
		parts = append(parts, f.textField("Your reply"))
		if v.Answerable {
			parts = append(parts, ui.Div().Class("row", "end").Body(
				ui.Button().Type("button").Class("btn", "main").Text("Send reply").
					Disabled(f.whyNotYet() != "" || f.busy).OnClick(f.onSendReply, ui.EventScope(v.ID))))
		}
	}
	return ui.Div().Class("stack").Body(parts...)
}

func (f *AskForm) verdict(label, verdict, class string) ui.UI {
	return ui.Button().Type("button").Class("btn", class).Text(label).Disabled(f.busy).
		OnClick(func(ctx ui.Context, _ ui.Event) {
			f.send(ctx, AnswerAct{Verdict: verdict})
		}, ui.EventScope(f.A.View.ID, verdict))
}

// onReply opens or closes the reply.
func (f *AskForm) onReply(ctx ui.Context, _ ui.Event) {
	f.replying = !f.replying
	if f.replying {
		ctx.Defer(func(ui.Context) {
			f.writeText()
			if field := find(f.JSValue(), "textarea"); field.Truthy() {
				field.Call("focus")
			}
		})
	}
}

func (f *AskForm) onSendReply(ctx ui.Context, _ ui.Event) {
	if f.whyNotYet() == "" {
		f.send(ctx, AnswerAct{Verdict: "reply", Text: f.text})
	}
}
