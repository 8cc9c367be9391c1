package app

import (
	"parley/wasm/port"
)

// Distances in CSS pixels, and sizes of the window in messages.
const (
	// endSlack is how far from the end a reader still counts as being there.
	endSlack = 48
	// edgeAhead is how near an edge of what is mounted the next page is asked
	// for.
	edgeAhead = 900
	// pageSize is how many more messages are asked for at an edge.
	pageSize = 60
	// restSize is how many messages are mounted while the reader is at the end.
	restSize = 100
)

// view is what can be seen of a log, in CSS pixels.
type view struct {
	top    float64 // how far it is scrolled
	height float64 // of what can be seen
	full   float64 // of all that is mounted
}

func (v view) atEnd() bool   { return v.full-v.top-v.height <= endSlack }
func (v view) nearTop() bool { return v.top < edgeAhead }
func (v view) nearEnd() bool { return v.full-v.top-v.height < edgeAhead }

// scroller decides what a log does when it is scrolled and when it grows. It
// follows the end while the reader is there, and lets go only when the reader
// scrolls away.
type scroller struct {
	follow   bool
	pinned   bool    // the window is held by a message, not by the end
	lastAt   float64 // top at the last look
	lastFull float64 // and how long the log was then
	asked    string  // what was asked for last, so that nothing is asked for twice
}

// moved takes a scroll.
func (s *scroller) moved(v view, t *timeline) {
	switch {
	case v.atEnd() && t.newer == 0:
		s.follow = true
	case v.top < s.lastAt-1 && v.full >= s.lastFull: // a log that shrinks moves by itself
		s.follow = false
	}
	s.lastAt, s.lastFull = v.top, v.full
}

// want is the window that what can be seen calls for, if it is another one. It
// counts as asked for.
func (s *scroller) want(v view, t *timeline) (port.WindowParams, bool) {
	if len(t.order) == 0 {
		return port.WindowParams{}, false
	}
	first, last := t.order[0], t.last()
	switch {
	case s.follow && !s.pinned:
		return port.WindowParams{}, false // the end was asked for
	case s.follow && t.newer == 0:
		s.pinned, s.asked = false, ""
		return port.WindowParams{Before: restSize}, true
	case v.nearTop() && t.older:
		return s.ask("older "+first, port.WindowParams{
			Anchor: first, Before: pageSize + 1, After: min(len(t.order), port.MaxWindow-pageSize-1),
		})
	case v.nearEnd() && t.newer > 0:
		return s.ask("newer "+last, port.WindowParams{
			Anchor: last, Before: min(len(t.order), port.MaxWindow-pageSize), After: pageSize,
		})
	case !s.pinned:
		// New messages come behind the window from now on, and move nothing.
		return s.ask("stay "+last, port.WindowParams{Anchor: last, Before: min(len(t.order), port.MaxWindow)})
	}
	return port.WindowParams{}, false
}

// ask asks for a window that is held by a message, each once.
func (s *scroller) ask(what string, p port.WindowParams) (port.WindowParams, bool) {
	if s.asked == what {
		return port.WindowParams{}, false
	}
	s.asked, s.pinned = what, true
	return p, true
}

// latest lets the log go to its end. It returns the window to ask for.
func (s *scroller) latest() port.WindowParams {
	s.follow, s.pinned, s.asked = true, false, ""
	return port.WindowParams{Before: restSize}
}

// jump holds the log at a message. It returns the window to ask for.
func (s *scroller) jump(id string) port.WindowParams {
	s.follow, s.pinned, s.asked = false, true, "jump "+id
	return port.WindowParams{Anchor: id, Before: restSize, After: port.MaxWindow - restSize}
}
