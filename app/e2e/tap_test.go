package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/nbd-wtf/go-nostr"
)

// tap is a relay that passes everything to a real one and counts what comes
// back. It can also forge, slipping events in before each EOSE, and refuse.
type tap struct {
	url string

	mu      sync.Mutex
	events  int // EVENT frames to the client
	forged  []*nostr.Event
	refusal map[int]string // of events of a kind: the words of the OK
}

func newTap(t testing.TB, upstream string) *tap {
	t.Helper()
	p := &tap{refusal: map[int]string{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.serve(t, upstream, w, r) }))
	t.Cleanup(server.Close)
	p.url = "ws" + strings.TrimPrefix(server.URL, "http")
	return p
}

func (p *tap) serve(t testing.TB, upstream string, w http.ResponseWriter, r *http.Request) {
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	client, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // not a WebSocket: the client asks for NIP-11
	}
	defer client.Close()
	relay, _, err := websocket.DefaultDialer.Dial(upstream, nil)
	if err != nil {
		t.Logf("the tap reaches no relay: %v", err)
		return
	}
	defer relay.Close()
	var writing sync.Mutex // one frame to the client after the other
	write := func(kind int, frame []byte) error {
		writing.Lock()
		defer writing.Unlock()
		return client.WriteMessage(kind, frame)
	}
	go func() { // ends with either connection
		defer relay.Close()
		for {
			kind, frame, err := client.ReadMessage()
			if err != nil {
				return
			}
			if answer := p.refused(frame); answer != nil {
				err = write(kind, answer)
			} else {
				err = relay.WriteMessage(kind, frame)
			}
			if err != nil {
				return
			}
		}
	}()
	for {
		kind, frame, err := relay.ReadMessage()
		if err != nil {
			return
		}
		for _, forged := range p.look(frame) {
			if write(kind, forged) != nil {
				return
			}
		}
		if write(kind, frame) != nil {
			return
		}
	}
}

// refuse has all events of a kind refused with these words, until they are "".
func (p *tap) refuse(kind int, words string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusal[kind] = words
}

// refused is what to answer to a frame of the client, nil when it is to pass.
func (p *tap) refused(frame []byte) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	var parts []json.RawMessage
	var e nostr.Event
	if json.Unmarshal(frame, &parts) != nil || len(parts) < 2 || string(parts[0]) != `"EVENT"` || json.Unmarshal(parts[1], &e) != nil || p.refusal[e.Kind] == "" {
		return nil
	}
	answer, _ := json.Marshal([]any{"OK", e.ID, false, p.refusal[e.Kind]}) // plain data
	return answer
}

// look counts a frame of the relay, and gives what is to be slipped in before it.
func (p *tap) look(frame []byte) [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	var parts []json.RawMessage
	if json.Unmarshal(frame, &parts) != nil || len(parts) < 2 {
		return nil
	}
	switch string(parts[0]) {
	case `"EVENT"`:
		p.events++
	case `"EOSE"`:
		var frames [][]byte
		for _, e := range p.forged {
			text, _ := json.Marshal([]any{"EVENT", parts[1], e}) // plain data
			frames = append(frames, text)
		}
		return frames
	}
	return nil
}

func (p *tap) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.events
}
