package app

import (
	"encoding/json"
	"strings"
	"time"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/components"
	"parley/wasm/port"
)

// shell is the whole page. It owns the link to the core and all state; every
// action of a component ends here.
type shell struct {
	ui.Compo

	s       state
	ctx     ui.Context
	inbox   inbox
	link    Link
	tabs    Tabs
	drafts  drafts
	scroll  scroller
	watches watches
	dirty   bool     // something that is drawn has changed in this turn
	aim     *aim     // where the log is to be brought once that entry is mounted
	marked  string   // the newest message that was marked as read
	sizes   ui.Value // watches the log's size
	who     finder   // whom the composer can name
	// wait calls f from anywhere once d has passed; the real clock when nil.
	wait func(d time.Duration, f func()) (stop func())
}

// OnMount implements ui.Mounter: it begins the life of the page.
func (sh *shell) OnMount(ctx ui.Context) {
	sh.ctx = ctx
	if sh.wait == nil {
		sh.wait = waitFor
	}
	sh.inbox.turn = func() { ctx.Dispatch(sh.turn) }
	sh.s.build, _ = bootInfo()
	sh.s.now, sh.s.link = now(), LinkStarting
	sh.scroll.follow = true
	sh.who.sh = sh
	sh.drafts.save = sh.saveDraft
	sh.drafts.after, sh.drafts.gone = sh.after, unstashed
	for _, handlers := range []map[string]ui.ActionHandler{sh.handlers(), sh.cardHandlers(), sh.agentHandlers()} {
		for name, handle := range handlers {
			ctx.Handle(name, handle)
		}
	}
	sh.connect()
	sh.listen()
}

// connect joins the page to the core of this browser.
func (sh *shell) connect() {
	sh.link = Link{
		Build: sh.s.build, Send: sh.tabs.Send, Update: sh.take, Stands: sh.stands, Failed: sh.watchFailed,
		Request: func(id int64, method string, args json.RawMessage) {
			callExtension(method, args, func(value json.RawMessage, err *port.Error) {
				sh.inbox.post(func() { sh.link.Answer(id, value, err) })
			})
		},
	}
	sh.tabs = Tabs{
		Tab: newTabID(), Build: sh.s.build, Worker: noWorker{}, Now: time.Now,
		Deliver: sh.link.Receive, Renewed: sh.link.Renew,
	}
	joinBrowser(&sh.tabs, &sh.link, sh.inbox.post)
	sh.watches.link = &sh.link
	sh.watches.keep("app", port.WatchParams{Name: port.AppName})
	if sh.link.State() != LinkDead {
		sh.tabs.Start()
	}
	sh.after(tickEvery, sh.tick)
}

// noWorker stands in until there is a browser.
type noWorker struct{}

func (noWorker) Start()         {}
func (noWorker) Stop()          {}
func (noWorker) Restart(string) {}
func (noWorker) Send(string)    {}

// turn does what JavaScript's callbacks have put in, all in one go.
func (sh *shell) turn(ctx ui.Context) {
	sh.dirty = false
	sh.inbox.drain()
	if !sh.dirty {
		ctx.PreventUpdate()
	}
}

// drawn calls f once what has changed is drawn.
func (sh *shell) drawn(f func()) { sh.ctx.Defer(func(ui.Context) { f() }) }

// changed has the page drawn anew.
func (sh *shell) changed() { sh.dirty = true }

// after calls f on the page's goroutine once d has passed, unless it is
// stopped.
func (sh *shell) after(d time.Duration, f func()) (stop func()) {
	return sh.wait(d, func() { sh.inbox.post(f) })
}

// waitFor is the real clock.
func waitFor(d time.Duration, f func()) (stop func()) {
	timer := time.AfterFunc(d, f)
	return func() { timer.Stop() }
}

// tick is called every second: other tabs, what is to be read out, the minute.
func (sh *shell) tick() {
	sh.after(tickEvery, sh.tick)
	sh.tabs.Tick()
	if sh.speak(now()) {
		sh.changed()
	}
	if at := now(); at/60 != sh.s.now/60 {
		sh.s.now = at
		sh.changed()
	}
	sh.markRead()
}

// stands takes a new state of the link.
func (sh *shell) stands() {
	sh.s.link, sh.s.why = sh.link.State(), sh.link.Why()
	if sh.link.Strange() {
		sh.tabs.TakeOver()
	}
	sh.changed()
}

// OnNav implements ui.Navigator.
func (sh *shell) OnNav(ctx ui.Context) {
	u := ctx.Page().URL()
	sh.goTo(ParseRoute(strings.TrimPrefix(u.EscapedPath(), components.Base), u.RawQuery))
}

// goTo shows a place of the app.
func (sh *shell) goTo(r Route) {
	if r == sh.s.route && sh.s.route.Page != "" {
		sh.toFragment()
		return
	}
	first := sh.s.route.Page == ""
	sh.leave()
	sh.s.route = r
	sh.s.main, sh.s.asks, sh.s.ask, sh.s.tasks, sh.s.agent, sh.s.session = nil, nil, nil, nil, nil, nil
	sh.s.trouble, sh.s.details, sh.s.invite, sh.s.asked = "", false, "", asked{}
	sh.s.prompts.meter, sh.s.prompts.seek, sh.s.reads = components.Meter{}, fragment(), reader{}
	sh.s.dialog, sh.s.forms, sh.s.write = components.DialogCall{}, nil, writing{filled: sh.s.write.filled}
	sh.scroll, sh.aim, sh.marked = scroller{follow: true}, nil, ""
	sh.watchRoute()
	sh.setTitle()
	if !first {
		sh.drawn(focusHeading)
	}
}

// leave keeps what would be lost with the page that is left.
func (sh *shell) leave() {
	sh.drafts.flush()
	sh.keepPlace()
}

// keepPlace keeps where the log is, unless it is at its end.
func (sh *shell) keepPlace() {
	if sh.s.main == nil {
		return
	}
	if sh.scroll.follow {
		keepAnchor(sh.s.route.Path(), anchor{})
		return
	}
	if a, ok := hold(); ok {
		keepAnchor(sh.s.route.Path(), a)
	}
}

// Render implements ui.Composer.
func (sh *shell) Render() ui.UI {
	class := []string{"app", "at-" + string(sh.s.route.Page)}
	if sh.s.details {
		class = append(class, "with-details")
	}
	if sh.s.known && sh.s.app.Me != nil {
		class = append(class, "signed-in")
	}
	title, body, side := sh.page()
	return ui.Div().Class(class...).Body(
		sh.rail(),
		&components.Connection{State: sh.s.connection(), Relays: sh.s.online()},
		ui.Main().Class("main").ID("main").Body(append([]ui.UI{
			title, ui.Div().Class("banners").Body(sh.banners()...), &components.Toasts{List: sh.s.toasts},
		}, body...)...),
		ui.Aside().Class("side").Aria("label", "Details").OnKeyDown(sh.onSideKey).Body(side...),
		sh.tabBar(),
		ui.Div().Class("sr").Aria("live", "polite").Aria("atomic", true).Body(ui.Text(sh.s.said.text)),
		ui.Div().Class("dialogs").Body(sh.dialog()...),
	)
}
