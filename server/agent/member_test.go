package agent

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/relay"
	"parley/wasm/room"
)

// hall makes a room of somebody's.
func (m *person) hall(id string, flags ...string) {
	m.t.Helper()
	h := nostr.Tag{"h", id}
	m.publish(&nostr.Event{Kind: room.KindCreateRoom, CreatedAt: nostr.Now(), Tags: nostr.Tags{h}})
	tags := nostr.Tags{h, {"name", id}}
	for _, f := range flags {
		tags = append(tags, nostr.Tag{f})
	}
	m.publish(&nostr.Event{Kind: room.KindEditMeta, CreatedAt: nostr.Now(), Tags: tags})
}

// member puts somebody into a room or out of it. The reason tells two such acts
// of one second apart, which would be one event.
func (m *person) member(id, pubkey string, kind int) {
	m.t.Helper()
	reason := time.Now().Format(time.RFC3339Nano)
	m.publish(&nostr.Event{Kind: kind, CreatedAt: nostr.Now(), Content: reason, Tags: nostr.Tags{{"h", id}, {"p", pubkey}}})
}

func TestTheAgentWatchesRoomsItIsAddedTo(t *testing.T) {
	p := newPlace(t, nil)
	config := p.inRoom()
	a := live(t, config)
	m := p.join(func(me string) []nostr.Filter {
		return []nostr.Filter{{Kinds: []int{room.KindMessage}, Tags: nostr.TagMap{"h": {"den", "hut"}}}, {Kinds: []int{room.KindMembers}, Tags: nostr.TagMap{"d": {"den", "hut"}}}}
	})
	say := func(id, text string) *nostr.Event {
		ev := room.BuildMessage(room.Ref{Relay: p.url, ID: id}, room.Words{Text: "nostr:" + room.NPub(a.PubKey()) + " " + text}, time.Now().Unix())
		return m.publish(&ev)
	}
	listed := func(id string) func(*nostr.Event) bool {
		return func(ev *nostr.Event) bool {
			return ev.Kind == room.KindMembers && ev.Tags.GetD() == id && ev.Tags.FindWithValue("p", a.PubKey()) != nil
		}
	}
	m.hall("hut", "private")
	// Its own subscription is made before it owned the room; it asks anew.
	m.connect(func(me string) []nostr.Filter {
		return []nostr.Filter{{Kinds: []int{room.KindMessage}, Tags: nostr.TagMap{"h": {"hut"}}}, {Kinds: []int{room.KindMembers}, Tags: nostr.TagMap{"d": {"hut"}}}}
	})
	m.member("hut", a.PubKey(), room.KindPutUser)
	m.find("the agent among the members", listed("hut"))
	added := say("hut", "6 * 7")
	if reply := m.find("the reply", by(a.PubKey(), room.KindMessage, added.ID)); !strings.Contains(reply.Content, "42") {
		t.Errorf("got %v", reply)
	}
	a.stop()
	a = live(t, config) // also after a restart, from the relay's list
	again := say("hut", "6 * 7")
	m.find("the reply after the restart", by(a.PubKey(), room.KindMessage, again.ID))
	m.member("hut", a.PubKey(), room.KindRemoveUser)
	a.eventually(t, func() bool { return !a.watches(room.Ref{Relay: p.url, ID: "hut"}) })
}

// eventually waits for something that makes no event.
func (l *life) eventually(t *testing.T, met func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !met(); {
		if time.Now().After(end) {
			t.Fatal("waited in vain")
		}
		runtime.Gosched()
	}
}

func TestOnlyTheRelaySaysWhoIsAMember(t *testing.T) {
	p := newPlace(t, nil)
	a := live(t, p.inRoom())
	listed := func(id, by string) {
		a.added(relay.Incoming{Relay: p.url, Event: &nostr.Event{Kind: room.KindMembers, PubKey: by, Tags: nostr.Tags{{"d", id}, {"p", a.PubKey()}}}})
	}
	listed("forged", someHex)
	listed("true", p.relay.PubKey())
	a.eventually(t, func() bool { return a.watches(room.Ref{Relay: p.url, ID: "true"}) })
	if a.watches(room.Ref{Relay: p.url, ID: "forged"}) {
		t.Error("anybody can have the agent watch a room")
	}
}

// inPrivate is a private room of somebody's, and somebody in it.
func inPrivate(p *place, id string) *person {
	p.t.Helper()
	m := p.join(func(string) []nostr.Filter { return nil })
	m.hall(id, "private")
	m.connect(func(string) []nostr.Filter {
		return []nostr.Filter{{Kinds: []int{room.KindMessage}, Tags: nostr.TagMap{"h": {id}}}}
	})
	return m
}

// called says something to an agent in a room and waits for its reply.
func (m *person) called(p *place, id, agent string) {
	m.t.Helper()
	ev := room.BuildMessage(room.Ref{Relay: p.url, ID: id}, room.Words{Text: "nostr:" + room.NPub(agent) + " 6 * 7"}, time.Now().Unix())
	m.publish(&ev)
	if reply := m.find("the reply in "+id, by(agent, room.KindMessage, ev.ID)); !strings.Contains(reply.Content, "42") {
		m.t.Errorf("got %v", reply)
	}
}

func TestRoomsTheAgentWasLetIntoWhileItsConnectionWasDown(t *testing.T) {
	p := newPlace(t, nil)
	config := p.inRoom()
	way := newCable(t, p.url)
	config.Relays[0].Via = way.url
	a := live(t, config)
	m := inPrivate(p, "hut")
	way.set(true)
	a.eventually(t, func() bool { return !a.online() })
	m.member("hut", a.PubKey(), room.KindPutUser)
	way.set(false)
	a.eventually(t, func() bool { return a.watches(room.Ref{Relay: p.url, ID: "hut"}) })
	m.called(p, "hut", a.PubKey())
}

func TestARoomTheAgentIsToWatchBeforeItMayReadIt(t *testing.T) {
	p := newPlace(t, nil)
	m := inPrivate(p, "hut")
	config := p.inRoom()
	config.Rooms = []Room{{ID: "hut"}}
	a := live(t, config)
	ref := room.Ref{Relay: p.url, ID: "hut"}
	a.eventually(t, func() bool { return !a.watches(ref) }) // it was refused
	m.member("hut", a.PubKey(), room.KindPutUser)
	m.called(p, "hut", a.PubKey())
}

func TestARoomTheAgentWasPutOutOfWhileItsConnectionWasDown(t *testing.T) {
	p := newPlace(t, nil)
	config := p.inRoom()
	way := newCable(t, p.url)
	config.Relays[0].Via = way.url
	a := live(t, config)
	m := inPrivate(p, "hut")
	ref := room.Ref{Relay: p.url, ID: "hut"}
	m.member("hut", a.PubKey(), room.KindPutUser)
	a.eventually(t, func() bool { return a.watches(ref) })
	way.set(true)
	a.eventually(t, func() bool { return !a.online() })
	m.member("hut", a.PubKey(), room.KindRemoveUser)
	way.set(false)
	a.eventually(t, func() bool { return !a.watches(ref) })
	m.member("hut", a.PubKey(), room.KindPutUser)
	m.called(p, "hut", a.PubKey())
}
