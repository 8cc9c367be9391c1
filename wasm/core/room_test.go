//go:build !js

package core

import (
	"fmt"
	"testing"

	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/store"
)

func lobby(url string) room.Ref { return room.Ref{Relay: url, ID: "lobby"} }

func TestTwoPeopleTalkBothWays(t *testing.T) {
	url := startRelay(t).url
	ana := open(t, setup{relay: url, rooms: []string{"lobby"}})
	ben := open(t, setup{relay: url, rooms: []string{"lobby"}})
	ana.signUp()
	ben.signUp()
	ana.enter(lobby(url))
	ben.enter(lobby(url))
	id := ana.say(lobby(url), "hello Ben")
	ana.wait("the message to be stored", func() bool {
		item := ana.timelines["room"].items[id]
		return item.Own && item.Delivery != nil && item.Delivery.State == port.Stored
	})
	ben.sees("room", "hello Ben")
	ben.say(lobby(url), "hello Ana")
	ana.sees("room", "hello Ben", "hello Ana")
}

func TestAReloadShowsTheSameRoom(t *testing.T) {
	url := startRelay(t).url
	kept := store.NewMemory("")
	ana := open(t, setup{relay: url, rooms: []string{"lobby"}, store: kept})
	key := ana.signUp()
	ana.enter(lobby(url))
	ana.say(lobby(url), "one")
	ana.say(lobby(url), "two")
	ana.sees("room", "one", "two")
	ana.must(port.SetDraft, port.Draft{Key: draftKey(lobby(url), ""), Text: "thr"})
	ana.stop()

	again := open(t, setup{relay: url, rooms: []string{"lobby"}, store: kept})
	again.wait("the same person", func() bool { return again.app.Me != nil && again.app.Me.Person.PubKey == key })
	again.enter(lobby(url))
	again.sees("room", "one", "two")
}

func TestSignedOutPeopleReadAndCannotWrite(t *testing.T) {
	url := startRelay(t).url
	ana := open(t, setup{relay: url, rooms: []string{"lobby"}})
	ana.signUp()
	ana.enter(lobby(url))
	ana.say(lobby(url), "hello")
	guest := open(t, setup{relay: url, rooms: []string{"lobby"}})
	guest.enter(lobby(url))
	guest.sees("room", "hello")
	_, err := guest.call(port.Send, port.SendParams{Room: lobby(url), Text: "hi"})
	if coded, ok := err.(*port.Error); !ok || coded.Code != port.CodeSignedOut {
		t.Fatalf("a guest's message gave %v", err)
	}
}

func TestSendWhileTheRelayIsDownArrivesOnce(t *testing.T) {
	r := startRelay(t)
	ana := open(t, setup{relay: r.url, rooms: []string{"lobby"}})
	ben := open(t, setup{relay: r.url, rooms: []string{"lobby"}})
	ana.signUp()
	ana.enter(lobby(r.url))
	ben.enter(lobby(r.url))
	r.stop()
	ana.wait("to be offline", func() bool { return ana.app.Connection != port.Online })
	ana.say(lobby(r.url), "into the dark")
	ana.wait("the message to wait", func() bool {
		for _, item := range ana.timelines["room"].items {
			return item.Delivery.State == port.Waiting || item.Delivery.State == port.Sent
		}
		return false
	})
	r.start()
	ana.must(port.Probe, nil)
	ben.must(port.Probe, nil)
	ben.sees("room", "into the dark")
	ana.wait("the message to be stored", func() bool {
		for _, item := range ana.timelines["room"].items {
			return item.Delivery.State == port.Stored
		}
		return false
	})
}

func TestMessagesWrittenInOneSecondKeepTheirOrder(t *testing.T) {
	url := startRelay(t).url
	ana := open(t, setup{relay: url, rooms: []string{"lobby"}})
	ben := open(t, setup{relay: url, rooms: []string{"lobby"}})
	ana.signUp()
	ana.enter(lobby(url))
	ben.enter(lobby(url))
	var texts []string
	for i := range 12 {
		texts = append(texts, fmt.Sprint("message ", i))
		ana.say(lobby(url), texts[i])
	}
	ana.sees("room", texts...)
	ben.sees("room", texts...)
}
