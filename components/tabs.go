package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Tabs is the bar at the bottom of a narrow page.
type Tabs struct {
	ui.Compo

	On       string // rooms, agents, asks or settings
	NeedsYou int
	Unread   int
}

// Render implements ui.Composer.
func (t *Tabs) Render() ui.UI {
	return ui.Nav().Class("tabs").Aria("label", "Sections").Body(
		t.tab("/", "rooms", "Rooms", t.Unread, "unread"),
		t.tab("/agents", "agents", "Agents", 0, ""),
		t.tab("/asks", "asks", "Needs you", t.NeedsYou, "waiting"),
		t.tab("/settings", "settings", "You", 0, ""),
	)
}

func (t *Tabs) tab(href, name, label string, n int, what string) ui.UI {
	a := link(href)
	if t.On == name {
		a = a.Class("on").Aria("current", "page")
	}
	parts := []ui.UI{Icon(name), ui.Span().Text(label)}
	if n > 0 {
		parts = append(parts, ui.Span().Class("count").Body(
			ui.Text(Number(n)), ui.Span().Class("sr").Text(" "+what)))
	}
	return a.Body(parts...)
}

// Connection says how the page is connected. It is always to be seen: a dot
// while all is well, words when it is not.
type Connection struct {
	ui.Compo

	State  string // online, connecting or offline
	Relays int    // how many are online
}

// Render implements ui.Composer.
func (c *Connection) Render() ui.UI {
	words := map[string]string{"online": "Online", "connecting": "Connecting…", "offline": "Offline"}[c.State]
	if c.State == "online" && c.Relays > 0 {
		words += ", " + Plural(c.Relays, "relay", "relays")
	}
	return ui.Div().Class("conn", c.State).DataSet("connection", c.State).Title(words).Body(
		ui.Span().Class("dot", c.State).Aria("hidden", true),
		ui.Span().Class("conn-words").Text(words),
	)
}
