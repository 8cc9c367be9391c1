//go:build !js

package core

import (
	"slices"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/run"
)

// isFor tells whether a question is for events of a kind, live or as a one-shot.
func isFor(fs []nostr.Filter, kind int, live bool) bool {
	return slices.ContainsFunc(fs, func(f nostr.Filter) bool { return slices.Contains(f.Kinds, kind) && (f.Limit == 1) == live })
}

// asked waits for a one-shot for events of a kind beyond the first so many.
func (r *fakeRelay) asked(t *testing.T, what string, kind, beyond int) {
	t.Helper()
	r.wait(t, what, func() bool {
		n := 0
		for _, fs := range r.reqs {
			if isFor(fs, kind, false) {
				n++
			}
		}
		return n > beyond
	})
}

func TestGiftWrapsThatARelayDidNotGiveAtFirstAreAskedForAgain(t *testing.T) {
	fake, agent, now := newFakeRelay(), newExtension(t), &clock{}
	refused := 0
	fake.refuse = func(fs []nostr.Filter) string { // mu is held
		if isFor(fs, run.KindWrap, false) && refused == 0 {
			refused++
			return "error: not now"
		}
		return ""
	}
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, now: now.now})
	ana.signUp()
	ana.must(port.FindAgent, port.Search{Text: agent.signer.PublicKey()})
	ana.wait("the other history", func() bool {
		ana.core.mu.Lock()
		defer ana.core.mu.Unlock()
		l := ana.core.live[fakeURL]
		return l != nil && l.agents.whole[agent.signer.PublicKey()] && l.agents.rest > 0
	})
	now.ahead.Store(int64(RestAfter+1) * int64(time.Second))
	fake.asked(t, "the gift wraps to be asked for again", run.KindWrap, 1)
}

func TestWhereAgentsAreNotHeardLiveTheirHistoryIsAskedForAllTheSame(t *testing.T) {
	fake, agent := newFakeRelay(), newExtension(t)
	fake.refuse = func(fs []nostr.Filter) string {
		if isFor(fs, run.KindStatus, true) || isFor(fs, run.KindInfo, true) {
			return "invalid: too many filters"
		}
		return ""
	}
	ana := open(t, setup{relay: fakeURL, dial: fake.dial})
	ana.signUp()
	ana.must(port.FindAgent, port.Search{Text: agent.signer.PublicKey()})
	fake.asked(t, "what agents have answered", run.KindResponse, 0)
	fake.asked(t, "what agents say of themselves", run.KindInfo, 0)
}

func TestAnAgentThatWasNotHeardInBetweenIsAskedForAnew(t *testing.T) {
	ana := open(t, setup{relay: fakeURL, dial: newFakeRelay().dial})
	ana.core.mu.Lock()
	defer ana.core.mu.Unlock()
	l, p := newLiveRelay(), &part{topic: liveAI, keys: []string{"heard"}}
	for _, key := range []string{"heard", "back"} {
		l.agents.whole[key], l.agents.current[key] = true, true
	}
	ana.core.subscribe(fakeURL, l, p, []string{"back", "heard"})
	if l.agents.whole["back"] || l.agents.current["back"] {
		t.Error("the agent that is back counts as if it had been heard all the time")
	}
	if !l.agents.whole["heard"] || !l.agents.current["heard"] {
		t.Error("the agent that was heard all the time is asked for anew")
	}
}
