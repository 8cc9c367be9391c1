package app

import (
	"encoding/json"
	"fmt"
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/port"
)

// hasExtension reports whether this tab has a NIP-07 extension.
func hasExtension() bool { return ui.Window().Get("nostr").Truthy() }

// callExtension calls a method below window.nostr (NIP-07) with a JSON array of
// arguments. done is called once with what it returned, or with its refusal,
// perhaps minutes later, from JavaScript's callback: it must only enqueue.
func callExtension(method string, args json.RawMessage, done func(json.RawMessage, *port.Error)) {
	defer func() {
		if r := recover(); r != nil { // an extension may throw anything
			done(nil, &port.Error{Code: port.CodeUnavailable, Message: fmt.Sprintf("The browser extension failed: %v", r)})
		}
	}()
	owner := ui.Window().Get("nostr")
	names := strings.Split(method, ".")
	for _, name := range names[:len(names)-1] {
		if owner.Truthy() {
			owner = owner.Get(name)
		}
	}
	last := names[len(names)-1]
	if !owner.Truthy() || !owner.Get(last).Truthy() {
		done(nil, &port.Error{
			Code:    port.CodeUnavailable,
			Message: "This tab has no browser extension that offers " + method + ". Install one that speaks NIP-07, then reload.",
		})
		return
	}
	list := ui.Window().Get("JSON").Call("parse", string(args))
	result := owner.Get(last).Call("apply", owner, list)
	settle(ui.Window().Get("Promise").Call("resolve", result), func(v ui.Value) {
		done(json.RawMessage(ui.Window().Get("JSON").Call("stringify", v).String()), nil)
	}, func(v ui.Value) {
		done(nil, &port.Error{Code: port.CodeRefused, Message: "The browser extension said no: " + errorText(v)})
	})
}

// settle calls one of two functions when a promise is settled, and releases
// both whichever it was.
func settle(promise ui.Value, resolved, rejected func(ui.Value)) {
	var ok, bad ui.Func
	once := func(f func(ui.Value)) func(ui.Value, []ui.Value) any {
		return func(_ ui.Value, args []ui.Value) any {
			ok.Release()
			bad.Release()
			value := ui.Undefined()
			if len(args) > 0 {
				value = args[0]
			}
			f(value)
			return nil
		}
	}
	ok, bad = ui.FuncOf(once(resolved)), ui.FuncOf(once(rejected))
	promise.Call("then", ok, bad)
}

// errorText is what a JavaScript error says.
func errorText(v ui.Value) string {
	if v.Truthy() && v.Type() == ui.TypeObject && v.Get("message").Truthy() {
		return v.Get("message").String()
	}
	if v.Truthy() && v.Type() == ui.TypeString {
		return v.String()
	}
	return "no reason given"
}
