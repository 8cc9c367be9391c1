package app

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

func ids(from, to int) []string {
	var list []string
	for i := from; i < to; i++ {
		list = append(list, "m"+strconv.Itoa(i))
	}
	return list
}

func (s slots) flat() []string {
	var list []string
	for _, c := range s {
		if c == nil {
			continue
		}
		for _, id := range c.ids {
			if id != "" {
				list = append(list, id)
			}
		}
	}
	return list
}

// moved counts the slots in which another chunk stands than before.
func moved(before, after slots) int {
	n := 0
	for i := range max(len(before), len(after)) {
		var a, b *chunk
		if i < len(before) {
			a = before[i]
		}
		if i < len(after) {
			b = after[i]
		}
		if a != nil && a != b {
			n++
		}
	}
	return n
}

func TestANewMessageTouchesOnePart(t *testing.T) {
	before := slots(nil).arrange(ids(0, 190))
	after := before.arrange(ids(0, 191))
	if n := moved(before, after); n != 1 {
		t.Errorf("%d parts changed, want 1", n)
	}
}

func TestAWindowThatSlidesTouchesItsEndsOnly(t *testing.T) {
	before := slots(nil).arrange(ids(0, 200))
	anew := 0
	for i := 1; i < slotsMax*chunkSize+200; i += 5 {
		after := before.arrange(ids(i, 200+i))
		if !slices.Equal(after.flat(), ids(i, 200+i)) {
			t.Fatalf("step %d shows the wrong entries", i)
		}
		if n := moved(before, after); n > 3 {
			anew++
		}
		before = after
	}
	if anew > 1 || len(before) > slotsMax+1 {
		t.Errorf("laid out anew %d times, with %d slots at last", anew, len(before))
	}
}

func TestAnEntryKeepsItsPlaceWhenOthersGo(t *testing.T) {
	before := slots(nil).arrange(ids(0, 40))
	after := before.arrange(append(ids(3, 10), ids(12, 41)...))
	place := func(s slots) map[string][2]int {
		places := map[string][2]int{}
		for i, c := range s {
			if c != nil {
				for k, id := range c.ids {
					places[id] = [2]int{i, k}
				}
			}
		}
		return places
	}
	was := place(before)
	for id, now := range place(after) {
		if then, had := was[id]; id != "" && had && then != now {
			t.Errorf("%s moved from %v to %v", id, then, now)
		}
	}
}

func TestOlderMessagesMoveNothing(t *testing.T) {
	before := slots(nil).arrange(ids(1000, 1100))
	after := before.arrange(ids(960, 1100))
	if n := moved(before, after); n != 0 {
		t.Errorf("%d parts changed, want 0", n)
	}
	if !slices.Equal(after.flat(), ids(960, 1100)) {
		t.Error("wrong entries")
	}
}

func TestALateMessageTouchesOnePart(t *testing.T) {
	order := ids(0, 100)
	before := slots(nil).arrange(append(slices.Clone(order[:50]), order[51:]...))
	after := before.arrange(order)
	if n := moved(before, after); n != 1 {
		t.Errorf("%d parts changed, want 1", n)
	}
	if !slices.Equal(after.flat(), order) {
		t.Error("wrong entries")
	}
}

func TestMoreOlderPartsThanRoomIsLaidOutAnew(t *testing.T) {
	all := ids(0, (headroom+2)*chunkSize)
	before := slots(nil).arrange(all[len(all)-chunkSize:])
	if after := before.arrange(all); !slices.Equal(after.flat(), all) {
		t.Error("wrong entries")
	}
}

func TestEveryArrangementShowsTheOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var s slots
		all := ids(0, 400)
		for range 30 {
			var order []string
			from, to := r.IntN(200), 200+r.IntN(200)
			for _, id := range all[from:to] {
				if r.IntN(10) > 0 {
					order = append(order, id)
				}
			}
			switch r.IntN(12) {
			case 0:
				r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			case 1:
				order = nil
			}
			s = s.arrange(order)
			if !slices.Equal(s.flat(), order) {
				t.Fatalf("arranged %v, want %v", s.flat(), order)
			}
			for _, c := range s {
				if c != nil && (len(c.ids) == 0 || len(c.ids) > chunkMax) {
					t.Fatalf("a part of %d entries", len(c.ids))
				}
			}
		}
	}
}
