package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Opener takes what somebody was sent, a link or a name, and opens it.
type Opener struct {
	ui.Compo

	Label  string
	Hint   string
	Button string
	Action string // posted with what was typed
	Form   FormState
}

// Render implements ui.Composer.
func (o *Opener) Render() ui.UI {
	return ui.Form().Class("stack").OnSubmit(o.onSubmit).Body(
		field("opener", o.Label, "text", o.Hint),
		o.Form.message(),
		ui.Div().Class("row").Body(submit(o.Button, o.Form.Busy)),
	)
}

func (o *Opener) onSubmit(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	ctx.NewActionWithValue(o.Action, valueOf(o.JSValue(), named("opener")))
}
