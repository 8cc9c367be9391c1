package room

// thread is the replies under one root, in order: kinds 12 and 1111, and the
// questions and tasks asked inside it.
type thread struct {
	list   list
	cards  int // kinds 9 and 43001, which stand in the timeline too
	twelve int // kind 12
}

// threadOf returns the root of the thread that a message stands in, "" for
// none. A reply that names another reply, or a form inside a thread, as its root
// stands in that one's thread, over at most MaxRootHops.
func (f *Fold) threadOf(n *node) string {
	root := n.root
	for range MaxRootHops {
		r := f.message(root)
		if r == nil || !r.leadsOn() {
			break
		}
		root = r.root
	}
	return root
}

// leadsOn reports whether those that name a message as their root stand in the
// thread that it stands in itself. A task has a thread of its own everywhere.
func (n *node) leadsOn() bool { return n.root != "" && n.e.Kind != KindTask }

// IsAnswer reports whether an event is an answer to a native question form of
// this room: a kind 1111 whose NIP-22 parent is the form. Whether it counts is
// for the form to say; its card shows it either way, so that no thread lists it
// and no number of replies counts it. A reply to an older request (`request`
// without `tinyagent`) is listed as a reply in the thread like any other.
func (f *Fold) IsAnswer(id string) bool {
	n := f.message(id)
	return n != nil && f.isAnswer(n)
}

func (f *Fold) isAnswer(n *node) bool {
	if n.e.Kind != KindComment {
		return false
	}
	form := f.message(n.answers())
	return form != nil && isForm(form.e)
}

// belongsIn says where a message is to be listed.
func (f *Fold) belongsIn(n *node) (timeline bool, root string) {
	if f.hidden(n.e) {
		return false, ""
	}
	if n.root != "" && !f.isAnswer(n) {
		root = f.threadOf(n)
	}
	return InTimeline(n.e.Kind), root
}

// list puts a placed message into the lists that it belongs in.
func (f *Fold) list(n *node) {
	n.inTimeline, n.inThread = f.belongsIn(n)
	if n.inTimeline {
		f.timeline.insert(n)
		f.change.Timeline = true
	}
	if n.inThread != "" {
		t := f.threads[n.inThread]
		if t == nil {
			t = &thread{}
			f.threads[n.inThread] = t
		}
		t.list.insert(n)
		t.count(n, +1)
		f.change.thread(n.inThread)
	}
}

// unlist takes a message out of the lists it is in, before its place changes.
func (f *Fold) unlist(n *node) {
	if n.inTimeline {
		f.timeline.remove(n)
		f.change.Timeline = true
	}
	if n.inThread != "" {
		t := f.threads[n.inThread]
		t.list.remove(n)
		t.count(n, -1)
		if t.list.size == 0 {
			delete(f.threads, n.inThread)
		}
		f.change.thread(n.inThread)
	}
	n.inTimeline, n.inThread = false, ""
}

func (t *thread) count(n *node, by int) {
	switch n.e.Kind {
	case KindTask, KindMessage:
		t.cards += by
	case KindThreadReply:
		t.twelve += by
	}
}

// refresh lists a message anew when it belongs elsewhere than it is listed.
func (f *Fold) refresh(n *node) {
	if n.place == nil {
		return // listed when it is placed
	}
	if timeline, root := f.belongsIn(n); timeline != n.inTimeline || root != n.inThread {
		f.unlist(n)
		f.list(n)
	}
}

// refreshThread refreshes a message and those that name it as their root, after
// something that it names came or went.
func (f *Fold) refreshThread(n *node, hops int) {
	f.change.message(n.e.ID)
	f.refresh(n)
	if hops == 0 || !n.leadsOn() {
		return
	}
	for _, c := range f.children[n.e.ID] {
		if c.root == n.e.ID {
			f.refreshThread(c, hops-1)
		}
	}
}

// replies is how many messages the thread under a root holds: kinds 12 and
// 1111, without answers to a form and without what is deleted.
func (f *Fold) replies(root string) int {
	t := f.threads[root]
	if t == nil {
		return 0
	}
	return t.list.size - t.cards
}

// ThreadReplyKind is the kind to write a reply under root with: 12 where the
// thread has kind 12 replies or its root is a 43001 or a 9, else 1111.
func (f *Fold) ThreadReplyKind(root string) int {
	f.flush()
	if t := f.threads[root]; t != nil && t.twelve > 0 {
		return KindThreadReply
	}
	if n := f.message(root); n != nil && (n.e.Kind == KindTask || n.e.Kind == KindMessage) {
		return KindThreadReply
	}
	return KindComment
}
