//go:build !js

package core

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/store"
)

// messages are signed messages of the lobby, a second apart, up to now.
func messages(t *testing.T, n int) []*nostr.Event {
	t.Helper()
	author := newExtension(t).signer
	all := make([]*nostr.Event, n)
	now := time.Now().Unix()
	for i := range n {
		all[i] = &nostr.Event{Kind: 9, CreatedAt: nostr.Timestamp(now - int64(n-i)), Content: fmt.Sprint(i), Tags: nostr.Tags{{"h", "lobby"}}}
		if err := author.Sign(context.Background(), all[i]); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// reads waits until the core has so many messages of the lobby.
func (p *page) reads(n int) {
	p.t.Helper()
	p.wait(fmt.Sprint(n, " messages"), func() bool {
		s := p.timelines["room"]
		p.core.mu.Lock()
		defer p.core.mu.Unlock()
		return s != nil && len(p.core.room(lobby(fakeURL)).fold.Window("", 1<<20, 0).IDs) == n
	})
}

// back moves the window to the oldest message that is here.
func (p *page) back() {
	p.t.Helper()
	p.mu.Lock()
	first := p.timelines["room"].last.Order[0]
	p.mu.Unlock()
	p.must(port.Window, port.WindowParams{Watch: "room", Anchor: first, Before: port.MaxWindow / 2, After: port.MaxWindow / 2})
}

func TestWhoSignsUpCanReadBackAsFarAsAGuest(t *testing.T) {
	fake := newFakeRelay()
	fake.put(messages(t, FirstPage+150)...)
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}})
	ana.enter(lobby(fakeURL))
	ana.reads(FirstPage)
	ana.signUp()
	ana.wait("to be online again", ana.online)
	ana.core.mu.Lock()
	r := ana.core.room(lobby(fakeURL))
	ana.core.mu.Unlock()
	ana.wait("the room to be synced again", func() bool {
		ana.core.mu.Lock()
		defer ana.core.mu.Unlock()
		return r.synced && r.saved.SyncTo != 0
	})
	ana.core.mu.Lock()
	end := r.saved.End
	ana.core.mu.Unlock()
	if end {
		t.Fatal("a room with older messages is taken for whole")
	}
	for range 3 {
		ana.back()
	}
	ana.reads(FirstPage + 150)
}

func TestAReconnectFillsWhatTheRelayCutsOff(t *testing.T) {
	for _, limit := range []int{500, 100} {
		fake := newFakeRelay()
		all := messages(t, 650)
		fake.limit = limit
		fake.put(all[:50]...)
		ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}})
		ana.enter(lobby(fakeURL))
		ana.reads(50)
		fake.setDown(true)
		ana.wait("to be offline", func() bool { return !ana.online() })
		fake.put(all[50:]...)
		// The room was last in step before all of these.
		ana.core.mu.Lock()
		ana.core.room(lobby(fakeURL)).saved.SyncTo = int64(all[49].CreatedAt)
		ana.core.mu.Unlock()
		fake.setDown(false)
		ana.must(port.Probe, nil)
		ana.reads(650)
		ana.stop()
	}
}

// TestAnAnswerIsWholeBelowPageFull holds what counts as cut off, and from where
// the rest is asked for, against the limit.
func TestAnAnswerIsWholeBelowPageFull(t *testing.T) {
	q := missed{since: 1000, me: "me"}
	answer := func(n int, more ...*nostr.Event) []*nostr.Event {
		events := []*nostr.Event{{CreatedAt: 10}} // of the filter without a since
		for i := range n {
			events = append(events, &nostr.Event{CreatedAt: nostr.Timestamp(5000 - i)})
		}
		return append(events, more...)
	}
	added := &nostr.Event{CreatedAt: 1001, Tags: nostr.Tags{{"p", "me"}}}
	for name, c := range map[string]struct {
		events   []*nostr.Event
		complete bool
		all      bool
		until    int64
	}{
		"nothing":                 {nil, true, true, 0},
		"one less":                {answer(PageFull - 1), true, true, 5000 - PageFull + 2},
		"as many":                 {answer(PageFull), true, false, 5000 - PageFull + 1},
		"I was added before":      {answer(PageFull, added), true, false, 5000 - PageFull + 1},
		"the end never came":      {answer(3), false, false, 0},
		"nothing, and no end too": {nil, false, false, 0},
	} {
		if all, until := q.whole(c.events, c.complete); all != c.all || until != c.until {
			t.Errorf("%s: %v and %d, want %v and %d", name, all, until, c.all, c.until)
		}
	}
}

func TestAThreadOfARelayThatIsOpenedLaterIsLoaded(t *testing.T) {
	fake := newFakeRelay()
	root := messages(t, 1)[0]
	root.Kind, root.Tags = 11, append(root.Tags, nostr.Tag{"title", "Plans"})
	if err := newExtension(t).signer.Sign(context.Background(), root); err != nil {
		t.Fatal(err)
	}
	fake.put(root)
	fake.refuse = func(fs []nostr.Filter) string { // a room's own page does not reach back to it
		if len(fs[0].IDs) == 0 && fs[0].Tags["e"] == nil && fs[0].Tags["h"] != nil {
			return "error: too much"
		}
		return ""
	}
	ana := open(t, setup{dial: fake.dial})
	ana.must(port.Watch, port.WatchParams{Watch: "thread", Name: port.ThreadName, Room: lobby(fakeURL), ID: root.ID})
	ana.wait("the dialog", func() bool { return slices.Contains(ana.app.Dialogs, port.Dialog{Kind: "open", URL: fakeURL}) })
	fake.mu.Lock()
	asked := len(fake.reqs)
	fake.mu.Unlock()
	if asked != 0 {
		t.Fatal("a link connected by itself")
	}
	ana.must(port.OpenRelay, port.RelayParams{URL: fakeURL, Allow: true})
	ana.wait("the thread", func() bool { return len(ana.texts("thread")) == 1 })
}

func TestARoomThatIsNotShownSaysWhy(t *testing.T) {
	for _, why := range []string{"auth-required: members only", "restricted: members only", "rate-limited: later"} {
		fake := newFakeRelay()
		fake.refuse = func([]nostr.Filter) string { return why }
		ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}})
		ana.must(port.Watch, port.WatchParams{Watch: "room", Name: port.RoomName, Room: lobby(fakeURL)})
		ana.wait("the reason "+why, func() bool {
			s := ana.timelines["room"]
			return s != nil && !s.last.Loading && s.last.Problem != ""
		})
		ana.stop()
	}
}

func TestAPageOfOlderMessagesIsCountedForWhatItIs(t *testing.T) {
	for name, c := range map[string]struct {
		events   int
		oldest   int64
		complete bool
		want     savedRoom
	}{
		"nothing more":                  {0, 0, true, savedRoom{From: 100, End: true}},
		"no answer in time":             {0, 0, false, savedRoom{From: 100}},
		"a page":                        {OlderPage, 50, true, savedRoom{From: 50}},
		"part of a page":                {3, 50, false, savedRoom{From: 50}},
		"the last of one second":        {3, 100, true, savedRoom{From: 100, End: true}},
		"a full page within one second": {OlderPage, 100, true, savedRoom{From: 99}},
	} {
		got := savedRoom{From: 100}
		if got.paged(c.events, c.oldest, c.complete); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestARelayThatRefusesOlderMessagesIsLeftAlone(t *testing.T) {
	fake := newFakeRelay()
	older := func(fs []nostr.Filter) bool { return len(fs) == 1 && fs[0].Until != nil }
	fake.refuse = func(fs []nostr.Filter) string {
		if older(fs) {
			return "error: not now"
		}
		return ""
	}
	fake.put(messages(t, 30)...)
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}})
	ana.signUp()
	ana.enter(lobby(fakeURL))
	fake.wait(t, "the question for older messages", func() bool { return slices.ContainsFunc(fake.reqs, older) })
	for i := range 20 { // each makes the timeline anew
		ana.say(lobby(fakeURL), fmt.Sprint("more ", i))
	}
	ana.reads(50)
	fake.mu.Lock()
	defer fake.mu.Unlock()
	n := 0
	for _, fs := range fake.reqs {
		if older(fs) {
			n++
		}
	}
	if n > 2 {
		t.Errorf("it was asked %d times", n)
	}
}

func TestTheLastReadingMarkIsTheOneThatStays(t *testing.T) {
	kept := store.NewMemory("")
	ana := open(t, setup{store: kept})
	for i := range 200 {
		ana.core.mu.Lock()
		ana.core.keepLater("test", "key", i)
		ana.core.mu.Unlock()
	}
	ana.core.mu.Lock()
	for ana.core.keeping { // mu is let go of for the writer
		ana.core.mu.Unlock()
		ana.must(port.Probe, nil)
		ana.core.mu.Lock()
	}
	ana.core.mu.Unlock()
	if got, _ := load[int](t.Context(), ana.core, "test", "key"); got != 199 {
		t.Errorf("%d was kept last", got)
	}
}

func TestARoomThatWasOnlyVisitedIsNotAskedAboutAnyMore(t *testing.T) {
	fake := newFakeRelay()
	ana := open(t, setup{relay: fakeURL, dial: fake.dial})
	open := func(id string) func() bool {
		return func() bool {
			for _, subs := range fake.conns {
				for _, fs := range subs {
					if slices.Equal(fs[0].Tags["h"], []string{id}) {
						return true
					}
				}
			}
			return false
		}
	}
	ana.must(port.Watch, port.WatchParams{Watch: "room", Name: port.RoomName, Room: lobby(fakeURL)})
	fake.wait(t, "the room to be asked about", open("lobby"))
	ana.must(port.Unwatch, port.WatchParams{Watch: "room"})
	fake.wait(t, "it to be left", func() bool { return !open("lobby")() })
	ana.must(port.Watch, port.WatchParams{Watch: "room", Name: port.RoomName, Room: lobby(fakeURL)})
	fake.wait(t, "it to be asked about again", open("lobby"))
}
