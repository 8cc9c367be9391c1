package relay

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// server gives an address of the page's server, for WebSockets.
func server(path string) string {
	return strings.Replace(os.Getenv("PARLEY_TEST_URL"), "http", "ws", 1) + "/test" + path
}

func connect(t *testing.T) Conn {
	t.Helper()
	c, err := dial(t.Context(), server("/echo"))
	must(t, err)
	t.Cleanup(c.Close)
	return c
}

// openSockets asks the server how many WebSockets it sees.
func openSockets(t *testing.T) string {
	t.Helper()
	response, err := http.Get(os.Getenv("PARLEY_TEST_URL") + "/test/open")
	must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	return string(text)
}

func TestTheBrowsersSocketCarriesText(t *testing.T) {
	c := connect(t)
	for _, text := range []string{"", "x", "é🙂\u2028\x00", strings.Repeat("long ", 100_000)} {
		must(t, c.Send(text))
		if frame, err := c.Read(t.Context()); err != nil || frame.Text != text {
			t.Fatalf("%.40q came back as %.40q, %v", text, frame.Text, err)
		}
	}
	must(t, c.Send("bytes 5"))
	if frame, err := c.Read(t.Context()); err != nil || !frame.Binary {
		t.Fatalf("%+v, %v", frame, err)
	}
}

func TestTheBrowsersSocketIgnoresFramesOverTheLimit(t *testing.T) {
	c := connect(t)
	for ask, over := range map[string]bool{
		"text 4194304": false, "text 4194305": true, "wide 2097152": false, "wide 2097153": true,
	} {
		must(t, c.Send(ask))
		frame, err := c.Read(t.Context())
		if err != nil || frame.Oversized != over || (len(frame.Text) == MaxFrame) == over {
			t.Errorf("%s: oversized %t, %d bytes, %v", ask, frame.Oversized, len(frame.Text), err)
		}
	}
}

func TestTheBrowsersSocketSaysWhyItEnded(t *testing.T) {
	for ask, want := range map[string]string{"close 4000": `"as asked" (code 4000)`, "close 1001": `"as asked" (code 1001)`, "drop": "broke"} {
		c := connect(t)
		must(t, c.Send("last words"))
		must(t, c.Send(ask))
		if frame, err := c.Read(t.Context()); err != nil || frame.Text != "last words" {
			t.Fatalf("%+v, %v", frame, err)
		}
		if _, err := c.Read(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: ended with %v", ask, err)
		}
		if c.Send("x") == nil {
			t.Errorf("%s: a closed socket took a frame", ask)
		}
	}
}

func TestFailedSocketsAreClosedAndNotHoarded(t *testing.T) {
	for range 3 {
		connect(t).Close()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		if _, err := dial(ctx, server("/hang")); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("a dial that hangs ended with %v", err)
		}
		cancel()
	}
	c := connect(t)
	c.Close()
	c.Close()
	if _, err := c.Read(t.Context()); err == nil {
		t.Fatal("a closed socket was read")
	}
	eventually(t, func() bool { return openSockets(t) == "0" })
}

func TestADialThatCannotWorkSaysSo(t *testing.T) {
	if _, err := dial(t.Context(), "ws://127.0.0.1:1"); err == nil {
		t.Fatal("connected to nobody")
	}
	if _, err := dial(t.Context(), "ws://["); err == nil || !strings.Contains(err.Error(), "SyntaxError") {
		t.Fatalf("ended with %v", err)
	}
}

func TestAPoolOverTheBrowsersSocket(t *testing.T) {
	p := NewPool(Options{})
	b := &inbox{t: t, pool: p}
	must(t, p.Connect(server("/echo")))
	b.wantPhase(Online)
	must(t, p.Subscribe(server("/echo"), roomSub())) // the echo of a REQ is no answer
	eventually(t, func() bool { return p.Diagnostics(server("/echo")).Malformed > 0 })
	p.Close()
	eventually(t, func() bool { return openSockets(t) == "0" })
}
