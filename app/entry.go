package app

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/components"
	"parley/wasm/port"
)

// logPart draws a part of a log. Its pointer says whether it changed.
type logPart struct {
	ui.Compo

	Part *part
	Now  int // the day by the reader's calendar, since "Today" does not last
}

// Render implements ui.Composer.
func (l *logPart) Render() ui.UI {
	rows := make([]ui.UI, 0, len(l.Part.rows))
	for i := range l.Part.rows {
		if l.Part.rows[i].id == "" {
			rows = append(rows, ui.Text(""))
			continue
		}
		rows = append(rows, &entry{Row: &l.Part.rows[i], ID: l.Part.rows[i].id, Now: l.Now})
	}
	return ui.Div().Class("part").Body(rows...)
}

// entry draws one entry of a log with the day or the mark above it.
type entry struct {
	ui.Compo

	ID  string
	Row *row
	Now int
}

// CompoID implements ui.DismountEnforcer: what stands in an entry belongs to
// its event.
func (e *entry) CompoID() string { return e.ID }

// Render implements ui.Composer.
func (e *entry) Render() ui.UI {
	r := e.Row
	class := "entry"
	if r.joined {
		class = "entry close"
	}
	if isCard(r.item) {
		// The marks have a place of their own above a form, so that one that
		// comes or goes does not build it anew, without what was typed.
		return ui.Div().Class(class).Body(ui.Div().Class("marks").Body(e.marks()...), drawItem(r))
	}
	return ui.Div().Class(class).Body(append(e.marks(), drawItem(r))...)
}

// marks stand above an entry: the day that begins with it, and the line over
// the first unread one.
func (e *entry) marks() []ui.UI {
	r := e.Row
	var parts []ui.UI
	if r.day != 0 {
		parts = append(parts, ui.Div().Class("day").Role("separator").Text(components.DayLabel(r.day, now())))
	}
	if r.first {
		parts = append(parts, ui.Div().Class("day", "new").Role("separator").Text("New"))
	}
	return parts
}

// drawItem draws the event itself, as what it is: a message, a question form or
// a task card.
func drawItem(r *row) ui.UI {
	item := r.item
	return &components.Message{
		M: &item.Message, Own: item.Own, Delivery: deliveryOf(item.Delivery), Joined: r.joined,
		CanDelete: item.CanDelete, CanWrite: r.write, Link: item.Link, Thread: r.path,
		Ask: askOf(item.Ask, r.me), Task: taskIn(r),
	}
}

func deliveryOf(d *port.Delivery) components.Delivery {
	if d == nil {
		return components.Delivery{}
	}
	return components.Delivery{ID: d.ID, State: d.State, Reason: d.Reason, Stored: d.Stored, Of: d.Of, Drop: d.Drop, Act: d.Act}
}
