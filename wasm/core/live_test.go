//go:build !js

package core

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/relay"
	"parley/wasm/room"
	"parley/wasm/run"
	"parley/wasm/store"
)

// signed is an event of an author that a test makes.
func (x *extension) signed(t *testing.T, e nostr.Event) *nostr.Event {
	t.Helper()
	if e.CreatedAt == 0 {
		e.CreatedAt = nostr.Timestamp(time.Now().Unix())
	}
	if err := x.signer.Sign(context.Background(), &e); err != nil {
		t.Fatal(err)
	}
	return &e
}

func inRoom(id string) nostr.Tags { return nostr.Tags{{"h", id}} }

// subs gives the filters of what is open at the relay. mu is held.
func (r *fakeRelay) subs() [][]nostr.Filter {
	var all [][]nostr.Filter
	for _, subs := range r.conns {
		for _, fs := range subs {
			all = append(all, fs)
		}
	}
	return all
}

// hears tells whether something that arrives would be heard. mu is held.
func (r *fakeRelay) hears(e *nostr.Event) bool {
	return slices.ContainsFunc(r.subs(), func(fs []nostr.Filter) bool {
		return slices.ContainsFunc(fs, func(f nostr.Filter) bool { return f.Limit == 1 && f.Matches(e) })
	})
}

// has waits until the core has these events.
func (p *page) has(what string, events ...*nostr.Event) {
	p.t.Helper()
	p.wait(what, func() bool {
		p.core.mu.Lock()
		defer p.core.mu.Unlock()
		return !slices.ContainsFunc(events, func(e *nostr.Event) bool { return p.core.known.has(fakeURL, e) != knownHere })
	})
}

// caughtUp waits until so many rooms have all that they missed.
func (p *page) caughtUp(n int) {
	p.t.Helper()
	p.wait(fmt.Sprint(n, " rooms to be caught up"), func() bool {
		p.core.mu.Lock()
		defer p.core.mu.Unlock()
		have := 0
		for _, r := range p.core.rooms {
			if r.current {
				have++
			}
		}
		return have >= n
	})
}

func TestAHundredRoomsAndFiftyAgentsOfOneRelayAreAllHeard(t *testing.T) {
	fake, author := newFakeRelay(), newExtension(t)
	var rooms []string
	for i := range 100 {
		rooms = append(rooms, fmt.Sprintf("%060d", i))
	}
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: rooms})
	me := ana.signUp()
	var agents []*extension
	for range 50 {
		agents = append(agents, newExtension(t))
		ana.must(port.FindAgent, port.Search{Text: agents[len(agents)-1].signer.PublicKey()})
	}
	var arriving []*nostr.Event
	for _, id := range rooms {
		arriving = append(arriving, author.signed(t, nostr.Event{Kind: 9, Content: "live", Tags: inRoom(id)}))
	}
	for _, a := range agents {
		arriving = append(arriving,
			a.signed(t, nostr.Event{Kind: run.KindStatus, Content: "sealed", Tags: nostr.Tags{{"p", me}}}),
			a.signed(t, nostr.Event{Kind: run.KindInfo, Content: "{}", Tags: nostr.Tags{{"d", "agent-info"}}}))
	}
	fake.wait(t, "everything to be heard", func() bool {
		return !slices.ContainsFunc(arriving, func(e *nostr.Event) bool { return !fake.hears(e) })
	})
	fake.wait(t, "what was replaced, and the one-shots, to be closed", func() bool { return len(fake.subs()) <= MaxLiveSubs })
	fake.put(arriving...)
	ana.has("everything that arrived", arriving...)
	fake.mu.Lock()
	defer fake.mu.Unlock()
	if fake.most > relay.MaxLive+relay.MaxOneShot {
		t.Errorf("%d subscriptions were open at once", fake.most)
	}
}

func TestTheBoundsOfWhatIsHeardLiveFitTheRelays(t *testing.T) {
	if 2*MaxLiveSubs > relay.MaxLive {
		t.Errorf("%d subscriptions, each replaced at once, do not fit into %d", MaxLiveSubs, relay.MaxLive)
	}
	keys := func(n, size int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf("%0*d", size, i))
		}
		return all
	}
	for name, c := range map[string]struct {
		keys       []string
		sets, left int
	}{
		"none":              {nil, 0, 0},
		"as many as go in":  {keys(MaxSubKeys, 4), 1, 0},
		"one more":          {keys(MaxSubKeys+1, 4), 2, 0},
		"all that there be": {keys(3*MaxSubKeys, 4), 3, 0},
		"one over":          {keys(3*MaxSubKeys+1, 4), 3, 1},
		"long ones":         {keys(MaxSubBytes/256+1, 256), 2, 0},
	} {
		sets, left := assign(nil, demand{topic: liveRooms, keys: c.keys, subs: 3, each: MaxSubKeys})
		if len(sets) != c.sets || len(left) != c.left {
			t.Errorf("%s: %d sets and %d left, want %d and %d", name, len(sets), len(left), c.sets, c.left)
		}
		for _, set := range sets {
			if n := len(strings.Join(set, `"",`)); len(set) > MaxSubKeys || n > MaxSubBytes {
				t.Errorf("%s: %d keys of %d bytes in one", name, len(set), n)
			}
		}
	}
	var people []string
	for i := range MaxAgents {
		people = append(people, fmt.Sprintf("%s%064d", agentMark, i))
	}
	for i := range MaxAuthors {
		people = append(people, fmt.Sprintf("%s%064d", authorMark, i))
	}
	if _, left := assign(nil, demand{topic: livePeople, keys: people, subs: 1, each: MaxSubKeys}); len(left) > 0 {
		t.Errorf("%d people do not fit into one subscription", len(left))
	}
}

func TestAChangeOfWhatIsHeardKeepsWhatThereIs(t *testing.T) {
	have := []*part{{keys: []string{"a", "b"}}, {keys: []string{"c"}}}
	sets, left := assign(have, demand{keys: []string{"d", "c", "b"}, subs: 2, each: 2})
	if want := [][]string{{"b", "d"}, {"c"}}; !slices.EqualFunc(sets, want, slices.Equal) || len(left) > 0 {
		t.Errorf("%v and %v left", sets, left)
	}
	if sets, left = assign(have, demand{keys: []string{"a", "b", "c"}, subs: 1, each: 2}); len(sets[1]) > 0 || !slices.Equal(left, []string{"c"}) {
		t.Errorf("with one subscription less: %v and %v left", sets, left)
	}
}

func TestFiftyRoomsListedAtOnceAreNoStorm(t *testing.T) {
	fake := newFakeRelay()
	ana := open(t, setup{relay: fakeURL, dial: fake.dial})
	ana.signUp()
	ana.wait("to be online", ana.online)
	began := time.Now()
	for i := range 50 {
		ana.hand(port.JoinRoom, port.JoinParams{Room: room.Ref{Relay: fakeURL, ID: fmt.Sprint("room", i)}})
	}
	ana.caughtUp(50)
	fake.mu.Lock()
	defer fake.mu.Unlock()
	live := 0
	for _, fs := range fake.reqs {
		if fs[0].Limit == 1 && len(fs[0].Tags["h"]) > 0 {
			live++
		}
	}
	if most := 2 + int(time.Since(began)/LiveEvery); live > most {
		t.Errorf("they took %d changes of what is heard, the time was for %d", live, most)
	}
}

func TestNothingIsMissedWhileWhatIsHeardChanges(t *testing.T) {
	fake, author := newFakeRelay(), newExtension(t)
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}})
	ana.signUp()
	ana.enter(lobby(fakeURL))
	ana.caughtUp(1)
	var sent []*nostr.Event
	for i := range 60 {
		if i%3 == 0 {
			ana.must(port.JoinRoom, port.JoinParams{Room: room.Ref{Relay: fakeURL, ID: fmt.Sprint("room", i)}})
		}
		e := author.signed(t, nostr.Event{Kind: 9, Content: fmt.Sprint("while it changes ", i), Tags: inRoom("lobby")})
		sent = append(sent, e)
		fake.put(e)
	}
	ana.has("every message", sent...)
	ana.caughtUp(21)
}

func TestARoomThatTheRelayRefusesHidesNoOther(t *testing.T) {
	for _, why := range []string{"restricted: members only", "error: members only", "auth-required: members only"} {
		fake, author := newFakeRelay(), newExtension(t)
		fake.refuse = func(fs []nostr.Filter) string {
			if slices.Contains(fs[0].Tags["h"], "secret") {
				return why
			}
			return ""
		}
		ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby", "secret", "garden"}})
		ana.must(port.Watch, port.WatchParams{Watch: "room", Name: port.RoomName, Room: room.Ref{Relay: fakeURL, ID: "secret"}})
		ana.wait("the reason", func() bool { s := ana.timelines["room"]; return s != nil && s.last.Problem != "" })
		ana.caughtUp(2)
		e := author.signed(t, nostr.Event{Kind: 9, Content: "hello", Tags: inRoom("garden")})
		fake.put(e)
		ana.has("the other room's message "+why, e)
		ana.stop()
	}
}

func TestARelayThatTakesOneRoomAtATimeIsHeard(t *testing.T) {
	fake, author := newFakeRelay(), newExtension(t)
	now := &clock{}
	fake.refuse = func(fs []nostr.Filter) string {
		if len(fs[0].Tags["h"]) > 1 {
			return "restricted: one room at a time"
		}
		return ""
	}
	var rooms []string
	for i := range MaxRoomSubs + 2 {
		rooms = append(rooms, fmt.Sprint("room", i))
	}
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: rooms, now: now.now})
	ana.caughtUp(MaxRoomSubs)
	var sent []*nostr.Event
	for _, id := range rooms {
		sent = append(sent, author.signed(t, nostr.Event{Kind: 9, Content: "hello " + id, Tags: inRoom(id)}))
	}
	fake.put(sent...)
	now.ahead.Store(int64((PollEvery + 1) * time.Second))
	ana.has("the messages of rooms that are heard and of those that are asked about now and then", sent...)
}

func TestARoomIsHeardOfWhichNotAllIsHeard(t *testing.T) {
	fake := newFakeRelay()
	var rooms []string
	for i := range MaxStateSubs*MaxSubKeys + 1 {
		rooms = append(rooms, fmt.Sprintf("%03d", i))
	}
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: rooms})
	ana.caughtUp(len(rooms))
	ana.core.mu.Lock()
	defer ana.core.mu.Unlock()
	polled := 0
	for _, r := range ana.core.rooms {
		if r.polled {
			polled++
		}
	}
	if polled != 1 {
		t.Errorf("%d rooms are asked about now and then, want the one of which the relay's words are not heard", polled)
	}
}

func TestAMessageThatComesLongAfterItWasWrittenIsFoundByWhoWasAway(t *testing.T) {
	fake, kept, author := newFakeRelay(), store.NewMemory(""), newExtension(t)
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}, store: kept})
	ana.enter(lobby(fakeURL))
	ana.caughtUp(1)
	ana.stop()
	long := time.Now().Unix() - 3*SyncOverlap
	fake.put(author.signed(t, nostr.Event{Kind: 9, Content: "from a tunnel", CreatedAt: nostr.Timestamp(long), Tags: inRoom("lobby")}))
	again := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}, store: kept})
	again.enter(lobby(fakeURL))
	again.sees("room", "from a tunnel")
}
