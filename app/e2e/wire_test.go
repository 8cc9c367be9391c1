package e2e

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/nbd-wtf/go-nostr"
)

// wire stands in front of a whole server: the app, the agent and everybody else
// speak to the relay through it, and it keeps every event that passes. It can
// make the relay one that keeps no history of AI sessions.
type wire struct {
	url       string // of the site, http://127.0.0.1:port
	forgetful bool

	mu     sync.Mutex
	target string // where the real server listens
	log    []string
	kinds  map[int]int
}

func newWire(t testing.TB) *wire {
	t.Helper()
	w := &wire{kinds: map[int]int{}}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	w.url = server.URL
	return w
}

// before starts a server that is reached through the wire.
func (w *wire) before(t testing.TB, args ...string) *server {
	t.Helper()
	w.mu.Lock()
	w.target = freeAddr(t)
	w.mu.Unlock()
	return serveOn(t, w.target, append([]string{"-url", w.url}, args...)...)
}

// freeAddr is a loopback address that nobody listens on.
func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (w *wire) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	target := w.target
	w.mu.Unlock()
	if websocket.IsWebSocketUpgrade(r) {
		w.relay(target, rw, r)
		return
	}
	proxy(target).ServeHTTP(rw, r)
}

func (w *wire) relay(target string, rw http.ResponseWriter, r *http.Request) {
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	client, err := upgrader.Upgrade(rw, r, nil)
	if err != nil {
		return
	}
	defer client.Close()
	upstream, _, err := websocket.DefaultDialer.Dial("ws://"+target+r.URL.Path, http.Header{})
	if err != nil {
		return
	}
	defer upstream.Close()
	go func() { // ends with either connection
		defer upstream.Close()
		w.pass(client, upstream, func([]json.RawMessage) bool { return true })
	}()
	stored := map[string]bool{} // subscriptions that have had their EOSE
	w.pass(upstream, client, func(parts []json.RawMessage) bool {
		switch string(parts[0]) {
		case `"EOSE"`:
			stored[string(parts[1])] = true
		case `"EVENT"`:
			var e nostr.Event
			if w.forgetful && !stored[string(parts[1])] && json.Unmarshal(parts[2], &e) == nil && e.Kind >= 25800 && e.Kind <= 25806 {
				return false
			}
		}
		return true
	})
}

// pass copies frames from one side to the other, and keeps their events.
func (w *wire) pass(from, to *websocket.Conn, wanted func([]json.RawMessage) bool) {
	for {
		kind, frame, err := from.ReadMessage()
		if err != nil {
			return
		}
		var parts []json.RawMessage
		if json.Unmarshal(frame, &parts) == nil && len(parts) > 1 {
			w.keep(parts)
			if !wanted(parts) {
				continue
			}
		}
		if to.WriteMessage(kind, frame) != nil {
			return
		}
	}
}

func (w *wire) keep(parts []json.RawMessage) {
	if string(parts[0]) != `"EVENT"` {
		return
	}
	var e nostr.Event
	last := parts[len(parts)-1]
	if json.Unmarshal(last, &e) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, string(last))
	w.kinds[e.Kind]++
}

// seen tells how many events of a kind have passed.
func (w *wire) seen(kind int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.kinds[kind]
}

// holds tells whether a text stands readable in any event.
func (w *wire) holds(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range w.log {
		if strings.Contains(line, text) {
			return true
		}
	}
	return false
}
