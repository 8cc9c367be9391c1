//go:build !js

package core

import (
	"encoding/json"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/run"
	"parley/wasm/store"
)

// delivery is the state of an own message on the page. mu is held.
func (p *page) delivery(id string) port.Delivery {
	s := p.timelines["room"]
	if s == nil || s.items[id].Delivery == nil {
		return port.Delivery{}
	}
	return *s.items[id].Delivery
}

func TestEveryAnswerOfARelayIsShownForWhatItIs(t *testing.T) {
	for words, want := range map[string]string{
		"":                           port.Stored,
		"duplicate: have it":         port.Stored,
		"auth-required: who are you": port.Waiting,
		"rate-limited: slow down":    port.Waiting,
		"error: the disk is full":    port.Waiting,
		"blocked: not you":           port.Refused,
		"invalid: no":                port.Refused,
		"restricted: members only":   port.Refused,
		"words without a code":       port.Refused,
	} {
		t.Run(want+" "+words, func(t *testing.T) {
			fake := newFakeRelay()
			fake.answer = func(*nostr.Event) (string, bool) { return words, false }
			ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}})
			ana.signUp()
			ana.enter(lobby(fakeURL))
			id := ana.say(lobby(fakeURL), "hello")
			ana.wait("the message to be "+want, func() bool {
				d := ana.delivery(id)
				return d.State == want && (want == port.Stored || d.Reason == words)
			})
			ana.mu.Lock()
			defer ana.mu.Unlock()
			if d := ana.delivery(id); d.Drop != (want != port.Stored) {
				t.Errorf("drop %v", d.Drop)
			}
		})
	}
}

func TestActsReachARelayThatWasAwayInTheirOrder(t *testing.T) {
	fake := newFakeRelay()
	fake.setDown(true)
	ana := open(t, setup{relay: fakeURL, dial: fake.dial})
	ana.signUp()
	var ref room.Ref
	if err := json.Unmarshal(ana.must(port.CreateRoom, port.RoomParams{Name: "Garden"}), &ref); err != nil {
		t.Fatal(err)
	}
	ana.must(port.Watch, port.WatchParams{Watch: "room", Name: port.RoomName, Room: ref})
	for _, text := range []string{"one", "two", "three"} {
		id := ana.say(ref, text)
		ana.wait(text+" to wait for the relay", func() bool {
			d := ana.delivery(id)
			return d.State == port.Waiting && d.Reason != "" && d.Drop
		})
	}
	fake.setDown(false)
	ana.must(port.Probe, nil)
	fake.wait(t, "all five", func() bool { return len(fake.got) == 5 })
	fake.mu.Lock()
	defer fake.mu.Unlock()
	for i, kind := range []int{9007, 9002, 9, 9, 9} {
		if fake.got[i].Kind != kind {
			t.Fatalf("place %d has kind %d, want %d", i, fake.got[i].Kind, kind)
		}
	}
	if fake.got[2].Content != "one" || fake.got[4].Content != "three" {
		t.Error("messages came in another order")
	}
}

func TestWhatMayHaveArrivedIsNotGivenBack(t *testing.T) {
	fake := newFakeRelay()
	fake.answer = func(*nostr.Event) (string, bool) { return "", true }
	kept := store.NewMemory("")
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}, store: kept})
	ana.signUp()
	ana.enter(lobby(fakeURL))
	id := ana.say(lobby(fakeURL), "did it arrive?")
	fake.wait(t, "the message", func() bool { return len(fake.got) == 1 })
	fake.setDown(true)
	ana.wait("the message to wait", func() bool { return !ana.online() && ana.delivery(id).State == port.Waiting })
	ana.must(port.Probe, nil) // another attempt that does not get through changes nothing
	if _, err := ana.call(port.Discard, port.EventID{ID: id}); err == nil {
		t.Error("a message that the relay may have was given back")
	}
	ana.stop()
	again := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}, store: kept})
	if _, err := again.call(port.Discard, port.EventID{ID: id}); err == nil {
		t.Error("after a reload it was given back")
	}
}

func TestAPromptThatWaitsIsThereAfterAReload(t *testing.T) {
	for _, hide := range []bool{false, true} {
		fake, kept := newFakeRelay(), store.NewMemory("")
		fake.setDown(true)
		ana := open(t, setup{relay: fakeURL, dial: fake.dial, store: kept})
		ana.signUp()
		info := run.DefaultInfo(agentKey)
		info.SupportsNIP59 = true
		ana.core.mu.Lock()
		ana.core.sessions.infos[agentKey] = &info
		ana.core.mu.Unlock()
		sent := ana.prompt(port.PromptParams{Agent: agentKey, Text: "are you there?", Hide: hide})
		ana.stop()
		again := open(t, setup{relay: fakeURL, dial: fake.dial, store: kept})
		again.must(port.Watch, port.WatchParams{Watch: "session", Name: port.SessionName, Agent: agentKey, Session: sent.Session})
		again.wait("the prompt to wait", func() bool { return again.run(sent.ID).State == run.StateWaiting })
		again.must(port.StopRun, port.EventID{ID: sent.ID})
		again.wait("the run to be cancelled", func() bool { return again.run(sent.ID).State == run.StateCancelled })
		again.stop()
		third := open(t, setup{relay: fakeURL, dial: fake.dial, store: kept})
		third.must(port.Watch, port.WatchParams{Watch: "session", Name: port.SessionName, Agent: agentKey, Session: sent.Session})
		third.wait("it to stay cancelled", func() bool { return third.run(sent.ID).State == run.StateCancelled })
	}
}
