//go:build !js

package core

import (
	"context"
	"testing"

	"parley/wasm/port"
)

func TestRetryPressedTwiceAsksOnce(t *testing.T) {
	fake, ext := newFakeRelay(), newExtension(t)
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}, ext: ext.answer})
	ana.must(port.UseExtension, nil)
	ana.enter(lobby(fakeURL))
	asked, closed := make(chan struct{}, 10), make(chan struct{})
	ext.setHold(func(method string) error {
		if method == port.ExtSignEvent {
			asked <- struct{}{}
			<-closed
		}
		return nil
	})
	ana.hand(port.Send, port.SendParams{Room: lobby(fakeURL), Text: "hello"})
	<-asked
	ana.sees("room", "hello")
	ana.mu.Lock()
	id := ana.timelines["room"].last.Order[0]
	ana.mu.Unlock()
	ana.core.Handle(context.Background(), port.Envelope{Type: port.Bye, Tab: ana.tab}) // nobody answers there any more
	ana.must(port.Watch, port.WatchParams{Watch: "room", Name: port.RoomName, Room: lobby(fakeURL)})
	ana.wait("it to wait for Retry", func() bool { return !ana.core.isSigning(id) })
	first, second := ana.hand(port.Retry, port.EventID{ID: id}), ana.hand(port.Retry, port.EventID{ID: id})
	<-asked
	ana.wait("the second to be answered", func() bool { _, ok := ana.replies[second]; return ok })
	close(closed)
	ana.wait("the first to be answered", func() bool { _, ok := ana.replies[first]; return ok })
	fake.wait(t, "the message", func() bool { return len(fake.got) == 1 })
	if n := ext.count(port.ExtSignEvent); n != 2 {
		t.Errorf("it was asked %d times, for the message and for one Retry", n)
	}
}

// isSigning tells whether a signer is asked about a draft.
func (c *Core) isSigning(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.identity.signing[id]
}

func TestWhatWaitsOfAnotherAccountShowsItsState(t *testing.T) {
	fake := newFakeRelay()
	fake.setDown(true)
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}})
	ana.signUp()
	ana.must(port.Watch, port.WatchParams{Watch: "room", Name: port.RoomName, Room: lobby(fakeURL)})
	id := ana.say(lobby(fakeURL), "hello")
	ana.wait("the message to wait", func() bool { return ana.delivery(id).State == port.Waiting })
	ana.must(port.CreateKey, port.Secret{})
	ana.wait("it to wait still", func() bool {
		s := ana.timelines["room"]
		return s != nil && !s.items[id].Own && ana.delivery(id).State == port.Waiting
	})
	fake.setDown(false)
	ana.must(port.Probe, nil)
	fake.wait(t, "the message", func() bool { return len(fake.got) == 1 })
	ana.wait("it to be like any other's", func() bool { return ana.timelines["room"].items[id].Delivery == nil })
}
