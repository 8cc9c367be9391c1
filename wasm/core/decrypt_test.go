//go:build !js

package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/run"
	"parley/wasm/store"
)

// answers are n answers of an agent to one prompt each, encrypted to somebody.
func (x *extension) answers(t *testing.T, to string, n int) (all []*nostr.Event) {
	t.Helper()
	for i := range n {
		content, err := x.signer.Encrypt(context.Background(), fmt.Sprintf(`{"ver":1,"text":"answer %d"}`, i), to)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, x.signed(t, nostr.Event{Kind: run.KindResponse, Content: content, Tags: nostr.Tags{
			{"p", to}, {"e", fmt.Sprintf("%064x", i+1), "", "root"}, {"encryption", "nip44"},
		}}))
	}
	return all
}

func TestARefusedDecryptionIsNotFollowedByOthers(t *testing.T) {
	fake, ext, agent := newFakeRelay(), newExtension(t), newExtension(t)
	refusing := func(method string) error {
		if method == port.ExtDecrypt {
			return errors.New("no")
		}
		return nil
	}
	ext.setHold(refusing)
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, ext: ext.answer, agent: agent.signer.PublicKey()})
	ana.must(port.UseExtension, nil)
	first := agent.answers(t, ext.signer.PublicKey(), 20)
	fake.wait(t, "the agent to be heard", func() bool { return fake.hears(first[0]) })
	fake.put(first...)
	ana.has("the answers", first...)
	ana.wait("the asking to end", func() bool {
		ana.core.mu.Lock()
		defer ana.core.mu.Unlock()
		return ana.core.sessions.secrets.paused && ana.core.sessions.secrets.queue.InFlight() == 0
	})
	if n := ext.count(port.ExtDecrypt); n > run.MaxInFlight {
		t.Errorf("after a refusal it was asked %d times", n)
	}
	before := ext.count(port.ExtDecrypt)
	more := agent.answers(t, ext.signer.PublicKey(), 22)[20:]
	fake.put(more...)
	ana.has("two more", more...)
	if n := ext.count(port.ExtDecrypt); n != before {
		t.Errorf("it was asked %d times more, unasked", n-before)
	}
	ana.must(port.Watch, port.WatchParams{Watch: "agent", Name: port.AgentName, Agent: agent.signer.PublicKey()})
	paused := func() bool {
		var v port.AgentView
		return json.Unmarshal(ana.raw["agent"], &v) == nil && v.Decrypt
	}
	ana.wait("the page to offer Decrypt", paused)
	ext.setHold(nil)
	ana.must(port.Decrypt, nil)
	ana.decrypts(22)
	ana.wait("nothing more to be offered", func() bool { return !paused() })
}

func TestWhatAClosedTabDidNotDecryptIsAskedOfAnother(t *testing.T) {
	fake, ext, agent := newFakeRelay(), newExtension(t), newExtension(t)
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, ext: ext.answer, agent: agent.signer.PublicKey()})
	ana.must(port.UseExtension, nil)
	var mu sync.Mutex
	closed, stuck := make(chan struct{}), 0
	t.Cleanup(sync.OnceFunc(func() { close(closed) }))
	ext.setHold(func(method string) error {
		if method == port.ExtDecrypt {
			mu.Lock()
			stuck++
			mu.Unlock()
			<-closed // the tab is gone before anybody answers
		}
		return nil
	})
	all := agent.answers(t, ext.signer.PublicKey(), 3)
	fake.wait(t, "the agent to be heard", func() bool { return fake.hears(all[0]) })
	fake.put(all...)
	ana.wait("the tab to be asked", func() bool { mu.Lock(); defer mu.Unlock(); return stuck == 3 })
	ana.core.Handle(context.Background(), port.Envelope{Type: port.Bye, Tab: ana.tab})
	ext.setHold(nil)
	ana.core.Handle(context.Background(), port.Envelope{Type: port.Hello, Tab: "another", Build: "test"})
	ana.must(port.Watch, port.WatchParams{Watch: "app", Name: port.AppName})
	ana.decrypts(3)
}

func TestADeletedHiddenRunLeavesNoWraps(t *testing.T) {
	url := startRelay(t).url
	house := startAgent(t, url)
	kept := store.NewMemory("")
	ana := open(t, setup{relay: url, agent: house.PubKey(), store: kept})
	me := ana.signUp()
	ana.must(port.Watch, port.WatchParams{Watch: "agent", Name: port.AgentName, Agent: house.PubKey()})
	ana.wait("the agent's info", func() bool {
		var v port.AgentView
		return json.Unmarshal(ana.raw["agent"], &v) == nil && v.HasInfo
	})
	sent := ana.prompt(port.PromptParams{Agent: house.PubKey(), Text: "calculate 12 * 7", Hide: true})
	ana.wait("the answer", func() bool { return ana.run(sent.ID).State == run.StateDone })
	ana.wait("the outbox to be empty", func() bool {
		ana.core.mu.Lock()
		defer ana.core.mu.Unlock()
		return len(ana.core.outbox) == 0
	})
	wraps := func() int {
		records, err := kept.Query(t.Context(), store.Query{Kinds: []int{run.KindWrap, run.KindWrapLive}})
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range records {
			if rec.Event.Tags.FindWithValue("p", me) == nil {
				t.Error("a wrap to somebody else is kept")
			}
		}
		return len(records)
	}
	if wraps() == 0 {
		t.Fatal("there are no wraps")
	}
	ana.must(port.DeleteRun, port.EventID{ID: sent.ID})
	ana.wait("all wraps to be forgotten", func() bool { return wraps() == 0 })
}

func TestCheckAgainAsksForTheWrapsOfAHiddenRun(t *testing.T) {
	fake := newFakeRelay()
	ana := open(t, setup{relay: fakeURL, dial: fake.dial})
	ana.signUp()
	info := run.DefaultInfo(agentKey)
	info.SupportsNIP59 = true
	ana.core.mu.Lock()
	ana.core.sessions.infos[agentKey] = &info
	ana.core.mu.Unlock()
	for _, hide := range []bool{false, true} {
		sent := ana.prompt(port.PromptParams{Agent: agentKey, Text: "are you there?", Hide: hide})
		fake.mu.Lock()
		before := len(fake.reqs)
		fake.mu.Unlock()
		ana.must(port.CheckRun, port.EventID{ID: sent.ID})
		fake.mu.Lock()
		asked := false
		for _, fs := range fake.reqs[before:] {
			resume := len(fs) > 0 && len(fs[0].Tags["e"]) == 1 && fs[0].Tags["e"][0] == sent.ID
			asked = asked || resume && len(fs) == 2 && fs[1].Kinds[0] == run.KindWrap
		}
		fake.mu.Unlock()
		if asked != hide {
			t.Errorf("hidden %v, wraps asked for %v", hide, asked)
		}
	}
}

// decrypts waits until so many answers can be read.
func (p *page) decrypts(answers int) {
	p.t.Helper()
	p.wait("all to be decrypted", func() bool {
		p.core.mu.Lock()
		defer p.core.mu.Unlock()
		n := 0
		for _, card := range p.core.sessions.runs {
			if card.run.View(run.At{}).Text != "" {
				n++
			}
		}
		return n == answers
	})
}
