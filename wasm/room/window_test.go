package room

import (
	"slices"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func TestWindow(t *testing.T) {
	f := New(here, relay, nil)
	for n := 1; n <= 10; n++ {
		f.Add(msg(n, bob, int64(n), ""), int64(n))
	}
	f.Add(ev(11, KindDelete, bob, 11, "", e(4)), 11)
	f.Add(ev(12, KindThreadReply, bob, 6, "", root(6)), 6)
	cases := []struct {
		name          string
		anchor        int
		before, after int
		want          []int
		older, newer  int
	}{
		{"an empty anchor is the end", 0, 3, 5, []int{8, 9, 10}, 6, 0},
		{"before counts the anchor", 5, 2, 1, []int{3, 5, 6}, 2, 4},
		{"all", 5, 1 << 40, 1 << 40, []int{1, 2, 3, 5, 6, 7, 8, 9, 10}, 0, 0},
		{"nothing before", 5, 0, 2, []int{6, 7}, 4, 3},
		{"negative counts are nothing", 5, -1, -1, []int{}, 4, 5},
		{"the first", 1, 2, 0, []int{1}, 0, 8},
		{"a deleted anchor stands for its place", 4, 1, 1, []int{3, 5}, 2, 5},
		{"so does one in a thread", 12, 1, 1, []int{6, 7}, 4, 3},
		{"an unknown one is the end", 99, 1, 0, []int{10}, 8, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := f.Window(named(c.anchor), c.before, c.after)
			if got := numbers(w.IDs); !slices.Equal(got, c.want) || w.Older != c.older || w.Newer != c.newer {
				t.Errorf("%v, %d older, %d newer", got, w.Older, w.Newer)
			}
		})
	}
	if m, ok := f.Last(); !ok || m.ID != id(10) {
		t.Errorf("last %+v", m)
	}
	if _, ok := New(here, "", nil).Last(); ok {
		t.Error("an empty room has no last message")
	}
}

func TestThreadWindowBeginsWithItsRoot(t *testing.T) {
	f := filled(msg(1, ana, 1, ""))
	for n := 2; n <= 6; n++ {
		f.Add(ev(n, KindThreadReply, bob, int64(n), "", root(1)), int64(n))
	}
	for _, c := range []struct {
		anchor, before, after int
		want                  []int
		older, newer          int
	}{
		{0, 2, 0, []int{5, 6}, 4, 0},
		{1, 9, 2, []int{1, 2, 3}, 0, 3},
		{3, 9, 0, []int{1, 2, 3}, 0, 3},
		{3, 2, 1, []int{2, 3, 4}, 1, 2},
	} {
		w := f.ThreadWindow(id(1), named(c.anchor), c.before, c.after)
		if got := numbers(w.IDs); !slices.Equal(got, c.want) || w.Older != c.older || w.Newer != c.newer {
			t.Errorf("%+v: %v, %d older, %d newer", c, got, w.Older, w.Newer)
		}
	}
	f.Add(ev(9, KindDelete, ana, 9, "", e(1)), 9)
	wantThread(t, f, 1, 2, 3, 4, 5, 6)
}

func TestUnread(t *testing.T) {
	f := filled(
		msg(1, bob, 10, ""), msg(2, ana, 11, ""), msg(3, bob, 12, "", nostr.Tag{"p", eve}),
		msg(4, bob, 13, ""), ev(5, KindThreadReply, bob, 14, "", root(1), nostr.Tag{"p", ana}))
	mark := func(n int) Mark {
		m, ok := f.MarkAt(id(n), 1000)
		if !ok {
			t.Fatalf("no mark at %d", n)
		}
		return m
	}
	if u := f.Unread(Mark{}, ana); u.Count != 3 || u.First != id(1) || u.Loud {
		t.Errorf("from the start, mine do not count: %+v", u)
	}
	if u := f.Unread(mark(1), eve); u.Count != 3 || u.First != id(2) || !u.Loud {
		t.Errorf("a p tag makes it loud: %+v", u)
	}
	if u := f.Unread(mark(4), ana); u != (Unread{}) {
		t.Errorf("all read: %+v", u)
	}
	if u := f.ThreadUnread(id(1), mark(1), ana); u.Count != 1 || !u.Loud {
		t.Errorf("threads count by themselves: %+v", u)
	}
	if u := f.ThreadUnread(id(1), mark(5), ana); u.Count != 0 {
		t.Errorf("read thread: %+v", u)
	}
	f.Add(ev(6, KindDelete, bob, 20, "", e(4)), 20)
	if u := f.Unread(mark(3), ana); u.Count != 0 {
		t.Errorf("a deleted message is not unread: %+v", u)
	}
}

func TestAClockAheadMovesNoMark(t *testing.T) {
	f := New(here, relay, nil)
	f.Add(msg(1, bob, 1000, ""), 1000)
	f.Add(msg(2, bob, 1010+ClockAheadSeconds, ""), 1010)
	f.Add(msg(3, bob, 1021+ClockAheadSeconds, ""), 1020)
	two, _ := f.MarkAt(id(2), 5000)
	if two != (Mark{1010, id(2)}) {
		t.Errorf("%d s ahead is not yet ahead: %+v", ClockAheadSeconds, two)
	}
	three, ok := f.MarkAt(id(3), 5000)
	if !ok || three != two {
		t.Errorf("one more is, and the mark stays: %+v", three)
	}
	f.Add(msg(4, bob, 1030, ""), 1030)
	if u := f.Unread(three, ana); u.Count != 1 || u.First != id(4) {
		t.Errorf("a future message must not mark what comes after it as read: %+v", u)
	}
	alone := New(here, relay, nil)
	alone.Add(msg(3, bob, 9000, ""), 1020)
	if m, ok := alone.MarkAt(id(3), 5000); ok {
		t.Errorf("there is nothing to mark: %+v", m)
	}
}

func TestMarks(t *testing.T) {
	f := filled(msg(1, bob, 1000, ""), msg(2, bob, 900, "", q(1)))
	if m, _ := f.MarkAt(id(2), 5000); m != (Mark{1000, id(1)}) {
		t.Errorf("a pushed child is read with its parent: %+v", m)
	} else if u := f.Unread(m, ana); u.Count != 0 {
		t.Errorf("%+v", u)
	}
	if m, _ := f.MarkAt(id(1), 990); m.At != 990 {
		t.Errorf("a mark never stands after now: %+v", m)
	}
	if m := (Mark{1000, id(1)}).Clamp(1000); m.At != 1000 {
		t.Errorf("%+v", m)
	}
	a, b := Mark{5, id(1)}, Mark{5, id(2)}
	if a.Later(b) != b || b.Later(a) != b || (Mark{}).Later(a) != a {
		t.Error("the later mark wins")
	}
	if _, ok := f.MarkAt(id(77), 1); ok {
		t.Error("no mark at what is not loaded")
	}
}
