//go:build !js

package core

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/wasm/port"
	"parley/wasm/relay"
	"parley/wasm/room"
	"parley/wasm/run"
	"parley/wasm/signer"
	"parley/wasm/store"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

// page is the other side of a core: what a tab does, without pixels.
type page struct {
	t    *testing.T
	core *Core
	tab  string

	mu        sync.Mutex
	changed   *sync.Cond
	next      int64
	replies   map[int64]port.Envelope
	app       port.AppView
	timelines map[string]*shown
	sessions  map[string]*shownSession
	raw       map[string]json.RawMessage // the newest update of a watch
	first     map[string]json.RawMessage // its first one
	largest   int                        // bytes of a run's texts that one update brought
	extension func(method string, value json.RawMessage) (any, error)
	stop      func()
}

// shown is a timeline as the page has put it together.
type shown struct {
	last  port.Timeline
	items map[string]port.Item
	info  port.RoomInfo
}

type shownSession struct {
	last port.SessionView
	runs map[string]run.View
}

type setup struct {
	store store.Store
	relay string
	rooms []string
	agent string
	dial  relay.Dialer
	now   func() time.Time
	ext   func(method string, value json.RawMessage) (any, error) // the browser extension
	// upload is the Blossom endpoint, fetch how it is reached.
	upload string
	fetch  Fetcher
}

// browserKey is the key store that all pages of a test run share, as reloads of
// one browser do.
var browserKey = sync.OnceValues(func() (signer.Wrapper, error) { return signer.NewWrapper(context.Background()) })

// tabs counts pages: a reload is a tab of its own.
var tabs atomic.Int64

// open starts a core with a page that watches the app.
func open(t *testing.T, s setup) *page {
	t.Helper()
	if s.store == nil {
		s.store = store.NewMemory("")
	}
	p := &page{t: t, tab: fmt.Sprint("tab", tabs.Add(1)), replies: map[int64]port.Envelope{}, timelines: map[string]*shown{}, sessions: map[string]*shownSession{}, raw: map[string]json.RawMessage{}, first: map[string]json.RawMessage{}, extension: s.ext}
	p.changed = sync.NewCond(&p.mu)
	ready := make(chan struct{})
	site := Site{Rooms: s.rooms, Upload: s.upload}
	if s.relay != "" {
		site.Relays = []string{s.relay}
	}
	if s.agent != "" {
		site.Agents = []string{s.agent}
	}
	wrapper, err := browserKey()
	if err != nil {
		t.Fatal(err)
	}
	p.core = New(Config{
		Store: s.store, Post: p.post, Wrapper: wrapper, Secure: true, Build: "test",
		Site: site, Dial: s.dial, Fetch: s.fetch, Now: s.now, Ready: func() { close(ready) },
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.core.Run(ctx) }()
	p.stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("the core ended with: %v", err)
			}
		case <-time.After(patience):
			t.Error("the core did not end")
		}
	})
	t.Cleanup(p.stop)
	select {
	case <-ready:
	case err := <-done:
		done <- err
		t.Fatalf("the core did not start: %v", err)
	}
	p.must(port.Watch, port.WatchParams{Watch: "app", Name: port.AppName})
	return p
}

func (p *page) post(e port.Envelope) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.Type {
	case port.Reply:
		p.replies[e.ID] = e
	case port.Update:
		for _, topic := range e.Updates {
			p.take(topic)
		}
	case port.Request:
		go p.answer(e)
	}
	p.changed.Broadcast()
}

func (p *page) answer(e port.Envelope) {
	answer := port.Envelope{Type: port.Answer, Tab: p.tab, ID: e.ID}
	value, err := p.extension(e.Method, e.Value)
	if err != nil {
		answer.Error = &port.Error{Code: port.CodeRefused, Message: err.Error()}
	} else if answer.Value, err = json.Marshal(value); err != nil {
		p.t.Error(err)
	}
	p.core.Handle(context.Background(), answer)
}

// call makes a call and waits for its reply.
func (p *page) call(method string, value any) (json.RawMessage, error) {
	p.t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	p.next++
	id := p.next
	p.mu.Unlock()
	p.core.Handle(context.Background(), port.Envelope{Type: port.Call, Tab: p.tab, ID: id, Build: "test", Method: method, Value: text})
	var reply port.Envelope
	p.wait(method+" to be answered", func() (ok bool) {
		reply, ok = p.replies[id]
		return ok
	})
	if reply.Error != nil {
		return nil, reply.Error
	}
	return reply.Value, nil
}

// must is call for what has to work.
func (p *page) must(method string, value any) json.RawMessage {
	p.t.Helper()
	reply, err := p.call(method, value)
	if err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
	return reply
}

// wait waits until a condition holds of what the page has.
func (p *page) wait(what string, holds func() bool) {
	p.t.Helper()
	defer func() {
		if p.t.Failed() {
			p.t.Log("the page has: " + p.summary())
		}
	}()
	within(p.t, p.changed, what, holds)
}

// within waits until a condition holds of what a lock guards.
func within(t *testing.T, changed *sync.Cond, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	timer := time.AfterFunc(patience, changed.Broadcast)
	defer timer.Stop()
	changed.L.Lock()
	defer changed.L.Unlock()
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatal("waited in vain for " + what)
		}
		changed.Wait()
	}
}

func (p *page) summary() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprintf("connection %s, notices %v", p.app.Connection, p.app.Notices)
	for name, s := range p.timelines {
		text += fmt.Sprintf("\n%s:", name)
		for _, id := range s.last.Order {
			item := s.items[id]
			text += fmt.Sprintf("\n  %s %q", id[:8], item.Message.Text)
			if item.Delivery != nil {
				text += " " + item.Delivery.State + " " + item.Delivery.Reason
			}
		}
		text += fmt.Sprintf(" loading=%v problem=%q", s.last.Loading, s.last.Problem)
	}
	for name, s := range p.sessions {
		text += "\n" + name + ":"
		for id, r := range s.runs {
			text += fmt.Sprintf("\n  %s %s %q", id[:8], r.State, r.Text)
		}
	}
	return text
}

// signUp makes a key without a passphrase.
func (p *page) signUp() string {
	p.t.Helper()
	p.must(port.CreateKey, port.Secret{})
	key := ""
	p.wait("to be signed in", func() bool {
		if p.app.Me != nil {
			key = p.app.Me.Person.PubKey
		}
		return key != ""
	})
	return key
}

// enter watches a room and waits until it is loaded.
func (p *page) enter(ref room.Ref) {
	p.t.Helper()
	p.must(port.Watch, port.WatchParams{Watch: "room", Name: port.RoomName, Room: ref})
	p.wait("the room to be loaded", func() bool { s := p.timelines["room"]; return s != nil && !s.last.Loading })
}

// say sends a message to the watched room.
func (p *page) say(ref room.Ref, text string) string {
	p.t.Helper()
	var id port.EventID
	if err := json.Unmarshal(p.must(port.Send, port.SendParams{Room: ref, Text: text}), &id); err != nil {
		p.t.Fatal(err)
	}
	return id.ID
}

// texts are the messages of a timeline in order. mu is held.
func (p *page) texts(watch string) []string {
	s := p.timelines[watch]
	if s == nil {
		return nil
	}
	var texts []string
	for _, id := range s.last.Order {
		texts = append(texts, s.items[id].Message.Text)
	}
	return texts
}

// sees waits for a timeline with exactly these texts.
func (p *page) sees(watch string, texts ...string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("%s to show %q", watch, texts), func() bool { return slices.Equal(p.texts(watch), texts) })
}

func roomNPub(key string) string { return room.NPub(key) }

// shownRun is a run as the page has it.
func (p *page) shownRun(id string) run.View {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.run(id)
}
