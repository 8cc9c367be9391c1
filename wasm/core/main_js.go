package core

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"syscall/js"
	"time"

	"parley/wasm/port"
	"parley/wasm/signer"
	"parley/wasm/store"
)

// Database is the name of the browser's database.
const Database = "parley"

// SiteTimeout is how long the core waits for /config.json before it starts
// with what it knew the last time.
const SiteTimeout = 4 * time.Second

// Main runs the core in a worker until the program ends. A panic ends it: the
// page notices, and starts a new one.
func Main() {
	bridge := js.Global().Get("parley")
	post := func(e port.Envelope) {
		if text, err := json.Marshal(e); err == nil {
			bridge.Call("send", string(text))
		}
	}
	inbox := listen(bridge)
	if err := start(bridge, post, inbox); err != nil {
		post(port.Envelope{Type: port.Fatal, Error: &port.Error{Code: port.CodeInternal, Message: err.Error()}})
	}
}

func start(bridge js.Value, post func(port.Envelope), inbox *inbox) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	wrapper, err := signer.NewWrapper(ctx)
	var running atomic.Pointer[Core]
	kept := store.Open(ctx, Database, func(why string) {
		if c := running.Load(); c != nil { // else the core finds out when it runs
			c.StoreFailed(why)
		}
	})
	c := New(Config{
		Store: kept, Post: post, Wrapper: wrapper, Secure: err == nil,
		Build: bridge.Get("build").String(),
		Site:  site(ctx, kept, bridge.Get("base").String()),
		Fetch: fetchHTTP,
	})
	running.Store(c)
	ready := make(chan struct{})
	go func() {
		<-ready
		for {
			c.Handle(ctx, inbox.next())
		}
	}()
	c.Ready = func() { close(ready) }
	return c.Run(ctx)
}

// inbox holds what the page has said and nobody has read yet. The callback
// from JavaScript only appends to it.
type inbox struct {
	mu     sync.Mutex
	texts  []string
	signal chan struct{}
}

// listen registers for the life of the program, so its js.Func is never
// released.
func listen(bridge js.Value) *inbox {
	in := &inbox{signal: make(chan struct{}, 1)}
	bridge.Call("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		in.mu.Lock()
		in.texts = append(in.texts, args[0].String())
		in.mu.Unlock()
		poke(in.signal)
		return nil
	}))
	return in
}

// next waits for the next envelope; what cannot be read is passed over.
func (in *inbox) next() port.Envelope {
	for {
		in.mu.Lock()
		var text string
		ok := len(in.texts) > 0
		if ok {
			text, in.texts = in.texts[0], in.texts[1:]
		}
		in.mu.Unlock()
		if !ok {
			<-in.signal
			continue
		}
		var e port.Envelope
		if json.Unmarshal([]byte(text), &e) == nil {
			return e
		}
	}
}

const siteKey = "site"

// site asks the server for /config.json; without an answer what it said the
// last time holds, so that the app starts offline.
func site(ctx context.Context, kept store.Store, base string) Site {
	ctx, cancel := context.WithTimeout(ctx, SiteTimeout)
	defer cancel()
	var s Site
	text, err := fetchHTTP(ctx, Request{Method: methodGet, URL: origin() + base + "config.json"})
	if err == nil && json.Unmarshal(text.Body, &s) == nil && text.Status == statusOK {
		s.Upload = uploadURL(s, base)
		_ = kept.Set(context.Background(), stateBucket, siteKey, text.Body) // only lost for the next offline start
		return s
	}
	if text, err := kept.Get(context.Background(), stateBucket, siteKey); err == nil {
		_ = json.Unmarshal(text, &s) // an unreadable one is an empty one
		s.Upload = uploadURL(s, base)
	}
	return s
}

// uploadURL is the Blossom endpoint beside the embedded relay; "" for a site
// whose relay is elsewhere.
func uploadURL(s Site, base string) string {
	if len(s.Relays) == 0 || "http"+strings.TrimPrefix(s.Relays[0], "ws") != origin()+base+"relay" {
		return ""
	}
	return origin() + base + "upload"
}

func origin() string { return js.Global().Get("location").Get("origin").String() }
