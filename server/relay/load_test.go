package relay

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/nbd-wtf/go-nostr"
)

// withoutLimits is for tests that send a lot from one address.
func withoutLimits(c *Config) { c.Limits.Off = true }

// fill publishes n messages into the lobby, sent at once, and waits for all OKs.
func fill(t *testing.T, c *client, who person, n int) []*nostr.Event {
	t.Helper()
	evs := make([]*nostr.Event, n)
	for i := range evs {
		evs[i] = who.sign(t, 9, fmt.Sprint(serial.Add(1)), nostr.Tag{"h", lobbyID})
	}
	done := make(chan struct{})
	go func() { // ends when all is sent
		defer close(done)
		for _, ev := range evs {
			c.send(msgEvent, ev)
		}
	}()
	for range evs {
		if h := c.want(func(h heard) bool { return h.label == msgOK }); !h.ok || h.words != "" {
			t.Fatalf("refused: %s", h.words)
		}
	}
	<-done
	return evs
}

// TestHistoryLoads: one REQ gets all of a large history, newest first, and ten
// at once get theirs.
func TestHistoryLoads(t *testing.T) {
	p := openPlace(t, nil) // within the default limits
	c := p.dial(t)
	n := scaled(5000)
	fill(t, c, newPerson(t, 1), n)
	got := c.ask("all", obj{"#h": []string{lobbyID}, "kinds": []int{9}})
	if len(got) != n {
		t.Errorf("got %d of %d", len(got), n)
	}
	for i := 1; i < len(got); i++ {
		a, b := got[i-1], got[i]
		if a.CreatedAt < b.CreatedAt || a.CreatedAt == b.CreatedAt && a.ID >= b.ID {
			t.Fatalf("%d and %d are out of order", i-1, i)
		}
	}
	for i := range 10 {
		c.send(msgReq, fmt.Sprint(i), obj{"#h": []string{lobbyID}, "kinds": []int{9}, "limit": n / 10})
	}
	for i := range 10 {
		id := fmt.Sprint(i)
		c.want(func(h heard) bool { return h.label == msgEOSE && h.id == id })
		if got := len(c.drain(id)); got != n/10 {
			t.Errorf("request %d got %d of %d", i, got, n/10)
		}
	}
}

// TestManyClients: 500 clients that each send 20 events at once have all of
// them stored.
func TestManyClients(t *testing.T) {
	p := openPlace(t, withoutLimits)
	clients, each := scaled(500), 20
	batches := make([][]*nostr.Event, clients)
	conns := make([]*client, clients)
	for i := range batches {
		who := newPerson(t, byte(i%250+1))
		for range each {
			batches[i] = append(batches[i], who.sign(t, 9, fmt.Sprint(serial.Add(1)), nostr.Tag{"h", lobbyID}))
		}
		conns[i] = p.dial(t)
	}
	var all sync.WaitGroup
	for i, c := range conns {
		all.Add(1)
		go func() {
			defer all.Done()
			for _, ev := range batches[i] {
				if err := c.ws.WriteMessage(websocket.TextMessage, message(msgEvent, ev)); err != nil {
					t.Error(err)
					return
				}
			}
			for range batches[i] {
				if h, ok := c.wait(func(h heard) bool { return h.label == msgOK }); !ok || !h.ok {
					t.Errorf("client %d: %+v", i, h)
					return
				}
			}
		}()
	}
	all.Wait()
	conns[0].send(msgCount, "n", obj{"kinds": []int{9}})
	if h := conns[0].want(func(h heard) bool { return h.label == msgCount }); h.count != clients*each {
		t.Errorf("%d of %d are stored", h.count, clients*each)
	}
}

// deaf is a connection that asks and then reads nothing. The caller holds it.
func (p *place) deaf(t *testing.T, requests ...string) *websocket.Conn {
	t.Helper()
	ws, _, err := websocket.DefaultDialer.Dial(p.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	if err := ws.NetConn().(*net.TCPConn).SetReadBuffer(4 << 10); err != nil { // so that little is enough
		t.Fatal(err)
	}
	for _, r := range requests {
		if err := ws.WriteMessage(websocket.TextMessage, []byte(r)); err != nil {
			t.Fatal(err)
		}
	}
	return ws
}

func (p *place) clients() int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return len(p.conns)
}

// TestDeafClientsAreCutOff: a client that reads nothing while more and more
// comes live, over one subscription or many, loses its connection; everybody
// else gets everything.
func TestDeafClientsAreCutOff(t *testing.T) {
	for name, subs := range map[string]int{"one subscription": 1, "100 subscriptions": MaxSubs} {
		t.Run(name, func(t *testing.T) {
			p := openPlace(t, withoutLimits)
			var requests []string
			for i := range subs {
				requests = append(requests, fmt.Sprintf(`["REQ","%d",{"kinds":[9]}]`, i))
			}
			deaf := p.deaf(t, requests...)
			good, writer := p.dial(t), p.dial(t)
			good.ask("live", obj{"kinds": []int{9}})
			ann := newPerson(t, 1)
			deadline := newDeadline(t)
			sent := 0
			for p.clients() == 3 { // what the system buffers, and MaxBacklog
				writer.accept(ann.sign(t, 9, fmt.Sprint(sent, strings.Repeat("x", 500_000/subs)), nostr.Tag{"h", lobbyID}))
				sent++
				deadline.check("the client that reads nothing is still connected")
			}
			good.sync()
			if got := len(good.drain("live")); got != sent {
				t.Errorf("another client got %d of %d", got, sent)
			}
			deaf.Close()
		})
	}
}

// TestDeafClientsHoldLittle: stored events wait in the store for a client that
// reads nothing, and others are served meanwhile.
func TestDeafClientsHoldLittle(t *testing.T) {
	p := openPlace(t, withoutLimits)
	ann, writer := newPerson(t, 1), p.dial(t)
	for i := range 60 { // 12 MB, more than the system buffers
		writer.accept(ann.sign(t, 9, fmt.Sprint(i, strings.Repeat("x", 200_000)), nostr.Tag{"h", lobbyID}))
	}
	ask := `["REQ","%d",{"kinds":[9]}]`
	deaf := p.deaf(t, fmt.Sprintf(ask, 1), fmt.Sprintf(ask, 2), fmt.Sprintf(ask, 3), fmt.Sprintf(ask, 4), `["COUNT","n",{}]`)
	var outbox *outbox
	p.mu.RLock()
	for c := range p.conns {
		if c.ws.RemoteAddr().String() == deaf.LocalAddr().String() {
			outbox = c.out
		}
	}
	p.mu.RUnlock()
	deadline := newDeadline(t)
	for outbox.bytes() <= StoredBacklog {
		deadline.check("the client was never stopped")
		writer.sync()
	}
	for range 5 {
		if n := outbox.bytes(); n > StoredBacklog+MaxQueries*300_000 {
			t.Fatalf("%d bytes wait for a client that reads nothing", n)
		}
		if got := len(p.dial(t).ask("all", obj{"kinds": []int{9}, "limit": 3})); got != 3 {
			t.Errorf("another client got %d", got)
		}
	}
	deaf.Close()
}

// TestNoGap: whoever subscribes while events come misses none of them.
func TestNoGap(t *testing.T) {
	p := openPlace(t, withoutLimits)
	writer, ann := p.dial(t), newPerson(t, 1)
	n := scaled(800)
	done := make(chan []*nostr.Event)
	go func() { // ends when all is written
		done <- fill(t, writer, ann, n)
	}()
	var readers []*client
	for len(readers) < scaled(60) {
		c := p.dial(t)
		c.send(msgReq, "all", obj{"kinds": []int{9}})
		readers = append(readers, c)
	}
	evs := <-done
	for i, c := range readers {
		c.want(func(h heard) bool { return h.label == msgEOSE && h.id == "all" })
		c.sync()
		got := map[string]bool{}
		for _, ev := range c.drain("all") {
			got[ev.ID] = true
		}
		if len(got) != len(evs) {
			t.Errorf("reader %d got %d of %d", i, len(got), len(evs))
		}
	}
}

// TestReplacedSubscription: once a subscription is replaced or closed, nothing
// of the old one comes any more.
func TestReplacedSubscription(t *testing.T) {
	p := openPlace(t, nil)
	c := p.dial(t)
	fill(t, c, newPerson(t, 1), scaled(1600))
	for range 5 {
		c.send(msgReq, "s", obj{"kinds": []int{9}})
		c.send(msgReq, "s", obj{"kinds": []int{kindRoles}})
		c.want(func(h heard) bool { return h.label == msgEvent && h.ev.Kind == kindRoles })
		c.want(func(h heard) bool { return h.label == msgEOSE && h.id == "s" })
		c.send(msgClose, "s")
		c.sync()
		c.drain("s")
	}
	c.accept(newPerson(t, 1).sign(t, 9, "later", nostr.Tag{"h", lobbyID}))
	c.sync()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, h := range c.got {
		t.Errorf("after CLOSE: %+v", h)
	}
}
