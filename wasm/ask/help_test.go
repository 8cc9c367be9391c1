package ask

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand"
	"strconv"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// key makes a public key from a name; ids are made the way NIP-01 makes them.
func key(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

var (
	agent = key("agent")
	ana   = key("ana")
	bo    = key("bo")
	eve   = key("eve")
)

const start = 1_800_000_000

func event(kind int, author string, at int64, content string, tags ...nostr.Tag) *nostr.Event {
	ev := unsigned(kind, content, tags, author, at)
	ev.ID = ev.GetID()
	return ev
}

// form is a valid native form by the agent for ana and bo; change may alter it.
func form(change ...func(*nostr.Event)) *nostr.Event {
	ev := unsigned(KindMessage, "Shall the game go on?", nostr.Tags{
		{"h", "games"}, {"p", ana}, {"p", bo},
		{"request", "question"}, {"tinyagent", "1"}, {"interaction", "question"},
		{"selection", "single"},
		{"option", "continue", "Continue playing"}, {"option", "stop", "Stop here"},
	}, agent, start)
	for _, c := range change {
		c(ev)
	}
	ev.ID = ev.GetID()
	return ev
}

// set replaces every tag of a name by one with a value.
func set(name string, value ...string) func(*nostr.Event) {
	return func(ev *nostr.Event) {
		drop(name)(ev)
		ev.Tags = append(ev.Tags, append(nostr.Tag{name}, value...))
	}
}

func drop(name string) func(*nostr.Event) {
	return func(ev *nostr.Event) {
		var kept nostr.Tags
		for _, t := range ev.Tags {
			if t[0] != name {
				kept = append(kept, t)
			}
		}
		ev.Tags = kept
	}
}

func put(tag ...string) func(*nostr.Event) {
	return func(ev *nostr.Event) { ev.Tags = append(ev.Tags, tag) }
}

func kind(k int) func(*nostr.Event) { return func(ev *nostr.Event) { ev.Kind = k } }

// numbered puts n options on a form.
func numbered(n int) func(*nostr.Event) {
	return func(ev *nostr.Event) {
		drop("option")(ev)
		for i := range n {
			put("option", "id"+strconv.Itoa(i), "Label "+strconv.Itoa(i))(ev)
		}
	}
}

func all(changes ...func(*nostr.Event)) func(*nostr.Event) {
	return func(ev *nostr.Event) {
		for _, c := range changes {
			c(ev)
		}
	}
}

func mustParse(t testing.TB, ev *nostr.Event) *Request {
	t.Helper()
	r, err := Parse(ev)
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return r
}

// reply is an answer event with all the right tags.
func reply(req *nostr.Event, author string, at int64, content string, change ...func(*nostr.Event)) *nostr.Event {
	k := strconv.Itoa(req.Kind)
	ev := unsigned(KindComment, content, nostr.Tags{
		{"E", req.ID}, {"K", k}, {"P", req.PubKey},
		{"e", req.ID}, {"k", k}, {"p", req.PubKey}, {"h", first(req.Tags, "h")},
	}, author, at)
	for _, c := range change {
		c(ev)
	}
	ev.ID = ev.GetID()
	return ev
}

func reaction(req *nostr.Event, author string, at int64, content string) *nostr.Event {
	return event(KindReaction, author, at, content, nostr.Tag{"e", req.ID}, nostr.Tag{"p", req.PubKey})
}

func deletion(author string, at int64, targets ...*nostr.Event) *nostr.Event {
	ev := unsigned(KindDeletion, "", nil, author, at)
	for _, t := range targets {
		ev.Tags = append(ev.Tags, nostr.Tag{"e", t.ID})
	}
	ev.ID = ev.GetID()
	return ev
}

func older(request string, change ...func(*nostr.Event)) *nostr.Event {
	ev := unsigned(KindMessage, "May I deploy?", nostr.Tags{{"h", "games"}, {"p", ana}, {"p", bo}, {"request", request}}, agent, start)
	for _, c := range change {
		c(ev)
	}
	ev.ID = ev.GetID()
	return ev
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
