package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Code is a block of code with its language and a button to copy it.
type Code struct {
	ui.Compo

	Lang string
	Text string
}

// Render implements ui.Composer.
func (c *Code) Render() ui.UI {
	lang := c.Lang
	if lang == "" {
		lang = "text"
	}
	return ui.Div().Class("code").Body(
		ui.Div().Class("code-head").Body(
			ui.Span().Text(lang),
			ui.Button().Type("button").Class("textbtn").Text("Copy").OnClick(c.onCopy),
		),
		ui.Pre().Dir("ltr").TabIndex(0).Body(ui.Code().Text(c.Text)),
	)
}

func (c *Code) onCopy(ctx ui.Context, _ ui.Event) {
	ctx.NewActionWithValue(DoCopy, Copy{Text: c.Text, What: "Code"})
}
