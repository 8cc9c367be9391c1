//go:build !js

// Command wasm runs in a browser only; elsewhere it says how to build it.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "this program runs in a browser: `make build` compiles it, `bin/parley` serves it")
	os.Exit(1)
}
