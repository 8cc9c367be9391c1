package room

import "math"

// Unread is what stands after a reading mark.
type Unread struct {
	Count int    // messages of others; those whose clock is ahead do not count
	First string // the id of the first of them
	Loud  bool   // one of them names me in a p tag
}

// Unread counts the timeline's messages after the mark, of others than me. A
// message whose clock is ahead is not counted, as no mark could be moved past
// it. It takes as long as there are messages after the mark.
func (f *Fold) Unread(mark Mark, me string) Unread {
	f.flush()
	return unread(&f.timeline, mark, me)
}

// ThreadUnread is Unread for the replies of a thread.
func (f *Fold) ThreadUnread(root string, mark Mark, me string) Unread {
	f.flush()
	replies, _ := f.threadLists(root)
	return unread(replies, mark, me)
}

func unread(l *list, mark Mark, me string) Unread {
	var u Unread
	// The first place whose top level stands after the mark: a child that was
	// pushed behind a parent that was read counts as read with it.
	after := place{{key: Key(mark)}, {deeper: math.MaxInt}}
	for n := range l.from(l.rank(after)) {
		if n.e.PubKey == me || n.clockAhead() {
			continue
		}
		if u.Count++; u.Count == 1 {
			u.First = n.e.ID
		}
		u.Loud = u.Loud || me != "" && n.mentions(me)
	}
	return u
}

func (n *node) clockAhead() bool { return ClockAhead(int64(n.e.CreatedAt), n.seen) }

func (n *node) mentions(pubkey string) bool {
	for _, t := range n.e.Tags {
		if len(t) >= 2 && t[0] == "p" && t[1] == pubkey {
			return true
		}
	}
	return false
}

// MarkAt returns the reading mark for having read up to and with a message of
// the timeline or of a thread, at now (unix seconds). A message whose clock is
// ahead moves no mark: the newest one before it that is not does. It is false
// when there is none.
func (f *Fold) MarkAt(id string, now int64) (Mark, bool) {
	f.flush()
	n := f.message(id)
	if n == nil {
		return Mark{}, false
	}
	l := &f.timeline
	if n.inThread != "" && !n.inTimeline {
		l = &f.threads[n.inThread].list
	}
	if n.inTimeline || n.inThread != "" {
		for rank := l.rank(n.place); rank >= 0; rank-- {
			n = l.at(rank)
			mark := n.place.mark()
			if top := f.message(mark.ID); !n.clockAhead() && top != nil && !top.clockAhead() {
				return mark.Clamp(now), true
			}
		}
	}
	return Mark{}, false
}
