// Command build writes the static site. It is a step of the Makefile, which
// says how it is called.
package main

import (
	"flag"
	"fmt"
	"os"

	"parley/server/static"
)

func main() {
	var o static.Options
	dir := flag.String("files", "server/files/dist", "the packed files")
	flag.StringVar(&o.Out, "out", "dist", "folder to write")
	flag.StringVar(&o.Base, "base", "/", "path on the host")
	flag.Func("relay", "a relay of the site; may be repeated", func(relay string) error {
		o.Relays = append(o.Relays, relay)
		return nil
	})
	flag.Parse()
	o.Files = os.DirFS(*dir)
	if err := static.Write(o); err != nil {
		fmt.Fprintln(os.Stderr, "make dist:", err)
		os.Exit(1)
	}
	fmt.Printf("wrote %s, to be served under %s\n", o.Out, o.Base)
}
