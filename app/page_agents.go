package app

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/components"
	"parley/wasm/port"
)

func (sh *shell) agentsPage() (ui.UI, []ui.UI, []ui.UI) {
	lines := sh.agentLines()
	var list ui.UI = components.Lines("found-agent", "Agents", true, lines)
	if len(lines) == 0 {
		list = components.Empty("No agent yet", "Agents that you talk to, and those that this site names, stand here.")
	}
	parts := []ui.UI{
		list,
		ui.Section().Class("panel").Body(&components.Opener{
			Label: "Find an agent", Hint: "An npub, nprofile or hex key, or an address like name@example.com.",
			Button: "Find", Action: components.DoFindAgent, Form: sh.s.form(components.DoFindAgent),
		}),
	}
	if sh.s.app.Me != nil {
		parts = append(parts, &components.RunSearch{
			Form: sh.s.form(components.DoSearchRuns), Words: sh.s.prompts.find, Finds: sh.finds(),
		})
	}
	return head("/", "Agents", "", nil), plainPage(parts...), nil
}

// finds are the places where a search found its words.
func (sh *shell) finds() []components.Find {
	names := map[string]port.AgentItem{}
	for _, a := range sh.s.app.Agents {
		names[a.Person.PubKey] = a
	}
	list := make([]components.Find, 0, len(sh.s.prompts.finds))
	for _, h := range sh.s.prompts.finds {
		name := names[h.Agent].Person.Name
		if name == "" {
			name = "an agent"
		}
		list = append(list, components.Find{
			Href:  Route{Page: Session, NPub: sh.npub(h.Agent), Session: h.Session}.Path() + "#" + h.ID,
			Agent: name, When: sh.when(h.At), Text: h.Text,
		})
	}
	return list
}

func (sh *shell) agentPage() (ui.UI, []ui.UI, []ui.UI) {
	v := sh.s.agent
	name, seed := "Agent", sh.s.route.NPub
	if v != nil {
		name, seed = v.Agent.Name, v.Agent.PubKey
	}
	title := head("/agents", name, "", components.Avatar(seed, name), newSessionButton())
	switch {
	case sh.s.trouble != "":
		return title, plainPage(components.Empty("This agent cannot be shown", sh.s.trouble)), nil
	case v == nil:
		return title, plainPage(ui.P().Class("empty").Text("Loading…")), nil
	}
	parts := []ui.UI{}
	if v.Decrypt {
		parts = append(parts, ui.P().Class("note").Body(ui.Text("Your signer has refused to decrypt some messages. "),
			ui.Button().Type("button").Class("btn").Text("Decrypt").OnClick(func(ctx ui.Context, _ ui.Event) {
				ctx.NewActionWithValue(components.DoDecrypt, "")
			})))
	}
	if len(v.Sessions) > 0 {
		parts = append(parts, ui.Section().Class("panel").Body(
			ui.H2().Text("Sessions"), &components.SessionList{Lines: sh.sessionLines(v, "")}))
	} else if sh.s.app.Me != nil {
		parts = append(parts, components.Empty("No session yet", "Write to "+name+" below. Only you two can read it."))
	}
	parts = append(parts, &components.AgentAbout{
		Agent: v.Agent, NPub: v.NPub, Info: v.Info, Named: v.HasInfo, Relays: v.Relays, Talked: len(v.Sessions) > 0,
	})
	if len(v.Others) > 0 {
		parts = append(parts, otherMessages(v.Others))
	}
	return title, append(plainPage(parts...), sh.promptFoot(name, v.DraftKey, v.Draft)...), nil
}

// takeAgent takes what is known of the agent that the page, or the session on it,
// is about.
func (sh *shell) takeAgent(v port.AgentView) {
	first := sh.s.agent == nil && sh.s.route.Page == Agent
	if first {
		v.Draft = sh.unstash(v.DraftKey, v.Draft)
	}
	sh.s.agent = &v
	if first {
		sh.measure(v.Draft)
	}
}

// newSessionButton begins a session, as Ctrl+Shift+O does.
func newSessionButton() ui.UI {
	return ui.Button().Type("button").Class("btn", "new-session").Title("New session (Ctrl+Shift+O)").Aria("keyshortcuts", "Control+Shift+O Meta+Shift+O").OnClick(func(ctx ui.Context, _ ui.Event) {
		ctx.NewAction(components.DoNewSession)
	}).Body(components.Icon("plus"), ui.Span().Text("New session"))
}

// sessionLines are the sessions with an agent; here is the one that is open.
func (sh *shell) sessionLines(v *port.AgentView, here string) []components.SessionLine {
	lines := make([]components.SessionLine, 0, len(v.Sessions))
	for _, s := range v.Sessions {
		lines = append(lines, components.SessionLine{
			Href:  Route{Page: Session, NPub: sh.s.route.NPub, Session: s.Session.ID}.Path(),
			Title: s.Session.Title, When: sh.when(s.Session.Last), State: s.State, Unread: s.Unread, Here: s.Session.ID == here,
		})
	}
	return lines
}

// otherMessages are what an agent sent that answers nothing.
func otherMessages(list []port.OtherMessage) ui.UI {
	rows := make([]ui.UI, 0, len(list))
	for _, m := range list {
		rows = append(rows, ui.Article().Class("other").DataSet("event", m.ID).Body(
			ui.Time().DateTime(components.ISOTime(m.At)).Title(components.FullTime(m.At)).Text(components.Moment(m.At)),
			&components.Markdown{Text: m.Text}))
	}
	return ui.Section().Class("panel").Body(append([]ui.UI{ui.H2().Text("Other messages from this agent")}, rows...)...)
}
