package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/room"
)

// quote is the message that another one answers, as a way to it.
func quote(q *room.Quote) ui.UI {
	switch {
	case q.Missing:
		return ui.Div().Class("quote", "missing").DataSet("quote", q.ID).Text("Reply to something not loaded")
	case q.Deleted:
		return ui.Div().Class("quote", "missing").DataSet("quote", q.ID).Text("Reply to a message that is not shown any more")
	}
	return ui.Button().Type("button").Class("quote").DataSet("quote", q.ID).
		Title("Show this message").
		OnClick(func(ctx ui.Context, _ ui.Event) {
			ctx.NewActionWithValue(DoJump, q.ID)
		}, ui.EventScope(q.ID)).
		Body(
			ui.B().Body(Name(q.Author.Name)),
			ui.Span().Class("quote-text").Dir("auto").Text(q.Text),
		)
}
