package e2e

import (
	"encoding/hex"
	"encoding/json"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/nbd-wtf/go-nostr"
)

// publish sends an event to the relay of a running server, as a program
// without a browser does. It gives what the relay says against it, "" when it
// has taken the event.
func publish(t testing.TB, s *server, e *nostr.Event) string {
	t.Helper()
	return publishAll(t, s, e)[e.ID]
}

// post publishes events that the relay must take.
func post(t testing.TB, s *server, events ...*nostr.Event) {
	t.Helper()
	refused := publishAll(t, s, events...)
	for _, e := range events {
		if words := refused[e.ID]; words != "" {
			t.Fatalf("kind %d, %q: %s", e.Kind, e.Content, words)
		}
	}
}

// publishAll sends events one behind the other, and gives what the relay says
// against those that it does not take, by their ids.
func publishAll(t testing.TB, s *server, events ...*nostr.Event) map[string]string {
	t.Helper()
	frames := make([]any, len(events))
	for i, e := range events {
		frames[i] = []any{"EVENT", e}
	}
	refused, answers := map[string]string{}, 0
	speak(t, s, frames, func(parts []json.RawMessage) bool {
		if string(parts[0]) != `"OK"` || len(parts) < 4 {
			return false
		}
		var id, words string
		var taken bool
		if json.Unmarshal(parts[1], &id) != nil || json.Unmarshal(parts[2], &taken) != nil || json.Unmarshal(parts[3], &words) != nil {
			t.Fatalf("the relay answered %s", parts)
		}
		if !taken {
			refused[id] = "refused: " + words
		}
		answers++
		return answers == len(events)
	})
	return refused
}

// stored is what the relay of a running server has for a filter.
func stored(t testing.TB, s *server, filter nostr.Filter) []*nostr.Event {
	t.Helper()
	var events []*nostr.Event
	speak(t, s, []any{[]any{"REQ", "test", filter}}, func(parts []json.RawMessage) bool {
		switch string(parts[0]) {
		case `"EVENT"`:
			e := &nostr.Event{}
			if err := json.Unmarshal(parts[2], e); err != nil {
				t.Fatal(err)
			}
			events = append(events, e)
		case `"EOSE"`:
			return true
		case `"CLOSED"`:
			t.Fatalf("the relay answered %s", parts)
		}
		return false
	})
	return events
}

// speak sends frames to the relay and hears what comes until done.
func speak(t testing.TB, s *server, frames []any, done func(parts []json.RawMessage) bool) {
	t.Helper()
	conn, _, err := websocket.DefaultDialer.Dial(s.relay, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	for _, frame := range frames {
		if err := conn.WriteJSON(frame); err != nil {
			t.Fatal(err)
		}
	}
	for {
		var parts []json.RawMessage
		if err := conn.ReadJSON(&parts); err != nil {
			t.Fatal(err)
		}
		if done(parts) {
			return
		}
	}
}

// until waits until something outside a browser is so.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		<-tick.C
	}
}

// now is what a test dates its own events with.
func now() int64 { return time.Now().Unix() }

// nsec is the secret key as the import takes it.
func (k key) nsec() string { return hex.EncodeToString(k.secret[:]) }

// profile names a key (NIP-01).
func (k key) profile(t testing.TB, name string) *nostr.Event {
	t.Helper()
	content, err := json.Marshal(map[string]string{"name": name})
	if err != nil {
		t.Fatal(err)
	}
	return k.event(t, 0, now(), string(content))
}

// sign signs what a package of the protocol has built.
func (k key) sign(t testing.TB, unsigned *nostr.Event, err error) *nostr.Event {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return k.event(t, unsigned.Kind, int64(unsigned.CreatedAt), unsigned.Content, unsigned.Tags...)
}
