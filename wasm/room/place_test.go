package room

import (
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func TestOrderIsMinOfCreatedAtAndSeenThenID(t *testing.T) {
	f := New(here, relay, nil)
	f.Add(msg(1, ana, 100, ""), 500)
	f.Add(msg(2, ana, 900, ""), 90)  // a clock that is ahead counts as seen
	f.Add(msg(4, ana, 100, ""), 100) // same second: by id
	f.Add(msg(3, ana, 100, ""), 700)
	wantOrder(t, f, 2, 1, 3, 4)
}

func TestAnEarlierSightingMovesAMessage(t *testing.T) {
	f := New(here, relay, nil)
	f.Add(msg(1, ana, 900, ""), 200)
	f.Add(msg(2, ana, 150, ""), 300)
	wantOrder(t, f, 2, 1)
	if f.Add(msg(1, ana, 900, ""), 200) || f.Add(msg(1, ana, 900, ""), 201) {
		t.Error("the same or a later sighting changes nothing")
	}
	if !f.Add(msg(1, ana, 900, ""), 100) {
		t.Error("an earlier sighting changes something")
	}
	wantOrder(t, f, 1, 2)
}

func TestAChildIsNeverShownBeforeWhatItReferences(t *testing.T) {
	cases := []struct {
		name string
		tag  nostr.Tag
		want []int
	}{
		{"its q names it", q(1), []int{1, 2, 3}},
		{"its e marked reply names it", re(1), []int{1, 2, 3}},
		{"its e marked root names it", root(1), []int{1, 2, 3}},
		{"its E names it", up(1), []int{1, 2, 3}},
		{"an e without a mark outside NIP-22 makes no child", e(1), []int{2, 1, 3}},
		{"an e marked mention makes no child", nostr.Tag{"e", id(1), "", "mention"}, []int{2, 1, 3}},
		{"a broken id makes no child", nostr.Tag{"q", "01"}, []int{2, 1, 3}},
		{"itself", q(2), []int{2, 1, 3}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			parent, child, later := msg(1, ana, 100, ""), msg(2, bob, 60, "", c.tag), msg(3, ana, 101, "")
			wantOrder(t, filled(parent, child, later), c.want...)
			wantOrder(t, filled(later, child, parent), c.want...)
		})
	}
}

func TestACommentStandsBehindItsParent(t *testing.T) {
	f := filled(
		ev(1, KindThread, ana, 100, ""),
		ev(2, KindComment, bob, 103, "", up(1), e(1)),
		ev(3, KindComment, bob, 101, "", up(1), e(2)), // clock behind
		ev(4, KindComment, bob, 104, "", up(1), e(1)))
	wantThread(t, f, 1, 1, 2, 3, 4)
}

func TestAPushedChildStandsRightAfterItsParent(t *testing.T) {
	f := filled(
		msg(1, ana, 100, ""), msg(9, ana, 101, ""),
		msg(2, bob, 90, "", q(1)), msg(3, bob, 80, "", q(2)), msg(4, bob, 95, "", q(1)),
		msg(5, bob, 70, "", q(1), q(9))) // behind the later of two parents
	wantOrder(t, f, 1, 2, 3, 4, 9, 5)
}

func TestAChildComesBackWhenItsParentIsWithdrawn(t *testing.T) {
	f := filled(msg(1, ana, 100, ""), msg(2, bob, 90, "", q(1)), msg(3, eve, 95, ""))
	wantOrder(t, f, 3, 1, 2)
	if !f.Remove(id(1)) || f.Remove(id(1)) {
		t.Error("a message can be withdrawn once")
	}
	wantOrder(t, f, 2, 3)
}

func TestReferencesInsideACircleDoNotCount(t *testing.T) {
	events := []*nostr.Event{
		msg(1, ana, 103, "", q(3)), msg(2, ana, 102, "", q(1)), msg(3, ana, 101, "", q(2)),
		msg(4, ana, 90, "", q(1)), // hangs on the circle from outside
		msg(5, ana, 80, "", q(4)), msg(6, ana, 104, "", q(6)),
	}
	want := []int{3, 2, 1, 4, 5, 6}
	for shift := range events {
		f := New(here, relay, nil)
		for i := range events {
			e := events[(i+shift)%len(events)]
			f.Add(e, int64(e.CreatedAt))
			f.flush()
		}
		wantOrder(t, f, want...)
	}
	f := filled(events...)
	wantOrder(t, f, want...)
	f.Remove(id(2)) // opens the circle: 1 hangs on 3 alone
	wantOrder(t, f, 3, 1, 4, 5, 6)
}

// A chain in which every message is older than what it answers: order must
// hold at, below and far beyond the levels that are told apart.
func TestChainsOfOddClocksStayInOrder(t *testing.T) {
	const length = 3 * maxNest
	want := []int{}
	forward, backward := New(here, relay, nil), New(here, relay, nil)
	for n := 1; n <= length; n++ {
		want = append(want, n)
		forward.Add(msg(n, ana, int64(1000-n), "", q(n-1)), 2000)
		forward.flush()
		back := length - n + 1
		backward.Add(msg(back, ana, int64(1000-back), "", q(back-1)), 2000)
		backward.flush()
	}
	wantOrder(t, forward, want...)
	wantOrder(t, backward, want...)
	deepest := forward.message(id(maxNest)).place
	if len(deepest) != maxNest || deepest[maxNest-1].deeper != 0 {
		t.Errorf("message %d has a level of its own, got %d levels", maxNest, len(deepest))
	}
	shared := forward.message(id(maxNest + 1)).place
	if len(shared) != maxNest || shared[maxNest-1].deeper != 1 {
		t.Errorf("message %d shares the last level, got %d levels", maxNest+1, len(shared))
	}
}

func TestOnlyTheFirstParentsHoldAMessageBack(t *testing.T) {
	for _, c := range []struct {
		parents int
		want    bool
	}{{MaxParents, true}, {MaxParents + 1, false}} {
		var tags nostr.Tags
		for n := range c.parents {
			tags = append(tags, q(100+n))
		}
		f := filled(msg(1, bob, 50, "", tags...), msg(100+c.parents-1, ana, 100, ""))
		if pushed := order(f)[1] == 1; pushed != c.want {
			t.Errorf("%d parents: held back by the last is %v, want %v", c.parents, pushed, c.want)
		}
	}
}

func TestClockAheadIsMoreThan300Seconds(t *testing.T) {
	for ahead, want := range map[int64]bool{ClockAheadSeconds: false, ClockAheadSeconds + 1: true} {
		f := New(here, relay, nil)
		f.Add(msg(1, bob, 1000+ahead, ""), 1000)
		if got := get(t, f, 1); got.ClockAhead != want || got.At != 1000 || got.CreatedAt != 1000+ahead {
			t.Errorf("%d s ahead: %+v", ahead, got)
		}
	}
}

func TestListSplitsAtItsBlocks(t *testing.T) {
	for name, number := range map[string]func(int) int{
		"forward":  func(i int) int { return i },
		"backward": func(i int) int { return 3*blockSize - i },
		"mixed":    func(i int) int { return i * 7919 % (3*blockSize + 1) },
	} {
		f := New(here, relay, nil)
		for i := range 3 * blockSize {
			f.Add(msg(number(i)+1, ana, int64(number(i)), ""), 1<<40)
			f.flush()
		}
		for rank, n := range order(f) {
			w := f.Window(id(n), 2, 2)
			if at := f.timeline.at(rank); at.e.ID != id(n) || f.timeline.rank(at.place) != rank {
				t.Fatalf("%s: rank %d", name, rank)
			}
			if got := w.Older + len(w.IDs) + w.Newer; got != 3*blockSize {
				t.Fatalf("%s: window of %d in %d", name, len(w.IDs), got)
			}
		}
		for _, n := range order(f) {
			f.Remove(id(n))
		}
		if len(f.timeline.blocks) != 0 || f.timeline.size != 0 {
			t.Errorf("%s: %d left", name, f.timeline.size)
		}
	}
}
