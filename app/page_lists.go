package app

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/components"
	"parley/wasm/port"
)

func (sh *shell) asksPage() (ui.UI, []ui.UI, []ui.UI) {
	toTasks := ui.A().Class("btn").Href(components.Path("/tasks")).Text("Tasks")
	title := head("/", "Needs you", "", nil, toTasks)
	filters := sh.filters("/asks", [][2]string{{"", "Open"}, {"answered", "Answered"}, {"expired", "Expired"}})
	v := sh.s.asks
	if v == nil || v.Loading && len(v.Items) == 0 {
		return title, plainPage(filters, ui.P().Class("empty").Text("Loading…")), nil
	}
	parts := []ui.UI{filters}
	if len(v.Items) == 0 {
		parts = append(parts, components.Empty("Nothing waits for you", "Questions of agents and people in your rooms come here."))
	}
	for i := range v.Items {
		parts = append(parts, askLine(&v.Items[i]))
	}
	if len(v.Strangers) > 0 {
		parts = append(parts, ui.H2().Text("From strangers"))
		for i := range v.Strangers {
			parts = append(parts, askLine(&v.Strangers[i]))
		}
	}
	return title, plainPage(parts...), nil
}

func (sh *shell) tasksPage() (ui.UI, []ui.UI, []ui.UI) {
	toAsks := ui.A().Class("btn").Href(components.Path("/asks")).Text("Needs you")
	title := head("/", "Tasks", "", nil, toAsks)
	filters := sh.filters("/tasks", [][2]string{{"", "Running"}, {"ended", "Ended"}, {"all", "All"}})
	v := sh.s.tasks
	if v == nil || v.Loading && len(v.Items) == 0 {
		return title, plainPage(filters, ui.P().Class("empty").Text("Loading…")), nil
	}
	parts := []ui.UI{filters}
	if len(v.Items) == 0 {
		parts = append(parts, components.Empty("No task here", "What you ask an agent to do in a room stands here while it works, and after."))
	}
	for i := range v.Items {
		parts = append(parts, taskLine(&v.Items[i]))
	}
	return title, plainPage(parts...), nil
}

// filters are the ways to narrow a list. Each is a value of the query's
// "filter", and its label.
func (sh *shell) filters(path string, list [][2]string) ui.UI {
	var links []ui.UI
	for _, f := range list {
		href := path
		if f[0] != "" {
			href += "?filter=" + f[0]
		}
		a := ui.A().Href(components.Path(href)).Text(f[1])
		if sh.s.route.Filter == f[0] {
			a = a.Class("on").Aria("current", "page")
		}
		links = append(links, a)
	}
	return ui.Nav().Class("filters").Aria("label", "Filter").Body(links...)
}

func askLine(item *port.AskItem) ui.UI {
	title := item.View.Subject
	if title == "" {
		title = item.View.Text
	}
	return cardLine(Route{Page: Thread, Room: item.Room, ID: item.View.ID}.Path(), title, item.RoomName, string(item.View.State))
}

func taskLine(item *port.TaskItem) ui.UI {
	title := item.View.Subject
	if title == "" {
		title = item.View.Text
	}
	return cardLine(Route{Page: Thread, Room: item.Room, ID: item.View.ID}.Path(), title, item.RoomName, string(item.View.State))
}

func cardLine(href, title, where, state string) ui.UI {
	return ui.A().Class("card", "card-line").Href(components.Path(href)).Body(
		ui.B().Dir("auto").Text(title),
		ui.Span().Class("row").Body(
			ui.Span().Class("sub").Dir("auto").Text(where),
			ui.Span().Class("pill", "end").Text(state),
		),
	)
}
