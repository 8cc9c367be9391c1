package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"
)

// patience is how long a test waits for something that should happen.
const patience = 20 * time.Second

// peer is the relay's end of one connection, played by a test.
type peer struct {
	t    *testing.T
	in   chan string // what the client sent; closed when it is gone
	send func(frame string)
	drop func()
	// Only over real sockets:
	end        func(code int, reason string)
	sendBinary func(b []byte)
}

// expect gives the parts of the next frame, which must have this label.
func (p *peer) expect(label string) []json.RawMessage {
	p.t.Helper()
	frame := p.next()
	var parts []json.RawMessage
	if err := json.Unmarshal([]byte(frame), &parts); err != nil || len(parts) < 2 || string(parts[0]) != `"`+label+`"` {
		p.t.Fatalf("the client sent %q, want %s", frame, label)
	}
	return parts
}

func (p *peer) next() string {
	p.t.Helper()
	select {
	case frame, open := <-p.in:
		if !open {
			p.t.Fatal("the client closed the connection")
		}
		return frame
	case <-time.After(patience):
		p.t.Fatal("the client sent nothing")
	}
	return ""
}

// quiet makes sure that the client has sent nothing. Only under synctest.
func (p *peer) quiet() {
	p.t.Helper()
	select {
	case frame, open := <-p.in:
		p.t.Fatalf("the client sent %q (open: %t), want nothing", frame, open)
	default:
	}
}

// gone waits until the client has closed the connection.
func (p *peer) gone() {
	p.t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case _, open := <-p.in:
			if !open {
				return
			}
		case <-deadline:
			p.t.Fatal("the client keeps the connection open")
		}
	}
}

// req expects a REQ and gives its subscription id and filters.
func (p *peer) req() (id string, filters []nostr.Filter) {
	p.t.Helper()
	parts := p.expect(msgReq)
	if err := json.Unmarshal(parts[1], &id); err != nil {
		p.t.Fatal(err)
	}
	for _, part := range parts[2:] {
		var f nostr.Filter
		if err := json.Unmarshal(part, &f); err != nil {
			p.t.Fatal(err)
		}
		filters = append(filters, f)
	}
	return id, filters
}

// event expects an EVENT (or AUTH) and gives the event.
func (p *peer) event(label string) *nostr.Event {
	p.t.Helper()
	ev := new(nostr.Event)
	if err := json.Unmarshal(p.expect(label)[1], ev); err != nil {
		p.t.Fatal(err)
	}
	return ev
}

func (p *peer) deliver(sub string, events ...*nostr.Event) {
	for _, ev := range events {
		p.send(fmt.Sprintf(`["EVENT",%q,%s]`, sub, ev))
	}
}

func (p *peer) eose(sub string) { p.send(fmt.Sprintf(`["EOSE",%q]`, sub)) }

func (p *peer) closed(sub, why string) { p.send(fmt.Sprintf(`["CLOSED",%q,%q]`, sub, why)) }

func (p *peer) ok(id string, ok bool, message string) {
	p.send(fmt.Sprintf(`["OK",%q,%t,%q]`, id, ok, message))
}

func (p *peer) challenge(c string) { p.send(fmt.Sprintf(`["AUTH",%q]`, c)) }

// fakeConn is a connection without a network.
type fakeConn struct {
	toClient, toRelay chan string
	over              chan struct{}

	mu  sync.Mutex
	why error // set when it is over
}

func (c *fakeConn) Read(ctx context.Context) (Frame, error) {
	select {
	case frame := <-c.toClient:
		return Frame{Text: frame, Oversized: frame == "" /* a test's sign for it */}, nil
	default:
	}
	select {
	case frame := <-c.toClient:
		return Frame{Text: frame, Oversized: frame == ""}, nil
	case <-c.over:
		return Frame{}, c.ended()
	case <-ctx.Done():
		return Frame{}, ctx.Err()
	}
}

func (c *fakeConn) Send(frame string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why == nil {
		c.toRelay <- frame
	}
	return c.why
}

func (c *fakeConn) ended() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.why
}

func (c *fakeConn) end(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why == nil {
		c.why = why
		close(c.over)
		close(c.toRelay)
	}
}

func (c *fakeConn) Close() { c.end(errNotOpen) }

// fakeNet dials relays that a test plays, without a network.
type fakeNet struct {
	t     *testing.T
	peers chan *peer // one for every connection made

	mu    sync.Mutex
	dials []time.Time
	// refuse makes attempts fail, hang makes them wait until given up.
	refuse, hang bool
}

func newFakeNet(t *testing.T) *fakeNet { return &fakeNet{t: t, peers: make(chan *peer, 1000)} }

func (n *fakeNet) dial(ctx context.Context, _ string) (Conn, error) {
	n.mu.Lock()
	n.dials = append(n.dials, time.Now())
	refuse, hang := n.refuse, n.hang
	n.mu.Unlock()
	switch {
	case hang:
		<-ctx.Done()
		return nil, ctx.Err()
	case refuse:
		return nil, errors.New("nobody is there")
	}
	c := &fakeConn{toClient: make(chan string, 20_000), toRelay: make(chan string, 1000), over: make(chan struct{})}
	n.peers <- &peer{
		t: n.t, in: c.toRelay,
		send: func(frame string) { c.toClient <- frame },
		drop: func() { c.end(errors.New("the relay is gone")) },
	}
	return c, nil
}

func (n *fakeNet) set(refuse, hang bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refuse, n.hang = refuse, hang
}

func (n *fakeNet) attempts() []time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.dials)
}

// accept gives the next connection made.
func (n *fakeNet) accept() *peer {
	n.t.Helper()
	select {
	case p := <-n.peers:
		return p
	case <-time.After(10 * LastRetry): // fake time
		n.t.Fatal("the client does not connect")
	}
	return nil
}

// inbox reads a pool's queue for a test.
type inbox struct {
	t    *testing.T
	pool *Pool
	left []Incoming
}

// next gives what happened next, changes of state left out.
func (b *inbox) next() Incoming {
	b.t.Helper()
	for {
		if in := b.any(); in.Kind != GotState {
			return in
		}
	}
}

func (b *inbox) any() Incoming {
	b.t.Helper()
	if len(b.left) == 0 {
		ctx, cancel := context.WithTimeout(b.t.Context(), patience+2*LastAskAgain)
		defer cancel()
		var err error
		if b.left, err = b.pool.Next(ctx); err != nil {
			b.t.Fatalf("nothing happened: %v", err)
		}
	}
	in := b.left[0]
	b.left = b.left[1:]
	return in
}

// want gives the next thing, which must be of a kind.
func (b *inbox) want(kind IncomingKind) Incoming {
	b.t.Helper()
	in := b.next()
	if in.Kind != kind {
		b.t.Fatalf("got %+v, want %s", in, kind)
	}
	return in
}

// wantPhase reads on until a state of this phase.
func (b *inbox) wantPhase(phase Phase) State {
	b.t.Helper()
	for {
		if in := b.any(); in.Kind == GotState && in.State.Phase == phase {
			return in.State
		}
	}
}

// wantEvents reads events of these numbers, in this order.
func (b *inbox) wantEvents(numbers ...int) {
	b.t.Helper()
	for _, n := range numbers {
		if in := b.want(GotEvent); in.Event.ID != note(n, 0).ID {
			b.t.Fatalf("got event %s, want %d", in.Event.ID, n)
		}
	}
}

func note(n int, at int64) *nostr.Event {
	return &nostr.Event{
		ID: fmt.Sprintf("%064x", n), PubKey: strings.Repeat("a", 64), CreatedAt: nostr.Timestamp(at), Kind: 9,
		Tags: nostr.Tags{{"h", "room"}}, Content: fmt.Sprint("note ", n), Sig: strings.Repeat("0", 128),
	}
}

var room = nostr.Filter{Kinds: []int{9}, Tags: nostr.TagMap{"h": {"room"}}}

// roomSub asks for the notes of the room.
func roomSub() Subscription { return Subscription{Name: "room", Filters: Fixed(room)} }

func isErr(err, target error) bool { return errors.Is(err, target) }

// eventually waits for a condition that other goroutines bring about.
func eventually(t *testing.T, condition func() bool) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("it does not come about")
		}
	}
}

// probeID gives the subscription id of a probe, or "".
func probeID(frame string) string {
	var parts []json.RawMessage
	var id string
	if json.Unmarshal([]byte(frame), &parts) != nil || len(parts) != 3 ||
		!strings.Contains(string(parts[2]), probeFilter.IDs[0]) || json.Unmarshal(parts[1], &id) != nil {
		return ""
	}
	return id
}
