//go:build js && wasm

// Command wasm is the whole of Parley that runs in a browser, in two roles:
// the user interface in a page, the protocol core in a worker. assets/boot.js
// and assets/worker.js start it.
package main

import (
	"runtime/debug"
	"syscall/js"

	"parley/app"
	"parley/wasm/core"
)

// coreGCPercent lets the core's heap grow by half before it is collected. Memory
// that a heap has once grown to is never given back by WebAssembly. The page
// keeps Go's default: collecting is work on the thread that draws.
const coreGCPercent = 50

func main() {
	if js.Global().Get("document").IsUndefined() {
		debug.SetGCPercent(coreGCPercent)
		core.Main()
		return
	}
	app.Main()
}
