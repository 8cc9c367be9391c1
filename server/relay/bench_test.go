package relay

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/nbd-wtf/go-nostr"
)

// openBench opens a relay without limits, for one address that sends a lot.
func openBench(b *testing.B) *place {
	return openPlace(b, func(c *Config) { c.Limits.Off = true })
}

// rawDial is a connection without a reader of its own, to keep the client's
// side cheap. AUTH is read already.
func (p *place) rawDial(b *testing.B) *websocket.Conn {
	b.Helper()
	ws, _, err := websocket.DefaultDialer.Dial(p.url, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { ws.Close() })
	if _, _, err := ws.ReadMessage(); err != nil {
		b.Fatal(err)
	}
	return ws
}

// frames signs n messages for the lobby and puts them into frames.
func frames(b *testing.B, who person, n int) [][]byte {
	b.Helper()
	out := make([][]byte, n)
	for i := range out {
		ev := who.sign(b, 9, fmt.Sprintf("message %d of %s, of a usual length for people who talk", i, who.key[:8]), nostr.Tag{"h", lobbyID})
		out[i] = message(msgEvent, ev)
	}
	return out
}

// BenchmarkAccept: four publishers with 64 events under way each; an event is
// checked with its signature, stored, and answered. Goal: 6,000 events/s.
func BenchmarkAccept(b *testing.B) {
	const publishers, window = 4, 64
	p := openBench(b)
	var batches [publishers][][]byte
	for i := range batches {
		batches[i] = frames(b, newPerson(b, byte(i+1)), b.N/publishers+1)
	}
	b.ResetTimer()
	var all sync.WaitGroup
	for _, batch := range batches {
		ws := p.rawDial(b)
		under := make(chan struct{}, window)
		all.Add(2)
		go func() {
			defer all.Done()
			for _, f := range batch {
				under <- struct{}{}
				if err := ws.WriteMessage(websocket.TextMessage, f); err != nil {
					b.Error(err)
					return
				}
			}
		}()
		go func() {
			defer all.Done()
			for range batch {
				_, data, err := ws.ReadMessage()
				if err != nil || !bytes.Contains(data, []byte(`",true,""]`)) {
					b.Errorf("%s %v", data, err)
					return
				}
				<-under
			}
		}()
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkFanOut: one publisher, 100 subscribers to the room. Goal: 200,000
// deliveries/s.
func BenchmarkFanOut(b *testing.B) {
	const subscribers = 100
	p := openBench(b)
	events := b.N/subscribers + 1
	batch := frames(b, newPerson(b, 1), events)
	var all sync.WaitGroup
	for range subscribers {
		ws := p.rawDial(b)
		if err := ws.WriteMessage(websocket.TextMessage, []byte(`["REQ","s",{"#h":["lobby"],"kinds":[9],"limit":0}]`)); err != nil {
			b.Fatal(err)
		}
		if _, _, err := ws.ReadMessage(); err != nil {
			b.Fatal(err)
		}
		all.Add(1)
		go func() {
			defer all.Done()
			discard := make([]byte, 64<<10)
			for range events {
				_, r, err := ws.NextReader()
				for err == nil {
					_, err = r.Read(discard)
				}
				if err.Error() != "EOF" {
					b.Error(err)
					return
				}
			}
		}()
	}
	ws := p.rawDial(b)
	go func() { // its OKs; ends with the connection
		for {
			if _, _, err := ws.ReadMessage(); err != nil {
				return
			}
		}
	}()
	b.ResetTimer()
	for _, f := range batch {
		if err := ws.WriteMessage(websocket.TextMessage, f); err != nil {
			b.Fatal(err)
		}
	}
	all.Wait()
	b.ReportMetric(float64(events*subscribers)/b.Elapsed().Seconds(), "deliveries/s")
}

// BenchmarkStuckReaders: ten clients ask for 90 MB each and read nothing. Goal:
// 40 MB of heap, the test's own included.
func BenchmarkStuckReaders(b *testing.B) {
	const clients, events, size = 10, 900, 100_000
	p := openBench(b)
	ann := newPerson(b, 1)
	for i := range events {
		if err := p.Publish(b.Context(), ann.sign(b, 9, fmt.Sprint(i, strings.Repeat("x", size)), nostr.Tag{"h", lobbyID})); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		runtime.GC()
		var peak uint64
		var conns []*websocket.Conn
		for range clients {
			ws := p.rawDial(b)
			conns = append(conns, ws) // held, or the collector would close it
			if err := ws.WriteMessage(websocket.TextMessage, []byte(`["REQ","s",{"#h":["lobby"],"kinds":[9]}]`)); err != nil {
				b.Fatal(err)
			}
		}
		for until := time.Now().Add(3 * time.Second); time.Now().Before(until); {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
		p.mu.RLock()
		for c := range p.conns {
			if c.out.bytes() < StoredBacklog {
				b.Error("a client that reads nothing has not been stopped")
			}
		}
		p.mu.RUnlock()
		for _, ws := range conns {
			ws.Close()
		}
		b.ReportMetric(float64(peak)/1e6, "MB-heap")
	}
}
