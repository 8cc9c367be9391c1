package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Icon is a drawing beside words that say the same. The drawings are masks in
// app.css, so they take the colour of the text around them.
func Icon(name string) ui.UI {
	return ui.Span().Class("icon", "icon-"+name).Aria("hidden", true)
}

// IconButton is a button that shows a drawing and is named by its label.
func IconButton(icon, label string) ui.HTMLButton {
	return ui.Button().Type("button").Class("iconbtn").Aria("label", label).Title(label).Body(Icon(icon))
}
