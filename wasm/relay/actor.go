package relay

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// relay owns everything about one relay. All of its fields but front and
// backlog belong to the goroutine of run; others reach it through mail.
type relay struct {
	pool    *Pool
	url     string
	ctx     context.Context
	cancel  context.CancelFunc
	mail    *mailbox
	front   front
	backlog atomic.Int64

	link   link
	auth   auth
	probe  probe
	pinned bool
	asking bool // a person is being asked about AUTH
	// subs are in the order in which they wait in line; byID those on the wire.
	subs []*sub
	byID map[string]*sub
	pubs map[string]*pub
	// idleSince is when the relay was last needed.
	idleSince time.Time

	alarm     chan struct{} // holds 1
	alarmAt   time.Time     // when the armed alarm fires; zero if none
	stopAlarm func()
}

// front is what others may read of a relay at any time.
type front struct {
	mu    sync.Mutex
	now   State
	diary Diagnostics
}

func (p *front) state() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

func (p *front) diagnostics() Diagnostics {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.diary
	d.Notices = slices.Clone(d.Notices)
	return d
}

// note changes the diagnostics.
func (p *front) note(change func(d *Diagnostics)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.diary)
}

func newRelay(p *Pool, url string) *relay {
	r := &relay{
		pool: p, url: url, mail: newMailbox(),
		byID: map[string]*sub{}, pubs: map[string]*pub{},
		alarm: make(chan struct{}, 1), stopAlarm: func() {},
	}
	r.ctx, r.cancel = context.WithCancel(p.ctx)
	r.idleSince = r.now()
	r.front.now = State{URL: url, Phase: Offline, Reason: "not connected yet", Since: r.now().Unix()}
	return r
}

func (r *relay) now() time.Time { return r.pool.options.Clock.Now() }

// framesAtOnce is how many frames are read between two looks at the rest.
const framesAtOnce = 256

// run is the relay's goroutine. It ends when the relay is dropped, the pool
// closed, or nobody needs the relay any more.
func (r *relay) run() {
	defer r.shutdown()
	for {
		if r.settle() {
			return
		}
		select {
		case <-r.ctx.Done():
			return
		case <-r.mail.signal:
			for _, f := range r.mail.take() {
				f()
			}
		case frame, open := <-r.link.frames:
			r.drain(frame, open)
		case <-r.alarm:
			r.alarmAt = time.Time{}
			r.expire(r.now())
		}
	}
}

// drain handles a frame and what has come after it, or the connection's end.
func (r *relay) drain(frame Frame, open bool) {
	frames := r.link.frames
	for n := 1; ; n++ {
		if !open {
			r.lost(*r.link.ended)
			return
		}
		r.receive(frame)
		// The frame may have ended the connection that it came by.
		if r.link.frames != frames || len(frames) == 0 || n == framesAtOnce {
			return
		}
		frame, open = <-frames
	}
}

// settle starts what is due and arms the alarm for what comes next. It gives
// true when the relay is no longer needed.
func (r *relay) settle() (over bool) {
	now := r.now()
	if r.needed() {
		r.idleSince = now
	} else if (r.link.conn == nil && !r.link.dialing) || now.Sub(r.idleSince) >= IdleAfter {
		if r.pool.retire(r) {
			if r.link.conn != nil {
				r.setState(Offline, "nothing is wanted from this relay")
			}
			return true
		}
	}
	switch {
	case r.link.conn != nil:
		r.sendPubs(now)
		r.openSubs(now)
	case r.needed() && !r.link.dialing && !now.Before(r.link.retryAt):
		r.dial(now)
	}
	r.arm(now)
	return false
}

// needed tells whether a connection is wanted.
func (r *relay) needed() bool {
	return r.pinned || r.asking || len(r.subs) > 0 || len(r.pubs) > 0
}

// arm sets the alarm to the earliest deadline. One that is already set to
// ring earlier is left to ring: most deadlines move on with every frame.
func (r *relay) arm(now time.Time) {
	next := r.deadline()
	if next.IsZero() || (!r.alarmAt.IsZero() && !next.Before(r.alarmAt)) {
		return
	}
	r.stopAlarm()
	r.alarmAt = next
	r.stopAlarm = r.pool.options.Clock.AfterFunc(max(next.Sub(now), 0), func() {
		select {
		case r.alarm <- struct{}{}:
		default:
		}
	})
}

// deadline gives the earliest time at which something must happen.
func (r *relay) deadline() time.Time {
	var next time.Time
	soonest := func(at time.Time) {
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	if r.link.conn == nil {
		if !r.link.dialing && r.needed() {
			soonest(r.link.retryAt)
		}
		return next
	}
	if !r.needed() {
		soonest(r.idleSince.Add(IdleAfter))
	}
	soonest(r.probe.deadline(r.link.lastFrame))
	soonest(r.auth.deadline)
	for _, s := range r.subs {
		soonest(s.deadline())
	}
	for _, p := range r.pubs {
		soonest(p.okBy)
	}
	return next
}

// expire does what the clock demands.
func (r *relay) expire(now time.Time) {
	if r.link.conn == nil {
		return // settle dials
	}
	if !r.expireProbe(now) {
		return // the connection is gone, and its deadlines with it
	}
	r.expireAuth(now)
	r.expireSubs(now)
	r.expirePubs(now)
}

// receive handles one frame.
func (r *relay) receive(frame Frame) {
	now := r.now()
	r.link.lastFrame = now
	r.probe.heard(now)
	if frame.Oversized {
		r.front.note(func(d *Diagnostics) { d.Oversized++ })
		return
	}
	m, ok := parse(frame.Text)
	if !ok {
		r.front.note(func(d *Diagnostics) { d.Malformed++ })
		return
	}
	switch m.label {
	case msgEvent:
		r.gotEvent(m, now)
	case msgEOSE:
		r.gotEOSE(m.id)
	case msgClosed:
		r.gotClosed(m.id, words(m.text), now)
	case msgOK:
		r.gotOK(m, now)
	case msgAuth:
		r.gotChallenge(m.text)
	case msgNotice:
		r.gotNotice(words(m.text))
	}
}

func (r *relay) gotNotice(text string) {
	r.probe.answered()
	r.front.note(func(d *Diagnostics) {
		if len(d.Notices) == MaxNotices {
			d.Notices = d.Notices[1:]
		}
		d.Notices = append(d.Notices, text)
	})
	r.push(Incoming{Kind: GotNotice, Reason: text})
	r.checkBacklog()
}

// unasked counts a frame that answers nothing of ours, or no longer does.
func (r *relay) unasked() {
	r.front.note(func(d *Diagnostics) { d.Unasked++ })
}

// push reports something, unless the relay was dropped.
func (r *relay) push(in Incoming) {
	if r.ctx.Err() == nil && !r.pool.options.NoIncoming {
		in.Relay = r.url
		r.pool.queue.push(in, &r.backlog)
	}
}

// send hands a frame to the connection, and ends it when that fails.
func (r *relay) send(frame string) {
	if r.link.conn == nil {
		return
	}
	if err := r.link.conn.Send(frame); err != nil {
		r.lost(err)
	}
}

// shutdown ends everything of the relay, and whoever waits for it.
func (r *relay) shutdown() {
	r.cancel()
	r.stopAlarm()
	r.hangUp()
	for _, f := range r.mail.close() {
		f() // so that those who asked are told
	}
	for _, s := range slices.Clone(r.subs) {
		r.endSub(s, fetched{err: ErrClosed})
	}
	for _, p := range r.pubs {
		r.finishPub(p, published{err: ErrClosed})
	}
}
