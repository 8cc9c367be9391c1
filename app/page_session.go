package app

import (
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/components"
	"parley/wasm/port"
)

func (sh *shell) sessionPage() (ui.UI, []ui.UI, []ui.UI) {
	s := sh.s.session
	name, seed := "Agent", sh.s.route.NPub
	if s != nil && s.known {
		name, seed = s.head.Agent.Name, s.head.Agent.PubKey
	}
	back := Route{Page: Agent, NPub: sh.s.route.NPub}.Path()
	title := head(back, name, sh.sessionSub(), components.Avatar(seed, name), newSessionButton(), sh.detailsButton())
	if sh.s.trouble != "" {
		return title, plainPage(components.Empty("This session cannot be shown", sh.s.trouble)), nil
	}
	sh.drawn(sh.observeLog)
	class := "session-log"
	if sh.scroll.follow {
		class = "session-log follows" // the browser is not to hold a place of its own
	}
	log := ui.Section().ID(logID).Class("log", "messages", class).Role("log").Aria("live", "off").Aria("label", "Messages").
		TabIndex(0).OnScroll(sh.onSessionScroll).OnKeyDown(sh.onLogKey).
		Body(ui.Div().Class("col", "runs").Body(sh.runRows()...))
	wrap := ui.Div().Class("log-wrap").Body(log, sh.sessionEndButton())
	key, draft := "", ""
	if s != nil {
		key, draft = s.head.DraftKey, s.head.Draft
	}
	return title, append([]ui.UI{wrap}, sh.promptFoot(name, key, draft)...), sh.sessionSide()
}

// sessionSub says how the session is spoken.
func (sh *shell) sessionSub() string {
	info, named := sh.info()
	words := []string{"Encrypted end to end"}
	if model := sh.choice().Model; model != "" {
		words = append(words, model)
	} else if info.DefaultModel != "" {
		words = append(words, info.DefaultModel)
	}
	if named && info.SupportsStreaming {
		words = append(words, "streams")
	}
	return strings.Join(words, " · ")
}

// runRows are the runs of the session, each drawing itself.
func (sh *shell) runRows() []ui.UI {
	s := sh.s.session
	if s == nil || !s.known || s.head.Loading && len(s.head.Order) == 0 {
		return []ui.UI{ui.P().Class("empty", "log-top").Text("Loading…")}
	}
	top := ui.P().Class("empty", "log-top").Text("Only you and " + s.head.Agent.Name + " can read this.")
	if s.head.Earlier > 0 {
		top = top.Text(components.Plural(s.head.Earlier, "earlier question is", "earlier questions are") + " not shown.")
	}
	rows := []ui.UI{top}
	var me port.Identity
	if sh.s.app.Me != nil {
		me = *sh.s.app.Me
	}
	for _, id := range s.head.Order {
		if feed := s.feeds[id]; feed != nil {
			rows = append(rows, &components.Run{
				Feed: feed, ID: id, Me: me.Person, Agent: s.head.Agent, Models: s.head.Info.SupportedModels,
			})
		}
	}
	return rows
}

// promptFoot is where a prompt is written, or what to do before.
func (sh *shell) promptFoot(name, key, draft string) []ui.UI {
	switch {
	case !sh.s.known:
		return []ui.UI{ui.Div().Class("comp", "quiet-foot")}
	case sh.s.app.Me == nil:
		return []ui.UI{ui.Div().Class("comp").Body(ui.A().Class("btn", "main", "wide").
			Href(components.Path("/settings")).Text("Sign in to write"))}
	}
	info, named := sh.info()
	w := sh.s.write
	return []ui.UI{
		&components.PromptOptions{Info: info, Named: named, Choice: sh.choice(), Meter: sh.s.prompts.meter, Asked: sh.s.prompts.asked},
		&components.Composer{
			Place: sh.s.route.Path(), Key: key, Draft: draft, Hint: "Message " + name, Over: w.over,
			Fill: w.fill, Filled: w.filled, Replace: w.replace,
		},
	}
}

func (sh *shell) sessionSide() []ui.UI {
	s := sh.s.session
	if s == nil || !s.known {
		return nil
	}
	side := &components.SessionSide{
		Choice: sh.choice(), Info: s.head.Info, Named: s.head.HasInfo,
		Usage: s.head.Usage, Cost: s.head.Cost, Note: s.head.Note,
	}
	if sh.s.agent != nil {
		for _, l := range sh.sessionLines(sh.s.agent, sh.s.route.Session) {
			if !l.Here {
				side.Earlier = append(side.Earlier, l)
			}
		}
	}
	return []ui.UI{
		ui.Div().Class("side-head").Body(
			ui.B().Text("Details"),
			components.IconButton("close", "Close details").OnClick(func(ctx ui.Context, _ ui.Event) {
				ctx.NewAction(components.DoDetails)
			}),
		),
		side,
	}
}

// takeSession takes an update of the session that is open. Runs draw
// themselves; the page is drawn only when something else changed.
func (sh *shell) takeSession(v port.SessionView) {
	s := sh.s.session
	first := !s.known
	if first {
		v.Draft = sh.unstash(v.DraftKey, v.Draft)
	}
	if s.take(v) {
		sh.changed()
		sh.setTitle()
	}
	sh.hearRuns(v.Runs)
	// The log follows its end by its size (watchLog): looking at it here would
	// have the browser lay the page out twice for every piece.
	if sh.s.prompts.seek != "" {
		sh.drawn(sh.seekRun)
	}
	if first {
		sh.measure(s.head.Draft)
	}
}

// toFragment shows what the address names after "#": a run or a message.
func (sh *shell) toFragment() {
	id := fragment()
	if !isHex(id) {
		return
	}
	switch sh.s.route.Page {
	case Session:
		sh.s.prompts.seek = id
		sh.drawn(sh.seekRun)
	case Room, Thread:
		sh.jump(id)
	}
}

// seekRun shows the run that a search found.
func (sh *shell) seekRun() {
	id := sh.s.prompts.seek
	log := logElement()
	if !log.Truthy() || !isHex(id) {
		sh.s.prompts.seek = ""
		return
	}
	article := log.Call("querySelector", `[data-run="`+id+`"]`)
	if !article.Truthy() {
		return // it comes with a later update, or not at all
	}
	sh.s.prompts.seek, sh.scroll.follow = "", false
	article.Call("scrollIntoView", map[string]any{"block": "start"})
	article.Call("focus", map[string]any{"preventScroll": true})
}

// onSessionScroll lets go of the end when the person scrolls away from it, and
// takes hold of it again when they come back.
func (sh *shell) onSessionScroll(ctx ui.Context, _ ui.Event) {
	v, ok := measure()
	before := sh.scroll.follow
	if ok {
		sh.scroll.moved(v, &timeline{})
	}
	if before == sh.scroll.follow {
		ctx.PreventUpdate()
	}
}

// sessionToEnd has the log follow its end.
func (sh *shell) sessionToEnd() {
	sh.scroll.follow = true
	sh.drawn(toEnd)
}

func (sh *shell) sessionEndButton() ui.UI {
	s := sh.s.session
	if sh.scroll.follow || s == nil || len(s.head.Order) == 0 {
		return ui.Text("")
	}
	return ui.Button().Type("button").Class("latest").OnClick(func(_ ui.Context, _ ui.Event) {
		sh.sessionToEnd()
	}).Body(components.Icon("down"), ui.Span().Text("Jump to latest"))
}
