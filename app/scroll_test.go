package app

import (
	"testing"

	"parley/wasm/port"
)

// screen is a view of a log of 100 entries, 40 pixels each, in a window of 800.
func screen(top float64) view { return view{top: top, height: 800, full: 4000} }

const bottom = 3200

// scrolled is a scroll with what it makes the page ask for.
func (s *scroller) scrolled(v view, t *timeline) (port.WindowParams, bool) {
	s.moved(v, t)
	return s.want(v, t)
}

func TestALogFollowsItsEndUntilTheReaderScrollsAway(t *testing.T) {
	tl := opened(100)
	s := scroller{follow: true, lastAt: bottom}
	if _, need := s.scrolled(screen(bottom), tl); need || !s.follow {
		t.Fatalf("at the end: follow %v, asks %v", s.follow, need)
	}
	// The log grew under a reader who did not move.
	s.scrolled(view{top: bottom, height: 800, full: 4400}, tl)
	if !s.follow {
		t.Fatal("it let go although nobody scrolled")
	}
	// What is shown got shorter, and the browser moved it.
	s.scrolled(view{top: bottom - 100, height: 800, full: 4350}, tl)
	if !s.follow {
		t.Fatal("it let go although the log moved by itself")
	}
	s.scrolled(view{top: bottom - 200, height: 800, full: 4350}, tl)
	if s.follow {
		t.Fatal("it follows a reader who scrolled away")
	}
	s.scrolled(screen(bottom-endSlack), tl)
	if !s.follow {
		t.Error("it does not follow a reader who came back")
	}
}

func TestAReaderWhoScrolledAwayIsNotMovedByNewMessages(t *testing.T) {
	tl := opened(100)
	s := scroller{follow: true, lastAt: bottom}
	p, need := s.scrolled(screen(bottom-1000), tl)
	if want := (port.WindowParams{Anchor: tl.last(), Before: 100}); !need || p != want {
		t.Errorf("asked for %+v, want %+v", p, want)
	}
	if p, need := s.scrolled(screen(bottom-1100), tl); need {
		t.Errorf("asked again, for %+v", p)
	}
}

func TestOlderMessagesAreAskedForOnceNearTheTop(t *testing.T) {
	tl := opened(100)
	tl.older = true
	s := scroller{lastAt: bottom, pinned: true}
	if _, need := s.scrolled(screen(edgeAhead), tl); need {
		t.Error("asked too early")
	}
	p, need := s.scrolled(screen(edgeAhead-1), tl)
	if want := (port.WindowParams{Anchor: idOf(0), Before: pageSize + 1, After: 100}); !need || p != want {
		t.Errorf("asked for %+v, want %+v", p, want)
	}
	if _, need := s.scrolled(screen(100), tl); need {
		t.Error("asked twice")
	}
}

func TestAWindowNeverHoldsMoreThanThePortAllows(t *testing.T) {
	tl := opened(port.MaxWindow)
	tl.older, tl.newer = true, 50
	s := scroller{lastAt: 9000, pinned: true}
	for _, top := range []float64{10, bottom} {
		p, need := s.scrolled(screen(top), tl)
		if !need || p.Before+p.After > port.MaxWindow {
			t.Errorf("at %v: asked %v for %d messages", top, need, p.Before+p.After)
		}
	}
	if p := s.jump(idOf(4)); p.Before+p.After > port.MaxWindow {
		t.Errorf("a jump asks for %d messages", p.Before+p.After)
	}
}

func TestNewerMessagesAreAskedForNearTheEnd(t *testing.T) {
	tl := opened(100)
	tl.newer = 30
	s := scroller{lastAt: 0, pinned: true}
	p, need := s.scrolled(screen(bottom-100), tl)
	if want := (port.WindowParams{Anchor: tl.last(), Before: 100, After: pageSize}); !need || p != want {
		t.Errorf("asked for %+v, want %+v", p, want)
	}
	if s.follow {
		t.Error("it follows although newer messages are not here")
	}
}

func TestBackAtTheEndTheWindowFollows(t *testing.T) {
	tl := opened(100)
	s := scroller{lastAt: 100, pinned: true, asked: "stay x"}
	p, need := s.scrolled(screen(bottom), tl)
	if want := (port.WindowParams{Before: restSize}); !need || p != want {
		t.Errorf("asked for %+v, want %+v", p, want)
	}
}

func TestGoingToTheEndAsksForNothingElse(t *testing.T) {
	tl := opened(100)
	tl.newer = 200
	s := scroller{lastAt: 100, pinned: true}
	if p := s.latest(); p != (port.WindowParams{Before: restSize}) {
		t.Errorf("asked for %+v", p)
	}
	if p, need := s.scrolled(screen(bottom), tl); need {
		t.Errorf("asked for %+v on the way", p)
	}
	if !s.follow {
		t.Error("it does not follow")
	}
}

func TestAnEmptyLogAsksForNothing(t *testing.T) {
	s := scroller{}
	if _, need := s.scrolled(view{}, newTimeline("1")); need {
		t.Error("asked")
	}
}
