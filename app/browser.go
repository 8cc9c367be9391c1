package app

import (
	"crypto/rand"
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/components"
	"parley/wasm/port"
)

// newTabID names this tab among those of the browser.
func newTabID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails (Go 1.24)
	return hex.EncodeToString(b[:])
}

// document is the page's document.
func document() ui.Value { return ui.Window().Get("document") }

// origin is where the app was loaded from: "https://chat.example".
func origin() string {
	if !ui.IsClient {
		return ""
	}
	return ui.Window().Get("location").Get("origin").String()
}

// fragment is the part of the page's address after "#".
func fragment() string {
	if !ui.IsClient {
		return ""
	}
	return strings.TrimPrefix(ui.Window().Get("location").Get("hash").String(), "#")
}

// visible reports whether somebody can see the page.
func visible() bool {
	return ui.IsClient && document().Get("visibilityState").String() == "visible"
}

// listen hears when the page is left, shown again or back online. The listeners
// live as long as the page.
func (sh *shell) listen() {
	if !ui.IsClient {
		return
	}
	on := func(target ui.Value, event string, f func()) {
		target.Call("addEventListener", event, ui.FuncOf(func(ui.Value, []ui.Value) any {
			sh.inbox.post(f)
			return nil
		}))
	}
	on(document(), "visibilitychange", func() {
		if visible() {
			sh.woke()
			return
		}
		sh.leave()
	})
	document().Call("addEventListener", "keydown", ui.FuncOf(func(_ ui.Value, args []ui.Value) any {
		if !isNewSession(args[0]) {
			return nil
		}
		// A dialog that is open comes first, with what is written in it.
		if button := document().Call("querySelector", ":root:not(:has(dialog[open])) .new-session"); button.Truthy() {
			args[0].Call("preventDefault") // some browsers open their bookmarks
			sh.inbox.post(func() { button.Call("click") })
		}
		return nil
	}))
	on(ui.Window(), "online", sh.woke)
	on(ui.Window(), "focus", sh.woke)
	on(ui.Window(), "pagehide", func() {
		sh.leave()
		sh.tabs.Send(port.Envelope{Type: port.Bye})
	})
	on(ui.Window(), "pageshow", sh.backAgain)
	sh.watchLog()
	if seen := ui.Window().Get("visualViewport"); seen.Truthy() {
		on(seen, "resize", fitKeyboard)
	}
}

// isNewSession reports whether a key means the button "New session": Ctrl+Shift+O,
// or with Command, as in other apps for talking to agents.
func isNewSession(e ui.Value) bool {
	return e.Get("code").String() == "KeyO" && e.Get("shiftKey").Bool() && !e.Get("altKey").Bool() &&
		(e.Get("ctrlKey").Bool() || e.Get("metaKey").Bool())
}

// keyboardHeight is the least that a keyboard on the screen takes away, in CSS
// pixels.
const keyboardHeight = 120

// fitKeyboard fits the page into what a keyboard on the screen leaves. Browsers
// that make the page itself smaller need no help; the others lay the keyboard
// over the composer.
func fitKeyboard() {
	seen := ui.Window().Get("visualViewport")
	root := document().Get("documentElement")
	height := seen.Get("height").Float()
	covered := ui.Window().Get("innerHeight").Float() - height
	open := covered > keyboardHeight && seen.Get("scale").Float() < 1.01
	root.Get("classList").Call("toggle", "keyboard", open)
	if !open {
		root.Get("style").Call("removeProperty", "--height")
		return
	}
	root.Get("style").Call("setProperty", "--height", strconv.Itoa(int(height))+"px")
	ui.Window().Call("scrollTo", 0, 0) // the browser has moved the page to show the field
}

// backAgain asks for everything anew on a page that the browser had put away
// and brings back: it has said goodbye.
func (sh *shell) backAgain() {
	if sh.link.State() == LinkReady {
		sh.link.Renew()
	}
}

// woke has the core look at its connections: a sleep may have ended them
// without a word.
func (sh *shell) woke() {
	sh.link.Call(port.Probe, nil, nil)
	sh.markRead()
}

// watchLog keeps a log that follows its end there when it or what is in it
// changes its size: the keyboard of a phone, a picture, a composer that grows.
func (sh *shell) watchLog() {
	class := ui.Window().Get("ResizeObserver")
	if !class.Truthy() {
		return
	}
	sized := ui.FuncOf(func(ui.Value, []ui.Value) any {
		sh.inbox.post(func() {
			if sh.scroll.follow && sh.aim == nil {
				toEnd()
			}
		})
		return nil
	})
	sh.sizes = class.New(sized)
}

// observeLog has the log that is mounted now watched, in place of a former one.
func (sh *shell) observeLog() {
	log := logElement()
	if sh.sizes == nil || !log.Truthy() || log.Get("parleySeen").Truthy() {
		return
	}
	sh.sizes.Call("disconnect")
	log.Set("parleySeen", true)
	sh.sizes.Call("observe", log)
	if column := log.Get("firstElementChild"); column.Truthy() {
		sh.sizes.Call("observe", column)
	}
}

// navigate goes to a path of the app.
func (sh *shell) navigate(path string) { sh.ctx.Navigate(components.Base + path) }

// replace goes to a path of the app in place of the one that is shown, so that
// the way back does not lead through it.
func (sh *shell) replace(path string) {
	if ui.IsClient {
		ui.Window().Get("history").Call("replaceState", nil, "", components.Base+path)
	}
	u, err := url.Parse(path)
	if err != nil {
		return
	}
	sh.goTo(ParseRoute(u.EscapedPath(), u.RawQuery))
	sh.changed()
}

// reload loads the page anew, with everything kept that was written.
func (sh *shell) reload() {
	sh.leave()
	if ui.IsClient {
		ui.Window().Get("location").Call("reload")
	}
}

// focusHeading moves the focus to the page's heading after going somewhere, so
// that a screen reader begins there. Where there is a composer it has the focus
// already.
func focusHeading() {
	if !ui.IsClient {
		return
	}
	active := document().Get("activeElement")
	if active.Truthy() && active.Get("tagName").String() == "TEXTAREA" {
		return
	}
	if h1 := document().Call("querySelector", "main h1"); h1.Truthy() {
		h1.Call("focus", map[string]any{"preventScroll": true})
	}
}

func focusComposer() { focusFirst(".comp textarea") }

// focusFirst moves the keyboard to the first element that a selector names and
// that can be seen.
func focusFirst(selector string) {
	if !ui.IsClient {
		return
	}
	if element := document().Call("querySelector", selector); element.Truthy() {
		element.Call("focus")
	}
}

// closeDialog closes the dialog that is open, so that the browser gives the
// focus back to where it was.
func closeDialog() {
	if !ui.IsClient {
		return
	}
	if open := document().Call("querySelector", "dialog[open]"); open.Truthy() {
		open.Call("close")
	}
}

// toClipboard writes a text to the clipboard and says whether it could.
func toClipboard(text string, done func(ok bool)) {
	if !ui.IsClient {
		done(false)
		return
	}
	board := ui.Window().Get("navigator").Get("clipboard")
	if !board.Truthy() { // plain http outside localhost
		done(false)
		return
	}
	settle(board.Call("writeText", text),
		func(ui.Value) { done(true) },
		func(ui.Value) { done(false) })
}

// download saves a text as a file.
func download(name, text string) {
	if !ui.IsClient {
		return
	}
	blob := ui.Window().Get("Blob").New([]any{text}, map[string]any{"type": "text/plain;charset=utf-8"})
	href := ui.Window().Get("URL").Call("createObjectURL", blob)
	a := document().Call("createElement", "a")
	a.Set("href", href)
	a.Set("download", name)
	document().Get("body").Call("appendChild", a)
	a.Call("click")
	a.Call("remove")
	revokeLater(href)
}

// revokeLater frees an object's address once the browser has begun to read it.
func revokeLater(href ui.Value) {
	const enough = 60_000 // ms
	var revoke ui.Func
	revoke = ui.FuncOf(func(ui.Value, []ui.Value) any {
		ui.Window().Get("URL").Call("revokeObjectURL", href)
		revoke.Release()
		return nil
	})
	ui.Window().Call("setTimeout", revoke, enough)
}

// forgetTab forgets what this tab keeps by itself.
func forgetTab() { sessionStore().call("clear") }
