package app

import (
	"fmt"
	"slices"
	"testing"

	"parley/wasm/port"
	"parley/wasm/room"
)

const noon = 1_700_000_000

func itemOf(n int, author string) port.Item {
	return port.Item{Message: room.Message{
		ID: idOf(n), Kind: 9, Author: room.Person{PubKey: author, Name: author}, At: noon + int64(n), Text: "text",
	}}
}

func idOf(n int) string { return fmt.Sprintf("%064x", n) }

func itemsOf(from, to int) (order []string, items []port.Item) {
	for i := from; i < to; i++ {
		order = append(order, idOf(i))
		items = append(items, itemOf(i, "aa"))
	}
	return order, items
}

func opened(n int) *timeline {
	t := newTimeline("1")
	order, items := itemsOf(0, n)
	t.take(port.Timeline{Reset: true, Order: order, Items: items, Draft: "half a", DraftKey: "k"})
	return t
}

func TestATimelineKeepsWhatDidNotChange(t *testing.T) {
	tl := opened(50)
	before := tl.items[idOf(3)]
	order, _ := itemsOf(0, 51)
	fresh := tl.take(port.Timeline{Order: order, Items: []port.Item{itemOf(50, "bb")}})
	if len(fresh) != 1 || fresh[0].Message.ID != idOf(50) {
		t.Errorf("new at the end: %v", fresh)
	}
	if tl.items[idOf(3)] != before {
		t.Error("an item that did not change was made anew")
	}
	if tl.draft != "half a" || tl.draftKey != "k" {
		t.Error("the draft of the first update is gone")
	}
}

func TestOneNewMessageRedrawsOnePart(t *testing.T) {
	tl := opened(190)
	before := map[*part]bool{}
	for _, p := range tl.parts {
		before[p] = true
	}
	order, _ := itemsOf(0, 191)
	tl.take(port.Timeline{Order: order, Items: []port.Item{itemOf(190, "bb")}})
	redrawn := 0
	for _, p := range tl.parts {
		if !before[p] {
			redrawn++
		}
	}
	if redrawn != 1 {
		t.Errorf("%d parts are drawn anew, want 1", redrawn)
	}
}

func TestAChangedItemIsDrawn(t *testing.T) {
	tl := opened(30)
	changed := itemOf(4, "aa")
	changed.Message.Text, changed.Message.Edited = "other", true
	tl.take(port.Timeline{Order: tl.order, Items: []port.Item{changed}})
	if got := tl.items[idOf(4)].Message.Text; got != "other" {
		t.Errorf("text %q", got)
	}
	if p := tl.parts[tl.slots[headroom]]; p.rows[4].item.Message.Text != "other" {
		t.Error("the row has the old item")
	}
}

func TestWhatLeavesTheWindowIsForgotten(t *testing.T) {
	tl := opened(100)
	order, _ := itemsOf(60, 100)
	tl.take(port.Timeline{Order: order})
	if len(tl.items) != 40 || tl.items[idOf(0)] != nil {
		t.Errorf("%d items are kept of 40", len(tl.items))
	}
}

func TestAnEntryWithoutItsItemIsLeftOut(t *testing.T) {
	tl := newTimeline("1")
	tl.take(port.Timeline{Reset: true, Order: []string{idOf(1), idOf(2)}, Items: []port.Item{itemOf(2, "aa")}})
	if !slices.Equal(tl.order, []string{idOf(2)}) {
		t.Errorf("order %v", tl.order)
	}
}

func TestOlderMessagesAreNoNews(t *testing.T) {
	tl := newTimeline("1")
	order, items := itemsOf(50, 60)
	tl.take(port.Timeline{Reset: true, Order: order, Items: items})
	order, items = itemsOf(0, 60)
	if fresh := tl.take(port.Timeline{Order: order, Items: items[:50]}); len(fresh) != 0 {
		t.Errorf("%d older messages count as new", len(fresh))
	}
	order, items = itemsOf(0, 70)
	if fresh := tl.take(port.Timeline{Reset: true, Order: order, Items: items}); len(fresh) != 0 {
		t.Errorf("%d messages of a fresh start count as new", len(fresh))
	}
}

func TestRowsUnderOneName(t *testing.T) {
	with := func(change func(*port.Item)) port.Item {
		item := itemOf(1, "aa")
		change(&item)
		return item
	}
	tests := []struct {
		name   string
		second port.Item
		want   bool
	}{
		{"soon after", itemOf(1, "aa"), true},
		{"somebody else", itemOf(1, "bb"), false},
		{"within five minutes", with(func(i *port.Item) { i.Message.At = noon + joinWithin - 1 }), true},
		{"after five minutes", with(func(i *port.Item) { i.Message.At = noon + joinWithin }), false},
		{"a reply", with(func(i *port.Item) { i.Message.ReplyTo = &room.Quote{} }), false},
		{"a subject", with(func(i *port.Item) { i.Message.Subject = "x" }), false},
		{"a form", with(func(i *port.Item) { i.Ask = &port.AskItem{} }), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tl := newTimeline("1")
			tl.take(port.Timeline{Reset: true, Order: []string{idOf(0), idOf(1)}, Items: []port.Item{itemOf(0, "aa"), tt.second}})
			rows := tl.parts[tl.slots[headroom]].rows
			if rows[0].joined || rows[1].joined != tt.want {
				t.Errorf("joined: %v, %v, want false, %v", rows[0].joined, rows[1].joined, tt.want)
			}
			if rows[0].day == 0 {
				t.Error("the first row has no day above it")
			}
		})
	}
}

func TestTheFirstUnreadMessageIsMarked(t *testing.T) {
	tl := newTimeline("1")
	order, items := itemsOf(0, 5)
	tl.take(port.Timeline{Reset: true, Order: order, Items: items, Divider: idOf(3)})
	rows := tl.parts[tl.slots[headroom]].rows
	for i, r := range rows {
		if r.first != (i == 3) {
			t.Errorf("row %d marked: %v", i, r.first)
		}
	}
	if rows[3].joined {
		t.Error("the row under the mark has no name")
	}
}

func TestWhoMayWriteIsInEachRow(t *testing.T) {
	tl := opened(3)
	tl.take(port.Timeline{Order: tl.order, Info: &port.RoomInfo{CanWrite: true, Meta: room.Meta{Ref: room.Ref{Relay: "wss://a.example", ID: "lobby"}}}})
	r := tl.parts[tl.slots[headroom]].rows[0]
	if !r.write || r.path != "/rooms/lobby/threads/"+idOf(0)+"?relay=wss%3A%2F%2Fa.example" {
		t.Errorf("write %v, path %q", r.write, r.path)
	}
}

func TestTheFirstMessageOfAnEmptyRoomIsNew(t *testing.T) {
	tl := newTimeline("w")
	tl.take(port.Timeline{Reset: true, Loading: true})
	if fresh := tl.take(port.Timeline{Order: []string{idOf(1)}, Items: []port.Item{itemOf(1, "aa")}}); len(fresh) != 0 {
		t.Errorf("while a room loads, %d messages are new", len(fresh))
	}
	tl.take(port.Timeline{Reset: true})
	if fresh := tl.take(port.Timeline{Order: []string{idOf(1)}, Items: []port.Item{itemOf(1, "aa")}}); len(fresh) != 1 {
		t.Errorf("in an empty room, %d messages are new, not 1", len(fresh))
	}
	if fresh := tl.take(port.Timeline{Reset: true, Order: []string{idOf(1)}, Items: []port.Item{itemOf(1, "aa")}}); len(fresh) != 0 {
		t.Errorf("after a reset, %d messages are new", len(fresh))
	}
}
