package relay

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/verify"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

// person is somebody with a key.
type person struct {
	secret [32]byte
	key    string
}

func newPerson(t testing.TB, n byte) person {
	t.Helper()
	p := person{}
	p.secret[31], p.secret[0] = n, 1
	var err error
	if p.key, err = verify.PublicKey(p.secret); err != nil {
		t.Fatal(err)
	}
	return p
}

var serial atomic.Int64 // makes events differ

// sign makes an event of now.
func (p person) sign(t testing.TB, kind int, content string, tags ...nostr.Tag) *nostr.Event {
	t.Helper()
	return p.signAt(t, time.Now().Unix(), kind, content, tags...)
}

func (p person) signAt(t testing.TB, at int64, kind int, content string, tags ...nostr.Tag) *nostr.Event {
	t.Helper()
	ev := &nostr.Event{Kind: kind, CreatedAt: nostr.Timestamp(at), Content: content, Tags: tags}
	p.resign(t, ev)
	return ev
}

// resign signs in the quick way; what is signed here needs no protection.
func (p person) resign(t testing.TB, ev *nostr.Event) {
	t.Helper()
	if err := ev.Sign(hex.EncodeToString(p.secret[:])); err != nil {
		t.Fatal(err)
	}
}

// place is a relay that serves.
type place struct {
	*Relay
	server *httptest.Server
	url    string // as clients dial it
}

// openPlace opens a relay and serves it; change may alter its configuration.
func openPlace(t testing.TB, change func(*Config)) *place {
	t.Helper()
	var r *Relay
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { r.ServeHTTP(w, req) }))
	url := "ws" + strings.TrimPrefix(server.URL, "http") + "/relay"
	config := Config{Dir: t.TempDir(), URL: url, Name: "test", Logger: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&config)
	}
	r, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := r.Close(ctx); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return &place{r, server, url}
}

// client is a connection in a test. A goroutine reads it to its end.
type client struct {
	t  testing.TB
	ws *websocket.Conn

	challenge string

	mu   sync.Mutex
	news *sync.Cond
	got  []heard
	end  error
}

// heard is a message from the relay.
type heard struct {
	label, id, words string
	ok               bool
	count            int
	ev               *nostr.Event
}

func (p *place) dial(t testing.TB) *client {
	t.Helper()
	ws, _, err := websocket.DefaultDialer.Dial(p.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, ws: ws}
	c.news = sync.NewCond(&c.mu)
	done := make(chan struct{})
	go func() { // ends with the connection
		defer close(done)
		c.listen()
	}()
	t.Cleanup(func() { ws.Close(); <-done })
	c.challenge = c.want(func(h heard) bool { return h.label == msgAuth }).words
	return c
}

func (c *client) listen() {
	for {
		_, data, err := c.ws.ReadMessage()
		c.mu.Lock()
		if err != nil {
			c.end = err
		} else {
			c.got = append(c.got, parseHeard(data))
		}
		c.news.Broadcast()
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func parseHeard(data []byte) (h heard) {
	var parts []json.RawMessage
	json.Unmarshal(data, &parts)
	for len(parts) < 4 {
		parts = append(parts, nil)
	}
	text(parts[0], &h.label)
	switch h.label {
	case msgAuth, msgNotice:
		text(parts[1], &h.words)
	case msgEvent:
		text(parts[1], &h.id)
		h.ev = new(nostr.Event)
		h.ev.UnmarshalJSON(parts[2])
	case msgCount:
		text(parts[1], &h.id)
		var n struct{ Count int }
		json.Unmarshal(parts[2], &n)
		h.count = n.Count
	case msgOK:
		text(parts[1], &h.id)
		json.Unmarshal(parts[2], &h.ok)
		text(parts[3], &h.words)
	default:
		text(parts[1], &h.id)
		text(parts[2], &h.words)
	}
	return h
}

// want waits for a message and takes it out, leaving the others.
func (c *client) want(match func(heard) bool) heard {
	c.t.Helper()
	h, ok := c.wait(match)
	if !ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.t.Fatalf("nothing of what is awaited came; the connection's end: %v; waiting: %+v", c.end, c.got)
	}
	return h
}

func (c *client) wait(match func(heard) bool) (heard, bool) {
	deadline := time.Now().Add(patience)
	timer := time.AfterFunc(patience, c.news.Broadcast)
	defer timer.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for i, h := range c.got {
			if match(h) {
				c.got = append(c.got[:i:i], c.got[i+1:]...)
				return h, true
			}
		}
		if c.end != nil || time.Now().After(deadline) {
			return heard{}, false
		}
		c.news.Wait()
	}
}

// waitEnd waits until the relay has closed the connection.
func (c *client) waitEnd() {
	c.t.Helper()
	deadline := time.Now().Add(patience)
	timer := time.AfterFunc(patience, c.news.Broadcast)
	defer timer.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.end == nil {
		if time.Now().After(deadline) {
			c.t.Fatal("the connection is still open")
		}
		c.news.Wait()
	}
}

func (c *client) send(parts ...any) {
	c.t.Helper()
	data, err := json.Marshal(parts)
	if err != nil {
		c.t.Fatal(err)
	}
	c.sendRaw(data)
}

func (c *client) sendRaw(data []byte) {
	c.t.Helper()
	if err := c.ws.WriteMessage(websocket.TextMessage, data); err != nil {
		c.t.Fatal(err)
	}
}

// publish sends an event and returns its OK.
func (c *client) publish(ev *nostr.Event) heard {
	c.t.Helper()
	c.send(msgEvent, ev)
	return c.want(func(h heard) bool { return h.label == msgOK && h.id == ev.ID })
}

// accept publishes what must be accepted.
func (c *client) accept(evs ...*nostr.Event) {
	c.t.Helper()
	for _, ev := range evs {
		if h := c.publish(ev); !h.ok {
			c.t.Fatalf("kind %d was refused: %s", ev.Kind, h.words)
		}
	}
}

// refuse publishes what must be refused with a prefix.
func (c *client) refuse(prefix string, ev *nostr.Event) {
	c.t.Helper()
	if h := c.publish(ev); h.ok || !strings.HasPrefix(h.words, prefix+": ") {
		c.t.Fatalf("kind %d: want a refusal with %s:, got %v %q", ev.Kind, prefix, h.ok, h.words)
	}
}

// sync waits until the relay has taken everything sent before.
func (c *client) sync() {
	c.t.Helper()
	id := fmt.Sprint("sync", serial.Add(1))
	c.send(msgReq, id, nostr.Filter{LimitZero: true, IDs: []string{strings.Repeat("0", 64)}})
	c.want(func(h heard) bool { return h.label == msgEOSE && h.id == id })
	c.send(msgClose, id)
}

// ask sends a REQ, waits for EOSE, and returns the stored events.
func (c *client) ask(id string, filters ...any) []*nostr.Event {
	c.t.Helper()
	c.send(append([]any{msgReq, id}, filters...)...)
	c.want(func(h heard) bool {
		if h.label == msgClosed && h.id == id {
			c.t.Errorf("%s was closed: %s", id, h.words)
		}
		return (h.label == msgEOSE || h.label == msgClosed) && h.id == id
	})
	return c.drain(id)
}

// drain takes out the events that came for a subscription.
func (c *client) drain(id string) []*nostr.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	var evs []*nostr.Event
	var rest []heard
	for _, h := range c.got {
		if h.label == msgEvent && h.id == id {
			evs = append(evs, h.ev)
		} else {
			rest = append(rest, h)
		}
	}
	c.got = rest
	return evs
}

// closed sends a REQ and returns the words of its CLOSED.
func (c *client) closed(id string, filters ...any) string {
	c.t.Helper()
	c.send(append([]any{msgReq, id}, filters...)...)
	return c.want(func(h heard) bool { return (h.label == msgEOSE || h.label == msgClosed) && h.id == id }).words
}

// signIn does AUTH for the relay's own URL.
func (c *client) signIn(p *place, who person) {
	c.t.Helper()
	if h := c.auth(who, p.config.URL, c.challenge); !h.ok {
		c.t.Fatal(h.words)
	}
}

func (c *client) auth(who person, relay, challenge string) heard {
	c.t.Helper()
	ev := who.sign(c.t, kindAuth, "", nostr.Tag{"relay", relay}, nostr.Tag{"challenge", challenge})
	c.send(msgAuth, ev)
	return c.want(func(h heard) bool { return h.label == msgOK && h.id == ev.ID })
}

func idsOf(evs []*nostr.Event) []string {
	var ids []string
	for _, ev := range evs {
		ids = append(ids, ev.ID)
	}
	return ids
}

func randomID(n int) string { return hex.EncodeToString(fmt.Appendf(nil, "%032d", n)) }

// obj is a filter in a test.
type obj = map[string]any
