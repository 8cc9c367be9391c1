package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// reportTypes are the reasons of NIP-56, in words.
var reportTypes = []struct{ value, label string }{
	{"spam", "Spam"},
	{"profanity", "Hate or abuse"},
	{"nudity", "Nudity or sexual content"},
	{"illegal", "Against the law"},
	{"impersonation", "Pretends to be somebody else"},
	{"malware", "Malware"},
	{"other", "Something else"},
}

// Report asks why a message is reported.
type Report struct {
	ui.Compo

	ID string // the message
}

// OnMount implements ui.Mounter.
func (r *Report) OnMount(ctx ui.Context) { showDialog(ctx) }

// Render implements ui.Composer.
func (r *Report) Render() ui.UI {
	options := make([]ui.UI, 0, len(reportTypes))
	for i, t := range reportTypes {
		options = append(options, ui.Label().Class("opt").Body(
			ui.Input().Type("radio").Name("report").Value(t.value).Checked(i == 0),
			ui.Span().Text(t.label),
		))
	}
	return dialogFrame("Report this message", r.onNo,
		ui.P().Text("The report is a public event signed by you. The relay and other people can read it."),
		ui.FieldSet().Class("opts").Body(append([]ui.UI{ui.Legend().Text("What is wrong with it?")}, options...)...),
		ui.Div().Class("row", "end").Body(
			ui.Button().Type("button").Class("btn").Text("Cancel").OnClick(r.onNo),
			ui.Button().Type("button").Class("btn", "main").Text("Report").OnClick(r.onYes),
		),
	)
}

func (r *Report) onYes(ctx ui.Context, _ ui.Event) {
	ctx.NewActionWithValue(DoReport, Mark{ID: r.ID, Text: valueOf(r.JSValue(), "input:checked")})
	closeDialog(ctx)
}

func (r *Report) onNo(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	closeDialog(ctx)
}
