//go:build !js

package core

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"parley/server/relay"
)

// testRelay is the embedded relay on a real socket. It can be stopped, and
// started again on the same address with what it had.
type testRelay struct {
	t       *testing.T
	dir     string
	address string
	url     string
	relay   *relay.Relay
	server  *http.Server
}

func startRelay(t *testing.T) *testRelay {
	t.Helper()
	r := &testRelay{t: t, dir: t.TempDir(), address: "127.0.0.1:0"}
	r.start()
	t.Cleanup(r.stop)
	return r
}

func (r *testRelay) start() {
	r.t.Helper()
	listener, err := net.Listen("tcp", r.address)
	if err != nil {
		r.t.Fatal(err)
	}
	r.address = listener.Addr().String()
	r.url = "ws://" + r.address + "/relay"
	r.relay, err = relay.Open(relay.Config{Dir: r.dir, URL: r.url, Name: "test", Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		r.t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/relay", r.relay)
	r.server = &http.Server{Handler: mux}
	server := r.server
	go server.Serve(listener) // ended by stop
}

func (r *testRelay) stop() {
	if r.server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := r.relay.Close(ctx); err != nil {
		r.t.Error(err)
	}
	if err := r.server.Close(); err != nil {
		r.t.Error(err)
	}
	r.server = nil
}
