package run

// terminal is a response or an error; fault is set when it breaks the rules.
type terminal struct {
	at, seen int64
	id       string
	kind     int
	response *Response
	failure  *Failure
	fault    *Fault
	raw      string
}

func (t *terminal) beats(u *terminal) bool {
	return u == nil || byKey(t.at, t.id, u.at, u.id) > 0
}

func (t *terminal) came() moment { return moment{t.seen, t.at} }

// before orders terminals by arrival.
func (t *terminal) before(u *terminal) bool {
	if u == nil || t.came() == u.came() {
		return u == nil || t.id < u.id
	}
	return u.came().after(t.came())
}

// end takes a terminal.
func (r *Run) end(rec *record, t *terminal) {
	t.at, t.seen, t.id, t.kind = rec.at, rec.seen, rec.head.ID, rec.kind
	rec.terminal = t
	if t.fault == nil && t.beats(r.winner) {
		r.winner = t
	}
	if t.fault != nil && t.beats(r.broken) {
		r.broken = t
	}
	r.arrive(t)
}

// arrive keeps the two terminals that came first. Deltas and tool events that
// come after the first are not applied any more.
func (r *Run) arrive(t *terminal) {
	r.rank(t)
	r.stream.setCut(r.first[0].came())
	r.calls.setCut(r.first[0].came())
}

func (r *Run) rank(t *terminal) {
	switch {
	case t.before(r.first[0]):
		r.first[1], r.first[0] = r.first[0], t
	case t.before(r.first[1]):
		r.first[1] = t
	}
}

// refresh looks anew at everything that hangs on arrivals.
func (r *Run) refresh() {
	if !r.stale {
		return
	}
	r.stale, r.last, r.first = false, 0, [2]*terminal{}
	for _, rec := range r.records {
		if rec.dead {
			continue
		}
		r.last = max(r.last, rec.seen)
		if rec.terminal != nil {
			r.rank(rec.terminal)
		}
	}
	if r.first[0] != nil {
		cut := r.first[0].came()
		r.stream.cut, r.calls.cut = &cut, &cut
	}
	r.stream.restart()
	r.calls.restart()
}
