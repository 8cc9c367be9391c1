package task

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// key makes a public key or id from a name; ids of events are made the way
// NIP-01 makes them.
func key(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

var (
	agent = key("agent")
	ana   = key("ana")
	bo    = key("bo")
)

const start = 1_800_000_000

func event(kind int, author string, at int64, content string, tags ...nostr.Tag) *nostr.Event {
	return signed(unsigned(kind, content, tags, author, at))
}

// signed gives a built event the id that signing would.
func signed(ev *nostr.Event) *nostr.Event {
	ev.ID = ev.GetID()
	return ev
}

// request is a task that ana asks the agent for.
func request(extra ...nostr.Tag) *nostr.Event {
	tags := append(nostr.Tags{{"h", "lab"}, {"p", agent}, {"subject", "Notes"}}, extra...)
	return event(KindRequest, ana, start, "Summarize the notes.", tags...)
}

// by is an event of a task kind about a request.
func by(author string, kind int, req *nostr.Event, at int64, content string, extra ...nostr.Tag) *nostr.Event {
	tags := append(nostr.Tags{{"e", req.ID}, {"p", req.PubKey}, {"h", "lab"}}, extra...)
	return event(kind, author, at, content, tags...)
}

// threadSays is a kind 12 message in the thread of a root.
func threadSays(author, root string, at int64, content string, extra ...nostr.Tag) *nostr.Event {
	return event(KindReply, author, at, content, append(nostr.Tags{{"h", "lab"}, {"e", root, "", "root"}}, extra...)...)
}

// roomSays is a kind 9 message in the room.
func roomSays(author string, at int64, content string, extra ...nostr.Tag) *nostr.Event {
	return event(KindMessage, author, at, content, append(nostr.Tags{{"h", "lab"}}, extra...)...)
}

func deletes(author string, at int64, target *nostr.Event) *nostr.Event {
	return event(KindDeletion, author, at, "", nostr.Tag{"e", target.ID})
}

func mustParse(t testing.TB, ev *nostr.Event) *Request {
	t.Helper()
	r, err := Parse(ev)
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return r
}

// fold adds events in order, each seen when it was written.
func fold(req *nostr.Event, events ...*nostr.Event) *Fold {
	f := NewFold(req.ID)
	f.Add(req, int64(req.CreatedAt))
	for _, ev := range events {
		f.Add(ev, int64(ev.CreatedAt))
	}
	return f
}

// view is what ana sees of a task a while after its events.
func view(req *nostr.Event, events ...*nostr.Event) View {
	return fold(req, events...).View(start+50, ana)
}

// shuffled returns the events in some order with some repeated.
func shuffled(rnd *rand.Rand, events []*nostr.Event) []*nostr.Event {
	out := append([]*nostr.Event{}, events...)
	for range len(events) / 2 {
		out = append(out, events[rnd.Intn(len(events))])
	}
	rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func wantReason(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("got %v, want a reason with %q", err, part)
	}
}

// pair returns two events in the protocol's order.
func pair(a, b *nostr.Event) (first, second *nostr.Event) {
	if byTime(&item{ev: a}, &item{ev: b}) < 0 {
		return a, b
	}
	return b, a
}
