//go:build !js

package core

import (
	"encoding/json"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/run"
	"parley/wasm/signer"
)

// counterpart is an agent of a test: a key, and what it says about itself.
type counterpart struct {
	signer.Signer
	t *testing.T
}

func newCounterpart(t *testing.T) counterpart {
	return counterpart{newExtension(t).signer, t}
}

// event signs a message of the agent to a client; run is "" for none.
func (c counterpart) event(kind int, at nostr.Timestamp, client, run, plain string) *nostr.Event {
	c.t.Helper()
	content, err := c.Encrypt(c.t.Context(), plain, client)
	if err != nil {
		c.t.Fatal(err)
	}
	e := &nostr.Event{Kind: kind, CreatedAt: at, Content: content,
		Tags: nostr.Tags{{"p", client}, {"e", run, "", "root"}, {"encryption", "nip44"}}}
	return c.signed(e)
}

// info is the agent's 31340.
func (c counterpart) info(content string) *nostr.Event {
	c.t.Helper()
	return c.signed(&nostr.Event{Kind: run.KindInfo, CreatedAt: nostr.Now(), Tags: nostr.Tags{{"d", run.DefaultD}}, Content: content})
}

func (c counterpart) signed(e *nostr.Event) *nostr.Event {
	c.t.Helper()
	if err := c.Sign(c.t.Context(), e); err != nil {
		c.t.Fatal(err)
	}
	return e
}

// meetAgent watches an agent until its info is there.
func (p *page) meetAgent(key string) {
	p.t.Helper()
	p.must(port.Watch, port.WatchParams{Watch: "agent", Name: port.AgentName, Agent: key})
	p.wait("the agent's info", func() bool {
		var v port.AgentView
		return json.Unmarshal(p.raw["agent"], &v) == nil && v.HasInfo
	})
}

func TestASignerIsNotAskedForWhatItHasJustHidden(t *testing.T) {
	fake, ext, bot := newFakeRelay(), newExtension(t), newCounterpart(t)
	fake.put(bot.info(`{"ver":1,"encryption":["nip44"],"tool_names":[],"supports_nip59":true}`))
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, ext: ext.answer})
	ana.must(port.UseExtension, nil)
	ana.meetAgent(bot.PublicKey())
	sent := ana.prompt(port.PromptParams{Agent: bot.PublicKey(), Text: "Between us", Hide: true})
	ana.wait("the wrap for myself to be back", func() bool { return ana.run(sent.ID).State == run.StateSent })
	fake.wait(t, "both wraps", func() bool { return len(fake.got) == 2 })
	fake.put(bot.event(run.KindStatus, nostr.Now(), ext.signer.PublicKey(), sent.ID, `{"ver":1,"state":"thinking"}`))
	ana.wait("the status, which came after the wrap", func() bool { return ana.run(sent.ID).State == run.StateThinking })
	if n := ext.count(port.ExtDecrypt); n != 1 {
		t.Errorf("the signer was asked to decrypt %d times, for one status", n)
	}
}

func TestAnAgentWithoutNIP44IsNotSentPrompts(t *testing.T) {
	fake, bot := newFakeRelay(), newCounterpart(t)
	fake.put(bot.info(`{"ver":1,"encryption":["mls"],"tool_names":[]}`))
	ana := open(t, setup{relay: fakeURL, dial: fake.dial})
	ana.signUp()
	ana.meetAgent(bot.PublicKey())
	if _, err := ana.call(port.SendPrompt, port.PromptParams{Agent: bot.PublicKey(), Text: "Hello"}); err == nil {
		t.Error("a prompt was sent to an agent that cannot read it")
	}
}

func TestAnAnswerWithinTheSecondOfLeavingIsUnread(t *testing.T) {
	fake, bot := newFakeRelay(), newCounterpart(t)
	fake.put(bot.info(`{"ver":1,"encryption":["nip44"],"tool_names":[]}`))
	ana := open(t, setup{relay: fakeURL, dial: fake.dial})
	me := ana.signUp()
	ana.meetAgent(bot.PublicKey())
	sent := ana.prompt(port.PromptParams{Agent: bot.PublicKey(), Text: "Hello"})
	ana.wait("the prompt to be sent", func() bool { return ana.run(sent.ID).State == run.StateSent })
	unread := func(want bool) func() bool {
		return func() bool {
			var v port.AgentView
			return json.Unmarshal(ana.raw["agent"], &v) == nil && len(v.Sessions) == 1 && v.Sessions[0].Unread == want
		}
	}
	ana.must(port.Watch, port.WatchParams{Watch: "agent", Name: port.AgentName, Agent: bot.PublicKey()})
	ana.wait("the session to be read", unread(false))
	asked := nostr.Timestamp(ana.shownRun(sent.ID).Started)
	ana.must(port.Unwatch, port.WatchParams{Watch: "session"})
	fake.put(bot.event(run.KindResponse, asked, me, sent.ID, `{"ver":1,"text":"Hi"}`))
	ana.wait("the answer to be unread", unread(true))
}
