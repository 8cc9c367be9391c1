package serve_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"parley/server/agent"
	"parley/server/agent/scripted"
	"parley/server/files/packtest"
	"parley/server/serve"
	"parley/wasm/room"
)

// house asks for a house agent.
func house(c *serve.Config) {
	c.Agent = &agent.Config{Brain: scripted.New(scripted.Options{}), AllowAll: true}
}

func TestTheHouseAgentIsNamedAndIntroducesItself(t *testing.T) {
	m := start(t, house)
	site := config(t, m.URL(), nil)
	if len(site.Agents) != 1 {
		t.Fatalf("agents are %v", site.Agents)
	}
	code, err := room.DecodeCode(site.Agents[0])
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, m.URL())
	if err := c.Write(t.Context(), websocket.MessageText, []byte(`["REQ","a",{"kinds":[0,31340],"authors":["`+code.PubKey+`"]}]`)); err != nil {
		t.Fatal(err)
	}
	about := map[float64]string{}
	for deadline := time.Now().Add(10 * time.Second); len(about) < 2; {
		frame, err := read(t, c)
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("so far %v: %v", about, err)
		}
		var parts []any
		if err := json.Unmarshal([]byte(frame), &parts); err != nil {
			t.Fatal(err)
		}
		if parts[0] == "EVENT" {
			ev := parts[2].(map[string]any)
			about[ev["kind"].(float64)] = ev["content"].(string)
		}
	}
	if !strings.Contains(about[0], `"name":"House agent"`) || !strings.Contains(about[0], `"bot":true`) {
		t.Errorf("kind 0 is %s", about[0])
	}
	if !strings.Contains(about[31340], `"supports_nip59":true`) || !strings.Contains(about[31340], `"ver":1`) {
		t.Errorf("kind 31340 is %s", about[31340])
	}
}

func TestTheHouseAgentKeepsItsKey(t *testing.T) {
	data := t.TempDir()
	first := start(t, func(c *serve.Config) { house(c); c.Data = data })
	name := config(t, first.URL(), nil).Agents
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := start(t, func(c *serve.Config) { house(c); c.Data = data })
	if again := config(t, second.URL(), nil).Agents; len(again) != 1 || again[0] != name[0] {
		t.Errorf("the agent was %v, and is %v", name, again)
	}
}

func TestAHouseAgentWithABrokenKeyIsNotStarted(t *testing.T) {
	m := serve.New(serve.Config{Addr: "127.0.0.1:0", Data: t.TempDir(), RunTimeout: serve.DefaultRunTimeout,
		Files: packtest.Dir(t), Agent: &agent.Config{Brain: scripted.New(scripted.Options{})}, AgentKey: "nsec1nonsense"})
	if err := m.Run(); err == nil || !strings.Contains(err.Error(), "nsec") {
		t.Errorf("got %v", err)
	}
}
