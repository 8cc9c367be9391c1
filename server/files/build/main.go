// Command build packs what the server hands out. It is a step of the Makefile,
// which says how it is called.
package main

import (
	"flag"
	"fmt"
	"os"

	"parley/server/files/pack"
)

func main() {
	var o pack.Options
	flag.StringVar(&o.Wasm, "wasm", "bin/app.wasm", "the compiled app")
	flag.StringVar(&o.Exec, "exec", "", "wasm_exec.js of the Go that compiled it")
	flag.StringVar(&o.Assets, "assets", "assets", "folder of styles, scripts and icons")
	flag.StringVar(&o.Out, "out", "server/files/dist", "folder to fill")
	flag.StringVar(&o.Cache, "cache", "bin/.cache", "folder of content compressed before")
	flag.IntVar(&o.Quality, "quality", 5, "of brotli, 0 to 11")
	flag.Parse()
	ix, err := pack.Pack(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
	fmt.Printf("packed %d files, build %s\n", len(ix.Assets), ix.Build)
}
