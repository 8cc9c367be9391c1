package relay

import "github.com/nbd-wtf/go-nostr"

// broadcast passes an event on to everybody who asked for it and may read it at
// this moment. It waits for nobody.
func (r *Relay) broadcast(ev *nostr.Event) {
	d := delivery{ev: ev, view: viewOf(ev)}
	r.rooms.mu.RLock() // no membership changes half-way
	defer r.rooms.mu.RUnlock()
	r.mu.RLock()
	defer r.mu.RUnlock()
	for c := range r.conns {
		c.offer(r.rooms, &d)
	}
}

// delivery is an event on its way to many.
type delivery struct {
	ev   *nostr.Event
	view view
	raw  []byte // shared by all frames; made when the first one wants it
}

func (d *delivery) json() []byte {
	if d.raw == nil {
		d.raw, _ = d.ev.MarshalJSON() // strings and numbers always encode
	}
	return d.raw
}

// offer sends an event for each subscription it matches.
func (c *conn) offer(rs *rooms, d *delivery) {
	c.mu.Lock()
	defer c.mu.Unlock()
	allowed := false
	for _, s := range c.subs {
		if !s.filters.Match(d.ev) {
			continue
		}
		if allowed = allowed || rs.mayRead(c.keys, d.view); !allowed || !c.out.put(s.frame(d.json())) {
			return
		}
	}
}
