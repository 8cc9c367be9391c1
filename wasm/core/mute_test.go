//go:build !js

package core

import (
	"testing"

	"parley/wasm/port"
	"parley/wasm/relay"
)

func TestARelayThatDoesNotAnswerIsSaidToDoSo(t *testing.T) {
	fake := newFakeRelay()
	ana := open(t, setup{relay: fakeURL, dial: fake.dial})
	view := func() port.RelayView {
		ana.core.mu.Lock()
		defer ana.core.mu.Unlock()
		for _, v := range ana.core.relayViews() {
			if v.URL == fakeURL {
				return v
			}
		}
		return port.RelayView{}
	}
	ana.wait("the relay", func() bool { return view().State == port.Online })
	for _, answer := range []relay.IncomingKind{relay.GotEOSE, relay.GotClosed} {
		ana.core.signal(relay.Incoming{Kind: relay.EOSETimeout, Relay: fakeURL, Sub: "gone", Retry: true})
		if v := view(); v.State != port.Online || v.Why == "" {
			t.Errorf("a relay that is silent is shown as %q: %q", v.State, v.Why)
		}
		ana.core.signal(relay.Incoming{Kind: answer, Relay: fakeURL, Sub: "gone"})
		if v := view(); v.Why != "" {
			t.Errorf("after %s it still says %q", answer, v.Why)
		}
	}
}
