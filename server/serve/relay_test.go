package serve_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// connect opens a connection to the server's relay.
func connect(t *testing.T, url string) *websocket.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	c, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(url, "http")+"/relay", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.CloseNow() })
	return c
}

// read returns the next frame, or the error that ended the connection.
func read(t *testing.T, c *websocket.Conn) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, frame, err := c.Read(ctx)
	return string(frame), err
}

func TestTheEmbeddedRelayAnswers(t *testing.T) {
	c := connect(t, start(t, nil).URL())
	if err := c.Write(t.Context(), websocket.MessageText, []byte(`["REQ","a",{"kinds":[39000]}]`)); err != nil {
		t.Fatal(err)
	}
	lobby := false
	for {
		frame, err := read(t, c)
		if err != nil {
			t.Fatal(err)
		}
		lobby = lobby || strings.Contains(frame, `["d","lobby"]`)
		if strings.HasPrefix(frame, `["EOSE"`) {
			break
		}
	}
	if !lobby {
		t.Error("there is no lobby")
	}
}

func TestClosingTellsTheClientsOfTheRelay(t *testing.T) {
	m := start(t, nil)
	c := connect(t, m.URL())
	closed := make(chan error, 1)
	go func() { closed <- m.Close() }()
	for {
		_, err := read(t, c)
		if err == nil {
			continue // a challenge, or what else it says first
		}
		if got := websocket.CloseStatus(err); got != websocket.StatusGoingAway {
			t.Errorf("the connection ended with %v, want a goodbye", err)
		}
		break
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
