package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/agent/scripted"
	"parley/server/agent/tool"
	server "parley/server/relay"
	"parley/server/relay/blossom"
	"parley/wasm/relay"
	"parley/wasm/run"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// testLog is where the programs under test speak; PARLEY_TEST_LOG=1 shows it.
func testLog() *slog.Logger {
	if os.Getenv("PARLEY_TEST_LOG") != "" {
		return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return slog.New(slog.DiscardHandler)
}

// place is a relay on a real socket.
type place struct {
	t     *testing.T
	relay *server.Relay
	url   string
	files bool // they are taken; set before they are sent

	mu    sync.Mutex
	rules []server.Rule
}

// rule adds a rule while the relay runs.
func (p *place) rule(r server.Rule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = append(p.rules, r)
}

func newPlace(t *testing.T, clock func() time.Time) *place {
	t.Helper()
	p := &place{t: t, files: true}
	var handler http.Handler = http.NotFoundHandler()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	p.url = "ws" + strings.TrimPrefix(web.URL, "http") + "/relay"
	r, err := server.Open(server.Config{
		Dir: t.TempDir(), URL: p.url, Name: "test", Logger: testLog(), Clock: clock, Limits: server.Limits{Off: true},
		Rules: []server.Rule{func(ctx context.Context, look server.Lookup, ev *nostr.Event, now int64) error {
			p.mu.Lock()
			defer p.mu.Unlock()
			for _, rule := range p.rules {
				if err := rule(ctx, look, ev, now); err != nil {
					return err
				}
			}
			return nil
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	files, err := blossom.Open(blossom.Config{Dir: t.TempDir(), URL: web.URL, MayUpload: func(string) bool { return p.files }, Logger: testLog(), Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/relay", r)
	mux.Handle("/", files)
	handler, p.relay = mux, r
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := r.Close(ctx); err != nil {
			t.Error(err)
		}
		web.Close()
	})
	return p
}

// secretKey is a fresh key.
func secretKey() (secret [32]byte) {
	rand.Read(secret[:])
	return secret
}

func keysOf(t *testing.T, secret [32]byte) run.Keys {
	t.Helper()
	keys, err := run.LocalKeys(secret, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// life runs an agent until the test or stop ends it.
type life struct {
	*Agent
	t    *testing.T
	done chan error
}

func (l *life) stop() {
	l.t.Helper()
	if err := l.Close(); err != nil {
		l.t.Error(err)
	}
	select {
	case err := <-l.done:
		if err != nil {
			l.t.Error(err)
		}
		l.done <- nil
	case <-time.After(patience):
		l.t.Fatal("the agent does not end")
	}
}

// kill ends an agent as a crash does: it tells nobody anything.
func (l *life) kill() {
	l.t.Helper()
	if err := l.journal.close(); err != nil {
		l.t.Error(err)
	}
	l.pool.Close()
	l.stop()
}

// quick is a scripted brain that pauses hardly.
func quick() *scripted.Brain {
	return scripted.New(scripted.Options{Pace: time.Millisecond, Long: 50 * time.Millisecond})
}

// configure is an agent's configuration for tests.
func (p *place) configure() Config {
	return Config{
		Relays: []Relay{{URL: p.url}}, Secret: secretKey(), Dir: p.t.TempDir(), Brain: quick(), Name: "House agent",
		Tools: tool.Default(time.Now), AllowAll: true, Logger: testLog(),
	}
}

// live starts an agent and waits until it listens.
func live(t *testing.T, config Config) *life {
	t.Helper()
	a, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	l := &life{Agent: a, t: t, done: make(chan error, 1)}
	go func() { l.done <- a.Run(context.Background()) }() // ended by stop
	t.Cleanup(l.stop)
	select {
	case <-a.Ready():
	case <-time.After(patience):
		t.Fatal("the agent does not listen")
	}
	return l
}

// person is somebody with a client.
type person struct {
	t    *testing.T
	keys run.Keys
	pool *relay.Pool
	url  string

	mu     sync.Mutex
	events []*nostr.Event
	change chan struct{}   // closed and replaced at every event
	eose   map[string]bool // of the newest connection
}

// join connects a person to a relay and subscribes to what filters say.
func (p *place) join(filters func(me string) []nostr.Filter) *person {
	p.t.Helper()
	me := &person{t: p.t, keys: keysOf(p.t, secretKey()), url: p.url, change: make(chan struct{}), eose: map[string]bool{}}
	me.connect(filters)
	return me
}

func (m *person) connect(filters func(me string) []nostr.Filter) {
	m.t.Helper()
	pool := relay.NewPool(relay.Options{
		Policy: func(string) relay.AuthPolicy { return relay.AuthAlways },
		Auth: func(_ context.Context, url, challenge string) (*nostr.Event, error) {
			ev := &nostr.Event{Kind: 22242, CreatedAt: nostr.Now(), Tags: nostr.Tags{{"relay", url}, {"challenge", challenge}}}
			return ev, m.keys.Sign(ev)
		},
	})
	m.mu.Lock()
	m.eose = map[string]bool{}
	m.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	m.t.Cleanup(func() { cancel(); pool.Close() })
	m.pool = pool
	for i, f := range filters(m.keys.PubKey) {
		name := string(rune('a' + i))
		if err := m.pool.Subscribe(m.url, relay.Subscription{Name: name, Filters: relay.Fixed(f)}); err != nil {
			m.t.Fatal(err)
		}
	}
	go func() { // ends with the pool
		for {
			batch, err := pool.Next(ctx)
			if err != nil {
				return
			}
			m.take(batch)
		}
	}()
	m.until("everything stored", func() bool { return len(m.eose) == len(filters(m.keys.PubKey)) })
}

func (m *person) take(batch []relay.Incoming) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, in := range batch {
		switch in.Kind {
		case relay.GotEvent:
			m.events = append(m.events, in.Event)
		case relay.GotEOSE:
			m.eose[in.Sub] = true
		}
	}
	close(m.change)
	m.change = make(chan struct{})
}

// until waits for a condition over what came; it holds the lock while asking.
func (m *person) until(what string, met func() bool) {
	m.t.Helper()
	deadline := time.After(patience)
	for {
		m.mu.Lock()
		ok, change := met(), m.change
		m.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-change:
		case <-deadline:
			m.mu.Lock()
			defer m.mu.Unlock()
			for _, ev := range m.events {
				m.t.Logf("kind %d by %.8s: %.200s", ev.Kind, ev.PubKey, ev.Content)
			}
			m.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// find waits for an event.
func (m *person) find(what string, is func(ev *nostr.Event) bool) *nostr.Event {
	m.t.Helper()
	var found *nostr.Event
	m.until(what, func() bool {
		for _, ev := range m.events {
			if is(ev) {
				found = ev
				return true
			}
		}
		return false
	})
	return found
}

// count says how many events there are that are such.
func (m *person) count(is func(ev *nostr.Event) bool) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, ev := range m.events {
		if is(ev) {
			n++
		}
	}
	return n
}

// publish signs and sends an event; it must be taken.
func (m *person) publish(ev *nostr.Event) *nostr.Event {
	m.t.Helper()
	if err := m.try(ev); err != nil {
		m.t.Fatal(err)
	}
	return ev
}

func (m *person) try(ev *nostr.Event) error {
	if err := m.keys.Sign(ev); err != nil {
		return err
	}
	return m.send(ev)
}

func (m *person) send(ev *nostr.Event) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	got, err := m.pool.Publish(ctx, m.url, ev)
	if err == nil && !got.OK {
		err = errors.New(got.Message)
	}
	return err
}
