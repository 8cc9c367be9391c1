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
	switch {
	case sh.s.trouble != "":
		return title, plainPage(filters, components.Empty("This cannot be loaded", sh.s.trouble)), nil
	case sh.s.known && sh.s.app.Me == nil:
		return title, plainPage(filters, signInFirst("Questions that agents and people ask you come here.")), nil
	case v == nil || v.Loading && len(v.Items)+len(v.Strangers) == 0:
		return title, plainPage(filters, ui.P().Class("empty").Text("Loading…")), nil
	}
	parts := []ui.UI{filters, sh.undoBar(), ui.Div().Class("cards").Body(sh.askRows(v)...)}
	if put := sh.putAsks(v); put != nil {
		parts = append(parts, put)
	}
	if len(v.Strangers) > 0 {
		parts = append(parts, strangers(v, sh.me()))
	}
	return title, plainPage(parts...), nil
}

// signInFirst stands where a page has nothing to show to nobody.
func signInFirst(text string) ui.UI {
	return components.Empty("Sign in first", text,
		ui.A().Class("btn", "main").Href(components.Path("/settings")).Text("Sign in"))
}

// askRows are the questions that wait, each in its place.
func (sh *shell) askRows(v *port.AsksView) []ui.UI {
	var rows []ui.UI
	byID := map[string]*port.AskItem{}
	for i := range v.Items {
		if item := &v.Items[i]; !item.Dismissed {
			byID[item.View.ID] = item
		}
	}
	for _, id := range sh.s.asked.rows {
		if item := byID[id]; item != nil {
			rows = append(rows, askArticle(item, sh.me(), false))
		} else {
			rows = append(rows, ui.Text(""))
		}
	}
	if len(byID) > 0 {
		return rows
	}
	nothing := map[string][2]string{
		"open":     {"Nothing waits for you", "Questions of agents and people in your rooms come here."},
		"answered": {"Nothing was answered yet", "Questions that were put to you stand here once they are answered."},
		"expired":  {"Nothing has expired", "Questions that nobody answered in time stand here."},
	}[v.Filter]
	return []ui.UI{components.Empty(nothing[0], nothing[1])}
}

func askArticle(item *port.AskItem, me string, stranger bool) ui.UI {
	return &components.AskArticle{
		A: askOf(item, me), Room: item.RoomName, Dismissed: item.Dismissed, Stranger: stranger,
		Path: askPath(item), Link: item.Link,
	}
}

// askPath is where a question stands: in the thread it was asked in, else in
// one of its own.
func askPath(item *port.AskItem) string {
	if item.Thread != "" {
		return Route{Page: Thread, Room: item.Room, ID: item.Thread}.Path() + "#" + item.View.ID
	}
	return Route{Page: Thread, Room: item.Room, ID: item.View.ID}.Path()
}

// undoBar brings back what was put away last.
func (sh *shell) undoBar() ui.UI {
	id := sh.s.asked.put
	if id == "" {
		return ui.Text("")
	}
	return ui.Div().Class("banner").Role("status").Body(
		ui.Span().Class("grow").Text("The question is put away."),
		ui.Button().Type("button").Class("btn").Text("Undo").OnClick(func(ctx ui.Context, _ ui.Event) {
			ctx.NewActionWithValue(components.DoRestore, id)
		}, ui.EventScope(id)),
	)
}

// putAsks are the questions that were put away; nil when there are none.
func (sh *shell) putAsks(v *port.AsksView) ui.UI {
	var rows []ui.UI
	for i := range v.Items {
		if item := &v.Items[i]; item.Dismissed {
			rows = append(rows, askArticle(item, sh.me(), false))
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return ui.Details().Class("fold").Body(
		ui.Summary().Text(components.Plural(len(rows), "question was put away", "questions were put away")),
		ui.Div().Class("cards").Body(rows...))
}

func strangers(v *port.AsksView, me string) ui.UI {
	rows := make([]ui.UI, 0, len(v.Strangers))
	for i := range v.Strangers {
		rows = append(rows, askArticle(&v.Strangers[i], me, true))
	}
	return ui.Section().Class("strangers").Aria("label", "From strangers").Body(
		ui.H2().Text("From strangers"),
		ui.P().Class("hint").Text("These come from outside your rooms and contacts. They are not counted."),
		ui.Div().Class("cards").Body(rows...))
}

// takeAsks takes the newest list of questions.
func (sh *shell) takeAsks(v port.AsksView) {
	var order []string
	here := map[string]bool{}
	for i := range v.Items {
		here[v.Items[i].View.ID] = true
		if !v.Items[i].Dismissed {
			order = append(order, v.Items[i].View.ID)
		}
	}
	for id := range sh.s.asked.mine {
		if !here[id] && v.Filter == "open" {
			delete(sh.s.asked.mine, id)
			sh.say("Your answer is with the relay. It stands under Answered now.", false)
		}
	}
	sh.s.asked.rows = arrange(sh.s.asked.rows, order, writingInCards())
	sh.s.asks = &v
}

// writingInCards reports whether the keyboard is in a form of a list.
func writingInCards() bool {
	if !ui.IsClient {
		return false
	}
	active := document().Get("activeElement")
	return active.Truthy() && active.Call("matches", ".cards textarea, .cards input").Truthy()
}

// askPage is one question with its decision record.
func (sh *shell) askPage() (ui.UI, []ui.UI, []ui.UI) {
	title := head("/asks", "Question", sh.askRoom(), nil)
	v := sh.s.ask
	switch {
	case sh.s.trouble != "":
		return title, plainPage(components.Empty("This cannot be shown", sh.s.trouble)), nil
	case v == nil || v.Loading && !v.Missing:
		return title, plainPage(ui.P().Class("empty").Text("Looking for this question…")), nil
	case v.Missing:
		return title, plainPage(components.Empty("No relay has this question", "It may stand on a relay that is not among yours, or was deleted.")), nil
	}
	item := &v.Item
	return title, plainPage(
		&components.AskArticle{
			A: askOf(item, sh.me()), Room: item.RoomName, Dismissed: item.Dismissed, Alone: true,
			Path: askPath(item),
		},
		&components.AskRecord{
			A: askOf(item, ""), Room: item.RoomName, Relay: item.Room.Relay, Link: item.Link, Exportable: len(v.Export) > 0,
		},
	), nil
}

func (sh *shell) askRoom() string {
	if v := sh.s.ask; v != nil && v.Item.RoomName != "" {
		return "in " + v.Item.RoomName
	}
	return ""
}
