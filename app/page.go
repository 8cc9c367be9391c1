package app

import (
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/components"
)

// page draws what the route names: its head, its body, and what stands beside
// it.
func (sh *shell) page() (head ui.UI, body, side []ui.UI) {
	switch sh.s.route.Page {
	case Start:
		return sh.startPage()
	case Room:
		return sh.roomPage()
	case Thread:
		return sh.threadPage()
	case Agents:
		return sh.agentsPage()
	case Agent:
		return sh.agentPage()
	case Session:
		return sh.sessionPage()
	case Asks:
		return sh.asksPage()
	case Ask:
		return sh.askPage()
	case Tasks:
		return sh.tasksPage()
	case Settings:
		return sh.settingsPage()
	case Code:
		return sh.codePage()
	}
	return sh.missingPage()
}

// head is the bar at the top of a page. back is the path that its arrow leads
// to on a narrow screen; none when it is empty.
func head(back, title, sub string, before ui.UI, more ...ui.UI) ui.UI {
	parts := []ui.UI{}
	if back != "" {
		parts = append(parts, ui.A().Class("back", "iconbtn").Href(components.Path(back)).
			Aria("label", "Back").Title("Back").Body(components.Icon("back")))
	}
	if before != nil {
		parts = append(parts, before)
	}
	words := []ui.UI{ui.H1().TabIndex(-1).Dir("auto").Text(title)}
	if sub != "" {
		words = append(words, ui.P().Dir("auto").Text(sub))
	}
	parts = append(parts, ui.Div().Class("top-words").Body(words...))
	return ui.Header().Class("top").Body(append(parts, more...)...)
}

// plainPage is a page of text in one column that scrolls.
func plainPage(parts ...ui.UI) []ui.UI {
	return []ui.UI{ui.Div().Class("log").Body(ui.Div().Class("col", "prose").Body(parts...))}
}

// setTitle names the page in the browser's own list of pages, with the number
// of what is unread.
func (sh *shell) setTitle() {
	if !ui.IsClient {
		return
	}
	title := sh.title()
	if n := sh.s.unread() + sh.s.app.NeedsYou; n > 0 {
		title = "(" + components.Number(n) + ") " + title
	}
	if doc := document(); doc.Get("title").String() != title {
		doc.Set("title", title)
	}
}

func (sh *shell) title() string {
	name := map[Page]string{
		Agents: "Agents", Asks: "Needs you", Ask: "Question", Tasks: "Tasks", Settings: "Settings", Missing: "Not found",
	}[sh.s.route.Page]
	switch sh.s.route.Page {
	case Room:
		name = sh.roomName()
	case Thread:
		name = "Thread in " + sh.roomName()
	case Agent:
		if sh.s.agent != nil {
			name = sh.s.agent.Agent.Name
		}
	case Session:
		if s := sh.s.session; s != nil {
			name = s.head.Session.Title
		}
	}
	if name == "" {
		return "Parley"
	}
	return strings.TrimSpace(name) + " – Parley"
}

func (sh *shell) missingPage() (ui.UI, []ui.UI, []ui.UI) {
	return head("/", "Not found", "", nil), plainPage(components.Empty(
		"There is no such page",
		"The address may be mistyped, or from another version of Parley.",
		ui.A().Class("btn").Href(components.Path("/")).Text("Go to the start"),
	)), nil
}

func (sh *shell) codePage() (ui.UI, []ui.UI, []ui.UI) {
	title := head("/", "Opening…", "", nil)
	if sh.s.trouble != "" {
		return head("/", "Not found", "", nil), plainPage(components.Empty("This cannot be shown", sh.s.trouble)), nil
	}
	return title, plainPage(ui.P().Class("empty").Text("Looking for what this code names…")), nil
}
