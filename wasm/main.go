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

// gcPercent lets the heap grow by half before it is collected. Memory that a heap
// has once grown to is never given back by WebAssembly, and both heaps are small:
// collecting them twice as often as by default takes no time that can be seen.
const gcPercent = 50

func main() {
	debug.SetGCPercent(gcPercent)
	if js.Global().Get("document").IsUndefined() {
		core.Main()
		return
	}
	app.Main()
}
