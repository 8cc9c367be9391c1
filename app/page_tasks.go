package app

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/components"
)

func (sh *shell) tasksPage() (ui.UI, []ui.UI, []ui.UI) {
	toAsks := ui.A().Class("btn").Href(components.Path("/asks")).Text("Needs you")
	title := head("/", "Tasks", "", nil, toAsks)
	filters := sh.filters("/tasks", [][2]string{{"", "All"}, {"running", "Running"}, {"ended", "Ended"}})
	v := sh.s.tasks
	switch {
	case sh.s.trouble != "":
		return title, plainPage(filters, components.Empty("This cannot be loaded", sh.s.trouble)), nil
	case sh.s.known && sh.s.app.Me == nil:
		return title, plainPage(filters, signInFirst("Tasks that you ask agents for come here.")), nil
	case v == nil || v.Loading && len(v.Items) == 0:
		return title, plainPage(filters, ui.P().Class("empty").Text("Loading…")), nil
	case len(v.Items) == 0:
		return title, plainPage(filters, components.Empty("No task here",
			"What you ask an agent to do in a room stands here while it works, and after.")), nil
	}
	rows := make([]ui.UI, 0, len(v.Items))
	for i := range v.Items {
		item := &v.Items[i]
		t := taskOf(item, sh.me())
		t.Alone = true
		rows = append(rows, &components.TaskArticle{
			T: t, Room: item.RoomName, Path: Route{Page: Room, Room: item.Room}.Path(), Link: item.Link,
		})
	}
	return title, plainPage(filters, ui.Div().Class("cards").Body(rows...)), nil
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
