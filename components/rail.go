package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Rail is the way around: what waits, the rooms, the agents. On the start page
// the lists are the page, so that nothing is there twice.
type Rail struct {
	ui.Compo

	Page      string // "start", "asks", "tasks", "settings" or another
	Rooms     []Line
	Agents    []Line
	NeedsYou  int
	Running   int
	Me        string // name; empty when signed out
	MeSeed    string
	MePicture string
	SignedIn  bool
	Loading   bool
}

// Render implements ui.Composer.
func (r *Rail) Render() ui.UI {
	lists := ui.Div().Class("rail-lists")
	if r.Page != "start" {
		lists = lists.Body(
			&RoomGroup{Lines: r.Rooms, SignedIn: r.SignedIn, Loading: r.Loading},
			&AgentGroup{Lines: r.Agents, Loading: r.Loading},
		)
	}
	return ui.Nav().Class("rail").Aria("label", "Parley").Body(
		link("/").Class("brand").Body(Icon("brand"), ui.Text("Parley")),
		ui.Div().Class("needs-group").Body(
			r.section("/asks", needsClass(r.NeedsYou), "Needs you", r.Page == "asks", count(r.NeedsYou, "")),
			r.section("/tasks", "needs plain", "Tasks", r.Page == "tasks", count(r.Running, " running")),
		),
		lists,
		r.me(),
	)
}

func (r *Rail) section(href, class, label string, here bool, extra ui.UI) ui.UI {
	a := link(href).Class(class)
	if here {
		a = a.Class("on").Aria("current", "page")
	}
	return a.Body(ui.Span().Text(label), extra)
}

// count is a number beside a word, or nothing for none.
func count(n int, unit string) ui.UI {
	if n == 0 {
		return ui.Text("")
	}
	if unit != "" {
		return ui.Span().Class("count", "quiet").Text(Number(n) + unit)
	}
	return ui.Span().Class("count").Text(Number(n))
}

func (r *Rail) me() ui.UI {
	a := link("/settings").Class("me")
	if r.Page == "settings" {
		a = a.Aria("current", "page")
	}
	switch {
	case r.Loading: // nobody knows yet who it is
		return a.Body(Icon("you"), ui.B().Text("You"))
	case !r.SignedIn:
		return a.Body(Icon("you"), ui.B().Text("Sign in"))
	}
	return a.Body(pictured(r.MeSeed, r.Me, r.MePicture), ui.B().Body(Name(r.Me)))
}

// needsClass lets "Needs you" stand out only while something waits.
func needsClass(waiting int) string {
	if waiting > 0 {
		return "needs"
	}
	return "needs plain"
}
