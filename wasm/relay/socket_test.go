//go:build !js

package relay

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/nbd-wtf/go-nostr"
)

// site is a relay over real sockets, played by a test.
type site struct {
	t     *testing.T
	url   string
	peers chan *peer
}

func newSite(t *testing.T) *site {
	s := &site{t: t, peers: make(chan *peer, 100)}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(server.Close)
	s.url = strings.Replace(server.URL, "http", "ws", 1)
	return s
}

func (s *site) serve(w http.ResponseWriter, r *http.Request) {
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	ws.SetReadLimit(-1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := &peer{t: s.t, in: make(chan string, 10_000)}
	p.send = func(frame string) { ws.Write(ctx, websocket.MessageText, []byte(frame)) }
	p.drop = func() { ws.CloseNow() }
	p.end = func(code int, reason string) { ws.Close(websocket.StatusCode(code), reason) }
	p.sendBinary = func(b []byte) { ws.Write(ctx, websocket.MessageBinary, b) }
	s.peers <- p
	defer close(p.in)
	for {
		_, frame, err := ws.Read(ctx)
		if err != nil {
			return
		}
		p.in <- string(frame)
	}
}

func (s *site) accept() *peer {
	s.t.Helper()
	select {
	case p := <-s.peers:
		return p
	case <-time.After(patience):
		s.t.Fatal("the client does not connect")
	}
	return nil
}

// newPool gives a pool that ends with the test, and what comes out of it.
func newPool(t *testing.T, o Options) (*Pool, *inbox) {
	if o.Rand == nil {
		o.Rand = func() float64 { return 0.999 } // the shortest waits
	}
	p := NewPool(o)
	t.Cleanup(p.Close)
	return p, &inbox{t: t, pool: p}
}

func TestOverRealSocketsARoomComesAndComesBack(t *testing.T) {
	s := newSite(t)
	p, b := newPool(t, Options{})
	must(t, p.Subscribe(s.url, roomSub()))
	c := s.accept()
	id, _ := c.req()
	c.deliver(id, note(2, 2000), note(1, 1000))
	c.eose(id)
	b.wantEvents(2, 1)
	b.want(GotEOSE)
	c.end(1001, "restarting")
	if state := b.wantPhase(Offline); !strings.Contains(state.Reason, "restarting") {
		t.Fatalf("state %+v", state)
	}
	c = s.accept()
	id, filters := c.req()
	if int64(*filters[0].Since) != 2000-Overlap {
		t.Fatalf("asked since %d", *filters[0].Since)
	}
	c.deliver(id, note(2, 2000), note(3, 3000))
	c.eose(id)
	in := b.want(GotEvent)
	if in.Event.ID != note(3, 0).ID || in.Raw != note(3, 3000).String() || in.Sub != "room" || in.Relay != s.url {
		t.Fatalf("got %+v", in)
	}
}

func TestOneDeadRelayDoesNotStopTheOthers(t *testing.T) {
	good := newSite(t)
	gone := httptest.NewServer(nil)
	gone.Close()
	// One that takes the socket and then says nothing, not even HTTP.
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	p, b := newPool(t, Options{})
	for _, url := range []string{gone.URL, silent.URL, good.url} {
		url = strings.Replace(url, "http", "ws", 1)
		must(t, p.Subscribe(url, roomSub()))
		if url != good.url {
			go p.Publish(t.Context(), url, note(7, 7))
		}
	}
	c := good.accept()
	id, _ := c.req()
	c.deliver(id, note(1, 1))
	b.wantEvents(1)
	p.Close() // while one is still being dialled
}

func TestGarbageIsCountedAndNeverACrash(t *testing.T) {
	s := newSite(t)
	p, b := newPool(t, Options{})
	must(t, p.Subscribe(s.url, roomSub()))
	c := s.accept()
	id, _ := c.req()
	garbage := []string{
		"", "x", "{}", "[]", "[1]", `["EVENT"]`, `["EVENT",1,{}]`, `["EVENT","` + id + `"]`, `["EVENT","` + id + `",{}]`,
		`["EVENT","` + id + `",{"id":5}]`, `["EVENT","` + id + `",` + note(1, 1).String() + `,1]`, `["EVENT","` + id + `",null]`,
		`["EOSE"]`, `["EOSE",{}]`, `["OK","x"]`, `["OK","x","true",""]`, `["CLOSED",7]`, `["NOTICE",[]]`, `["AUTH",null]`,
		`["WHAT","x"]`, `["EVENT","` + strings.Repeat(`\u0000`, 100), strings.Repeat("[", 100_000), "\xff\xfe",
	}
	for _, frame := range garbage {
		c.send(frame)
	}
	c.sendBinary([]byte(`["EOSE","` + id + `"]`))
	other := note(5, 5)
	other.Kind = 1
	c.deliver(id, other)
	c.deliver("not-mine", note(6, 6))
	c.eose("not-mine")
	c.closed("not-mine", "x")
	c.ok(note(1, 1).ID, true, "")
	c.deliver(id, note(1, 1))
	b.wantEvents(1)
	d := p.Diagnostics(s.url)
	if want := len(garbage) + 1; d.Malformed != want || d.Unmatched != 1 || d.Unasked != 4 {
		t.Fatalf("diagnostics %+v, want %d malformed", d, want)
	}
}

func TestAFrameOverTheLimitIsIgnoredAndCounted(t *testing.T) {
	s := newSite(t)
	p, b := newPool(t, Options{})
	must(t, p.Subscribe(s.url, roomSub()))
	c := s.accept()
	id, _ := c.req()
	fits := note(1, 1)
	frame := func() string { return fmt.Sprintf(`["EVENT",%q,%s]`, id, fits) }
	fits.Content = strings.Repeat("x", MaxFrame-len(frame())+len(fits.Content))
	if len(frame()) != MaxFrame {
		t.Fatalf("the test's frame has %d bytes", len(frame()))
	}
	c.send(frame())
	b.wantEvents(1)
	fits.ID, fits.Content = note(2, 2).ID, fits.Content+"x"
	c.send(frame())
	c.deliver(id, note(3, 3))
	b.wantEvents(3)
	if d := p.Diagnostics(s.url); d.Oversized != 1 || d.Malformed != 0 {
		t.Fatalf("diagnostics %+v", d)
	}
}

func TestNoticesAreKeptAsDiagnostics(t *testing.T) {
	s := newSite(t)
	p, b := newPool(t, Options{})
	must(t, p.Connect(s.url))
	c := s.accept()
	for i := range MaxNotices + 1 {
		c.send(fmt.Sprintf(`["NOTICE","number %d"]`, i))
		b.want(GotNotice)
	}
	c.send(fmt.Sprintf(`["NOTICE",%q]`, strings.Repeat("é", MaxWords)))
	if in := b.want(GotNotice); len(in.Reason) > MaxWords+6 {
		t.Fatalf("%d bytes kept", len(in.Reason))
	}
	d := p.Diagnostics(s.url)
	if len(d.Notices) != MaxNotices || d.Notices[0] != "number 2" {
		t.Fatalf("kept %q", d.Notices)
	}
}

func TestPublishCountsOnlyAnOKThatWasSeen(t *testing.T) {
	s := newSite(t)
	p, _ := newPool(t, Options{})
	type result struct {
		answer Answer
		err    error
	}
	publish := func(n int) <-chan result {
		out := make(chan result, 1)
		go func() {
			answer, err := p.Publish(t.Context(), s.url, note(n, 1))
			out <- result{answer, err}
		}()
		return out
	}
	got := publish(1)
	c := s.accept()
	ev := c.event(msgEvent)
	c.ok(note(99, 1).ID, true, "") // of another event
	c.ok(ev.ID, true, "duplicate: have it")
	if r := <-got; r.err != nil || r.answer != (Answer{true, "duplicate: have it"}) {
		t.Fatalf("%+v", r)
	}
	got = publish(2)
	c.ok(c.event(msgEvent).ID, false, "blocked: no")
	if r := <-got; r.err != nil || r.answer != (Answer{false, "blocked: no"}) {
		t.Fatalf("%+v", r)
	}
	got = publish(3)
	c.event(msgEvent)
	c.drop()
	if r := <-got; r.err == nil || r.answer.OK || !isErr(r.err, ErrLost) {
		t.Fatalf("%+v", r)
	}
	// Twice at once is sent once, and both are told.
	one, two := publish(4), publish(4)
	c = s.accept()
	ev = c.event(msgEvent)
	if r := waitBoth(t, p, c, ev, one, two); r != nil {
		t.Fatal(r)
	}
}

// waitBoth answers an event until both of its publishers are told: the second
// may come after the first was answered, and is then sent once more.
func waitBoth[T any](t *testing.T, p *Pool, c *peer, ev *nostr.Event, one, two <-chan T) error {
	t.Helper()
	c.ok(ev.ID, true, "")
	for told := 0; told < 2; {
		select {
		case <-one:
			told++
		case <-two:
			told++
		case <-c.in:
			c.ok(ev.ID, true, "")
		case <-time.After(patience):
			return fmt.Errorf("%d of 2 were told", told)
		}
	}
	return nil
}

func TestPublishEndsWithItsContext(t *testing.T) {
	s := newSite(t)
	p, _ := newPool(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan error, 1)
	go func() {
		_, err := p.Publish(ctx, s.url, note(1, 1))
		got <- err
	}()
	c := s.accept()
	ev := c.event(msgEvent)
	cancel()
	if err := <-got; !isErr(err, context.Canceled) {
		t.Fatal(err)
	}
	c.ok(ev.ID, true, "")
	eventually(t, func() bool { return p.Diagnostics(s.url).Unasked == 1 })
	if _, err := p.Publish(t.Context(), "nonsense", note(1, 1)); err == nil {
		t.Fatal("published to nonsense")
	}
}

func TestPublishToARelayThatIsNotThereSaysSo(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	p, _ := newPool(t, Options{})
	_, err := p.Publish(t.Context(), strings.Replace(gone.URL, "http", "ws", 1), note(1, 1))
	if !isErr(err, ErrOffline) {
		t.Fatal(err)
	}
	if _, _, err = p.Fetch(t.Context(), strings.Replace(gone.URL, "http", "ws", 1), room); !isErr(err, ErrOffline) {
		t.Fatal(err)
	}
}

func TestFetchIsComplete(t *testing.T) {
	s := newSite(t)
	p, _ := newPool(t, Options{})
	go func() {
		c := s.accept()
		id, _ := c.req()
		c.deliver(id, note(1, 1), note(2, 2))
		c.eose(id)
		c.expect(msgClose)
		id, _ = c.req()
		c.closed(id, "blocked: go away")
		c.req()
		c.drop()
	}()
	events, complete, err := p.Fetch(t.Context(), s.url, room)
	if len(events) != 2 || !complete || err != nil {
		t.Fatalf("%d events, %t, %v", len(events), complete, err)
	}
	if _, _, err = p.Fetch(t.Context(), s.url, room); !isErr(err, ErrRefused) || !strings.Contains(err.Error(), "go away") {
		t.Fatal(err)
	}
	if _, _, err = p.Fetch(t.Context(), s.url, room); !isErr(err, ErrLost) {
		t.Fatal(err)
	}
	if _, _, err = p.Fetch(t.Context(), s.url); err == nil {
		t.Fatal("no filters were asked for")
	}
}

func TestShutdownLeavesNoGoroutineAndNoSocket(t *testing.T) {
	s := newSite(t)
	hung := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer hung.Close()
	before := runtime.NumGoroutine()
	asked := make(chan struct{})
	p := NewPool(Options{Ask: func(ctx context.Context, _ string) (bool, error) {
		close(asked)
		<-ctx.Done()
		return false, ctx.Err()
	}})
	must(t, p.Subscribe(s.url, roomSub()))
	must(t, p.Subscribe(strings.Replace(hung.URL, "http", "ws", 1), roomSub()))
	c := s.accept()
	id, _ := c.req()
	c.challenge("x")
	c.closed(id, "auth-required: sign in")
	<-asked
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := p.Publish(t.Context(), s.url, note(1, 1)); !isErr(err, ErrClosed) {
			t.Errorf("publish ended with %v", err)
		}
	})
	wg.Go(func() {
		if _, _, err := p.Fetch(t.Context(), strings.Replace(hung.URL, "http", "ws", 1), room); !isErr(err, ErrClosed) {
			t.Errorf("fetch ended with %v", err)
		}
	})
	wg.Go(func() {
		for {
			if _, err := p.Next(t.Context()); err != nil {
				if !isErr(err, ErrClosed) {
					t.Errorf("next ended with %v", err)
				}
				return
			}
		}
	})
	c.event(msgEvent)
	p.Close()
	p.Close()
	wg.Wait()
	c.gone()
	if err := p.Subscribe(s.url, roomSub()); !isErr(err, ErrClosed) {
		t.Fatal(err)
	}
	hung.CloseClientConnections()
	eventually(t, func() bool { return runtime.NumGoroutine() <= before })
}

func TestSubscriptionsWaitInLine(t *testing.T) {
	s := newSite(t)
	p, b := newPool(t, Options{})
	for i := range MaxLive + 2 {
		sub := roomSub()
		sub.Name = fmt.Sprint("room", i)
		must(t, p.Subscribe(s.url, sub))
	}
	c := s.accept()
	var open []string
	for range MaxLive {
		id, _ := c.req()
		open = append(open, id)
	}
	// One more does not get through, a Fetch does.
	fetched := make(chan bool, 1)
	go func() {
		_, complete, err := p.Fetch(t.Context(), s.url, nostr.Filter{Kinds: []int{0}})
		fetched <- complete && err == nil
	}()
	id, filters := c.req()
	if !slices.Equal(filters[0].Kinds, []int{0}) {
		t.Fatal("a subscription over the limit was opened")
	}
	c.eose(id)
	if !<-fetched {
		t.Fatal("the fetch failed")
	}
	c.expect(msgClose)
	c.closed(open[3], "blocked: no")
	b.want(GotClosed)
	c.req()
	p.Unsubscribe(s.url, "room0")
	c.expect(msgClose)
	c.req()
}

func TestTooManyRelays(t *testing.T) {
	p, _ := newPool(t, Options{Dial: func(ctx context.Context, _ string) (Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	for i := range MaxRelays {
		must(t, p.Connect(fmt.Sprintf("wss://r%d.example.com", i)))
	}
	if err := p.Connect("wss://more.example.com"); !isErr(err, ErrTooManyRelays) {
		t.Fatal(err)
	}
	p.Drop("wss://r5.example.com/")
	must(t, p.Connect("wss://more.example.com"))
	if err := p.Connect("https://example.com"); err == nil {
		t.Fatal("a web address was taken")
	}
}
