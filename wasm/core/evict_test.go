//go:build !js

package core

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/run"
)

func TestRoomsThatStrangersNameAreBoundedAndMineStay(t *testing.T) {
	for over, want := range map[int]bool{0: true, 1: false} {
		c := New(Config{})
		c.identity.me = agentKey
		mine := map[string]func(room.Ref){
			"listed": func(ref room.Ref) { c.rooms[ref].listed = true },
			"open":   func(ref room.Ref) { c.rooms[ref].watchers = 1 },
			"kept":   func(ref room.Ref) { c.saved[ref] = savedRoom{} },
			"wrote":  nil,
		}
		fold := func(id, author string) {
			e := &nostr.Event{ID: fmt.Sprintf("%064x", len(c.rooms)+1), PubKey: author, Kind: 9, CreatedAt: 100, Tags: inRoom(id)}
			c.foldRoom(e, 100, fakeURL)
		}
		for id, keep := range mine {
			author := "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"
			if keep == nil {
				author = agentKey
			}
			fold(id, author)
			if keep != nil {
				keep(room.Ref{Relay: fakeURL, ID: id})
			}
		}
		for i := len(mine); i < MaxPassing+over; i++ {
			fold(fmt.Sprint("passing", i), "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9")
		}
		if whole := len(c.rooms) == MaxPassing+over; whole != want {
			t.Errorf("%d over: %d rooms", over, len(c.rooms))
		}
		for id := range mine {
			if c.rooms[room.Ref{Relay: fakeURL, ID: id}] == nil {
				t.Errorf("the room that is %s went", id)
			}
		}
		if !want && c.rooms[room.Ref{Relay: fakeURL, ID: fmt.Sprint("passing", MaxPassing)}] == nil {
			t.Error("the newest went")
		}
	}
}

func TestMessagesOfAnAgentThatAnswerNothingAreBounded(t *testing.T) {
	for n, want := range map[int]int{MaxLoose: MaxLoose, MaxLoose + 1: MaxLoose} {
		c := New(Config{})
		c.identity.me = "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"
		for i := range n {
			c.foldLoose(run.Input{Opening: run.Opened, Plain: fmt.Sprintf(`{"ver":1,"text":"%d"}`, i), Event: &nostr.Event{
				ID: fmt.Sprintf("%064x", i), PubKey: agentKey, Kind: run.KindResponse, CreatedAt: nostr.Timestamp(1000 + i),
				Tags: nostr.Tags{{"p", c.identity.me}, {"encryption", "nip44"}},
			}})
		}
		list := c.sessions.loose[agentKey]
		if len(list) != want || len(list) > 0 && list[len(list)-1].At != int64(1000+n-1) {
			t.Errorf("of %d there are %d", n, len(list))
		}
	}
}

func TestDeliveriesAreBoundedAndWhatNeverLeftIsRemembered(t *testing.T) {
	for n, want := range map[int]int{MaxDelivered: MaxDelivered, MaxDelivered + 1: MaxDelivered/2 + 1} {
		c := New(Config{})
		c.remember("withdrawn", port.Delivery{State: run.DeliveryWithdrawn})
		for i := 1; i < n; i++ {
			c.remember(fmt.Sprint(i), port.Delivery{State: port.Stored, At: int64(i)})
		}
		_, newest := c.delivered[fmt.Sprint(n-1)]
		if _, kept := c.delivered["withdrawn"]; len(c.delivered) != want || !kept || !newest {
			t.Errorf("of %d there are %d, with what never left %v, with the newest %v", n, len(c.delivered), kept, newest)
		}
	}
}

func TestWhatIsFilledInHasLimits(t *testing.T) {
	fake := newFakeRelay()
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, rooms: []string{"lobby"}})
	ana.signUp()
	ana.enter(lobby(fakeURL))
	long := func(n int) string { return string(slices.Repeat([]rune{'é'}, n)) }
	file := func(change func(*room.File)) port.SendParams {
		f := room.File{URL: "https://files.example/a"}
		change(&f)
		return port.SendParams{Room: lobby(fakeURL), Text: "a file", Files: []room.File{f}}
	}
	url := func(n int) string { return "https://" + string(slices.Repeat([]byte{'a'}, n-len("https://"))) }
	for name, c := range map[string]struct {
		method string
		with   func(more int) any
	}{
		"files": {port.Send, func(more int) any {
			return port.SendParams{Room: lobby(fakeURL), Text: "files", Files: slices.Repeat([]room.File{{URL: "https://files.example/a"}}, room.MaxFiles+more)}
		}},
		"a file's address": {port.Send, func(more int) any { return file(func(f *room.File) { f.URL = url(MaxFileURL + more) }) }},
		"a file's type":    {port.Send, func(more int) any { return file(func(f *room.File) { f.Type = url(MaxFileType + more) }) }},
		"a file's name":    {port.Send, func(more int) any { return file(func(f *room.File) { f.Name = long(MaxSentFileName + more) }) }},
		"a file's words":   {port.Send, func(more int) any { return file(func(f *room.File) { f.Alt = long(room.MaxFileAlt + more) }) }},
		"the subject": {port.Send, func(more int) any {
			return port.SendParams{Room: lobby(fakeURL), Text: "x", Subject: long(room.MaxSubject + more)}
		}},
		"a room's name": {port.CreateRoom, func(more int) any { return port.RoomParams{Name: long(room.MaxRoomName + more)} }},
		"what it is about": {port.EditRoom, func(more int) any {
			return port.RoomParams{Ref: lobby(fakeURL), Name: "x", About: long(room.MaxRoomAbout + more)}
		}},
		"an invite code": {port.JoinRoom, func(more int) any { return port.JoinParams{Room: lobby(fakeURL), Invite: url(MaxInvite + more)} }},
		"a role": {port.AddMember, func(more int) any {
			return port.MemberParams{Room: lobby(fakeURL), PubKey: agentKey, Role: long(room.MaxRole + more)}
		}},
	} {
		if _, err := ana.call(c.method, c.with(0)); err != nil {
			t.Errorf("%s of the full length: %v", name, err)
		}
		_, err := ana.call(c.method, c.with(1))
		if coded, ok := err.(*port.Error); !ok || coded.Code != port.CodeInvalid {
			t.Errorf("%s that is too long gave %v", name, err)
		}
	}
}
