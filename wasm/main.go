//go:build js && wasm

// Command wasm is the whole of Parley that runs in a browser, in two roles:
// the user interface in a page, the protocol core in a worker. assets/boot.js
// and assets/worker.js start it.
package main

import (
	"syscall/js"

	"parley/app"
	"parley/wasm/core"
)

func main() {
	if js.Global().Get("document").IsUndefined() {
		core.Main()
		return
	}
	app.Main()
}
