package app

import "time"

// frameRows is how many new entries are mounted in one go. Mounting is the
// dearest thing a page does; a hundred at once would hold it up for longer than
// a finger notices.
const frameRows = 20

// mountPause is how long the browser may do other things before more is
// mounted.
const mountPause = 4 * time.Millisecond

// mounting is what of a log stands in the document.
type mounting struct {
	shown   []*part         // by slot; nil where nothing stands yet
	rows    map[string]bool // the entries in shown
	pending bool            // more is to be mounted
}

// mount chooses what is to stand in the document next: all that stands there
// already, and new parts as long as the budget of entries is not used up. The
// part with the entry from comes first, else the newest; then those around it,
// so that what can be seen never has a hole.
func (t *timeline) mount(budget int, from string) {
	next := mounting{shown: make([]*part, len(t.slots)), rows: make(map[string]bool, len(t.order))}
	for _, slot := range t.outward(from) {
		p := t.parts[t.slots[slot]]
		fresh, stands := 0, false
		for _, r := range p.rows {
			switch {
			case r.id == "":
			case t.mounted.rows[r.id]:
				stands = true
			default:
				fresh++
			}
		}
		if fresh > 0 && !stands && budget <= 0 {
			next.pending = true
			continue
		}
		budget -= fresh
		next.shown[slot] = p
		for _, r := range p.rows {
			if r.id != "" {
				next.rows[r.id] = true
			}
		}
	}
	t.mounted = next
}

// outward lists the slots that hold something: first the one with an entry,
// then, by turns, the next below and above it. Without the entry it begins at
// the newest.
func (t *timeline) outward(from string) []int {
	var filled []int
	at := -1
	for slot, c := range t.slots {
		if c == nil {
			continue
		}
		for _, id := range c.ids {
			if id != "" && id == from {
				at = len(filled)
			}
		}
		filled = append(filled, slot)
	}
	if at < 0 {
		at = max(0, len(filled)-1)
	}
	list := make([]int, 0, len(filled))
	for below, above := at, at-1; below < len(filled) || above >= 0; below, above = below+1, above-1 {
		if below < len(filled) {
			list = append(list, filled[below])
		}
		if above >= 0 {
			list = append(list, filled[above])
		}
	}
	return list
}

// mountMore mounts the next part of a log, in a turn of its own.
func (sh *shell) mountMore() {
	t := sh.s.main
	if t == nil || !t.mounted.pending {
		return
	}
	held, isHeld := anchor{}, false
	if !sh.scroll.follow && sh.aim == nil {
		held, isHeld = hold()
	}
	sh.mountLog(held, isHeld)
	sh.changed()
}

// mountLog mounts what comes next of a log and sees to it that the reader stays
// where they are.
func (sh *shell) mountLog(held anchor, isHeld bool) {
	t, from := sh.s.main, held.ID
	if sh.aim != nil {
		from = sh.aim.ID
	}
	t.mount(frameRows, from)
	more := t.mounted.pending
	sh.drawn(func() {
		if more { // counted from here: a pause that is over by now would be none
			sh.after(mountPause, sh.mountMore)
		}
		if sh.s.main != t {
			return
		}
		sh.observeLog()
		switch {
		case sh.aim != nil:
			sh.takeAim()
		case sh.scroll.follow:
			toEnd()
		case isHeld:
			restore(held)
		}
		sh.looked()
	})
}
