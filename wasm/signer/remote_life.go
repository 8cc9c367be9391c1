package signer

import (
	"context"
	"errors"
	"time"
)

// tell has Changed called. It never waits.
func (r *Remote) tell() { poke(r.news) }

// report calls Changed, one time after the other, until Close.
func (r *Remote) report() {
	for {
		select {
		case <-r.ctx.Done():
			return
		case <-r.news:
			if r.options.Changed != nil {
				r.options.Changed()
			}
		}
	}
}

// spawn runs f until Close. mu is held.
func (r *Remote) spawn(f func()) {
	if !r.closed {
		r.going.Go(f)
	}
}

func (r *Remote) isAway() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.away != ""
}

// awayError is why the signer cannot be reached. mu is held.
func (r *Remote) awayError() error {
	words := r.away
	if words == "" {
		words = "your remote signer does not answer"
	}
	return &fault{ErrAway, words}
}

// hear notes a sign of life. mu is held.
func (r *Remote) hear() {
	if r.away == "" {
		return
	}
	r.away = ""
	r.returns++
	r.gone = make(chan struct{})
	r.tell()
}

// setAway notes that the signer cannot be reached, and looks for it from now
// on. Calls that wait end; what they asked stays in memory. mu is held.
func (r *Remote) setAway() {
	words := "your remote signer does not answer; is it running?"
	if !r.listening() {
		words = r.unreachable().Error()
	}
	if r.away == "" {
		close(r.gone)
	}
	if r.away != words {
		r.away = words
		r.tell()
	}
	if !r.returning {
		r.returning = true
		r.spawn(r.comeBack)
	}
}

// askLife asks for a sign of life in the background, once at a time. A request
// that waits for a sign-in elsewhere needs none.
func (r *Remote) askLife(q *request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.checking || r.away != "" || q.link != "":
	case !r.listening():
		r.setAway()
	default:
		r.checking = true
		r.spawn(func() {
			alive := r.probe(r.ctx)
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.checking = false; !alive && r.ctx.Err() == nil {
				r.setAway()
			}
		})
	}
}

// probe tells whether the signer gives a sign of life. One that refuses to
// answer a ping gives it, too.
func (r *Remote) probe(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, PongWait)
	defer cancel()
	_, err := r.askPatiently(ctx, methodPing)
	return err == nil || errors.Is(err, ErrRefused) || errors.Is(err, ErrBadSigner)
}

// comeBack looks for a signer that is away until it is back.
func (r *Remote) comeBack() {
	for wait := FirstProbe; ; wait = min(2*wait, LastProbe) {
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-r.nudge:
		case <-r.ctx.Done():
		}
		timer.Stop()
		alive := r.isAway() && r.ctx.Err() == nil && r.probe(r.ctx)
		r.mu.Lock()
		if alive || r.away == "" || r.ctx.Err() != nil {
			r.returning = false
			r.mu.Unlock()
			return
		}
		r.setAway() // the reason may be another one by now
		r.mu.Unlock()
	}
}

// noticeOther notes that the signer acts for another key than the person's.
func (r *Remote) noticeOther() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.other == "" {
		r.other = "another"
		r.tell()
	}
}
