package core

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/relay"
	"parley/wasm/room"
	"parley/wasm/run"
	"parley/wasm/task"
)

// AuthorsEvery is how often, in seconds, the people whose deletions are heard
// may change.
const AuthorsEvery = 30

// replan has what is heard live on a relay looked at soon. mu is held.
func (c *Core) replan(url string) {
	c.planned[url] = true
	poke(c.planNow)
}

// replanAll is replan for every relay that is in use. mu is held.
func (c *Core) replanAll() {
	for _, url := range c.relays.order {
		c.replan(url)
	}
	for ref := range c.rooms {
		c.replan(ref.Relay)
	}
}

// planLive brings what is heard live in line with what is wanted, many changes
// at a time.
func (c *Core) planLive(ctx context.Context) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	rest := func(d time.Duration) bool {
		pause.Reset(d)
		select {
		case <-ctx.Done():
			return false
		case <-pause.C:
			return true
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.planNow:
		}
		if !rest(LiveWait) {
			return
		}
		c.mu.Lock()
		before := c.asked
		for url := range c.planned {
			c.plan(url)
		}
		clear(c.planned)
		changed := c.asked != before
		c.mu.Unlock()
		if changed && !rest(LiveEvery-LiveWait) {
			return
		}
	}
}

// plan says what is to be heard live on a relay. mu is held.
func (c *Core) plan(url string) {
	l := c.live[url]
	demands := c.demands(url, l)
	if l == nil {
		if !slices.ContainsFunc(demands, func(d demand) bool { return len(d.keys) > 0 }) {
			return
		}
		l = newLiveRelay()
		c.live[url] = l
	}
	l.again = false
	left := map[topic][]string{}
	for _, d := range demands {
		left[d.topic] = append(left[d.topic], c.settleDemand(url, l, d)...)
	}
	for _, p := range l.parts {
		if p.topic == liveRooms && p.phase == partDead {
			left[liveRooms] = append(left[liveRooms], p.keys...)
		}
	}
	for ref, r := range c.rooms {
		if ref.Relay != url {
			continue
		}
		deaf := slices.Contains(left[liveRooms], ref.ID)
		if deaf {
			r.live, r.current = false, false
		}
		// A room may be heard of which it is not heard what the relay says about it.
		r.polled = r.subscribed && (deaf || slices.Contains(left[liveState], ref.ID))
	}
	c.catchUp(url)
}

// demands is everything that is to be heard on a relay. mu is held.
func (c *Core) demands(url string, l *liveRelay) (all []demand) {
	open, private, hidden := c.roomsToHear(url)
	each, subs := MaxSubKeys, MaxRoomSubs
	if l != nil && l.alone {
		each = 1
	}
	members := 0 // how many subscriptions the private rooms get
	if len(private) > 0 {
		members = 1
		if len(open) == 0 {
			members = subs
		}
	}
	all = append(all,
		demand{topic: liveRooms, keys: open, subs: subs - members, each: each},
		demand{topic: liveRooms, private: true, keys: private, subs: members, each: each},
		demand{topic: liveState, keys: slices.Concat(open, private, hidden), subs: MaxStateSubs, each: MaxSubKeys},
	)
	mine, me := c.relays.isMine(url), c.identity.me
	var agents, people, cards []string
	if mine {
		agents = c.sessions.heard[:min(len(c.sessions.heard), MaxAgents)]
		for _, key := range agents {
			people = append(people, agentMark+key)
		}
	}
	for _, key := range c.authorsToHear(url, l) {
		people = append(people, authorMark+key)
	}
	if me == "" {
		agents = nil
	} else if mine || c.hasListed(url) {
		cards = []string{me}
	}
	return append(all,
		demand{topic: livePeople, keys: people, subs: 1, each: MaxSubKeys},
		demand{topic: liveAI, keys: agents, subs: 1, each: MaxSubKeys},
		demand{topic: liveCards, keys: cards, subs: 1, each: 1},
	)
}

// roomsToHear are a relay's rooms that are listed or on a page, those on a page
// first; apart from them those that only members can read, and those that the
// relay does not show.
func (c *Core) roomsToHear(url string) (open, private, hidden []string) {
	if !c.relays.mayOpen(url) {
		return nil, nil, nil
	}
	var rooms []*roomState
	for ref, r := range c.rooms {
		if ref.Relay == url && r.subscribed {
			rooms = append(rooms, r)
		}
	}
	slices.SortFunc(rooms, func(a, b *roomState) int {
		return cmp.Or(-compareBool(a.watchers > 0, b.watchers > 0), cmp.Compare(a.ref.ID, b.ref.ID))
	})
	for _, r := range rooms {
		switch {
		case r.refused:
			hidden = append(hidden, r.ref.ID)
		case r.isPrivate():
			private = append(private, r.ref.ID)
		default:
			open = append(open, r.ref.ID)
		}
	}
	return open, private, hidden
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func (c *Core) hasListed(url string) bool {
	for ref, r := range c.rooms {
		if ref.Relay == url && r.listed && c.relays.mayOpen(url) {
			return true
		}
	}
	return false
}

// authorsToHear are the people who wrote the newest messages of a relay's rooms.
// They change only so often, since people come and go.
func (c *Core) authorsToHear(url string, l *liveRelay) []string {
	if l == nil {
		return nil
	}
	if !l.unheard || c.now()-l.authorAt < AuthorsEvery && len(l.authors) > 0 {
		return l.authors
	}
	l.unheard, l.authorAt = false, c.now()
	l.authors = c.authorsIn(url, nil)
	return l.authors
}

// authorsIn are up to MaxAuthors people who wrote the newest messages of some
// rooms of a relay, nil for all that are heard.
func (c *Core) authorsIn(url string, only []*roomState) []string {
	newest := map[string]int64{}
	for ref, r := range c.rooms {
		if ref.Relay != url || !r.subscribed || only != nil && !slices.Contains(only, r) {
			continue
		}
		for _, id := range r.fold.Window("", FirstPage, 0).IDs {
			if e := r.fold.Event(id); e != nil {
				newest[e.PubKey] = max(newest[e.PubKey], int64(e.CreatedAt))
			}
		}
	}
	keys := make([]string, 0, len(newest))
	for key := range newest {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(newest[b], newest[a]), cmp.Compare(a, b))
	})
	return keys[:min(len(keys), MaxAuthors)]
}

// The keys of livePeople say what is asked of somebody.
const (
	agentMark  = "agent "
	authorMark = "author "
)

// liveFilters is what a part asks for.
func (c *Core) liveFilters(p *part) func(int64) []nostr.Filter {
	me := c.identity.me
	newest := func(f nostr.Filter) nostr.Filter { f.Limit = 1; return f }
	switch p.topic {
	case liveRooms:
		return always(room.ArrivingFilter(p.keys))
	case liveState:
		state := newest(room.StateFilter(p.keys, ""))
		if me == "" {
			return always(state)
		}
		mine := room.MineFilter(nil, me)
		delete(mine.Tags, "h") // also of rooms that are not shown yet
		return always(state, newest(mine))
	case liveAI:
		return always(newest(run.FilterAnswers(me, p.keys...)), newest(run.FilterRecovery(me, p.keys...)), newest(run.FilterWraps(me, 0)))
	case livePeople:
		var agents, authors []string
		for _, key := range p.keys {
			if agent, ok := strings.CutPrefix(key, agentMark); ok {
				agents = append(agents, agent)
			} else {
				authors = append(authors, strings.TrimPrefix(key, authorMark))
			}
		}
		var filters []nostr.Filter
		if len(agents) > 0 {
			filters = append(filters, newest(run.FilterInfo(agents...)))
		}
		if len(authors) > 0 {
			filters = append(filters, newest(room.DeletionsBy(authors)))
		}
		return always(filters...)
	}
	return relay.Fixed(
		nostr.Filter{Kinds: askKinds, Tags: nostr.TagMap{"p": {me}}, Limit: CardsPage},
		nostr.Filter{Kinds: taskKinds, Tags: nostr.TagMap{"p": {me}}, Limit: CardsPage},
		nostr.Filter{Kinds: []int{task.KindRequest}, Authors: []string{me}, Limit: CardsPage},
		nostr.Filter{Kinds: []int{nostr.KindFollowList}, Authors: []string{me}, Limit: 1},
	)
}
