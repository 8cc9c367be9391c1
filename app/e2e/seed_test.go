package e2e

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/relay"
	"parley/wasm/verify"
)

// key is somebody who writes events without a browser.
type key struct {
	secret [32]byte
	public string
}

func newKey(t testing.TB) key {
	t.Helper()
	var k key
	if _, err := rand.Read(k.secret[:]); err != nil {
		t.Fatal(err)
	}
	public, err := verify.PublicKey(k.secret)
	if err != nil {
		t.Fatal(err)
	}
	k.public = public
	return k
}

// event makes a signed event.
func (k key) event(t testing.TB, kind int, at int64, content string, tags ...nostr.Tag) *nostr.Event {
	t.Helper()
	e := &nostr.Event{Kind: kind, CreatedAt: nostr.Timestamp(at), Content: content, Tags: tags}
	var aux [32]byte
	if err := verify.Sign(e, k.secret, aux); err != nil {
		t.Fatal(err)
	}
	return e
}

// message is a kind 9 in the lobby.
func (k key) message(t testing.TB, at int64, text string, tags ...nostr.Tag) *nostr.Event {
	t.Helper()
	return k.event(t, 9, at, text, append([]nostr.Tag{{"h", "lobby"}}, tags...)...)
}

// seed puts events into the embedded relay of a server that is not running.
func (s *server) seed(events ...*nostr.Event) {
	s.t.Helper()
	url := s.relay
	if url == "" {
		url = "ws://localhost:1/relay"
	}
	r, err := relay.Open(relay.Config{Dir: filepath.Join(s.data, "relay"), URL: url, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for _, e := range events {
		if err := r.Publish(ctx, e); err != nil {
			s.t.Fatalf("seed %s: %v", e.Content, err)
		}
	}
	if err := r.Close(ctx); err != nil {
		s.t.Fatal(err)
	}
}

// seedMany puts messages into the lobby, one a second, many at once.
func (s *server) seedMany(writer key, first int64, texts []string) {
	s.t.Helper()
	r, err := relay.Open(relay.Config{Dir: filepath.Join(s.data, "relay"), URL: s.relay, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	const writers = 32
	failed := make(chan error, writers)
	for w := range writers {
		go func() {
			for i := w; i < len(texts); i += writers {
				if err := r.Publish(ctx, writer.message(s.t, first+int64(i), texts[i])); err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
	}
	for range writers {
		if err := <-failed; err != nil {
			s.t.Fatal(err)
		}
	}
	if err := r.Close(ctx); err != nil {
		s.t.Fatal(err)
	}
}

// randomReader is crypto/rand as a reader of its own, so that tests that take
// one say so.
type randomReader struct{}

func (randomReader) Read(p []byte) (int, error) { return rand.Read(p) }
