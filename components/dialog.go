package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Names of the dialogs, for DialogCall.
const (
	DialogSignOut    = "sign_out"
	DialogRoom       = "room"      // make a room
	DialogEditRoom   = "edit_room" // change the room that is open
	DialogLeave      = "leave"
	DialogDelete     = "delete" // ID: the message
	DialogReport     = "report" // ID: the message
	DialogBlock      = "block"  // ID: the public key
	DialogAskedRelay = "relay"  // a relay outside the person's lists
)

// dialogFrame is a modal dialog with its title. The element is the browser's
// own: it keeps the focus inside, makes the rest of the page inert and gives
// the focus back. What the dialog does stands in body. Components show it with
// showDialog when they are mounted.
func dialogFrame(title string, cancel ui.EventHandler, body ...ui.UI) ui.UI {
	return ui.Dialog().Class("dialog").Role("dialog").Aria("modal", true).Aria("labelledby", "dialog-title").
		On("cancel", cancel).
		Body(append([]ui.UI{ui.H2().ID("dialog-title").Dir("auto").Text(title)}, body...)...)
}

// showDialog opens the dialog that a component has drawn.
func showDialog(ctx ui.Context) {
	if element := ctx.JSSrc(); ui.IsClient && element.Truthy() && !element.Get("open").Truthy() {
		element.Call("showModal")
	}
}

// closeDialog asks for the open dialog to be taken away.
func closeDialog(ctx ui.Context) { ctx.NewActionWithValue(DoDialog, DialogCall{}) }

// Confirm asks before something that is easily regretted.
type Confirm struct {
	ui.Compo

	Title  string
	Text   string
	Yes    string // the button that does it
	No     string
	Action string // posted with Value
	Value  string
	Kind   string // of a RelayAnswer; Action is then DoAskedRelay, and No is an answer too
}

// CompoID implements ui.DismountEnforcer.
func (c *Confirm) CompoID() string { return c.Action + c.Kind + c.Value }

// OnMount implements ui.Mounter.
func (c *Confirm) OnMount(ctx ui.Context) { showDialog(ctx) }

// Render implements ui.Composer.
func (c *Confirm) Render() ui.UI {
	return dialogFrame(c.Title, c.onNo,
		ui.If(c.Text != "", func() ui.UI { return ui.P().Dir("auto").Text(c.Text) }),
		ui.Div().Class("row", "end").Body(
			ui.Button().Type("button").Class("btn").Text(c.No).OnClick(c.onNo),
			ui.Button().Type("button").Class("btn", "main").Text(c.Yes).OnClick(c.onYes),
		),
	)
}

func (c *Confirm) onYes(ctx ui.Context, _ ui.Event) {
	if c.Kind != "" {
		ctx.NewActionWithValue(DoAskedRelay, RelayAnswer{Kind: c.Kind, URL: c.Value, Allow: true})
		return
	}
	ctx.NewActionWithValue(c.Action, c.Value)
	closeDialog(ctx)
}

// onNo is also what Escape does.
func (c *Confirm) onNo(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	if c.Kind != "" {
		ctx.NewActionWithValue(DoAskedRelay, RelayAnswer{Kind: c.Kind, URL: c.Value})
		return
	}
	closeDialog(ctx)
}
