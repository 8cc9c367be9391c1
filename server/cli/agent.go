package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/server/agent"
	"parley/server/agent/brain"
	"parley/server/agent/openai"
	"parley/server/agent/scripted"
	"parley/server/agent/tool"
	"parley/server/folder"
	"parley/server/serve"
	"parley/wasm/room"
)

var agentCommand = command{
	name:    "agent",
	takes:   takesFlags,
	summary: "run an agent alone, on any relays",
	run:     runAgent,
}

// Secrets come from the environment, where other users of the machine cannot
// read them as they can a command line.
const (
	agentKeyVariable = "PARLEY_AGENT_KEY"
	modelKeyVariable = "PARLEY_MODEL_KEY"
)

// The brains by name.
const (
	brainScripted = "scripted"
	brainOpenAI   = "openai"
)

// allowAll is the word for everybody.
const allowAll = "all"

// agentFlags are the flags that say how an agent thinks and to whom it listens.
type agentFlags struct {
	brain, url, model   string
	allow, block, rooms list
}

func (f *agentFlags) register(flags *flag.FlagSet) {
	flags.StringVar(&f.brain, "brain", brainScripted, "what the agent thinks with: `scripted` (no network) or openai (any OpenAI-compatible model)")
	flags.StringVar(&f.url, "agent-url", "", "the `address` of the model's API, for instance http://localhost:11434/v1; its key comes from "+modelKeyVariable)
	flags.StringVar(&f.model, "agent-model", "", "the `names` of the models it may use, with commas between them, the default first")
	flags.Var(&f.allow, "allow", "`npubs` that may use the agent, with commas between them, or the word all; may be repeated")
	flags.Var(&f.block, "block", "`npubs` that may not use the agent; may be repeated")
	flags.Var(&f.rooms, "room", "`id` of a room to watch; may be repeated")
}

// config reads the flags into an agent's configuration, without relays, folder
// and key.
func (f *agentFlags) config() (agent.Config, error) {
	config := agent.Config{Tools: tool.Default(time.Now)}
	var err error
	if config.AllowAll, config.Allow, err = allowed(f.allow); err != nil {
		return config, err
	}
	if config.Block, err = keys("-block", f.block); err != nil {
		return config, err
	}
	for _, id := range f.rooms {
		if id == "" {
			return config, errors.New("-room is empty: use the id of a room, for instance -room lobby")
		}
		config.Rooms = append(config.Rooms, agent.Room{ID: id})
	}
	switch f.brain {
	case brainScripted:
		if f.url != "" || f.model != "" {
			return config, errors.New("-agent-url and -agent-model belong to -brain openai: add it, or leave them out")
		}
		config.Brain = scripted.New(scripted.Options{})
		config.AllowAll = config.AllowAll || len(f.allow) == 0
	case brainOpenAI:
		config.Brain, err = f.openai(config.Tools)
	default:
		err = fmt.Errorf("-brain %q is not known: use %s or %s", f.brain, brainScripted, brainOpenAI)
	}
	return config, err
}

// openai makes the brain that asks a model. Nobody's model is spent by
// strangers unasked.
func (f *agentFlags) openai(tools []tool.Tool) (brain.Brain, error) {
	switch {
	case len(f.allow) == 0:
		return nil, errors.New("-brain openai spends your model for others: add -allow with the npubs that may use it, or -allow all for everybody")
	case f.url == "":
		return nil, errors.New("-brain openai needs the address of a model's API: add -agent-url, for instance -agent-url http://localhost:11434/v1")
	case len(split([]string{f.model})) == 0:
		return nil, errors.New("-brain openai needs the name of a model: add -agent-model, for instance -agent-model llama3.2")
	}
	key, err := modelKey()
	if err != nil {
		return nil, err
	}
	b, err := openai.New(openai.Config{URL: f.url, Key: key, Models: split([]string{f.model}), Tools: tools})
	if err != nil {
		return nil, fmt.Errorf("-agent-url: %w", err)
	}
	return b, nil
}

// modelKey is the key of the model's API from the environment, "" without one.
// It goes into a header, so it is one line of visible characters.
func modelKey() (string, error) {
	key := strings.TrimSpace(os.Getenv(modelKeyVariable))
	if strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return "", errors.New(modelKeyVariable + " has blanks or special characters in it, which no key has: set it to the key alone")
	}
	return key, nil
}

// agentKey is the agent's secret key from the environment, "" without one.
func agentKey() (string, error) {
	key := strings.TrimSpace(os.Getenv(agentKeyVariable))
	if key == "" {
		return "", nil
	}
	if _, err := folder.ParseKey(key); err != nil {
		return "", fmt.Errorf("%s holds no secret key: %w", agentKeyVariable, err)
	}
	return key, nil
}

// allowed reads -allow.
func allowed(values []string) (everybody bool, pubkeys []string, err error) {
	if slices.Contains(split(values), allowAll) {
		if len(split(values)) > 1 {
			return false, nil, errors.New("-allow all is for everybody: leave the npubs out, or the word all")
		}
		return true, nil, nil
	}
	pubkeys, err = keys("-allow", values)
	return false, pubkeys, err
}

// keys reads npubs, or public keys in hex, into hex.
func keys(flag string, values []string) ([]string, error) {
	var out []string
	for _, text := range split(values) {
		key := text
		if code, err := room.DecodeCode(strings.TrimPrefix(text, "nostr:")); err == nil && code.PubKey != "" {
			key = code.PubKey
		}
		if room.NPub(key) == "" {
			return nil, fmt.Errorf("%s %q is no public key: use an npub, or 64 hex digits in lower case", flag, text)
		}
		out = append(out, key)
	}
	return out, nil
}

// split takes lists with commas apart.
func split(values []string) []string {
	var out []string
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, part)
			}
		}
	}
	return out
}

func runAgent(ctx context.Context, args []string, out, errs io.Writer) error {
	config, err := agentConfig(args, out)
	if err != nil {
		return err
	}
	given, err := agentKey()
	if err != nil {
		return usageError{"parley agent", err}
	}
	if config.Secret, err = agent.Key(given, config.Dir); err != nil {
		return err
	}
	config.Logger = slog.New(slog.NewTextHandler(errs, nil))
	a, err := agent.New(config)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "The agent is", room.NPub(a.PubKey()))
	go func() { // ends with the agent
		select {
		case <-a.Ready():
			fmt.Fprintln(out, "The agent is listening")
		case <-ctx.Done():
		}
	}()
	return a.Run(ctx)
}

// agentConfig reads the command line of `parley agent`.
func agentConfig(args []string, out io.Writer) (agent.Config, error) {
	var shared agentFlags
	var relays list
	var data string
	flags := flag.NewFlagSet("agent", flag.ContinueOnError)
	flags.Var(&relays, "relay", "`address` of a relay to be on; may be repeated")
	flags.StringVar(&data, "data", serve.DefaultData, "`folder` of the agent's key and journal")
	shared.register(flags)
	if err := parse(flags, takesFlags, args, out); err != nil {
		return agent.Config{}, err
	}
	config, err := shared.config()
	if err == nil {
		err = checkAgent(relays, data)
	}
	if err != nil {
		return config, usageError{"parley agent", err}
	}
	for _, url := range relays {
		config.Relays = append(config.Relays, agent.Relay{URL: url})
	}
	config.Dir = filepath.Join(data, "agent")
	return config, nil
}

func checkAgent(relays []string, data string) error {
	if len(relays) == 0 {
		return errors.New("no relay is named: add -relay, for instance -relay wss://relay.example.org")
	}
	for _, url := range relays {
		if err := serve.CheckRelay(url); err != nil {
			return err
		}
	}
	if data == "" {
		return fmt.Errorf("-data is empty: name the folder where the agent keeps its key and its journal, for instance -data %s", serve.DefaultData)
	}
	return nil
}
