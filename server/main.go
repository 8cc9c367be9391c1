// Command parley serves the app and what goes with it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"parley/server/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends at once
	code := cli.Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	os.Exit(code)
}
