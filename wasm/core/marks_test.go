//go:build !js

package core

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/store"
)

func TestTheMarkOfWhatWasHeardMovesWithWhatArrives(t *testing.T) {
	fake, author, kept := newFakeRelay(), newExtension(t), store.NewMemory("")
	now := &clock{}
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}, store: kept, now: now.now})
	ana.signUp()
	ana.enter(lobby(fakeURL))
	ana.caughtUp(1)
	syncTo := func() int64 {
		ana.core.mu.Lock()
		defer ana.core.mu.Unlock()
		return ana.core.room(lobby(fakeURL)).saved.SyncTo
	}
	first := syncTo()
	now.ahead.Store(int64(time.Hour))
	old := author.signed(t, nostr.Event{Kind: 9, Content: "written before", CreatedAt: nostr.Timestamp(first - 100), Tags: inRoom("lobby")})
	fresh := author.signed(t, nostr.Event{Kind: 9, Content: "new", CreatedAt: nostr.Timestamp(first + 1800), Tags: inRoom("lobby")})
	ahead := author.signed(t, nostr.Event{Kind: 9, Content: "from the future", CreatedAt: nostr.Timestamp(first + 90000), Tags: inRoom("lobby")})
	for _, c := range []struct {
		e    *nostr.Event
		want int64
	}{{old, first}, {fresh, first + 1800}} {
		fake.put(c.e)
		ana.has(c.e.Content, c.e)
		if got := syncTo(); got != c.want {
			t.Errorf("after the message %q the mark is at %d, want %d", c.e.Content, got-first, c.want-first)
		}
	}
	fake.put(ahead)
	ana.has("the future", ahead)
	if got := syncTo(); got > now.now().Unix() {
		t.Error("a clock that is ahead moves the mark past now")
	}
	ana.stop()
	fake.mu.Lock()
	fake.reqs = nil
	fake.mu.Unlock()
	open(t, setup{relay: fakeURL, dial: fake.dial, store: kept, rooms: []string{"lobby"}, now: now.now}).caughtUp(1)
	fake.mu.Lock()
	defer fake.mu.Unlock()
	for _, fs := range fake.reqs {
		if f := fs[0]; f.Since != nil && len(f.Tags["h"]) > 0 && int64(*f.Since) < first+1800-SyncOverlap {
			t.Errorf("the reload asks from %d on", int64(*f.Since)-first)
		}
	}
}

func TestTheMarkDoesNotMovePastAGap(t *testing.T) {
	fake, author := newFakeRelay(), newExtension(t)
	now := &clock{}
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}, now: now.now})
	ana.signUp()
	ana.enter(lobby(fakeURL))
	ana.caughtUp(1)
	ana.core.mu.Lock()
	r := ana.core.room(lobby(fakeURL))
	mark := r.saved.SyncTo
	ana.core.mu.Unlock()
	fake.mu.Lock()
	fake.refuse = func(fs []nostr.Filter) string { // what was missed is not given
		if fs[0].Limit != 1 && len(fs[0].Tags["h"]) > 0 {
			return "error: not now"
		}
		return ""
	}
	fake.mu.Unlock()
	fake.setDown(true)
	ana.wait("to be offline", func() bool { return !ana.online() })
	now.ahead.Store(int64(time.Hour))
	fake.setDown(false)
	ana.must(port.Probe, nil)
	e := author.signed(t, nostr.Event{Kind: 9, Content: "after the gap", CreatedAt: nostr.Timestamp(now.now().Unix()), Tags: inRoom("lobby")})
	fake.wait(t, "the room to be heard again", func() bool { return fake.hears(e) })
	fake.put(e)
	ana.has("the message", e)
	ana.core.mu.Lock()
	defer ana.core.mu.Unlock()
	if r.saved.SyncTo != mark {
		t.Errorf("the mark moved by %d s past what was not given", r.saved.SyncTo-mark)
	}
}

// full is a store that takes no events while it is full.
type full struct {
	store.Store
	now *atomic.Bool
}

func (s full) Put(ctx context.Context, records []store.Record) error {
	if s.now.Load() {
		return errors.New("no space left")
	}
	return s.Store.Put(ctx, records)
}

func TestTheMarkThatIsKeptDoesNotMovePastWhatCouldNotBeKept(t *testing.T) {
	fake, author, now := newFakeRelay(), newExtension(t), &clock{}
	kept := full{store.NewMemory(""), new(atomic.Bool)}
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}, store: kept, now: now.now})
	ana.enter(lobby(fakeURL))
	ana.caughtUp(1)
	kept.now.Store(true)
	lost := author.signed(t, nostr.Event{Kind: 9, Content: "could not be kept", Tags: inRoom("lobby")})
	fake.put(lost)
	ana.sees("room", "could not be kept")
	kept.now.Store(false)
	now.ahead.Store(int64(time.Hour))
	fresh := author.signed(t, nostr.Event{Kind: 9, Content: "an hour later", CreatedAt: nostr.Timestamp(now.now().Unix()), Tags: inRoom("lobby")})
	fake.put(fresh)
	ana.sees("room", "could not be kept", "an hour later")
	ana.stop()
	for i := range LateListed { // as many as are looked at again
		at := fresh.CreatedAt - nostr.Timestamp(i+1)
		fake.put(author.signed(t, nostr.Event{Kind: 9, Content: fmt.Sprint(i), CreatedAt: at, Tags: inRoom("lobby")}))
	}
	again := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}, store: kept, now: now.now})
	again.caughtUp(1)
	again.has("what could not be kept", lost)
}
