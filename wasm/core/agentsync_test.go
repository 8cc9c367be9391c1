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

func TestWhatAnAgentSaidWhileOthersWereHeardInItsPlaceIsFound(t *testing.T) {
	fake, agent, other := newFakeRelay(), newExtension(t), newExtension(t)
	ana := open(t, setup{relay: fakeURL, dial: fake.dial})
	me := ana.signUp()
	hear := func(x *extension) {
		t.Helper()
		ana.core.mu.Lock()
		ana.core.sessions.heard = []string{x.signer.PublicKey()}
		ana.core.replan(fakeURL)
		ana.core.mu.Unlock()
		ana.wait("an agent's history to be here", func() bool {
			ana.core.mu.Lock()
			defer ana.core.mu.Unlock()
			l := ana.core.live[fakeURL]
			return l != nil && l.agents.current[x.signer.PublicKey()]
		})
	}
	hear(agent)
	hear(other)
	var said []*nostr.Event // the newest comes with a live subscription
	for i := range 3 {
		at := nostr.Timestamp(time.Now().Unix() - int64(i))
		said = append(said, agent.signed(t, nostr.Event{Kind: run.KindResponse, CreatedAt: at, Content: "sealed", Tags: nostr.Tags{{"p", me}}}))
	}
	fake.wait(t, "the agent not to be heard", func() bool { return !fake.hears(said[0]) })
	fake.put(said...)
	ana.core.mu.Lock()
	ana.core.sessions.heard = []string{agent.signer.PublicKey()}
	ana.core.replan(fakeURL)
	ana.core.mu.Unlock()
	ana.has("what it said", said...)
}
