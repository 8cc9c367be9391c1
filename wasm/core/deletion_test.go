//go:build !js

package core

import (
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/store"
)

// deleted is a deletion (NIP-09) that names no room.
func (x *extension) deleted(t *testing.T, e *nostr.Event) *nostr.Event {
	return x.signed(t, nostr.Event{Kind: nostr.KindDeletion, Tags: nostr.Tags{{"e", e.ID}, {"k", "9"}}})
}

func TestADeletionThatNamesNoRoomIsHeardAndStays(t *testing.T) {
	fake, author, kept := newFakeRelay(), newExtension(t), store.NewMemory("")
	at := nostr.Timestamp(time.Now().Unix() - 10)
	message := author.signed(t, nostr.Event{Kind: 9, Content: "a slip", CreatedAt: at, Tags: inRoom("lobby")})
	other := author.signed(t, nostr.Event{Kind: 9, Content: "fine", CreatedAt: at + 1, Tags: inRoom("lobby")})
	fake.put(message, other)
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}, store: kept})
	ana.enter(lobby(fakeURL))
	ana.sees("room", "a slip", "fine")
	deletion := author.deleted(t, message)
	fake.wait(t, "the author's deletions to be heard", func() bool { return fake.hears(deletion) })
	fake.put(deletion)
	ana.sees("room", "fine")
	ana.stop()
	fake.setDown(true)
	again := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}, store: kept})
	again.enter(lobby(fakeURL))
	again.sees("room", "fine")
}

func TestADeletionThatNamesNoRoomIsFoundByWhoWasAway(t *testing.T) {
	for _, age := range []time.Duration{time.Minute, 30 * 24 * time.Hour} {
		fake, author, kept := newFakeRelay(), newExtension(t), store.NewMemory("")
		at := nostr.Timestamp(time.Now().Add(-age).Unix())
		message := author.signed(t, nostr.Event{Kind: 9, Content: "a slip", CreatedAt: at, Tags: inRoom("lobby")})
		other := author.signed(t, nostr.Event{Kind: 9, Content: "fine", CreatedAt: at + 1, Tags: inRoom("lobby")})
		fake.put(message, other)
		ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}, store: kept})
		ana.enter(lobby(fakeURL))
		ana.sees("room", "a slip", "fine")
		ana.caughtUp(1)
		ana.stop()
		deletion := author.deleted(t, message)
		deletion.CreatedAt = at + 2 // as old as what it deletes
		fake.put(author.signed(t, *deletion))
		again := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}, store: kept})
		again.enter(lobby(fakeURL))
		again.sees("room", "fine")
		again.stop()
	}
}

func TestADeletionByWhoIsNotHeardYetIsFoundWithoutAReconnect(t *testing.T) {
	fake, author, newcomer := newFakeRelay(), newExtension(t), newExtension(t)
	now := &clock{}
	first := author.signed(t, nostr.Event{Kind: 9, Content: "fine", CreatedAt: nostr.Timestamp(time.Now().Unix() - 10), Tags: inRoom("lobby")})
	fake.put(first)
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}, now: now.now})
	ana.enter(lobby(fakeURL))
	fake.wait(t, "the author's deletions to be heard", func() bool { return fake.hears(author.deleted(t, first)) })
	slip := newcomer.signed(t, nostr.Event{Kind: 9, Content: "a slip", CreatedAt: first.CreatedAt + 1, Tags: inRoom("lobby")})
	another := newcomer.signed(t, nostr.Event{Kind: 9, Content: "another", CreatedAt: first.CreatedAt + 2, Tags: inRoom("lobby")})
	fake.put(slip, another)
	ana.sees("room", "fine", "a slip", "another")
	deletions := []*nostr.Event{newcomer.deleted(t, slip), newcomer.deleted(t, another)} // the newest comes with a live subscription
	fake.mu.Lock()
	heard := fake.hears(deletions[0])
	fake.mu.Unlock()
	if heard {
		t.Fatal("who only just wrote is heard already, so this shows nothing")
	}
	fake.put(deletions...)
	now.ahead.Store(int64(AuthorsEvery+1) * int64(time.Second))
	ana.sees("room", "fine")
}

func TestADeletionThatComesBeforeItsMessageCounts(t *testing.T) {
	fake, author := newFakeRelay(), newExtension(t)
	message := author.signed(t, nostr.Event{Kind: 9, Content: "a slip", CreatedAt: 1000, Tags: inRoom("lobby")})
	fake.put(messages(t, FirstPage+10)...)
	fake.put(author.signed(t, nostr.Event{Kind: 9, Content: "newest", Tags: inRoom("lobby")}))
	fake.put(message)
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}})
	ana.enter(lobby(fakeURL))
	ana.reads(FirstPage)
	deletion := author.deleted(t, message)
	fake.wait(t, "the author's deletions to be heard", func() bool { return fake.hears(deletion) })
	fake.put(deletion)
	ana.has("the deletion", deletion)
	for range 3 {
		ana.back()
	}
	ana.has("the message", message)
	ana.reads(FirstPage + 11) // all but the deleted one
}
