package app

import (
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/components"
	"parley/wasm/port"
	"parley/wasm/room"
)

func (sh *shell) roomName() string {
	if t := sh.s.main; t != nil && t.info != nil && t.info.Meta.Name != "" {
		return t.info.Meta.Name
	}
	return sh.s.route.Room.ID
}

func (sh *shell) meta() room.Meta {
	if t := sh.s.main; t != nil && t.info != nil {
		return t.info.Meta
	}
	return room.Meta{Ref: sh.s.route.Room, Name: sh.s.route.Room.ID}
}

func (sh *shell) roomPage() (ui.UI, []ui.UI, []ui.UI) {
	meta := sh.meta()
	avatar := components.RoomFace(meta, "room")
	return head("/", sh.roomName(), sh.roomSub(), avatar, sh.detailsButton()), sh.logBody(), sh.detailsSide()
}

func (sh *shell) threadPage() (ui.UI, []ui.UI, []ui.UI) {
	back := Route{Page: Room, Room: sh.room()}.Path()
	toRoom := ui.A().Class("btn", "to-room").Href(components.Path(back)).Text("Back to the room")
	return head(back, "Thread", "in "+sh.roomName(), nil, toRoom, sh.detailsButton()), sh.logBody(), sh.detailsSide()
}

func (sh *shell) detailsButton() ui.UI {
	return components.IconButton("details", "Details").Class("details-button").
		Aria("expanded", sh.s.details).OnClick(func(ctx ui.Context, _ ui.Event) {
		ctx.NewAction(components.DoDetails)
	})
}

// toggleDetails shows or hides the details where they lie over the
// conversation, and takes the keyboard along.
func (sh *shell) toggleDetails() {
	sh.s.details = !sh.s.details
	to := ".details-button"
	if sh.s.details {
		to = ".side button"
	}
	sh.drawn(func() { focusFirst(to) })
}

func (sh *shell) onSideKey(ctx ui.Context, e ui.Event) {
	if !sh.s.details || e.Get("key").String() != "Escape" {
		ctx.PreventUpdate()
		return
	}
	e.PreventDefault()
	sh.toggleDetails()
}

// roomSub says who is in a room: "12 people, 2 agents".
func (sh *shell) roomSub() string {
	t := sh.s.main
	if t == nil || t.info == nil {
		return ""
	}
	if m := t.info.Meta; len(m.Members) == 0 {
		if m.Known && !m.Private && !m.Restricted {
			return "Open to everybody"
		}
		return ""
	}
	agents := 0
	named := map[string]bool{}
	for _, key := range t.info.Agents {
		named[key] = true
	}
	for _, m := range t.info.Meta.Members {
		if named[m.Person.PubKey] {
			agents++
		}
	}
	words := components.Plural(len(t.info.Meta.Members)-agents, "person", "people")
	if agents > 0 {
		words += ", " + components.Plural(agents, "agent", "agents")
	}
	return words
}

// logBody is the log with what belongs to it: the way to its end and the
// composer.
func (sh *shell) logBody() []ui.UI {
	t := sh.s.main
	if t == nil {
		return nil
	}
	log := ui.Section().ID(logID).Class("log", "messages").Role("log").Aria("live", "off").Aria("label", "Messages").
		TabIndex(0).OnScroll(sh.onScroll).OnKeyDown(sh.onLogKey).
		Body(ui.Div().Class("col").Body(sh.logRows(t)...))
	wrap := ui.Div().Class("log-wrap").Body(log, sh.latestButton(t))
	return []ui.UI{wrap, sh.foot(t)}
}

// logRows are the parts of a log, each in its slot.
func (sh *shell) logRows(t *timeline) []ui.UI {
	rows := make([]ui.UI, 0, len(t.slots)+1)
	rows = append(rows, sh.logTop(t))
	day := components.DayOf(sh.s.now)
	for _, p := range t.mounted.shown {
		if p == nil {
			rows = append(rows, ui.Text(""))
			continue
		}
		rows = append(rows, &logPart{Part: p, Now: day})
	}
	return rows
}

// logTop stands above the first message: why there is nothing, or what is
// before.
func (sh *shell) logTop(t *timeline) ui.UI {
	box := ui.Div().Class("log-top")
	problem := t.problem
	if sh.s.trouble != "" {
		problem = sh.s.trouble
	}
	switch {
	case !sh.relayIsOpen():
		return box.Body(sh.closedRelay(problem))
	case problem != "":
		return box.Body(components.Empty("This cannot be loaded", problem))
	case t.loading:
		return box.Body(ui.P().Class("empty").Text(sh.untilLoaded("Loading…")))
	case len(t.order) == 0 && t.root != "":
		return box.Body(components.Empty("Nothing of this thread is here", "Its relay does not have it, or it was deleted."))
	case len(t.order) == 0 && t.info != nil && !t.info.Meta.Known:
		return box.Body(components.Empty("The relay tells nothing of this room",
			"It may be mistyped, deleted, or for members only."))
	case len(t.order) == 0 && (t.info == nil || !t.info.CanWrite):
		return box.Body(components.Empty("Nothing here yet", "Nobody has written in this room."))
	case len(t.order) == 0:
		return box.Body(components.Empty("Nothing here yet", "Write the first message."))
	case t.older:
		return box.Body(ui.P().Class("empty").Text(sh.untilLoaded("Loading older messages…")))
	}
	return box.Body(ui.P().Class("empty").Text("This is where it begins."))
}

// untilLoaded are the words while the room's relay is asked, or why that takes.
func (sh *shell) untilLoaded(words string) string {
	url := sh.room().Relay
	for _, r := range sh.s.app.Relays {
		switch {
		case r.URL != url:
		case r.State == port.Online && r.Why != "":
			return "The relay of this room is connected, but does not answer. It is asked again."
		case r.State == port.Offline:
			return "The relay of this room is away. It is tried again and again."
		}
	}
	return words
}

// relayIsOpen reports whether the relay of the room may be asked: it is one of
// the person's, or was opened for this. Until that is known it counts as open.
func (sh *shell) relayIsOpen() bool {
	url := sh.room().Relay
	if !sh.s.known || url == "" {
		return true
	}
	for _, r := range sh.s.app.Relays {
		if r.URL == url {
			return true
		}
	}
	return false
}

// closedRelay says why a room is not shown, and opens its relay after all.
func (sh *shell) closedRelay(problem string) ui.UI {
	url := sh.room().Relay
	if problem == "" {
		problem = "This room is on " + url + ", which is not among your relays."
	}
	if !strings.HasPrefix(url, "wss://") && !strings.HasPrefix(url, "ws://") {
		return components.Empty("This room cannot be opened", problem) // there is no such relay
	}
	return components.Empty("This room is not opened", problem,
		ui.Button().Type("button").Class("btn", "main").Text("Open "+url).OnClick(func(ctx ui.Context, _ ui.Event) {
			ctx.NewActionWithValue(components.DoAskedRelay, components.RelayAnswer{Kind: "open", URL: url, Allow: true})
		}, ui.EventScope(url)))
}

func (sh *shell) latestButton(t *timeline) ui.UI {
	if sh.scroll.follow && t.newer == 0 || len(t.order) == 0 {
		return ui.Text("")
	}
	label := "Jump to latest"
	parts := []ui.UI{components.Icon("down"), ui.Span().Text(label)}
	if t.newer > 0 {
		parts = append(parts, ui.Span().Class("count").Body(
			ui.Text(components.Number(t.newer)), ui.Span().Class("sr").Text(" new")))
	}
	return ui.Button().Type("button").Class("latest").OnClick(func(ctx ui.Context, _ ui.Event) {
		ctx.NewAction(components.DoLatest)
	}).Body(parts...)
}

// foot is the composer, or what to do before one can write.
func (sh *shell) foot(t *timeline) ui.UI {
	me := sh.s.app.Me
	switch {
	case !sh.s.known || t.info == nil || !sh.relayIsOpen() && len(t.order) == 0:
		return ui.Div().Class("comp", "quiet-foot")
	case me == nil:
		return ui.Div().Class("comp").Body(ui.A().Class("btn", "main", "wide").
			Href(components.Path("/settings")).Text("Sign in to write"))
	case !t.info.CanWrite && !t.info.Member:
		return sh.joinFoot(t)
	case !t.info.CanWrite:
		return ui.Div().Class("comp").Body(ui.P().Class("empty").Text(t.info.WhyNot))
	}
	return sh.composer(t)
}

func (sh *shell) joinFoot(t *timeline) ui.UI {
	form := sh.s.form(components.DoJoin)
	words := t.info.WhyNot
	if t.info.Joining != "" {
		words = t.info.Joining
	}
	if form.Error != "" {
		words = form.Error
	}
	return ui.Div().Class("comp").Body(
		ui.P().Class("empty").Dir("auto").Text(words),
		ui.Button().Type("button").Class("btn", "main", "wide").Text("Join").Disabled(form.Busy).
			OnClick(func(ctx ui.Context, _ ui.Event) { ctx.NewAction(components.DoJoin) }),
	)
}

func (sh *shell) composer(t *timeline) ui.UI {
	hint := "Message " + sh.roomName()
	if sh.s.route.Page == Thread {
		hint = "Reply in this thread"
	}
	w := sh.s.write
	return &components.Composer{
		Place: sh.s.route.Path(), Key: t.draftKey, Draft: t.draft, Hint: hint, Over: w.over,
		Fill: w.fill, Filled: w.filled, Replace: w.replace, LastOwn: t.lastOwn(),
		Who: &sh.who, Known: sh.who.known(), Tools: sh.composerTools(t), Attach: t.info.Upload, Files: sh.s.files.at(sh.s.route.Path()),
	}
}

func (sh *shell) detailsSide() []ui.UI {
	t := sh.s.main
	if t == nil || t.info == nil {
		return nil
	}
	d := &components.Details{
		Meta: t.info.Meta, Agents: t.info.Agents, Listed: t.info.Listed, Member: t.info.Member, Admin: t.info.Admin,
		SignedIn: sh.s.app.Me != nil, Joining: t.info.Joining, Invite: sh.s.invite,
		Share:     Route{Page: Room, Room: t.info.Meta.Ref}.Path(),
		InviteWay: sh.s.form(components.DoInvite), Adding: sh.s.form(components.DoAddMember),
	}
	if me := sh.s.app.Me; me != nil {
		d.Me = me.Person.PubKey
	}
	if len(t.info.Meta.Members) == 0 {
		d.Seen = t.authors()
	}
	return []ui.UI{
		ui.Div().Class("side-head").Body(
			ui.B().Text("Details"),
			components.IconButton("close", "Close details").OnClick(func(ctx ui.Context, _ ui.Event) {
				ctx.NewAction(components.DoDetails)
			}),
		),
		d,
	}
}

func (sh *shell) editRoomDialog() ui.UI {
	m := sh.meta()
	return &components.RoomForm{
		Edit: true, Form: sh.s.form(components.DoEditRoom),
		Room: components.RoomChange{
			Name: m.Name, About: m.About, Private: m.Private, Closed: m.Closed, Restricted: m.Restricted,
		},
	}
}

// onLogKey moves the keyboard from message to message: j and k.
func (sh *shell) onLogKey(ctx ui.Context, e ui.Event) {
	ctx.PreventUpdate()
	target := e.Get("target")
	if e.Get("ctrlKey").Truthy() || e.Get("metaKey").Truthy() || e.Get("altKey").Truthy() || !target.Truthy() {
		return
	}
	if target.Call("matches", "input, textarea, select, button, [contenteditable]").Truthy() {
		return
	}
	step := map[string]int{"j": 1, "k": -1}[e.Get("key").String()]
	if step == 0 {
		return
	}
	e.PreventDefault()
	focusEntry(target, step)
}

// focusEntry focuses the article after or before the one that holds an element.
func focusEntry(from ui.Value, step int) {
	log := logElement()
	if !log.Truthy() {
		return
	}
	articles := log.Call("querySelectorAll", "article")
	n := articles.Length()
	if n == 0 {
		return
	}
	at := n // the end, for j from the log itself comes back to the last
	if current := from.Call("closest", "article"); current.Truthy() {
		for i := range n {
			if articles.Index(i).Equal(current) {
				at = i
			}
		}
	}
	next := articles.Index(max(0, min(n-1, at+step)))
	focusArticle(next)
	next.Call("scrollIntoView", map[string]any{"block": "nearest"})
}

// focusArticle moves the keyboard to an article, which takes it only this way.
func focusArticle(article ui.Value) {
	article.Set("tabIndex", -1)
	article.Call("focus", map[string]any{"preventScroll": true})
}
