//go:build !js

package core

import (
	"context"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/run"
	"parley/wasm/store"
)

// slow is a store whose events take until a test lets them go.
type slow struct {
	store.Store
	began chan struct{} // gets one for each Put of an agent's info
	go_   chan struct{}
}

func (s slow) Put(ctx context.Context, records []store.Record) error {
	if len(records) > 0 && records[0].Event.Kind == run.KindInfo {
		s.began <- struct{}{}
		<-s.go_
	}
	return s.Store.Put(ctx, records)
}

func TestWhatIsBeingKeptIsSeenByTheAccountThatTakesOver(t *testing.T) {
	fake, agent := newFakeRelay(), newExtension(t)
	s := slow{store.NewMemory(""), make(chan struct{}, 10), make(chan struct{})}
	fake.put(agent.signed(t, nostr.Event{Kind: run.KindInfo, Content: `{"ver":1,"encryption":["nip44"],"tool_names":[]}`, Tags: nostr.Tags{{"d", "agent-info"}}}))
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, store: s, agent: agent.signer.PublicKey()})
	ana.must(port.Watch, port.WatchParams{Watch: "agent", Name: port.AgentName, Agent: agent.signer.PublicKey()})
	<-s.began
	ana.signUp()
	close(s.go_)
	ana.wait("the agent's info", func() bool {
		ana.core.mu.Lock()
		defer ana.core.mu.Unlock()
		return ana.core.sessions.infos[agent.signer.PublicKey()] != nil
	})
}
