package cli

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"parley/server/serve"
)

func run(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = Run(context.Background(), args, &o, &e)
	return code, o.String(), e.String()
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"-h"}, {"--help"}} {
		code, out, errs := run(args...)
		if code != exitOK || errs != "" || !strings.Contains(out, "parley [serve]") {
			t.Errorf("%v: code %d, %q, %q", args, code, out, errs)
		}
	}
	if _, out, _ := run("verify", "-h"); !strings.Contains(out, "parley verify FILE") {
		t.Errorf("verify -h says %q", out)
	}
	code, out, errs := run("serve", "-h")
	if code != exitOK || errs != "" {
		t.Errorf("serve -h: code %d, %q", code, errs)
	}
	for _, flag := range []string{"-addr", "-url", "-data", "-relay", "-run-timeout", serve.DefaultAddr, serve.DefaultData} {
		if !strings.Contains(out, flag) {
			t.Errorf("serve -h says nothing of %s:\n%s", flag, out)
		}
	}
}

// TestWrongCommandLines: each is refused with exit code 2, what is wrong and
// what to do.
func TestWrongCommandLines(t *testing.T) {
	for line, want := range map[string][]string{
		"frobnicate":                                       {`"frobnicate" is not a command`, "parley -h"},
		"serve now":                                        {`"now" is not expected`, "parley serve -h"},
		"-no-such-flag":                                    {"-no-such-flag", "parley serve -h"},
		"-addr":                                            {"-addr"},
		"-addr localhost":                                  {"not host:port", serve.DefaultAddr},
		"-addr localhost:http":                             {"no usable port", "65535"},
		"-addr localhost:65536":                            {"no usable port"},
		"-addr :8080":                                      {"can be reached from other machines", "add -url"},
		"-addr 0.0.0.0:80":                                 {"can be reached from other machines", "add -url"},
		"-addr [::]:80":                                    {"can be reached from other machines", "add -url"},
		"-addr 192.0.2.1:80":                               {"can be reached from other machines", "add -url"},
		"-addr localhost.example.org:80":                   {"can be reached from other machines", "add -url"},
		"-url chat.example.org":                            {"-url", "https://chat.example.org"},
		"-url ftp://chat.example.org":                      {"-url", "https://chat.example.org"},
		"-url https://chat.example.org/a":                  {"more than a host", "make dist"},
		"-url https://chat.example.org?a":                  {"more than a host"},
		"-url https://a:b@chat.example":                    {"more than a host"},
		"-url https://":                                    {"not a web address"},
		"-relay relay.example.org":                         {"-relay", "wss://relay.example.org"},
		"-relay https://relay.example":                     {"-relay", "wss://relay.example.org"},
		"-relay wss://a:b@relay.example":                   {"-relay", "leave only"},
		"-relay wss://a.example -relay b":                  {`"b"`},
		"-url https://c.example -relay ws://relay.example": {"cannot reach a relay without TLS", "wss://"},
		"-brain clever":                                    {`"clever" is not known`, "scripted or openai"},
		"-brain openai":                                    {"add -allow", "-allow all"},
		"-brain openai -allow all":                         {"add -agent-url", "http://localhost:11434/v1"},
		"-brain openai -allow all -agent-url http://a/v1":  {"add -agent-model"},
		"-brain openai -allow all -agent-url a -agent-model m": {"-agent-url", "not the address"},
		"-agent-model m":                      {"-brain openai"},
		"-allow bob":                          {`-allow "bob" is no public key`, "npub"},
		"-allow all,npub1":                    {"-allow all is for everybody"},
		"-block bob":                          {`-block "bob"`},
		"-room=":                              {"-room is empty", "-room lobby"},
		"agent":                               {"add -relay", "parley agent -h"},
		"agent -relay https://a.example":      {"-relay", "wss://"},
		"agent -relay wss://a.example -data=": {"-data is empty"},
		"agent -relay wss://a.example -brain openai": {"add -allow"},
		"-embed-hints":                                                     {"-embed-hints", "does not have", "leave it out"},
		"-relay wss://a.example -allow all":                                {"-allow is for the house agent", "parley agent"},
		"-no-agent -brain scripted":                                        {"-brain is for the house agent"},
		"-no-agent -room lobby":                                            {"-room is for the house agent"},
		"-url https://chat.example.org:99999":                              {"no usable port"},
		"-url https://chat.example.org:0":                                  {"no usable port"},
		"-relay wss://relay.example:70000":                                 {"no usable port"},
		"-brain openai -allow all -agent-url http://a/v1?k -agent-model m": {"-agent-url", "not the address"},
		"-data=":             {"-data is empty", serve.DefaultData},
		"-run-timeout soon":  {"-run-timeout", "whole number of seconds", "120"},
		"-run-timeout 9":     {"-run-timeout 9", "10 to 86400"},
		"-run-timeout 86401": {"-run-timeout 86401", "10 to 86400"},
		"-run-timeout -1":    {"out of range"},
	} {
		code, out, errs := run(strings.Fields(line)...)
		if code != exitUsage || out != "" {
			t.Errorf("parley %s: code %d, printed %q", line, code, out)
		}
		for _, part := range want {
			if !strings.Contains(errs, part) {
				t.Errorf("parley %s: %q is not in %q", line, part, errs)
			}
		}
	}
}

// TestSecretsOfTheEnvironment: one that cannot be is named, and not repeated.
func TestSecretsOfTheEnvironment(t *testing.T) {
	const model = " -brain openai -allow all -agent-url http://localhost:1/v1 -agent-model m"
	for name, c := range map[string]struct{ variable, value, line string }{
		"served":    {agentKeyVariable, "hello", "serve"},
		"alone":     {agentKeyVariable, "nsec1hello", "agent -relay wss://a.example"},
		"two lines": {modelKeyVariable, "sk-one\nsk-two", "serve" + model},
		"no ASCII":  {modelKeyVariable, "sk-é", "agent -relay wss://a.example" + model},
		"a control": {modelKeyVariable, "sk-\x01", "serve" + model},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(c.variable, c.value)
			code, _, errs := run(append(strings.Fields(c.line), "-data", t.TempDir())...)
			if code != exitUsage || !strings.Contains(errs, c.variable) || strings.Contains(errs, c.value) {
				t.Errorf("code %d: %s", code, errs)
			}
		})
	}
	t.Setenv(modelKeyVariable, " sk-good\n")
	if _, err := serveFlags(strings.Fields(model), io.Discard); err != nil {
		t.Error(err)
	}
}

func TestFlagsOfServe(t *testing.T) {
	config, err := serveFlags(strings.Fields("-addr 0.0.0.0:80 -url https://chat.example.org -relay wss://a.example -relay wss://b.example/x?y -run-timeout 10 -no-agent"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if config.Addr != "0.0.0.0:80" || config.URL != "https://chat.example.org" || len(config.Relays) != 2 || config.RunTimeout != 10*time.Second {
		t.Errorf("got %+v", config)
	}
	for _, line := range []string{
		"", "-addr 127.0.0.1:0", "-addr [::1]:0", "-addr LOCALHOST:1", "-addr 127.8.8.8:65535", "-run-timeout 86400",
		"-url http://chat.example/ -relay ws://relay.example", "-relay ws://localhost:1",
	} {
		if _, err := serveFlags(strings.Fields(line), io.Discard); err != nil {
			t.Errorf("parley %s: %v", line, err)
		}
	}
}

func TestFlagsOfAgents(t *testing.T) {
	const npub = "npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkwsyjh6w6"
	const hex = "3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d"
	config, err := agentConfig(strings.Fields("-relay wss://a.example -relay ws://b.example -allow "+npub+","+hex+" -block "+hex+" -room lobby -data d"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if len(config.Relays) != 2 || config.AllowAll || len(config.Allow) != 2 || config.Allow[0] != hex || len(config.Block) != 1 ||
		len(config.Rooms) != 1 || config.Rooms[0].ID != "lobby" || config.Dir != "d/agent" {
		t.Errorf("got %+v", config)
	}
	if config, err = agentConfig(strings.Fields("-relay wss://a.example"), io.Discard); err != nil || !config.AllowAll {
		t.Errorf("a scripted agent is for everybody: %v", err)
	}
	config, err = agentConfig(strings.Fields("-relay wss://a.example -brain openai -allow all -agent-url http://localhost:1/v1 -agent-model a,b"), io.Discard)
	if err != nil || !config.AllowAll || strings.Join(config.Brain.About().Models, " ") != "a b" {
		t.Errorf("got %+v, %v", config, err)
	}
	for line, house := range map[string]bool{"": true, "-no-agent": false, "-relay wss://a.example": false, "-allow all": true} {
		config, err := serveFlags(strings.Fields(line), io.Discard)
		if err != nil || (config.Agent != nil) != house {
			t.Errorf("parley %s: agent %v, %v", line, config.Agent, err)
		}
	}
}
