//go:build !js

package core

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"parley/wasm/port"
	"parley/wasm/store"
)

// hand hands a call in and does not wait for its reply.
func (p *page) hand(method string, value any) (id int64) {
	p.t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	p.next++
	id = p.next
	p.mu.Unlock()
	p.core.Handle(context.Background(), port.Envelope{Type: port.Call, Tab: p.tab, ID: id, Method: method, Value: text})
	return id
}

func TestCallsOfATabBeginInOrder(t *testing.T) {
	kept := store.NewMemory("")
	ana := open(t, setup{store: kept})
	var last int64
	for i := range 200 {
		last = ana.hand(port.SetDraft, port.Draft{Key: "place", Text: strconv.Itoa(i)})
	}
	ana.wait("the last reply", func() bool { return len(ana.replies) >= 200 && ana.replies[last].ID == last })
	var draft port.Draft
	if err := json.Unmarshal(ana.must(port.GetDraft, port.Draft{Key: "place"}), &draft); err != nil || draft.Text != "199" {
		t.Errorf("the draft is %q, %v", draft.Text, err)
	}
	ana.stop()
	if again := open(t, setup{store: kept}); !strings.Contains(string(again.must(port.GetDraft, port.Draft{Key: "place"})), `"199"`) {
		t.Error("another draft was kept")
	}
}

func TestACallThatWaitsForAPersonHoldsUpNoOtherAndEndsWithTheCore(t *testing.T) {
	asked := make(chan struct{})
	ana := open(t, setup{ext: func(string, json.RawMessage) (any, error) {
		close(asked)
		<-t.Context().Done()
		return nil, t.Context().Err()
	}})
	ana.hand(port.UseExtension, nil)
	<-asked
	ana.must(port.SetDraft, port.Draft{Key: "place", Text: "typed meanwhile"})
	ana.stop() // fails the test when the core does not end
	ana.core.Handle(context.Background(), port.Envelope{Type: port.Call, Tab: ana.tab, ID: 999, Method: port.Probe})
}

func TestHostileCallsGetAnError(t *testing.T) {
	ana := open(t, setup{})
	ana.signUp()
	long := strings.Repeat("x", 1<<17)
	values := []string{
		`null`, `[]`, `"x"`, `7`, `{}`, `{"room":7}`, `{"room":{"relay":"javascript:alert(1)","id":"x"},"id":"y","text":"z"}`,
		`{"room":{"relay":"wss://elsewhere.example","id":"lobby"},"id":"` + long + `","text":"` + long + `"}`,
		`{"url":"` + long + `","pubkey":"` + long + `","agent":"` + long + `","session":"` + long + `","key":"` + long + `"}`,
		`{"watch":"w","name":"thread","id":"zz"}`, `{"watch":"","name":"app"}`, `{"watch":"w","before":-9007199254740991,"after":9007199254740991}`,
		`{"text":"\u0000\ud800","name":"\u0000","data":"AA==","minutes":-1,"people":["x"],"options":["",""]}`,
	}
	for method := range methods {
		if method == port.UseExtension || method == port.SignOut {
			continue // waits for a person; takes no hostile value
		}
		for _, value := range values {
			id := ana.hand(method, json.RawMessage(value))
			ana.wait(method+" with "+value[:min(len(value), 60)], func() bool { _, ok := ana.replies[id]; return ok })
		}
	}
	ana.wait("still to be signed in", func() bool { return ana.app.Me != nil })
}
