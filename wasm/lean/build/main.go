// Command build writes the copies of libraries that app.wasm is built with. It is
// a step of the Makefile, which says how it is called.
package main

import (
	"flag"
	"fmt"
	"os"

	"parley/wasm/lean"
)

func main() {
	out := flag.String("out", "bin/lean", "folder to fill")
	flag.Parse()
	if err := lean.Write(".", *out, lean.Cuts); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
