//go:build !js

package core

import (
	"context"
	"testing"

	"parley/wasm/port"
	"parley/wasm/relay"
	"parley/wasm/run"
	"parley/wasm/store"
)

const otherURL = "wss://other.example"

// dialBoth reaches one relay under fakeURL and another under otherURL.
func dialBoth(one, other *fakeRelay) relay.Dialer {
	return func(ctx context.Context, url string) (relay.Conn, error) {
		if url == otherURL {
			return other.dial(ctx, fakeURL)
		}
		return one.dial(ctx, url)
	}
}

func TestWhatWaitsForARelayThatIsRemovedLeavesForTheOthers(t *testing.T) {
	for _, hide := range []bool{false, true} {
		one, other := newFakeRelay(), newFakeRelay()
		one.setDown(true)
		ana := open(t, setup{relay: fakeURL, dial: dialBoth(one, other)})
		ana.signUp()
		info := run.DefaultInfo(agentKey)
		info.SupportsNIP59 = true
		ana.core.mu.Lock()
		ana.core.sessions.infos[agentKey] = &info
		ana.core.mu.Unlock()
		sent := ana.prompt(port.PromptParams{Agent: agentKey, Text: "are you there?", Hide: hide})
		ana.must(port.SetProfile, port.Profile{Name: "Ana"})
		ana.wait("the prompt to wait", func() bool { return ana.run(sent.ID).State == run.StateWaiting })
		ana.must(port.AddRelay, port.RelayParams{URL: otherURL})
		ana.must(port.RemoveRelay, port.RelayParams{URL: fakeURL})
		other.wait(t, "all of it", func() bool { return len(other.got) == map[bool]int{false: 2, true: 3}[hide] })
		ana.wait("the prompt to be sent", func() bool { return ana.run(sent.ID).State == run.StateSent })
		ana.wait("the outbox to be empty", func() bool {
			ana.core.mu.Lock()
			defer ana.core.mu.Unlock()
			return len(ana.core.outbox) == 0
		})
		ana.stop()
	}
}

func TestWhatOneRelayHasIsDoneWhenTheOtherIsRemoved(t *testing.T) {
	one, other := newFakeRelay(), newFakeRelay()
	one.setDown(true)
	ana := open(t, setup{relay: fakeURL, dial: dialBoth(one, other)})
	ana.signUp()
	ana.must(port.AddRelay, port.RelayParams{URL: otherURL})
	ana.must(port.SetProfile, port.Profile{Name: "Ana"})
	other.wait(t, "the profile", func() bool { return len(other.got) == 1 })
	ana.must(port.RemoveRelay, port.RelayParams{URL: fakeURL})
	ana.wait("the outbox to be empty", func() bool {
		ana.core.mu.Lock()
		defer ana.core.mu.Unlock()
		return len(ana.core.outbox) == 0
	})
}

func TestWithoutAnyRelayAPromptSaysWhyAndGoesOnLater(t *testing.T) {
	one, other, kept := newFakeRelay(), newFakeRelay(), store.NewMemory("")
	one.setDown(true)
	ana := open(t, setup{relay: fakeURL, dial: dialBoth(one, other), store: kept})
	ana.signUp()
	sent := ana.prompt(port.PromptParams{Agent: agentKey, Text: "are you there?"})
	ana.must(port.RemoveRelay, port.RelayParams{URL: fakeURL})
	reason := func() bool {
		s := ana.sessions["session"]
		ana.core.mu.Lock()
		defer ana.core.mu.Unlock()
		e := ana.core.outbox[sent.ID]
		return s != nil && e != nil && ana.core.deliveryOf(*e).State == port.Refused && ana.core.deliveryOf(*e).Reason == noRelayLeft
	}
	ana.wait("the reason", reason)
	if _, err := ana.call(port.Retry, port.EventID{ID: sent.ID}); err == nil {
		t.Error("it was sent to nobody without a word")
	}
	ana.must(port.AddRelay, port.RelayParams{URL: otherURL})
	ana.must(port.Retry, port.EventID{ID: sent.ID})
	other.wait(t, "the prompt", func() bool { return len(other.got) == 1 && other.got[0].ID == sent.ID })
}
