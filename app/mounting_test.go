package app

import (
	"testing"

	"parley/wasm/port"
)

// mountAll mounts a log to the end and returns how many entries came with each
// step.
func mountAll(t *testing.T, tl *timeline, from string) []int {
	t.Helper()
	var steps []int
	for range 100 {
		before := len(tl.mounted.rows)
		tl.mount(frameRows, from)
		steps = append(steps, len(tl.mounted.rows)-before)
		if !tl.mounted.pending {
			return steps
		}
	}
	t.Fatal("it never ends")
	return nil
}

func TestALogIsMountedInSteps(t *testing.T) {
	tl := opened(100)
	steps := mountAll(t, tl, "")
	if len(steps) != 5 {
		t.Errorf("steps %v, want five", steps)
	}
	for _, n := range steps {
		if n > frameRows+chunkSize {
			t.Errorf("steps %v: one is too large", steps)
		}
	}
	if len(tl.mounted.rows) != 100 {
		t.Errorf("%d of 100 are mounted", len(tl.mounted.rows))
	}
}

func TestTheNewestIsMountedFirst(t *testing.T) {
	tl := opened(100)
	tl.mount(frameRows, "")
	if !tl.mounted.rows[idOf(99)] || tl.mounted.rows[idOf(0)] {
		t.Errorf("newest %v, oldest %v", tl.mounted.rows[idOf(99)], tl.mounted.rows[idOf(0)])
	}
}

func TestWhatIsLookedForIsMountedFirst(t *testing.T) {
	tl := opened(100)
	tl.mount(frameRows, idOf(45))
	if !tl.mounted.rows[idOf(45)] || tl.mounted.rows[idOf(99)] {
		t.Error("the entry that is looked for is not the first")
	}
	mountAll(t, tl, idOf(45))
	if len(tl.mounted.rows) != 100 {
		t.Errorf("%d of 100 are mounted", len(tl.mounted.rows))
	}
}

func TestWhatIsMountedHasNoHole(t *testing.T) {
	tl := opened(200)
	for _, from := range []string{"", idOf(0), idOf(70), idOf(199)} {
		tl.mounted = mounting{}
		for pending := true; pending; pending = tl.mounted.pending {
			tl.mount(frameRows, from)
			first, last, n := -1, -1, 0
			for i, id := range tl.order {
				if tl.mounted.rows[id] {
					if first < 0 {
						first = i
					}
					last, n = i, n+1
				}
			}
			if n != last-first+1 {
				t.Fatalf("from %q: %d entries between %d and %d", from, n, first, last)
			}
		}
	}
}

func TestWhatStandsThereStays(t *testing.T) {
	tl := opened(100)
	mountAll(t, tl, "")
	order, items := itemsOf(0, 160)
	tl.take(port.Timeline{Order: order, Items: items[100:]})
	tl.mount(frameRows, "")
	for i := range 100 {
		if !tl.mounted.rows[idOf(i)] {
			t.Fatalf("entry %d went away", i)
		}
	}
	if !tl.mounted.pending {
		t.Error("60 new entries were mounted at once")
	}
	order, _ = itemsOf(150, 160)
	tl.take(port.Timeline{Order: order})
	mountAll(t, tl, "")
	if len(tl.mounted.rows) != 10 {
		t.Errorf("%d entries are mounted of 10", len(tl.mounted.rows))
	}
}

func TestAnEmptyLogMountsNothing(t *testing.T) {
	tl := newTimeline("1")
	tl.mount(frameRows, "")
	if tl.mounted.pending || len(tl.mounted.shown) != 0 {
		t.Errorf("%+v", tl.mounted)
	}
}
