package components

import (
	"strconv"
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Line is one line of a list of rooms or agents.
type Line struct {
	Href    string // a path of the app
	Seed    string // of the avatar's colour
	Name    string
	About   string // what it is, in a line; shown where there is room for it
	Picture string // address of one, ""
	Last    string
	When    string // how long ago, in a few letters
	Unread  int
	Loud    bool // an unread one names me
	Here    bool // it is what the page shows
	Room    bool
}

// RoomGroup is the list of rooms with what can be done about all of them. Like
// AgentGroup it stands once on a page: in the rail or on the start page.
type RoomGroup struct {
	ui.Compo

	Lines    []Line
	Wide     bool // there is room to say what each one is
	SignedIn bool
	Loading  bool
}

// Render implements ui.Composer.
func (g *RoomGroup) Render() ui.UI {
	head := []ui.UI{ui.H2().Text("Rooms")}
	unread := 0
	for _, room := range g.Lines {
		unread += room.Unread
	}
	if unread > 0 {
		head = append(head, ui.Button().Type("button").Class("textbtn").Text("Mark all as read").OnClick(g.onReadAll))
	}
	if g.SignedIn {
		head = append(head, IconButton("plus", "New room").OnClick(g.onNew))
	}
	return group(head, "room", "Rooms", g.Lines, g.Wide, g.Loading, "No room yet. Open an invitation, or make one.")
}

func (g *RoomGroup) onReadAll(ctx ui.Context, _ ui.Event) { ctx.NewAction(DoReadAll) }

func (g *RoomGroup) onNew(ctx ui.Context, _ ui.Event) {
	ctx.NewActionWithValue(DoDialog, DialogCall{Name: DialogRoom})
}

// AgentGroup is the list of agents.
type AgentGroup struct {
	ui.Compo

	Lines   []Line
	Wide    bool // there is room to say what each one is
	Loading bool
}

// Render implements ui.Composer.
func (g *AgentGroup) Render() ui.UI {
	head := []ui.UI{ui.H2().Body(link("/agents").Text("Agents"))}
	return group(head, "agent", "Agents", g.Lines, g.Wide, g.Loading, "No agent yet.")
}

func group(head []ui.UI, id, label string, lines []Line, wide, loading bool, none string) ui.UI {
	var body ui.UI
	switch {
	case loading:
		body = ui.P().Class("empty").Text("Loading…")
	case len(lines) == 0:
		body = ui.P().Class("empty").Text(none)
	default:
		body = Lines(id, label, wide, lines)
	}
	return ui.Div().Class("group").Body(ui.Div().Class("group-head").Body(head...), body)
}

// Lines is a list of rooms or agents. Its id tells it from the other lists of
// the page.
func Lines(id, label string, wide bool, lines []Line) ui.UI {
	items := make([]ui.UI, 0, len(lines))
	for i, l := range lines {
		items = append(items, ui.Li().Body(line(id+"-"+strconv.Itoa(i), l, wide)))
	}
	return ui.Ul().Aria("label", label).Body(items...)
}

// line is the way to a room or an agent. What it is called, and how much of it
// is unread, is its name; the rest, which others wrote, describes it. So a room
// is not found by what is said in another.
func line(id string, l Line, wide bool) ui.UI {
	a := link(l.Href).Class("item")
	if l.Here {
		a = a.Class("on").Aria("current", "page")
	}
	shape := ""
	if l.Room {
		shape = "room"
	}
	named, described := id+"-name", ""
	words := []ui.UI{ui.B().ID(named).Body(Name(l.Name))}
	var more []ui.UI
	if wide && l.About != "" {
		more = append(more, ui.Span().Class("about").Dir("auto").Text(l.About))
	}
	if l.Last != "" {
		more = append(more, ui.Span().Class("last").Dir("auto").Text(l.Last))
	}
	if len(more) > 0 {
		described = id + "-more"
		words = append(words, ui.Span().ID(described).Class("item-more").Body(more...))
	}
	end := []ui.UI{}
	if l.When != "" {
		described = strings.TrimSpace(described + " " + id + "-when")
		end = append(end, ui.Span().ID(id+"-when").Class("when").Text(l.When))
	}
	if l.Unread > 0 {
		class := "count quiet"
		if l.Loud {
			class = "count"
		}
		named += " " + id + "-unread"
		end = append(end, ui.Span().ID(id+"-unread").Class(class).Title(Plural(l.Unread, "unread message", "unread messages")).
			Body(ui.Text(Number(l.Unread)), ui.Span().Class("sr").Text(" unread")))
	}
	if described != "" {
		a = a.Aria("describedby", described)
	}
	return a.Aria("labelledby", named).Body(
		pictured(l.Seed, l.Name, l.Picture, shape),
		ui.Span().Class("item-words").Body(words...),
		ui.Span().Class("item-end").Body(end...),
	)
}
