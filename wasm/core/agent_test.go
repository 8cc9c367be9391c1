//go:build !js

package core

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"parley/server/agent"
	"parley/server/agent/scripted"
	"parley/server/agent/tool"
	"parley/wasm/ask"
	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/run"
	"parley/wasm/store"
	"parley/wasm/task"
)

// startAgent runs the house agent against a relay, quickly.
func startAgent(t *testing.T, url string) *agent.Agent {
	t.Helper()
	var secret [32]byte
	if _, err := rand.Read(secret[:]); err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(agent.Config{
		Relays: []agent.Relay{{URL: url}}, Secret: secret, Dir: t.TempDir(), AllowAll: true,
		Brain: scripted.New(scripted.Options{Pace: 20 * time.Millisecond, Long: 2 * time.Second}), Tools: []tool.Tool{tool.Calculator()},
		Rooms: []agent.Room{{ID: "lobby"}}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	select {
	case <-a.Ready():
	case <-time.After(patience):
		t.Fatal("the agent hears nothing")
	}
	return a
}

// prompt sends a prompt and watches its session.
func (p *page) prompt(params port.PromptParams) port.PromptSent {
	p.t.Helper()
	var sent port.PromptSent
	if err := json.Unmarshal(p.must(port.SendPrompt, params), &sent); err != nil {
		p.t.Fatal(err)
	}
	p.must(port.Watch, port.WatchParams{Watch: "session", Name: port.SessionName, Agent: params.Agent, Session: sent.Session})
	return sent
}

// run gives a run as the page has it. mu is held.
func (p *page) run(id string) run.View {
	if s := p.sessions["session"]; s != nil {
		return s.runs[id]
	}
	return run.View{}
}

func TestAPromptIsAnsweredInAStream(t *testing.T) {
	url := startRelay(t).url
	house := startAgent(t, url)
	kept := store.NewMemory("")
	ana := open(t, setup{relay: url, agent: house.PubKey(), store: kept})
	ana.signUp()
	sent := ana.prompt(port.PromptParams{Agent: house.PubKey(), Text: "markdown"})
	ana.wait("the answer", func() bool { return ana.run(sent.ID).State == run.StateDone })
	text := ana.shownRun(sent.ID).Text
	if text == "" {
		t.Fatal("the answer is empty")
	}
	ana.stop()

	again := open(t, setup{relay: url, agent: house.PubKey(), store: kept})
	again.wait("to be signed in", func() bool { return again.app.Me != nil })
	again.must(port.Watch, port.WatchParams{Watch: "session", Name: port.SessionName, Agent: house.PubKey(), Session: sent.Session})
	again.wait("the same answer after a reload", func() bool { return again.run(sent.ID).Text == text && again.run(sent.ID).State == run.StateDone })
}

func TestALongAnswerComesInPieces(t *testing.T) {
	url := startRelay(t).url
	house := startAgent(t, url)
	ana := open(t, setup{relay: url, agent: house.PubKey()})
	ana.signUp()
	sent := ana.prompt(port.PromptParams{Agent: house.PubKey(), Text: "big 200"})
	ana.wait("the end", func() bool { return ana.run(sent.ID).State == run.StateDone })
	if got := len(ana.shownRun(sent.ID).Text); got < 200_000 {
		t.Errorf("%d bytes were there when it was called done", got)
	}
	ana.mu.Lock()
	defer ana.mu.Unlock()
	if most := ana.largest; most > MaxPatch || most < MaxPatch/2 {
		t.Errorf("an update brought %d bytes of the answer, the limit is %d", most, MaxPatch)
	}
}

func TestStopEndsARun(t *testing.T) {
	url := startRelay(t).url
	house := startAgent(t, url)
	ana := open(t, setup{relay: url, agent: house.PubKey()})
	ana.signUp()
	sent := ana.prompt(port.PromptParams{Agent: house.PubKey(), Text: "stream 400"})
	ana.wait("the first words", func() bool { return ana.run(sent.ID).Text != "" })
	ana.must(port.StopRun, port.EventID{ID: sent.ID})
	ana.wait("the end", func() bool { return ana.run(sent.ID).State == run.StateCancelled })
	if ana.shownRun(sent.ID).Text == "" {
		t.Error("the partial text is lost")
	}
}

func TestStopBeforeAPromptLeavesWithdrawsIt(t *testing.T) {
	r := startRelay(t)
	house := startAgent(t, r.url)
	ana := open(t, setup{relay: r.url, agent: house.PubKey()})
	ana.signUp()
	ana.wait("to be online", func() bool { return ana.app.Connection == port.Online })
	r.stop()
	ana.wait("to be offline", func() bool { return ana.app.Connection != port.Online })
	sent := ana.prompt(port.PromptParams{Agent: house.PubKey(), Text: "help"})
	ana.wait("the prompt to wait", func() bool { return ana.run(sent.ID).State == run.StateWaiting })
	ana.must(port.StopRun, port.EventID{ID: sent.ID})
	ana.wait("the run to be cancelled", func() bool { return ana.run(sent.ID).State == run.StateCancelled })
	r.start()
}

func TestAHiddenPromptIsAnswered(t *testing.T) {
	url := startRelay(t).url
	house := startAgent(t, url)
	kept := store.NewMemory("")
	ana := open(t, setup{relay: url, agent: house.PubKey(), store: kept})
	ana.signUp()
	ana.must(port.Watch, port.WatchParams{Watch: "agent", Name: port.AgentName, Agent: house.PubKey()})
	ana.wait("the agent's info", func() bool {
		var v port.AgentView
		return json.Unmarshal(ana.raw["agent"], &v) == nil && v.HasInfo && v.Info.SupportsNIP59
	})
	sent := ana.prompt(port.PromptParams{Agent: house.PubKey(), Text: "calculate 12 * 7", Hide: true})
	ana.wait("the answer", func() bool { return ana.run(sent.ID).State == run.StateDone })
	if v := ana.shownRun(sent.ID); !v.Wrapped || len(v.Notes) > 0 {
		t.Errorf("wrapped %v, notes %v", v.Wrapped, v.Notes)
	}
	ana.stop()
	again := open(t, setup{relay: url, agent: house.PubKey(), store: kept})
	again.wait("to be signed in", func() bool { return again.app.Me != nil })
	again.must(port.Watch, port.WatchParams{Watch: "session", Name: port.SessionName, Agent: house.PubKey(), Session: sent.Session})
	again.wait("the answer after a reload", func() bool { return again.run(sent.ID).State == run.StateDone })
}

func TestAQuestionIsAnsweredAndPickedUp(t *testing.T) {
	url := startRelay(t).url
	house := startAgent(t, url)
	ana := open(t, setup{relay: url, rooms: []string{"lobby"}, agent: house.PubKey()})
	ana.signUp()
	ana.enter(lobby(url))
	ana.mention(house.PubKey(), "ask single")
	var question port.Item
	ana.wait("a question", func() bool {
		for _, item := range ana.timelines["room"].items {
			if item.Ask != nil && item.Ask.View.State == ask.Open {
				question = item
				return true
			}
		}
		return false
	})
	ana.wait("one thing to need me", func() bool { return ana.app.NeedsYou == 1 })
	ana.must(port.AnswerAsk, port.AnswerParams{Room: lobby(url), ID: question.Message.ID, Choices: []string{question.Ask.View.Options[0].ID}})
	ana.wait("the question to be answered and picked up", func() bool {
		item := ana.timelines["room"].items[question.Message.ID]
		return item.Ask.View.State == ask.Answered && item.Ask.View.PickedUp != nil
	})
	ana.wait("nothing to need me", func() bool { return ana.app.NeedsYou == 0 })
	if _, err := ana.call(port.AnswerAsk, port.AnswerParams{Room: lobby(url), ID: question.Message.ID, Choices: []string{question.Ask.View.Options[0].ID}}); err == nil {
		t.Error("a second answer was sent")
	}
}

func TestATaskRunsAndIsCancelled(t *testing.T) {
	url := startRelay(t).url
	house := startAgent(t, url)
	ana := open(t, setup{relay: url, rooms: []string{"lobby"}, agent: house.PubKey()})
	ana.signUp()
	ana.enter(lobby(url))
	done := ana.task(house.PubKey(), "short", "Say something")
	ana.wait("the task to be done", func() bool { return ana.taskState(done) == task.Done })
	long := ana.task(house.PubKey(), "long task", "long task")
	ana.wait("the task to run", func() bool { s := ana.taskState(long); return s == task.Accepted || s == task.Running })
	ana.must(port.CancelTask, port.EventParams{Room: lobby(url), ID: long})
	ana.wait("the task to be cancelled", func() bool { return ana.taskState(long) == task.Cancelled })
}

// where is the room that is watched.
func (p *page) where() room.Ref {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.timelines["room"].info.Meta.Ref
}

func (p *page) mention(key, words string) {
	p.t.Helper()
	p.must(port.Send, port.SendParams{Room: p.where(), Text: "nostr:" + roomNPub(key) + " " + words})
}

func (p *page) task(agent, subject, text string) string {
	p.t.Helper()
	var id port.EventID
	if err := json.Unmarshal(p.must(port.SendTask, port.TaskParams{Room: p.where(), Agent: agent, Subject: subject, Text: text}), &id); err != nil {
		p.t.Fatal(err)
	}
	return id.ID
}

// taskState is a task's state on the page. mu is held.
func (p *page) taskState(id string) task.State {
	if item := p.timelines["room"].items[id]; item.Task != nil {
		return item.Task.View.State
	}
	return task.Unknown
}
