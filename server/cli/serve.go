package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"time"

	"parley/server/files"
	"parley/server/serve"
)

var serveCommand = command{
	name:    "serve",
	takes:   takesFlags,
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
	// A name of the public interface that waits for cards.
	hints := flags.Bool("embed-hints", false, "")
	if err := parse(flags, takesFlags, args, out); err != nil {
		return config, err
	}
	agent, err := house.config()
	if err == nil {
		err = config.Check()
	}
	withAgent := !*noAgent && len(config.Relays) == 0
	switch {
	case err != nil:
	case *hints:
		err = errors.New("-embed-hints is for cards, which this version does not have: leave it out")
	case !withAgent:
		err = noAgentFlags(flags)
	default:
		config.Agent = &agent
		config.AgentKey, err = agentKey()
	}
	if err != nil {
		return config, usageError{"parley serve", err}
	}
	return config, nil
}

// noAgentFlags returns what is wrong when an agent is described that is not
// started.
func noAgentFlags(given *flag.FlagSet) (err error) {
	agents := flag.NewFlagSet("", flag.ContinueOnError)
	new(agentFlags).register(agents)
	given.Visit(func(f *flag.Flag) {
		if err == nil && agents.Lookup(f.Name) != nil {
			err = fmt.Errorf("-%s is for the house agent, which is not started with -relay or -no-agent: leave it out, or run `parley agent` beside", f.Name)
		}
	})
	return err
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
