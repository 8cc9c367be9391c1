package components

import (
	"strconv"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/room"
)

// WaitingLine is a question that waits for the person, in a line.
type WaitingLine struct {
	Href    string // a path of the app
	Asker   room.Person
	Title   string // one line
	Room    string // name
	Expires int64  // unix seconds, 0 for never
}

// Waiting is what waits for the person, in short, on the start page.
type Waiting struct {
	ui.Compo

	Lines   []WaitingLine
	More    int // questions that Lines leaves out
	Running int // tasks of mine that run
	Loading bool
}

// Render implements ui.Composer.
func (w *Waiting) Render() ui.UI {
	parts := []ui.UI{ui.H2().ID("waiting-title").Text("Waits for you")}
	switch {
	case len(w.Lines) > 0:
		items := make([]ui.UI, 0, len(w.Lines))
		for i, l := range w.Lines {
			items = append(items, ui.Li().Body(waitingLine("waiting-"+strconv.Itoa(i), l)))
		}
		parts = append(parts, ui.Ul().Class("waiting").Aria("labelledby", "waiting-title").Body(items...))
	case w.Loading:
		parts = append(parts, ui.P().Class("empty").Text("Loading…"))
	default:
		parts = append(parts, ui.P().Class("sub").Text("Nothing. Questions of agents and people come here."))
	}
	if w.More > 0 {
		parts = append(parts, ui.P().Body(link("/asks").Class("textbtn").Text("Show "+Plural(w.More, "more question", "more questions"))))
	}
	if w.Running > 0 {
		parts = append(parts, ui.P().Class("sub").Text(Plural(w.Running, "task of yours is", "tasks of yours are")+" running."))
	}
	return ui.Section().Class("panel", "waiting-panel").Aria("labelledby", "waiting-title").Body(parts...)
}

// waitingLine is the way to a question. Its name is the question alone, as with
// the lines of rooms.
func waitingLine(id string, l WaitingLine) ui.UI {
	about := []ui.UI{ui.Bdi().Text(l.Asker.Name), ui.Text(" in "), ui.Bdi().Text(l.Room)}
	if l.Expires != 0 {
		about = append(about, ui.Text(" · "), &Ticking{Kind: TickLeft, At: l.Expires, After: " left"})
	}
	return link(l.Href).Class("item").Aria("labelledby", id+"-title").Aria("describedby", id+"-more").Body(
		Face(l.Asker),
		ui.Span().Class("item-words").Body(
			ui.B().ID(id+"-title").Dir("auto").Text(l.Title),
			ui.Span().ID(id+"-more").Class("last").Body(about...),
		),
	)
}
