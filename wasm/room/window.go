package room

import "slices"

// Window is a stretch of a timeline or thread, oldest first, and how many
// messages stand on either side of it.
type Window struct {
	IDs   []string
	Older int
	Newer int
}

// Window returns up to before messages of the timeline up to and with the
// anchor, and up to after messages behind it. An empty or unknown anchor is the
// end; one that is not in the timeline (deleted, or in a thread) stands for the
// place where it would be.
func (f *Fold) Window(anchor string, before, after int) Window {
	f.flush()
	return cut(&f.timeline, nil, f.message(anchor), before, after)
}

// ThreadWindow is Window for the thread under root, the root first.
func (f *Fold) ThreadWindow(root, anchor string, before, after int) Window {
	f.flush()
	replies, head := f.threadLists(root)
	return cut(replies, head, f.message(anchor), before, after)
}

// Thread returns the ids of a whole thread in order, the root first when it is
// loaded and not deleted.
func (f *Fold) Thread(root string) []string {
	f.flush()
	replies, head := f.threadLists(root)
	return cut(replies, head, nil, replies.size+1, 0).IDs
}

func (f *Fold) threadLists(root string) (replies *list, head *node) {
	replies = &list{}
	if t := f.threads[root]; t != nil {
		replies = &t.list
	}
	if n := f.message(root); n != nil && !f.hidden(n.e) {
		head = n
	}
	return replies, head
}

// cut takes a window out of a list that a head (nil for none) stands before.
func cut(l *list, head, anchor *node, before, after int) Window {
	lead := 0
	if head != nil {
		lead = 1
	}
	total := lead + l.size
	end := total // the index behind the anchor
	switch {
	case anchor == nil || anchor.place == nil:
	case anchor == head:
		end = 1
	default:
		rank := l.rank(anchor.place)
		if l.at(rank) == anchor {
			rank++
		}
		end = lead + rank
	}
	start := max(0, end-max(0, before))
	stop := min(total, end+max(0, min(after, total)))
	w := Window{IDs: make([]string, 0, stop-start), Older: start, Newer: total - stop}
	if start < lead && stop > 0 {
		w.IDs = append(w.IDs, head.e.ID)
	}
	rest := stop - start - len(w.IDs)
	for n := range l.from(max(0, start-lead)) {
		if rest--; rest < 0 {
			break
		}
		w.IDs = append(w.IDs, n.e.ID)
	}
	return w
}

// Last returns the newest message of the timeline.
func (f *Fold) Last() (Message, bool) {
	f.flush()
	n := f.timeline.at(f.timeline.size - 1)
	if n == nil {
		return Message{}, false
	}
	return f.Message(n.e.ID, "")
}

// Missing returns the ids that these messages reply to, or that are their
// thread's root, and that are not loaded: to be asked for.
func (f *Fold) Missing(ids []string) []string {
	var missing []string
	for _, id := range ids {
		n := f.message(id)
		if n == nil {
			continue
		}
		for _, want := range []string{n.root, n.reply, f.threadOf(n)} {
			if want != "" && f.events[want] == nil {
				missing = append(missing, want)
			}
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}
