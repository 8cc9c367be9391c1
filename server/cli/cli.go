// Package cli is the command line: which commands there are, how their flags
// are read and what is said when they are wrong. Each command is one file.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // it was understood and did not work
	exitUsage  = 2 // it was not understood
)

// command is one word of the command line.
type command struct {
	name    string
	takes   string // what stands behind the name
	summary string
	// run does the work until ctx ends. A usageError says that args are wrong.
	run func(ctx context.Context, args []string, out, errs io.Writer) error
}

// What the commands take.
const (
	takesFlags = "[flags]"
	takesFile  = "FILE"
)

// commands in the order of the usage text; the first is the default.
var commands = []command{serveCommand, agentCommand, verifyCommand}

// usageError is about what was typed, not about what happened.
type usageError struct {
	command string
	err     error
}

func (e usageError) Error() string { return e.err.Error() }

// Run carries out a command line, without the program's name, and returns the
// exit code.
func Run(ctx context.Context, args []string, out, errs io.Writer) int {
	cmd, args, err := choose(args)
	if errors.Is(err, flag.ErrHelp) {
		usage(out)
		return exitOK
	}
	if err == nil {
		err = cmd.run(ctx, args, out, errs)
	}
	var wrong usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &wrong):
		fmt.Fprintf(errs, "%s: %s\nRun `%s -h` to see how it is used.\n", wrong.command, visible(err), wrong.command)
		return exitUsage
	default:
		fmt.Fprintf(errs, "parley %s: %s\n", cmd.name, visible(err))
		return exitFailed
	}
}

// visible is what an error says, without what plays with a terminal: it may
// repeat what strangers wrote.
func visible(err error) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, err.Error())
}

// choose finds the command; without one, flags are the default's.
func choose(args []string) (command, []string, error) {
	if len(args) == 0 {
		return commands[0], args, nil
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		return command{}, nil, flag.ErrHelp
	}
	if strings.HasPrefix(args[0], "-") {
		return commands[0], args, nil
	}
	for _, c := range commands {
		if c.name == args[0] {
			return c, args[1:], nil
		}
	}
	return command{}, nil, usageError{"parley", fmt.Errorf("%q is not a command", args[0])}
}

func usage(out io.Writer) {
	fmt.Fprint(out, "Parley: rooms where people and AI agents talk, over Nostr.\n\nUsage:\n")
	for i, c := range commands {
		name := c.name
		if i == 0 {
			name = "[" + name + "]"
		}
		fmt.Fprintf(out, "  parley %s %s\t%s\n", name, c.takes, c.summary)
	}
	fmt.Fprintf(out, "\nRun `parley %s -h` for the flags.\n", commands[0].name)
}

// parse reads a command's flags; takes is what its usage says of them. A flag with an empty usage text is accepted
// and not shown.
func parse(flags *flag.FlagSet, takes string, args []string, out io.Writer) error {
	flags.SetOutput(io.Discard)
	name := "parley " + flags.Name()
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(out, "Usage: %s %s\n\n", name, takes)
		shown := flag.NewFlagSet(flags.Name(), flag.ContinueOnError)
		flags.VisitAll(func(f *flag.Flag) {
			if f.Usage != "" {
				shown.Var(f.Value, f.Name, f.Usage)
			}
		})
		shown.SetOutput(out)
		shown.PrintDefaults()
		return err
	}
	if err != nil {
		return usageError{name, err}
	}
	if flags.NArg() > 0 {
		return usageError{name, fmt.Errorf("%q is not expected here; flags begin with a -", flags.Arg(0))}
	}
	return nil
}

// list is a flag that can be given several times.
type list []string

func (l *list) String() string { return strings.Join(*l, " ") }

func (l *list) Set(value string) error {
	*l = append(*l, value)
	return nil
}
