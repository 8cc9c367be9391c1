package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Line is one line of a list of rooms or agents.
type Line struct {
	Href    string // a path of the app
	Seed    string // of the avatar's colour
	Name    string
	Picture string // address of one, ""
	Last    string
	When    string // how long ago, in a few letters
	Unread  int
	Loud    bool // an unread one names me
	Here    bool // it is what the page shows
	Room    bool
}

// Rail is the way around: what waits, the rooms, the agents.
type Rail struct {
	ui.Compo

	Page      string // "asks", "tasks", "settings" or another
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
	return ui.Nav().Class("rail").Aria("label", "Parley").Body(
		link("/").Class("brand").Body(Icon("brand"), ui.Text("Parley")),
		ui.Div().Class("needs-group").Body(
			r.section("/asks", needsClass(r.NeedsYou), "Needs you", r.Page == "asks", count(r.NeedsYou, "")),
			r.section("/tasks", "needs plain", "Tasks", r.Page == "tasks", count(r.Running, " running")),
		),
		r.rooms(),
		r.agents(),
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

func (r *Rail) rooms() ui.UI {
	var body ui.UI = Lines("Rooms", r.Rooms)
	switch {
	case r.Loading:
		body = ui.P().Class("empty").Text("Loading…")
	case len(r.Rooms) == 0:
		body = ui.P().Class("empty").Text("No room yet. Open an invitation, or make one.")
	}
	head := []ui.UI{ui.H2().Text("Rooms")}
	unread := 0
	for _, room := range r.Rooms {
		unread += room.Unread
	}
	if unread > 0 {
		head = append(head, ui.Button().Type("button").Class("textbtn").Text("Mark all as read").OnClick(r.onReadAll))
	}
	if r.SignedIn {
		head = append(head, IconButton("plus", "New room").OnClick(r.onNew))
	}
	return ui.Div().Class("group").Body(ui.Div().Class("group-head").Body(head...), body)
}

func (r *Rail) agents() ui.UI {
	var body ui.UI = Lines("Agents", r.Agents)
	switch {
	case r.Loading:
		body = ui.P().Class("empty").Text("Loading…")
	case len(r.Agents) == 0:
		body = ui.P().Class("empty").Text("No agent yet.")
	}
	return ui.Div().Class("group").Body(
		ui.Div().Class("group-head").Body(ui.H2().Body(link("/agents").Text("Agents"))),
		body,
	)
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

func (r *Rail) onReadAll(ctx ui.Context, _ ui.Event) { ctx.NewAction(DoReadAll) }

func (r *Rail) onNew(ctx ui.Context, _ ui.Event) {
	ctx.NewActionWithValue(DoDialog, DialogCall{Name: DialogRoom})
}

// Lines is a list of rooms or agents.
func Lines(label string, lines []Line) ui.UI {
	items := make([]ui.UI, 0, len(lines))
	for _, l := range lines {
		items = append(items, ui.Li().Body(line(l)))
	}
	return ui.Ul().Aria("label", label).Body(items...)
}

func line(l Line) ui.UI {
	a := link(l.Href).Class("item")
	if l.Here {
		a = a.Class("on").Aria("current", "page")
	}
	shape := ""
	if l.Room {
		shape = "room"
	}
	end := []ui.UI{}
	if l.When != "" {
		end = append(end, ui.Span().Class("when").Text(l.When))
	}
	if l.Unread > 0 {
		class := "count quiet"
		if l.Loud {
			class = "count"
		}
		end = append(end, ui.Span().Class(class).Title(Plural(l.Unread, "unread message", "unread messages")).
			Body(ui.Text(Number(l.Unread)), ui.Span().Class("sr").Text(" unread")))
	}
	return a.Body(
		pictured(l.Seed, l.Name, l.Picture, shape),
		ui.Span().Class("item-words").Body(
			ui.B().Body(Name(l.Name)),
			ui.If(l.Last != "", func() ui.UI { return ui.Span().Class("last").Dir("auto").Text(l.Last) }),
		),
		ui.Span().Class("item-end").Body(end...),
	)
}

// needsClass lets "Needs you" stand out only while something waits.
func needsClass(waiting int) string {
	if waiting > 0 {
		return "needs"
	}
	return "needs plain"
}
