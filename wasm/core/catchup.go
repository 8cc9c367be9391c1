package core

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/relay"
	"parley/wasm/room"
	"parley/wasm/store"
)

const (
	// CatchUps is how many one-shots for what open rooms have missed are under
	// way at a relay at once, CatchGroup for how many rooms one asks.
	CatchUps   = 2
	CatchGroup = 50
	// SinceSpread is how far apart, in seconds, the places may be from which
	// rooms of one question are asked.
	SinceSpread = 3600
	// PollEvery is how often, in seconds, a room is asked about that a relay
	// takes no live subscription for.
	PollEvery = 60
)

// isPrivate tells whether only members can read a room. Those are asked about
// apart from others: a relay that answers for some of the rooms in a question
// does not say that it wants an AUTH for the rest. mu is held.
func (r *roomState) isPrivate() bool { return r.fold.Meta().Private }

// catchUp has asked for what rooms have missed. What waits for a person, to sign
// in, holds up no other. mu is held.
func (c *Core) catchUp(url string) {
	l := c.live[url]
	if l == nil || c.relays.states[url].Phase != relay.Online {
		return
	}
	for {
		rooms := c.behind(url, l.catching < CatchUps)
		if len(rooms) == 0 {
			return
		}
		apart := rooms[0].apart()
		for _, r := range rooms {
			r.catching = true
		}
		if !apart {
			l.catching++
		}
		turn := l.turn
		if !c.spawn(func() {
			c.catchUpRooms(c.ctx, url, l, rooms, turn)
			c.mu.Lock()
			defer c.mu.Unlock()
			if !apart {
				l.catching--
			}
			for _, r := range rooms {
				r.catching = false
			}
			if c.live[url] == l {
				c.judge(url, l)
				c.catchUp(url)
			}
			c.touch()
		}) {
			return
		}
	}
}

// apart tells whether a room is asked about by itself, for what the relay says
// about it.
func (r *roomState) apart() bool { return r.check || r.polled || r.again || r.isPrivate() }

// behind picks the next rooms to ask about: one, or some that are known and need
// the same. Those on a page come first.
func (c *Core) behind(url string, room bool) []*roomState {
	now := c.now()
	var all []*roomState
	for ref, r := range c.rooms {
		wants := r.live && !r.current || r.check || r.again || r.polled && now >= r.pollAt
		if ref.Relay == url && r.subscribed && (!r.refused || r.again) && !r.catching && wants && now >= r.rest && (room || r.apart()) {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b *roomState) int {
		return cmp.Or(-compareBool(a.watchers > 0, b.watchers > 0), cmp.Compare(a.ref.ID, b.ref.ID))
	})
	first := all[0]
	if first.saved.SyncTo == 0 || first.apart() {
		return all[:1]
	}
	group := all[:1:1]
	for _, r := range all[1:] {
		far := max(r.saved.SyncTo, first.saved.SyncTo) - min(r.saved.SyncTo, first.saved.SyncTo)
		if r.saved.SyncTo != 0 && !r.apart() && far <= SinceSpread && len(group) < CatchGroup {
			group = append(group, r)
		}
	}
	return group
}

// missed is one question for what rooms have missed.
type missed struct {
	url     string
	rooms   []*roomState
	ids     []string
	since   int64 // 0: the end of a room that was never here
	began   int64
	me, key string
	authors []string
	bucket  string
	same    func() bool // the connection is the one that it began on; mu is held
}

// catchUpRooms asks for what rooms have missed, and counts them as caught up on
// this connection when all of it came.
func (c *Core) catchUpRooms(ctx context.Context, url string, l *liveRelay, rooms []*roomState, turn int) {
	c.mu.Lock()
	q := missed{url: url, rooms: rooms, began: c.now(), me: c.identity.me, key: c.relayKeys[url], bucket: c.roomBucket()}
	q.same = func() bool { return c.live[url] == l && l.turn == turn }
	for i, r := range rooms {
		q.ids = append(q.ids, r.ref.ID)
		at := int64(0)
		if r.saved.SyncTo > 0 {
			at = max(1, r.saved.SyncTo-SyncOverlap)
		}
		if i == 0 || at < q.since {
			q.since = at
		}
	}
	if q.since > 0 {
		q.authors = c.authorsIn(url, rooms)
	}
	c.mu.Unlock()
	events, complete, err := c.fetchMissed(ctx, q)
	if q.since > 0 && err == nil {
		if all, until := q.whole(events, complete); !all {
			complete = c.fetchBelow(ctx, url, room.MissedFilter(q.ids, q.since), until)
		}
	}
	c.takeEarly(ctx, rooms)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !q.same() {
		return // the next connection asks again
	}
	for _, r := range rooms {
		switch {
		case err != nil && len(rooms) > 1 && errors.Is(err, relay.ErrRefused):
			r.check = true // one of them may be the reason
		case err != nil:
			c.notShown(r, err)
		case len(rooms) > 1 && r.isPrivate(): // found out by this answer
		default:
			c.caughtUp(r, q, events, complete)
		}
	}
	c.replan(url)
}

// fetchMissed asks for messages, and apart from them for what can be read by
// everybody: a relay that answers the latter says nothing of an AUTH that the
// former needs.
func (c *Core) fetchMissed(ctx context.Context, q missed) (events []*nostr.Event, complete bool, err error) {
	filters := nostr.Filters{room.MissedFilter(q.ids, q.since)}
	if q.since == 0 {
		filters = room.FirstFilters(q.rooms[0].ref, FirstPage)
	}
	if q.me != "" {
		filters = append(filters, room.MineFilter(q.ids, q.me))
	}
	public := nostr.Filters{room.StateFilter(q.ids, q.key)}
	if len(q.authors) > 0 {
		deletions := room.DeletionsBy(q.authors)
		from := nostr.Timestamp(q.since)
		deletions.Since = &from
		public = append(public, deletions)
	}
	var state []*nostr.Event
	var whole bool
	var also error
	var asked sync.WaitGroup
	asked.Go(func() { state, whole, also = c.pool.Fetch(ctx, q.url, public...) })
	events, complete, err = c.pool.Fetch(ctx, q.url, filters...)
	asked.Wait()
	c.takeFetched(ctx, q.url, state)
	c.takeKept(ctx, arrivals(q.url, events), func() {
		if q.since == 0 && err == nil && also == nil && complete && whole {
			c.keepFirstVisit(ctx, q, events)
		}
	})
	if also != nil && !errors.Is(also, relay.ErrRefused) && (err == nil || errors.Is(err, relay.ErrRefused)) {
		return events, false, also
	}
	return events, complete && (whole || also != nil), err
}

// whole tells whether the filter with a since brought all that there is, and,
// where the relay may have cut it off, down to when.
func (q missed) whole(events []*nostr.Event, complete bool) (all bool, until int64) {
	n := 0
	for _, e := range events {
		at := int64(e.CreatedAt)
		if at < q.since {
			continue // the filter for what was done to me has no since
		}
		n++
		if toMe := e.Tags.FindWithValue("p", q.me) != nil; !toMe && (until == 0 || at < until) {
			until = at
		}
	}
	if !complete {
		return false, 0
	}
	return n < PageFull, until
}

// notShown notes why a room's messages did not come. What the relay may give
// later is asked for again. mu is held.
func (c *Core) notShown(r *roomState, err error) {
	if !errors.Is(err, relay.ErrRefused) {
		r.rest = c.now() + RestAfter
		return
	}
	_, words, _ := strings.Cut(err.Error(), relay.ErrRefused.Error()+": ")
	r.problem = "The relay does not show this room. " + room.Refusal(words)
	forGood := refusedForGood(err)
	if !forGood {
		r.rest = c.now() + RestAfter
	}
	if forGood || r.check { // it would keep the others from being heard
		r.refused, r.again, r.check, r.live, r.current = true, !forGood, false, false, false
	}
}

// refusedForGood tells whether a relay will not answer a one-shot however often
// it is asked on this connection.
func refusedForGood(err error) bool {
	if !errors.Is(err, relay.ErrRefused) {
		return false
	}
	_, words, _ := strings.Cut(err.Error(), relay.ErrRefused.Error()+": ")
	return !strings.HasPrefix(words, store.CodeRateLimited+":") && !strings.HasPrefix(words, store.CodeError+":")
}

// caughtUp notes that everything of a room is here up to when it was asked for,
// or what came of it. mu is held.
func (c *Core) caughtUp(r *roomState, q missed, events []*nostr.Event, complete bool) {
	r.synced, r.problem = true, ""
	if !complete {
		r.rest = c.now() + RestAfter // as well as can be; to be asked again
		return
	}
	away := q.began - r.saved.SyncTo
	if q.since == 0 {
		c.firstVisit(r, events)
	}
	r.saved.SyncTo = max(r.saved.SyncTo, q.began)
	r.current, r.check, r.rest, r.pollAt = r.live, false, 0, c.now()+PollEvery
	r.refused, r.again = false, false
	c.saveRoom(r)
	if l := c.live[q.url]; l != nil {
		l.unheard = true
	}
	if q.since > 0 && (r.watchers > 0 || away >= SyncOverlap) {
		c.lookAgain(r)
	}
}

// firstVisit notes from where on a room is here that was never here before.
func (c *Core) firstVisit(r *roomState, events []*nostr.Event) {
	r.saved.here(events)
	if last, ok := r.fold.Last(); ok && r.saved.Mark == (room.Mark{}) {
		c.moveMark(r, last.ID) // nothing is new to somebody who was never here
	}
	c.fetchAround(r, r.fold.Window("", FirstPage, 0).IDs)
}

// here notes that a room is here from the oldest of these events on.
func (s *savedRoom) here(events []*nostr.Event) {
	oldest, n := int64(0), 0
	for _, e := range events {
		if at := int64(e.CreatedAt); inTimeline(e.Kind) {
			n++
			if oldest == 0 || at < oldest {
				oldest = at
			}
		}
	}
	s.From, s.End = oldest, n == 0
}

// keepFirstVisit keeps how much of a room is here before any of it is seen: who
// reloads at once is not given everything again.
func (c *Core) keepFirstVisit(ctx context.Context, q missed, events []*nostr.Event) {
	c.mu.Lock()
	r := q.rooms[0]
	saved := r.saved
	saved.Listed, saved.SyncTo = r.listed, q.began
	saved.here(events)
	same := q.same() && !c.leaks
	c.mu.Unlock()
	if !same {
		return
	}
	if err := c.keep(ctx, q.bucket, roomKey(r.ref), saved); err != nil && ctx.Err() == nil {
		c.notice("storage", err.Error())
	}
}
