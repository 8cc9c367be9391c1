package e2e

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// agent is a running `parley agent`, apart from any server.
type agent struct {
	t      testing.TB
	relay  string
	data   string
	cmd    *exec.Cmd
	output *lines
}

// newAgent starts a scripted agent in the lobby of a server.
func newAgent(t testing.TB, s *server) *agent {
	t.Helper()
	a := &agent{t: t, relay: s.relay, data: t.TempDir(), output: &lines{}}
	a.start()
	t.Cleanup(func() {
		a.kill()
		if t.Failed() {
			t.Logf("the agent printed:\n%s", a.output)
		}
	})
	return a
}

// start starts the agent, again with the same key and journal after a kill.
func (a *agent) start() {
	a.t.Helper()
	a.cmd = exec.Command(binary(a.t), "agent", "-relay", a.relay, "-room", "lobby", "-data", a.data)
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		a.t.Fatal(err)
	}
	a.cmd.Stderr = a.cmd.Stdout
	if err := a.cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	ready := make(chan struct{})
	go func() { // ends with the program's output
		listening := false
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			a.output.add(scanner.Text())
			if !listening && strings.Contains(scanner.Text(), "The agent is listening") {
				listening = true
				close(ready)
			}
		}
	}()
	select {
	case <-ready:
	case <-time.After(patience):
		a.t.Fatalf("the agent did not start; it printed:\n%s", a.output)
	}
}

// kill ends the agent as a crash does.
func (a *agent) kill() {
	if a.cmd == nil {
		return
	}
	if err := a.cmd.Process.Signal(syscall.SIGKILL); err != nil && !errors.Is(err, os.ErrProcessDone) {
		a.t.Errorf("kill the agent: %v", err)
	}
	_ = a.cmd.Wait() // it was killed, and says so
	a.cmd = nil
}

// npub is the agent's public key, as it says itself.
func (a *agent) npub() string {
	a.t.Helper()
	found := agentLine.FindStringSubmatch(a.output.String())
	if found == nil {
		a.t.Fatalf("the agent has not said who it is:\n%s", a.output)
	}
	return found[1]
}

var agentLine = regexp.MustCompile(`The agent is (npub1\S+)`)

// finds looks an agent up by its npub.
func (p *person) finds(a *agent) *person {
	p.t.Helper()
	p.open("/agents")
	p.fill("Find an agent", a.npub())
	p.press("button", "Find")
	p.wait("the agent's page", `location.pathname.startsWith("/agents/")`)
	p.sees("Shows what agents can do here")
	return p
}

// asked is the newest question that says something, once it is there.
func (p *person) asked(text string) string {
	p.t.Helper()
	found := `[...document.querySelectorAll("article[data-ask]")].findLast((a) => a.innerText.includes(` + js(text) + `))`
	p.wait("the question "+text, found+` || (document.querySelector("button.latest")?.click(), false)`)
	return eval[string](p, found+`.dataset.ask`)
}
