//go:build !js

package relay

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"

	"parley/wasm/internal/browsertest"
)

// TestInBrowser runs the tests that need no server of their own, and those of
// conn_js_test.go against the handler below, in Chromium.
func TestInBrowser(t *testing.T) {
	browsertest.Run(t, browsertest.Options{Handler: http.HandlerFunc((&echoSite{}).serve)})
}

// echoSite is what conn_js_test.go talks to.
type echoSite struct{ open atomic.Int64 }

func (s *echoSite) serve(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/test/open": // how many WebSockets are open, hanging ones included
		w.Write([]byte(strconv.FormatInt(s.open.Load(), 10)))
		return
	case "/test/hang": // never answers
		s.open.Add(1)
		defer s.open.Add(-1)
		<-r.Context().Done()
		return
	}
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	s.open.Add(1)
	defer s.open.Add(-1)
	defer ws.CloseNow()
	ws.SetReadLimit(-1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for {
		_, frame, err := ws.Read(ctx)
		if err != nil {
			return
		}
		if err := answer(ctx, ws, string(frame)); err != nil {
			return
		}
	}
}

// answer does what a frame asks, or echoes it.
func answer(ctx context.Context, ws *websocket.Conn, frame string) error {
	verb, arg, _ := strings.Cut(frame, " ")
	n, _ := strconv.Atoi(arg)
	switch verb {
	case "close":
		return ws.Close(websocket.StatusCode(n), "as asked")
	case "drop":
		return ws.CloseNow()
	case "bytes":
		return ws.Write(ctx, websocket.MessageBinary, make([]byte, n))
	case "text":
		return ws.Write(ctx, websocket.MessageText, []byte(strings.Repeat("x", n)))
	case "wide": // two bytes and one UTF-16 unit each
		return ws.Write(ctx, websocket.MessageText, []byte(strings.Repeat("é", n)))
	}
	return ws.Write(ctx, websocket.MessageText, []byte(frame))
}
