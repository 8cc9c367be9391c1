//go:build !js

package core

import (
	"context"
	"encoding/json"
	"testing"

	"parley/wasm/port"
	"parley/wasm/store"
)

// A page whose core died before it replied sends the call again, to a core
// that finds it done.
func TestAnActThatIsAskedForTwiceIsDoneOnce(t *testing.T) {
	url := startRelay(t).url
	kept := store.NewMemory("")
	ana := open(t, setup{relay: url, rooms: []string{"lobby"}, store: kept})
	ana.signUp()
	ana.enter(lobby(url))
	ana.say(lobby(url), "only once")
	ana.sees("room", "only once")
	ana.mu.Lock()
	id := ana.next
	first := ana.replies[id]
	ana.mu.Unlock()
	ana.stop()

	again := open(t, setup{relay: url, rooms: []string{"lobby"}, store: kept})
	again.enter(lobby(url))
	value, err := json.Marshal(port.SendParams{Room: lobby(url), Text: "only once"})
	if err != nil {
		t.Fatal(err)
	}
	again.core.Handle(context.Background(), port.Envelope{Type: port.Call, Tab: ana.tab, ID: id, Build: "test", Method: port.Send, Value: value})
	again.wait("the same reply", func() bool { return string(again.replies[id].Value) == string(first.Value) })
	again.say(lobby(url), "and then another")
	again.sees("room", "only once", "and then another")
}
