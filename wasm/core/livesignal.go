package core

import (
	"context"
	"slices"
	"strings"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/relay"
	"parley/wasm/room"
	"parley/wasm/store"
)

// heardAll takes an EOSE of a live subscription, or the news that there will be
// none: what arrives is heard from here on, and what was missed can be asked
// for. mu is held.
func (c *Core) heardAll(in relay.Incoming) {
	l := c.live[in.Relay]
	if l == nil {
		return
	}
	p := l.part(in.Sub)
	if p == nil {
		return // it was replaced meanwhile
	}
	p.phase = partLive
	if p.before != "" {
		c.pool.Unsubscribe(in.Relay, p.before)
		p.before = ""
	}
	switch p.topic {
	case liveRooms:
		for _, r := range c.roomsOf(in.Relay, p) {
			r.live, r.check = true, false
		}
	case liveAI:
		c.catchUpAgents(in.Relay, l)
	case livePeople:
		c.askInfos(in.Relay, l, p)
		c.askDeletions(in.Relay, p)
	case liveCards:
		c.cards.loaded[in.Relay] = true
	}
	if l.again {
		c.replan(in.Relay)
	}
	c.catchUp(in.Relay)
}

// roomsOf are the rooms that a live subscription is for.
func (c *Core) roomsOf(url string, p *part) []*roomState {
	var rooms []*roomState
	for _, id := range p.keys {
		if r := c.rooms[room.Ref{Relay: url, ID: id}]; r != nil && p.topic == liveRooms {
			rooms = append(rooms, r)
		}
	}
	return rooms
}

// subscriptionClosed takes the relay's words when it ended a live subscription.
// One room that it does not show may be the reason why it shows none of them, so
// each is asked about by itself, unless it asks too much of the relay. mu is held.
func (c *Core) subscriptionClosed(in relay.Incoming) {
	l := c.live[in.Relay]
	if l == nil {
		return
	}
	p := l.part(in.Sub)
	if p == nil {
		return
	}
	p.phase = partClosed
	if p.before != "" {
		c.pool.Unsubscribe(in.Relay, p.before)
		p.before = ""
	}
	if !in.Retry {
		p.phase = partDead
	}
	busy := strings.HasPrefix(in.Reason, store.CodeRateLimited+":")
	switch {
	case p.topic == liveRooms:
		for _, r := range c.roomsOf(in.Relay, p) {
			r.live, r.current, r.check = false, false, !busy
			if busy {
				r.problem = "The relay does not show this room. " + room.Refusal(in.Reason)
			}
		}
		c.catchUp(in.Relay)
	case in.Retry:
		return
	case p.topic == liveAI:
		for _, key := range p.keys {
			c.sessions.loaded[agentAt(in.Relay, key)] = true
		}
		c.catchUpAgents(in.Relay, l)
	case p.topic == livePeople:
		c.askInfos(in.Relay, l, p)
	case p.topic == liveCards:
		c.cards.loaded[in.Relay] = true
	}
	if l.again && !in.Retry {
		c.replan(in.Relay) // what was held up by this one
	}
}

// judge looks at the live subscriptions that a relay refused, once each of their
// rooms was asked about: those that it does not show are left out; where it
// shows each of them, it takes only one room at a time. mu is held.
func (c *Core) judge(url string, l *liveRelay) {
	for _, p := range l.parts {
		if p.topic != liveRooms || p.phase != partDead && p.phase != partClosed {
			continue
		}
		rooms := c.roomsOf(url, p)
		if slices.ContainsFunc(rooms, func(r *roomState) bool { return r.check }) {
			continue
		}
		if p.phase == partDead && len(p.keys) > 1 && !slices.ContainsFunc(rooms, func(r *roomState) bool { return r.refused }) {
			l.alone = true
		}
	}
	c.replan(url)
}

// connectionEnded notes that nothing is heard of a relay any more. mu is held.
func (c *Core) connectionEnded(url string) {
	l := c.live[url]
	if l == nil {
		return
	}
	l.turn++
	l.alone = false
	for _, p := range l.parts {
		if p.before != "" {
			c.pool.Unsubscribe(url, p.before)
			p.before = ""
		}
		if p.phase == partDead {
			p.keys, p.name = nil, "" // to be asked for anew
		}
		p.phase, p.fresh = partAsked, nil // what these rooms missed is asked for anyway
	}
	for ref, r := range c.rooms {
		if ref.Relay == url {
			r.live, r.current, r.check, r.refused, r.again = false, false, false, false, false
			r.looked, r.rest = notLooked, 0
		}
	}
	clear(l.agents.current)
	l.agents.rest, l.agents.wraps = 0, false
	clear(l.infos)
}

// MaxEarly is how many events of a room are held until what it missed is here.
const MaxEarly = 16

// holdEarly holds what comes of a room before it is live, the newest event that
// comes along: alone it would look like all there is.
func (c *Core) holdEarly(a arrival) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	l, h := c.live[a.relay], a.event.Tags.Find("h")
	if l == nil || len(h) < 2 {
		return false
	}
	p := l.part(a.sub)
	if p == nil || p.topic != liveRooms || p.phase == partLive {
		return false
	}
	r := c.rooms[room.Ref{Relay: a.relay, ID: h[1]}]
	if r == nil || r.current || len(r.early) >= MaxEarly {
		return false
	}
	r.early = append(r.early, a)
	return true
}

// takeEarly takes what was held of rooms.
func (c *Core) takeEarly(ctx context.Context, rooms []*roomState) {
	var held []arrival
	c.mu.Lock()
	for _, r := range rooms {
		held, r.early = append(held, r.early...), nil
	}
	c.mu.Unlock()
	if len(held) > 0 {
		c.take(ctx, held)
	}
}

// showAgain has a room asked for that the relay did not show. mu is held.
func (c *Core) showAgain(r *roomState) {
	if r.refused {
		r.refused, r.again, r.problem, r.rest = false, false, "", 0
		c.replan(r.ref.Relay)
	}
}

// askAgain asks again where a relay gave no answer and a rest is over.
func (c *Core) askAgain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for url, l := range c.live {
		c.catchUp(url)
		c.catchUpAgents(url, l)
		if l.unheard && c.now()-l.authorAt >= AuthorsEvery {
			c.replan(url)
		}
	}
}

// heardLive notes how far a room was heard without a gap: an event that arrives
// live came after everything that the relay took before it. mu is held.
func (c *Core) heardLive(a arrival) {
	l := c.live[a.relay]
	if l == nil {
		return
	}
	p := l.part(a.sub)
	if p == nil || p.phase != partLive {
		return
	}
	at := min(int64(a.event.CreatedAt), c.now())
	if p.topic == liveAI {
		if at > l.agents.upTo && !slices.ContainsFunc(p.keys, func(key string) bool { return !l.agents.current[key] }) {
			l.agents.upTo = at
		}
		return
	}
	h := a.event.Tags.Find("h")
	if len(h) < 2 {
		return
	}
	r := c.rooms[room.Ref{Relay: a.relay, ID: h[1]}]
	if r == nil {
		return
	}
	if p.topic == liveState && a.event.Tags.FindWithValue("p", c.identity.me) != nil {
		c.showAgain(r) // I was added to it
	}
	if p.topic != liveRooms {
		return
	}
	if hasWriter(a.event.Kind) && !slices.Contains(l.authors, a.event.PubKey) {
		l.unheard = true
	}
	if !r.live || !r.current || at <= r.saved.SyncTo {
		return
	}
	r.saved.SyncTo = at
	if at-r.keptSync >= SyncStep {
		c.saveRoom(r)
	}
}

// hasWriter tells whether who wrote an event of a kind may want to delete it.
func hasWriter(kind int) bool {
	return room.InTimeline(kind) || room.InThread(kind) || kind == nostr.KindReaction
}
