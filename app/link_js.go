package app

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// coreName names the lock and the channel of the one core of a browser.
const coreName = "parley-core"

// joinBrowser gives tabs what this browser has: its locks, its channel and the
// worker that boot.js looks after. Everything that comes from JavaScript goes
// through post. It returns the page's build and the path the app lives under.
func joinBrowser(t *Tabs, l *Link, post func(func())) {
	parley := ui.Window().Get("parley")
	if !parley.Truthy() {
		l.Die("The page was started without its boot script.")
		return
	}
	t.Worker = jsWorker{parley}
	locks := ui.Window().Get("navigator").Get("locks")
	channel := ui.Window().Get("BroadcastChannel")
	if locks.Truthy() && channel.Truthy() {
		t.Locks = jsLocks{locks, post}
		c := channel.New(coreName)
		t.Channel = jsChannel{c}
		c.Set("onmessage", ui.FuncOf(func(_ ui.Value, args []ui.Value) any {
			if data := args[0].Get("data"); data.Type() == ui.TypeString {
				text := data.String()
				post(func() { t.FromChannel(text) })
			}
			return nil
		})) // lives as long as the page
	}
	listen := func(name string, f func(text string)) {
		parley.Call(name, ui.FuncOf(func(_ ui.Value, args []ui.Value) any {
			text := ""
			if len(args) > 0 && args[0].Type() == ui.TypeString {
				text = args[0].String()
			}
			post(func() { f(text) })
			return nil
		})) // lives as long as the page
	}
	listen("onmessage", t.FromWorker)
	listen("onrestart", func(string) { t.WorkerRestarted() })
	listen("onfatal", func(why string) {
		if t.Leading() {
			l.Die(why)
		}
	})
}

// bootInfo returns the page's build and the path the app lives under, without
// a slash at its end.
func bootInfo() (build, base string) {
	parley := ui.Window().Get("parley")
	if !parley.Truthy() {
		return "", ""
	}
	base = parley.Get("base").String()
	for len(base) > 0 && base[len(base)-1] == '/' {
		base = base[:len(base)-1]
	}
	return parley.Get("build").String(), base
}

// restartCore asks boot.js for a new core after it gave up.
func restartCore() {
	if parley := ui.Window().Get("parley"); parley.Truthy() {
		parley.Call("restart", "")
	}
}

type jsWorker struct{ parley ui.Value }

func (w jsWorker) Start()             { w.call("start") }
func (w jsWorker) Stop()              { w.call("stop") }
func (w jsWorker) Restart(why string) { w.parley.Call("restart", why) }

func (w jsWorker) Send(text string) { w.parley.Call("send", text) }

func (w jsWorker) call(name string) {
	if w.parley.Get(name).Truthy() {
		w.parley.Call(name)
	}
}

type jsChannel struct{ channel ui.Value }

func (c jsChannel) Post(text string) { c.channel.Call("postMessage", text) }

// jsLocks is the Web Locks API.
type jsLocks struct {
	locks ui.Value
	post  func(func())
}

// Request asks for the lock and, once it is held, keeps it for the life of the
// page: the callback answers with a promise that is never settled.
func (j jsLocks) Request(wish LockWish, held, busy, lost func()) {
	options := map[string]any{}
	switch wish {
	case IfFree:
		options["ifAvailable"] = true
	case Steal:
		options["steal"] = true
	}
	answered, has := false, false
	var granted ui.Func
	granted = ui.FuncOf(func(_ ui.Value, args []ui.Value) any {
		answered = true
		if !args[0].Truthy() {
			j.post(busy)
			return nil
		}
		has = true
		j.post(held)
		nothing := ui.Window().Get("Function").Get("prototype") // callable, does nothing
		return ui.Window().Get("Promise").New(nothing)
	})
	settle(j.locks.Call("request", coreName, options, granted), func(ui.Value) {
		granted.Release()
	}, func(ui.Value) {
		granted.Release()
		switch {
		case has:
			j.post(lost)
		case !answered && wish == IfFree:
			j.post(held) // no locks for this origin after all: a core of our own
		}
	})
}
