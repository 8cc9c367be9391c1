package relay

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// scaled makes work smaller where the race detector makes it slow.
func scaled(n int) int { return max(1, n/slowness) }

// clock is a clock that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Now()} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(seconds int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Duration(seconds) * time.Second)
}

// deadline ends loops that wait for a condition.
type deadline struct {
	t  testing.TB
	at time.Time
}

func newDeadline(t testing.TB) deadline { return deadline{t, time.Now().Add(patience)} }

func (d deadline) check(words string) {
	d.t.Helper()
	if time.Now().After(d.at) {
		d.t.Fatal(words)
	}
}

// bytes is how much waits in an outbox.
func (o *outbox) bytes() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.waiting
}

// nowUnix is the real time.
func nowUnix() int64 { return time.Now().Unix() }

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// serveHTTP serves a relay until the end of the test and returns its URL.
func serveHTTP(t testing.TB, r *Relay) string {
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	return "ws" + strings.TrimPrefix(server.URL, "http")
}

// runChild is the relay in a process of its own, until it is killed.
func runChild(dir string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	url := "ws://" + listener.Addr().String() + "/relay"
	r, err := Open(Config{Dir: dir, URL: url, Limits: Limits{Off: true}})
	if err != nil {
		panic(err)
	}
	fmt.Println(url)
	panic(http.Serve(listener, r))
}
