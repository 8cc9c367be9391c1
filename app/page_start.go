package app

import (
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/components"
	"parley/wasm/port"
	"parley/wasm/room"
)

// maxWaiting is how many questions the start page names. The others are counted.
const maxWaiting = 3

// startPage is what waits, the rooms, and the agents. Each part has a place of
// its own, so that what is typed below stays when one above comes or goes.
func (sh *shell) startPage() (ui.UI, []ui.UI, []ui.UI) {
	first := ui.Div().Class("start-first")
	switch {
	case !sh.s.known:
	case sh.s.app.Me == nil:
		first = first.Body(ui.Div().Class("welcome").Body(
			ui.P().Text("Rooms where people and AI agents talk. Look around freely; to write, you need a key, which takes a few seconds."),
			ui.Div().Class("row").Body(
				ui.A().Class("btn", "main").Href(components.Path("/settings")).Text("Sign in"),
			),
		))
	default:
		first = first.Body(&components.Waiting{
			Lines: sh.waitingLines(), More: sh.moreWaiting(), Running: sh.s.app.Running, Loading: sh.asksLoading(),
		})
	}
	lists := ui.Div().Class("start-lists").Body(
		&components.RoomGroup{Lines: sh.roomLines(), Wide: true, SignedIn: sh.s.app.Me != nil, Loading: !sh.s.known},
		&components.AgentGroup{Lines: sh.agentLines(), Wide: true, Loading: !sh.s.known},
	)
	open := ui.Section().Class("panel", "open-something").Body(
		&components.Opener{
			Label: "Open a link or a code", Hint: "A link to a room, or an npub, note, nevent, naddr or nprofile.",
			Button: "Open", Action: components.DoFind, Form: sh.s.form(components.DoFind),
		},
	)
	return head("", "Parley", "", nil), plainPage(first, lists, open), nil
}

func (sh *shell) asksLoading() bool {
	return sh.s.trouble == "" && (sh.s.asks == nil || sh.s.asks.Loading)
}

// waitingLines are the questions that wait and end soonest.
func (sh *shell) waitingLines() []components.WaitingLine {
	if sh.s.asks == nil {
		return nil
	}
	var lines []components.WaitingLine
	for i := range sh.s.asks.Items {
		item := &sh.s.asks.Items[i]
		if item.Dismissed || len(lines) == maxWaiting {
			continue
		}
		lines = append(lines, components.WaitingLine{
			Href: Route{Page: Ask, ID: item.View.ID}.Path(), Asker: item.People[item.View.Asker],
			Title: askLine(item), Room: item.RoomName, Expires: item.View.Expires,
		})
	}
	return lines
}

// moreWaiting counts the questions that waitingLines leaves out.
func (sh *shell) moreWaiting() int { return max(0, sh.s.app.NeedsYou-maxWaiting) }

// askLine is a question in a line: what it is about, else how it begins.
func askLine(item *port.AskItem) string {
	text := item.View.Subject
	if text == "" {
		text = room.Plain(item.View.Text, item.Refs)
	}
	return strings.Join(strings.Fields(text), " ")
}

// rail draws the way around.
func (sh *shell) rail() ui.UI {
	r := &components.Rail{
		Page: string(sh.s.route.Page), Rooms: sh.roomLines(), Agents: sh.agentLines(),
		NeedsYou: sh.s.app.NeedsYou, Running: sh.s.app.Running, Loading: !sh.s.known,
	}
	if me := sh.s.app.Me; me != nil {
		r.SignedIn, r.Me, r.MeSeed, r.MePicture = true, me.Person.Name, me.Person.PubKey, me.Person.Picture
	}
	return r
}

func (sh *shell) tabBar() ui.UI {
	on := map[Page]string{
		Start: "rooms", Room: "rooms", Thread: "rooms", Agents: "agents", Agent: "agents", Session: "agents",
		Asks: "asks", Ask: "asks", Tasks: "asks", Settings: "settings",
	}[sh.s.route.Page]
	return &components.Tabs{On: on, NeedsYou: sh.s.app.NeedsYou, Unread: sh.s.unread()}
}

func (sh *shell) roomLines() []components.Line {
	here := sh.room()
	lines := make([]components.Line, 0, len(sh.s.app.Rooms))
	for _, r := range sh.s.app.Rooms {
		lines = append(lines, components.Line{
			Href: Route{Page: Room, Room: r.Ref}.Path(), Seed: r.Ref.Relay + r.Ref.ID, Name: r.Name, About: r.About, Last: r.Last, Picture: r.Picture,
			When: sh.when(r.At), Unread: r.Unread, Loud: r.Loud, Room: true,
			Here: r.Ref == here && (sh.s.route.Page == Room || sh.s.route.Page == Thread),
		})
	}
	return lines
}

func (sh *shell) agentLines() []components.Line {
	lines := make([]components.Line, 0, len(sh.s.app.Agents))
	for _, a := range sh.s.app.Agents {
		last := a.Last
		if a.Busy {
			last = "Writing an answer…"
		}
		lines = append(lines, components.Line{
			Href: Route{Page: Agent, NPub: a.NPub}.Path(), Seed: a.Person.PubKey, Name: a.Person.Name, About: a.Person.About, Last: last, Picture: a.Person.Picture,
			When: sh.when(a.At), Unread: a.Unread, Loud: true, Here: sh.s.route.NPub == a.NPub,
		})
	}
	return lines
}

func (sh *shell) when(at int64) string {
	if at == 0 {
		return ""
	}
	return components.Since(at, sh.s.now)
}

// banners are what holds for the whole page.
func (sh *shell) banners() []ui.UI {
	switch sh.s.link {
	case LinkOutdated:
		return []ui.UI{&components.Banner{
			Text: "Parley was updated.", Label: "Update", Action: components.DoReload,
		}}
	case LinkDead:
		return []ui.UI{&components.Banner{
			Tone: "bad", Text: "Parley's core has stopped: " + sh.s.why, Label: "Start again", Action: components.DoRestart,
		}}
	}
	me := sh.s.app.Me
	elsewhere := me != nil && sh.s.route.Page != Settings
	// First, and always with a place of its own, since somebody types in it.
	list := []ui.UI{ui.Text("")}
	if elsewhere && me.Locked {
		list[0] = ui.Div().Class("banner", "warn").Body(&components.Unlock{Form: sh.s.form(components.DoUnlock)})
	}
	for _, n := range sh.s.app.Notices {
		list = append(list, &components.Banner{Tone: "warn", Text: n.Text, Dismiss: n.Code})
	}
	if !elsewhere {
		return list
	}
	if me.Link != "" {
		list = append(list, components.SignerLink(me.Link))
	}
	switch {
	case me.Away != "" && me.Signer == "remote":
		list = append(list, &components.Banner{Tone: "warn", Text: me.Away, Label: "Reconnect", Action: components.DoReconnect})
	case me.Away != "":
		list = append(list, &components.Banner{Tone: "warn", Text: me.Away, Label: "Settings", Href: "/settings"})
	}
	if me.Signer == "local" && !me.BackedUp {
		list = append(list, &components.Banner{
			Tone: "warn", Text: "Your key is only in this browser. Save its backup and check it.", Label: "Back up", Href: "/settings#backup",
		})
	}
	return list
}

// dialog draws the dialog that is open: one about a relay first, since it waits
// for an answer.
func (sh *shell) dialog() []ui.UI {
	for _, d := range sh.s.app.Dialogs {
		if d.Kind+" "+d.URL != sh.s.answered {
			return []ui.UI{relayDialog(d)}
		}
	}
	if d := sh.ownDialog(); d != nil {
		return []ui.UI{d}
	}
	return nil
}

func relayDialog(d port.Dialog) ui.UI {
	if d.Kind == "auth" {
		return &components.Confirm{
			Kind: "auth", Value: d.URL, Title: "Sign in to " + d.URL + "?",
			Text: "The relay wants to know who you are. It then sees that this public key reads there.",
			Yes:  "Sign in", No: "Not now",
		}
	}
	return &components.Confirm{
		Kind: "open", Value: d.URL, Title: "Open " + d.URL + "?",
		Text: "A link leads to this relay, which is not one of yours. It would see your network address.",
		Yes:  "Open", No: "Not now",
	}
}

func (sh *shell) ownDialog() ui.UI {
	call := sh.s.dialog
	switch call.Name {
	case components.DialogSignOut:
		me := sh.s.app.Me
		if me == nil {
			return nil
		}
		return &components.SignOut{Lost: me.Signer == "local" && !me.BackedUp, Form: sh.s.form(components.DoSignOut)}
	case components.DialogRoom:
		return &components.RoomForm{Relays: sh.myRelays(), Form: sh.s.form(components.DoCreateRoom)}
	case components.DialogEditRoom:
		return sh.editRoomDialog()
	case components.DialogLeave:
		return &components.Confirm{
			Title: "Leave " + sh.roomName() + "?", Text: "Your messages stay. The room leaves your list.",
			Yes: "Leave", No: "Stay", Action: components.DoLeave, Value: call.ID,
		}
	case components.DialogDelete:
		return &components.Confirm{
			Title: "Delete this message?", Text: "The relay is asked to delete it. Who has read it may have kept it.",
			Yes: "Delete", No: "Keep", Action: components.DoDelete, Value: call.ID,
		}
	case components.DialogReport:
		return &components.Report{ID: call.ID}
	case components.DialogBlock:
		return &components.Confirm{
			Title: "Block this person?", Text: "You no longer see what they write. They are not told. The settings can undo it.",
			Yes: "Block", No: "Cancel", Action: components.DoBlock, Value: call.ID,
		}
	}
	return sh.cardDialog(call)
}

func (sh *shell) myRelays() []string {
	var urls []string
	for _, r := range sh.s.app.Relays {
		if r.Mine {
			urls = append(urls, r.URL)
		}
	}
	return urls
}
