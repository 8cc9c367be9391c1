package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Banner says something that holds for the whole page, with one thing to do
// about it.
type Banner struct {
	ui.Compo

	Tone    string // "", warn or bad
	Text    string
	Label   string // of the button; none when empty
	Action  string
	Href    string // of the link, in place of the button
	Dismiss string // a notice's code: it can be put away
}

// CompoID implements ui.DismountEnforcer.
func (b *Banner) CompoID() string { return b.Text }

// Render implements ui.Composer.
func (b *Banner) Render() ui.UI {
	parts := []ui.UI{ui.P().Class("grow").Dir("auto").Text(b.Text)}
	switch {
	case b.Label != "" && b.Href != "":
		parts = append(parts, link(b.Href).Class("btn").Text(b.Label))
	case b.Label != "":
		parts = append(parts, ui.Button().Type("button").Class("btn").Text(b.Label).OnClick(b.onAction))
	}
	if b.Dismiss != "" {
		parts = append(parts, IconButton("close", "Put away").OnClick(b.onDismiss))
	}
	return ui.Div().Class("banner", b.Tone).Role("status").Body(parts...)
}

func (b *Banner) onAction(ctx ui.Context, _ ui.Event) { ctx.NewAction(b.Action) }

func (b *Banner) onDismiss(ctx ui.Context, _ ui.Event) { ctx.NewActionWithValue(DoDismiss, b.Dismiss) }

// Toast says for a while what came of an act.
type Toast struct {
	ID   int
	Text string
	Bad  bool
	Undo Undo
}

// Undo takes back what a toast tells of: the action to post with its value.
type Undo struct {
	Action string // "": nothing can be taken back
	Value  any
}

// Toasts are the newest ones, at the edge of the page.
type Toasts struct {
	ui.Compo

	List []Toast
}

// Render implements ui.Composer.
func (t *Toasts) Render() ui.UI {
	items := make([]ui.UI, 0, len(t.List))
	for _, toast := range t.List {
		class := "toast"
		if toast.Bad {
			class = "toast bad"
		}
		if toast.Undo.Action == "" {
			items = append(items, ui.P().Class(class).Dir("auto").Text(toast.Text))
			continue
		}
		items = append(items, ui.Div().Class(class, "undo").Body(
			ui.Span().Dir("auto").Text(toast.Text),
			ui.Button().Type("button").Class("textbtn").Text("Undo").OnClick(t.undo(toast), ui.EventScope(toast.ID)),
		))
	}
	return ui.Div().Class("toasts").Role("alert").Body(items...)
}

func (t *Toasts) undo(toast Toast) ui.EventHandler {
	return func(ctx ui.Context, _ ui.Event) {
		ctx.NewActionWithValue(toast.Undo.Action, toast.Undo.Value)
		ctx.NewActionWithValue(DoToastOff, toast.ID)
	}
}

// Empty says why a page has nothing on it, and what to do.
func Empty(title, text string, more ...ui.UI) ui.UI {
	return ui.Div().Class("nothing").Body(append([]ui.UI{
		ui.H2().Text(title), ui.P().Text(text),
	}, more...)...)
}
