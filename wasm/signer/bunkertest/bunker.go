// Package bunkertest is the other side of NIP-46, for tests: a remote signer that
// holds a person's key, speaks over real relays or one in memory, and can be made
// to wait, to refuse, to go away and to lie.
package bunkertest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/relay"
	"parley/wasm/signer"
	"parley/wasm/verify"
)

// Request is what a client asks.
type Request struct {
	Client string   `json:"-"` // its public key, hex
	ID     string   `json:"id"`
	Method string   `json:"method"`
	Params []string `json:"params"`
}

// Reply is what the bunker is about to answer; a test may change any of it.
type Reply struct {
	ID     string
	Result any // a string, unless the bunker is to misbehave
	Error  string
	By     *signer.Local // who writes it
	To     string        // whom it is for, hex
	Raw    string        // in place of the JSON of the three above
	Spoil  func(*nostr.Event)
}

// Bunker is a remote signer. Its fields are set before Start.
type Bunker struct {
	Key    *signer.Local // its own key
	User   *signer.Local // the person's
	Relays []string
	Secret string       // of its address, for one connection
	Dial   relay.Dialer // nil: real sockets

	mu     sync.Mutex
	decide func(Request) error           // the person; may take its time
	spoil  func(Request, *Reply) []Reply // what is sent instead
	moved  []string                      // answered to switch_relays
	known  map[string]bool               // clients that are connected
	count  map[string]int                // requests by method
	cancel context.CancelFunc
	ended  chan struct{}
}

// New makes a bunker with fresh keys.
func New(relays ...string) (*Bunker, error) {
	key, err := NewKey()
	if err != nil {
		return nil, err
	}
	user, err := NewKey()
	if err != nil {
		return nil, err
	}
	return &Bunker{Key: key, User: user, Relays: relays, Secret: rand.Text(), known: map[string]bool{}, count: map[string]int{}}, nil
}

// NewKey makes a key.
func NewKey() (*signer.Local, error) {
	var secret [32]byte
	if _, err := rand.Read(secret[:]); err != nil {
		return nil, err
	}
	return signer.NewLocal(secret, rand.Reader)
}

// Address is what the person pastes.
func (b *Bunker) Address() string {
	return signer.Bunker{PubKey: b.Key.PublicKey(), Relays: b.Relays, Secret: b.Secret}.String()
}

// Decide has the person answer requests from now on; an error refuses. Nil
// allows everything.
func (b *Bunker) Decide(decide func(Request) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.decide = decide
}

// Spoil has the bunker send what spoil gives instead of its honest reply.
func (b *Bunker) Spoil(spoil func(Request, *Reply) []Reply) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spoil = spoil
}

// Move is the list that switch_relays answers from now on.
func (b *Bunker) Move(relays ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.moved = relays
}

// Count is how often a method was asked.
func (b *Bunker) Count(method string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.count[method]
}

// Start begins to listen, and returns once it does at every relay.
func (b *Bunker) Start(ctx context.Context) error { return b.start(ctx, b.Relays, nil) }

// Accept takes an invitation (nostrconnect://): it answers at its relays, and
// listens there until Stop.
func (b *Bunker) Accept(ctx context.Context, invitation string) error {
	u, err := url.Parse(invitation)
	if err != nil {
		return err
	}
	if u.Scheme != "nostrconnect" || u.Query().Get("secret") == "" {
		return fmt.Errorf("%q is no invitation", invitation)
	}
	b.mu.Lock()
	b.known[u.Host] = true
	b.mu.Unlock()
	return b.start(ctx, u.Query()["relay"], &Reply{ID: "connected", Result: u.Query().Get("secret"), By: b.Key, To: u.Host})
}

func (b *Bunker) start(ctx context.Context, relays []string, first *Reply) error {
	running, cancel := context.WithCancel(context.Background())
	pool := relay.NewPool(relay.Options{
		Dial: b.Dial, Policy: func(string) relay.AuthPolicy { return relay.AuthAlways },
		Auth: func(ctx context.Context, url, challenge string) (*nostr.Event, error) {
			e := &nostr.Event{Kind: 22242, CreatedAt: nostr.Now(), Tags: nostr.Tags{{"relay", url}, {"challenge", challenge}}}
			return e, b.Key.Sign(ctx, e)
		},
	})
	now := nostr.Now()
	for _, at := range relays {
		filter := nostr.Filter{Kinds: []int{signer.KindRemoteCall}, Tags: nostr.TagMap{"p": {b.Key.PublicKey()}}, Since: &now}
		if err := pool.Subscribe(at, relay.Subscription{Name: "requests", Filters: relay.Fixed(filter)}); err != nil {
			cancel()
			return err
		}
	}
	ready, ended := make(chan struct{}), make(chan struct{})
	go func() { // ends with running
		defer close(ended)
		b.listen(running, pool, len(relays), ready)
	}()
	b.mu.Lock()
	b.cancel, b.ended = cancel, ended
	b.mu.Unlock()
	select {
	case <-ready:
	case <-ctx.Done():
		b.Stop()
		return ctx.Err()
	}
	if first != nil {
		return b.publish(ctx, pool, relays, *first)
	}
	return nil
}

// Stop goes away: what is asked meanwhile is never heard.
func (b *Bunker) Stop() {
	b.mu.Lock()
	cancel, ended := b.cancel, b.ended
	b.cancel = nil
	b.mu.Unlock()
	if cancel != nil {
		cancel()
		<-ended
	}
}

func (b *Bunker) listen(ctx context.Context, pool *relay.Pool, relays int, ready chan struct{}) {
	var working sync.WaitGroup
	defer func() {
		pool.Close()
		working.Wait()
	}()
	heard, seen := map[string]bool{}, map[string]bool{}
	for {
		batch, err := pool.Next(ctx)
		if err != nil {
			return
		}
		for _, in := range batch {
			switch {
			case in.Kind == relay.GotEOSE && !heard[in.Relay]:
				heard[in.Relay] = true
				if len(heard) == relays {
					close(ready)
				}
			case in.Kind == relay.GotEvent && !seen[in.Event.ID] && verify.Event(in.Event) == nil:
				seen[in.Event.ID] = true
				working.Go(func() { b.serve(ctx, pool, in.Event) })
			}
		}
	}
}

// serve answers one request at all relays of the pool.
func (b *Bunker) serve(ctx context.Context, pool *relay.Pool, e *nostr.Event) {
	text, err := b.Key.Decrypt(ctx, e.Content, e.PubKey)
	if err != nil {
		return
	}
	request := Request{Client: e.PubKey}
	if json.Unmarshal([]byte(text), &request) != nil {
		return
	}
	b.mu.Lock()
	b.count[request.Method]++
	spoil := b.spoil
	b.mu.Unlock()
	reply := Reply{ID: request.ID, By: b.Key, To: request.Client}
	result, err := b.answer(ctx, request)
	if reply.Result = result; err != nil {
		reply.Result, reply.Error = "", err.Error()
	}
	replies := []Reply{reply}
	if spoil != nil {
		replies = spoil(request, &reply)
	}
	var relays []string
	for _, s := range pool.States() {
		relays = append(relays, s.URL)
	}
	for _, reply := range replies {
		_ = b.publish(ctx, pool, relays, reply) // a bunker that went away meanwhile answers nothing
	}
}

var errStranger = errors.New("this client is not connected")

func (b *Bunker) answer(ctx context.Context, r Request) (string, error) {
	b.mu.Lock()
	decide, known, moved := b.decide, b.known[r.Client], b.moved
	b.mu.Unlock()
	if !known && r.Method != "connect" {
		return "", errStranger
	}
	if decide != nil {
		if err := decide(r); err != nil {
			return "", err
		}
	}
	text := func(i int) string {
		if i < len(r.Params) {
			return r.Params[i]
		}
		return ""
	}
	switch r.Method {
	case "connect":
		return b.connect(r.Client, text(0), text(1))
	case "ping":
		return "pong", nil
	case "get_public_key":
		return b.User.PublicKey(), nil
	case "sign_event":
		return b.sign(ctx, text(0))
	case "nip44_encrypt":
		return b.User.Encrypt(ctx, text(1), text(0))
	case "nip44_decrypt":
		return b.User.Decrypt(ctx, text(1), text(0))
	case "switch_relays":
		list, err := json.Marshal(moved)
		return string(list), err
	case "logout":
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.known, r.Client)
		return "ack", nil
	}
	return "", fmt.Errorf("unknown method %s", r.Method)
}

func (b *Bunker) connect(client, key, secret string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if key != b.Key.PublicKey() || secret != b.Secret {
		return "", errors.New("wrong secret, or one that was used")
	}
	b.known[client] = true
	if b.Secret == "" {
		return "ack", nil
	}
	b.Secret = hex.EncodeToString([]byte("used")) // for one connection only
	return secret, nil
}

func (b *Bunker) sign(ctx context.Context, text string) (string, error) {
	var e nostr.Event
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return "", err
	}
	if err := b.User.Sign(ctx, &e); err != nil {
		return "", err
	}
	signed, err := json.Marshal(e)
	return string(signed), err
}

// publish sends a reply to relays; one that takes it is enough.
func (b *Bunker) publish(ctx context.Context, pool *relay.Pool, relays []string, r Reply) error {
	text, err := json.Marshal(map[string]any{"id": r.ID, "result": r.Result, "error": r.Error})
	if err != nil {
		return err
	}
	if r.Raw != "" {
		text = []byte(r.Raw)
	}
	content, err := r.By.Encrypt(ctx, string(text), r.To)
	if err != nil {
		return err
	}
	e := &nostr.Event{Kind: signer.KindRemoteCall, CreatedAt: nostr.Timestamp(time.Now().Unix()), Tags: nostr.Tags{{"p", r.To}}, Content: content}
	if err := r.By.Sign(ctx, e); err != nil {
		return err
	}
	if r.Spoil != nil {
		r.Spoil(e)
	}
	failed := errors.New("there is no relay")
	for _, at := range relays {
		answer, err := pool.Publish(ctx, at, e)
		switch {
		case err != nil:
			failed = err
		case answer.OK:
			return nil
		default:
			failed = errors.New(answer.Message)
		}
	}
	return failed
}
