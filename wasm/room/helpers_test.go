package room

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

var here = Ref{Relay: "wss://relay.example", ID: "room"}

// id is a well-formed id, or key, that sorts by its number.
func id(n int) string { return fmt.Sprintf("%064x", n) }

// Keys of the people in tests.
var (
	ana   = id(0xa0)
	bob   = id(0xb0)
	eve   = id(0xe0)
	relay = id(0xff)
)

// ev makes an event of the room, created at at.
func ev(n, kind int, author string, at int64, content string, tags ...nostr.Tag) *nostr.Event {
	e := evBare(n, kind, author, at, content, tags...)
	e.Tags = append(nostr.Tags{{"h", here.ID}}, e.Tags...)
	return e
}

// evBare is ev without an h tag.
func evBare(n, kind int, author string, at int64, content string, tags ...nostr.Tag) *nostr.Event {
	return &nostr.Event{
		ID: id(n), PubKey: author, Kind: kind, CreatedAt: nostr.Timestamp(at), Content: content, Tags: tags,
	}
}

func msg(n int, author string, at int64, content string, tags ...nostr.Tag) *nostr.Event {
	return ev(n, KindMessage, author, at, content, tags...)
}

func q(n int) nostr.Tag    { return nostr.Tag{"q", id(n)} }
func e(n int) nostr.Tag    { return nostr.Tag{"e", id(n)} }
func root(n int) nostr.Tag { return nostr.Tag{"e", id(n), "", "root"} }
func re(n int) nostr.Tag   { return nostr.Tag{"e", id(n), "", "reply"} }
func up(n int) nostr.Tag   { return nostr.Tag{"E", id(n)} }

// state makes a 39000 to 39003 of the room.
func state(n, kind int, author string, at int64, tags ...nostr.Tag) *nostr.Event {
	s := evBare(n, kind, author, at, "", tags...)
	s.Tags = append(nostr.Tags{{"d", here.ID}}, s.Tags...)
	return s
}

// filled is a room with these events, each seen when it was created.
func filled(events ...*nostr.Event) *Fold {
	f := New(here, relay, nil)
	for _, e := range events {
		f.Add(e, int64(e.CreatedAt))
	}
	return f
}

// order is the numbers of the timeline's messages.
func order(f *Fold) []int { return numbers(f.Window("", 1<<30, 0).IDs) }

func numbers(ids []string) []int {
	ns := []int{}
	for _, s := range ids {
		var n int
		fmt.Sscanf(s, "%x", &n)
		ns = append(ns, n)
	}
	return ns
}

func wantOrder(t *testing.T, f *Fold, want ...int) {
	t.Helper()
	if got := order(f); !slices.Equal(got, want) {
		t.Errorf("timeline %v, want %v", got, want)
	}
}

func wantThread(t *testing.T, f *Fold, root int, want ...int) {
	t.Helper()
	if got := numbers(f.Thread(id(root))); !slices.Equal(got, want) {
		t.Errorf("thread %v, want %v", got, want)
	}
}

func get(t *testing.T, f *Fold, n int) Message {
	t.Helper()
	m, ok := f.Message(id(n), ana)
	if !ok {
		t.Fatalf("no message %d", n)
	}
	return m
}
