package agent

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// cable is the way to a relay, which can be cut.
type cable struct {
	url string
	to  string

	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

// newCable leads to the relay at a URL and is whole.
func newCable(t *testing.T, url string) *cable {
	t.Helper()
	host, path, _ := strings.Cut(strings.TrimPrefix(url, "ws://"), "/")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{url: "ws://" + listener.Addr().String() + "/" + path, to: host}
	var running sync.WaitGroup
	running.Go(func() { // ends when the listener is closed
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			c.join(near, &running)
		}
	})
	t.Cleanup(func() {
		listener.Close()
		c.set(true)
		running.Wait()
	})
	return c
}

func (c *cable) join(near net.Conn, running *sync.WaitGroup) {
	c.mu.Lock()
	defer c.mu.Unlock()
	far, err := net.Dial("tcp", c.to)
	if err != nil || c.cut {
		near.Close()
		if far != nil {
			far.Close()
		}
		return
	}
	c.conns = append(c.conns, near, far)
	for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
		running.Go(func() { // ends with either connection
			io.Copy(way[0], way[1])
			way[0].Close()
			way[1].Close()
		})
	}
}

// set cuts the cable, or mends it.
func (c *cable) set(cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = cut
	for _, conn := range c.conns {
		conn.Close()
	}
	c.conns = nil
}
