package components

import (
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Base is the path that the app lives under, without a slash at its end: "" or
// "/parley". It is set once, before anything is drawn.
var Base string

// Path returns a path of the app as an address within its origin.
func Path(path string) string { return Base + path }

// copyLink is a button that puts a link to an event into the clipboard.
func copyLink(nevent string) ui.UI {
	return ui.Button().Type("button").Class("textbtn").Text("Copy link").
		OnClick(func(ctx ui.Context, _ ui.Event) {
			ctx.NewActionWithValue(DoCopy, Copy{Text: "/" + nevent, What: "Link"})
		}, ui.EventScope(nevent))
}

// link is a link to a path of the app, or to another site in a new tab that
// learns nothing about this one. go-app takes every click on a link without a
// target as a way within the app.
func link(href string) ui.HTMLA {
	if strings.HasPrefix(href, "/") {
		return ui.A().Href(Path(href))
	}
	return ui.A().Href(href).Target("_blank").Rel("noopener noreferrer")
}
