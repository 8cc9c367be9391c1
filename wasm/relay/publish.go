package relay

import (
	"slices"
	"strings"
	"time"
)

// published is the outcome of a Publish.
type published struct {
	answer Answer
	err    error
}

// pub is an event on its way. Publishing it twice at once sends it once.
type pub struct {
	id, frame string
	waiters   []chan<- published // each holds 1
	sent      bool
	// authed is whether it was sent after AUTH; parked is whether it waits for
	// AUTH, and refusal is what the relay said then.
	authed, parked bool
	refusal        string
	okBy           time.Time
}

func (r *relay) publish(id, frame string, outcome chan<- published) {
	p := r.pubs[id]
	if p == nil {
		p = &pub{id: id, frame: frame}
		r.pubs[id] = p
	}
	p.waiters = append(p.waiters, outcome)
	r.kick()
}

// unpublish forgets somebody who no longer waits.
func (r *relay) unpublish(id string, outcome chan<- published) {
	if p := r.pubs[id]; p != nil {
		p.waiters = slices.DeleteFunc(p.waiters, func(w chan<- published) bool { return w == outcome })
		if len(p.waiters) == 0 {
			delete(r.pubs, id)
		}
	}
}

func (r *relay) finishPub(p *pub, outcome published) {
	if r.pubs[p.id] == p {
		delete(r.pubs, p.id)
	}
	for _, w := range p.waiters {
		w <- outcome
	}
	p.waiters = nil
}

// sendPubs sends what was not sent on this connection.
func (r *relay) sendPubs(now time.Time) {
	for _, p := range r.pubs {
		if p.sent || p.parked {
			continue
		}
		p.sent, p.authed, p.okBy = true, r.auth.phase == authDone, now.Add(OKWait)
		r.send(p.frame)
	}
}

// gotOK handles the answer to an EVENT or to our AUTH.
func (r *relay) gotOK(m message, now time.Time) {
	if r.auth.phase == authSent && m.id == r.auth.eventID {
		r.authAnswered(m.ok, words(m.text), now)
		return
	}
	p := r.pubs[m.id]
	if p == nil || !p.sent {
		r.unasked()
		return
	}
	message := words(m.text)
	if m.ok || p.authed || !strings.HasPrefix(message, prefixAuth+":") {
		r.finishPub(p, published{answer: Answer{OK: m.ok, Message: message}})
		return
	}
	p.sent, p.refusal, p.okBy = false, message, time.Time{}
	p.parked = r.auth.phase != authDone
	r.wantAuth(now)
}

// expirePubs gives up on answers that do not come, and checks the connection.
func (r *relay) expirePubs(now time.Time) {
	for _, p := range r.pubs {
		if !p.okBy.IsZero() && !now.Before(p.okBy) {
			r.finishPub(p, published{err: ErrNoAnswer})
			if now.Sub(r.link.lastFrame) >= OKWait {
				r.startProbe()
			}
		}
	}
}
