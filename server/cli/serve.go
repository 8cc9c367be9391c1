package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"time"

	"parley/server/files"
	"parley/server/serve"
)

var serveCommand = command{
	name:    "serve",
	summary: "serve the app, with a relay of its own unless -relay names others",
	run:     runServe,
}

func runServe(ctx context.Context, args []string, out, errs io.Writer) error {
	config, err := serveFlags(args, out)
	if err != nil {
		return err
	}
	config.Files = files.Embedded()
	config.Log = slog.New(slog.NewTextHandler(errs, nil))
	m := serve.New(config)
	if err := m.Run(); err != nil {
		return err
	}
	fmt.Fprintln(out, "Parley is ready at", m.URL())
	select {
	case <-ctx.Done():
		return m.Close()
	case err := <-m.Failed():
		m.Close() // the failure is what matters
		return err
	}
}

// serveFlags reads the flags of serve into a configuration that makes sense.
func serveFlags(args []string, out io.Writer) (serve.Config, error) {
	config := serve.Config{RunTimeout: serve.DefaultRunTimeout}
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.StringVar(&config.Addr, "addr", serve.DefaultAddr, "`host:port` to listen on; port 0 picks one; anything but this machine alone needs -url")
	flags.StringVar(&config.URL, "url", "", "the public `address` of this server, for instance https://chat.example.org")
	flags.StringVar(&config.Data, "data", serve.DefaultData, "`folder` of the embedded relay and the house agent")
	flags.Var((*list)(&config.Relays), "relay", "`address` of a relay to use instead of the embedded one; may be repeated")
	flags.Var((*seconds)(&config.RunTimeout), "run-timeout", "`seconds` of silence after which an AI run is incomplete")
	noAgent := flags.Bool("no-agent", false, "start no house agent")
	var house agentFlags
	house.register(flags)
	// Part of the public interface from the start, so that scripts can have
	// it; shown once there are cards to allow it to.
	flags.Bool("embed-hints", false, "")
	if err := parse(flags, args, out); err != nil {
		return config, err
	}
	agent, err := house.config()
	if err == nil {
		err = config.Check()
	}
	if err != nil {
		return config, usageError{"parley serve", err}
	}
	if !*noAgent && len(config.Relays) == 0 {
		config.Agent, config.AgentKey = &agent, os.Getenv(agentKeyVariable)
	}
	return config, nil
}

// seconds is a flag that counts whole seconds.
type seconds time.Duration

func (s *seconds) String() string {
	return strconv.Itoa(int(time.Duration(*s).Seconds()))
}

func (s *seconds) Set(value string) error {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return fmt.Errorf("use a whole number of seconds, for instance %d", int(serve.DefaultRunTimeout.Seconds()))
	}
	*s = seconds(time.Duration(n) * time.Second)
	return nil
}
