package relay

import (
	"time"

	"github.com/nbd-wtf/go-nostr"
)

// probe is a question whose answer proves that a connection is alive: a
// browser's WebSocket has no ping, and a socket may look open long after its
// network is gone.
type probe struct {
	id string // "" when none is under way
	by time.Time
	// limit is the latest that by may move to.
	limit time.Time
}

// probeFilter asks for an event that does not exist: the cheapest question
// that every relay must answer with EOSE.
var probeFilter = nostr.Filter{
	IDs:   []string{"0000000000000000000000000000000000000000000000000000000000000000"},
	Limit: 1,
}

func (p *probe) deadline(lastFrame time.Time) time.Time {
	if p.id == "" {
		return lastFrame.Add(SilenceAfter)
	}
	return p.by
}

// heard grants time: what the relay sends may stand before its answer.
func (p *probe) heard(now time.Time) {
	if p.id == "" {
		return
	}
	if p.by = now.Add(ProbeWait); p.by.After(p.limit) {
		p.by = p.limit
	}
}

func (p *probe) answered() { *p = probe{} }

// startProbe checks the connection, or makes a waiting one try again.
func (r *relay) startProbe() {
	if r.link.conn == nil {
		r.kick()
		return
	}
	if r.probe.id != "" {
		return
	}
	now := r.now()
	r.probe = probe{id: r.pool.freshID(), by: now.Add(ProbeWait), limit: now.Add(ProbeLimit)}
	frame, err := reqFrame(r.probe.id, []nostr.Filter{probeFilter})
	if err != nil {
		return // a constant filter can always be written
	}
	r.send(frame)
}

// expireProbe probes a silent connection and gives up one that did not
// answer. It gives false when the connection has ended.
func (r *relay) expireProbe(now time.Time) bool {
	if now.Before(r.probe.deadline(r.link.lastFrame)) {
		return true
	}
	if r.probe.id == "" {
		r.startProbe()
	} else {
		r.lost(errSilent)
	}
	return r.link.conn != nil
}

// probeAnswered handles a frame for the probe's subscription.
func (r *relay) probeAnswered(label string) {
	if label != msgClosed {
		r.send(closeFrame(r.probe.id))
	}
	r.probe.answered()
}
