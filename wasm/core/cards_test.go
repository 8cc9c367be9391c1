//go:build !js

package core

import (
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"parley/wasm/ask"
	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/store"
	"parley/wasm/task"
)

const agentKey = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"

// clock is a core's time that a test moves.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// ask puts a question to people and gives its id.
func (p *page) ask(ref room.Ref, minutes int, people ...string) string {
	p.t.Helper()
	var id port.EventID
	reply := p.must(port.SendAsk, port.AskParams{Room: ref, Text: "Which?", People: people, Selection: "single", Options: []string{"one", "two"}, Minutes: minutes})
	if err := json.Unmarshal(reply, &id); err != nil {
		p.t.Fatal(err)
	}
	return id.ID
}

// asked waits until a question is in the room, and gives it.
func (p *page) asked(id string) *port.AskItem {
	p.t.Helper()
	p.wait("the question", func() bool { return p.timelines["room"].items[id].Ask != nil })
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.timelines["room"].items[id].Ask
}

func (p *page) hasNotice(code string) bool {
	for _, n := range p.app.Notices {
		if n.Code == code {
			return true
		}
	}
	return false
}

func TestConversationUnderACardIsNoActOnIt(t *testing.T) {
	url := startRelay(t).url
	ana := open(t, setup{relay: url, rooms: []string{"lobby"}})
	ben := open(t, setup{relay: url, rooms: []string{"lobby"}})
	ana.signUp()
	ben.signUp()
	ana.enter(lobby(url))
	ben.enter(lobby(url))
	question := ana.ask(lobby(url), 0, agentKey)
	ben.asked(question)
	ben.must(port.React, port.EventParams{Room: lobby(url), ID: question, Text: "🎉"})
	ben.must(port.Send, port.SendParams{Room: lobby(url), Thread: question, Text: "I wonder too"})
	ana.wait("the reaction and the comment", func() bool {
		m := ana.timelines["room"].items[question].Message
		return len(m.Reactions) == 1 && m.Replies == 1
	})
	ben.wait("a question that is open", func() bool {
		return ben.timelines["room"].items[question].Ask.View.State == ask.Open && !ben.hasNotice("answer")
	})

	job := ana.task(agentKey, "long", "do it")
	ana.must(port.React, port.EventParams{Room: lobby(url), ID: job, Text: "👍"})
	ana.wait("the reaction to the task", func() bool { return len(ana.timelines["room"].items[job].Message.Reactions) == 1 })
	if s := ana.taskState(job); s != task.Requested {
		t.Errorf("a thumb up makes a task %s", s)
	}
}

// answerOffline opens a question to ana, takes the relay away and answers.
func answerOffline(t *testing.T, minutes int) (r *testRelay, ana, ben *page, kept store.Store, now *clock, question string) {
	r, kept, now = startRelay(t), store.NewMemory(""), &clock{}
	ana = open(t, setup{relay: r.url, rooms: []string{"lobby"}, store: kept, now: now.now})
	ben = open(t, setup{relay: r.url, rooms: []string{"lobby"}})
	key := ana.signUp()
	ben.signUp()
	ana.enter(lobby(r.url))
	ben.enter(lobby(r.url))
	question = ben.ask(lobby(r.url), minutes, key)
	item := ana.asked(question)
	r.stop()
	ana.wait("to be offline", func() bool { return !ana.online() })
	ana.must(port.AnswerAsk, port.AnswerParams{Room: lobby(r.url), ID: question, Choices: []string{item.View.Options[0].ID}})
	return r, ana, ben, kept, now, question
}

func TestAnAnswerIsLookedAtAgainAfterAReload(t *testing.T) {
	r, ana, _, kept, now, question := answerOffline(t, 10)
	ana.stop()
	now.ahead.Store(int64(time.Hour))
	r.start()
	again := open(t, setup{relay: r.url, store: kept, now: now.now})
	again.wait("the words about an answer that came too late", func() bool { return again.hasNotice("answer") })
	again.core.mu.Lock()
	defer again.core.mu.Unlock()
	if len(again.core.outbox) != 0 {
		t.Error("the answer is still to be sent")
	}
	_ = question
}

func TestAnAnswerIsDatedAnewByWhoGaveIt(t *testing.T) {
	r, ana, ben, _, now, question := answerOffline(t, 0)
	ana.mu.Lock()
	by := ana.app.Me.Person.PubKey
	ana.mu.Unlock()
	ana.must(port.CreateKey, port.Secret{}) // another account takes over
	now.ahead.Store(int64((FreshAnswer + 10) * time.Second))
	// The relay's clock has not moved: it still takes what is up to 300 s ahead.
	r.start()
	ana.must(port.Probe, nil)
	ben.must(port.Probe, nil)
	ben.wait("the answer", func() bool {
		item := ben.timelines["room"].items[question]
		return item.Ask != nil && item.Ask.View.Answer != nil
	})
	ben.mu.Lock()
	defer ben.mu.Unlock()
	if got := ben.timelines["room"].items[question].Ask.View.Answer.By; got != by {
		t.Errorf("%s answered, it was asked of and answered by %s", got, by)
	}
}
