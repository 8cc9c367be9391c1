package relay

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/relay/store"
)

// sub is one subscription of a connection.
type sub struct {
	id      string
	filters nostr.Filters
	head    []byte // ["EVENT","<id>",
	ctx     context.Context
	cancel  context.CancelFunc
}

func newSub(id string, filters nostr.Filters) *sub {
	head := message(msgEvent, id)
	head[len(head)-1] = ','
	ctx, cancel := context.WithCancel(context.Background())
	return &sub{id: id, filters: filters, head: head, ctx: ctx, cancel: cancel}
}

func (s *sub) frame(raw []byte) frame {
	return frame{op: opText, head: s.head, body: raw, tail: closeBracket}
}

// request opens a subscription (REQ). It is live before the stored events are
// read, so that nothing falls in between; what comes meanwhile may come twice.
func (c *conn) request(parts []json.RawMessage) {
	id, filters, err := readRequest(parts)
	if id == "" {
		c.notice(err)
		return
	}
	c.endSub(id)
	if err == nil {
		err = c.relay.refuseFilters(c.held(), filters)
	}
	if err != nil {
		c.refuseSub(id, err)
		return
	}
	s := newSub(id, filters)
	if !c.startSub(s) {
		s.cancel()
		c.refuseSub(id, refuse(rateLimited, "this connection has %d subscriptions open; close some first", MaxSubs))
		return
	}
	c.queries.Add(1)
	go func() { // ends with the subscription, or when all is sent
		defer c.queries.Done()
		defer c.fence("answering a request")
		c.answer(s)
	}()
}

func (c *conn) refuseSub(id string, err error) {
	c.out.putText(message(msgClosed, id, err.Error()))
}

func (c *conn) startSub(s *sub) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.subs) >= MaxSubs {
		return false
	}
	c.subs[s.id] = s
	return true
}

func (c *conn) endSub(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.subs[id]; s != nil {
		s.cancel()
		delete(c.subs, id)
	}
}

func (c *conn) endSubs() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, s := range c.subs {
		s.cancel()
		delete(c.subs, id)
	}
}

// answer sends the stored events of a subscription and EOSE.
func (c *conn) answer(s *sub) {
	select {
	case c.reading <- struct{}{}:
	case <-s.ctx.Done():
		return
	}
	defer func() { <-c.reading }()
	err := c.relay.walk(s.ctx, s.filters, func(row store.Row) (visible, goOn bool) {
		if !c.out.waitRoom() {
			return false, false
		}
		return c.deliver(s, row)
	})
	if s.ctx.Err() != nil {
		return
	}
	if err != nil {
		c.relay.log.Error("reading stored events", "err", err)
		c.endSub(s.id)
		c.refuseSub(s.id, refuse(failed, "the stored events could not be read; try again later"))
		return
	}
	c.sendTo(s, frame{op: opText, head: message(msgEOSE, s.id)})
}

// deliver sends a stored event if the client may read it. No membership changes
// between the check and the sending.
func (c *conn) deliver(s *sub, row store.Row) (visible, goOn bool) {
	rs := c.relay.rooms
	rs.mu.RLock()
	defer rs.mu.RUnlock()
	if !rs.mayRead(c.held(), viewOfRow(row)) {
		return false, true
	}
	return true, c.sendTo(s, s.frame(row.Raw))
}

// sendTo sends for a subscription unless it has ended or was replaced.
func (c *conn) sendTo(s *sub, f frame) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.subs[s.id] == s && c.out.put(f)
}

// walk shows what is stored for any of the filters, each event once, with each
// filter's newest first. show says whether the event was visible, which is what
// a filter's limit counts, and whether to go on.
func (r *Relay) walk(ctx context.Context, filters nostr.Filters, show func(store.Row) (visible, goOn bool)) error {
	var done []walked
	for _, f := range filters {
		left := f.Limit
		cursor := r.store.Query(f)
		var last store.Key
		for more := true; more; {
			rows, err := r.page(ctx, cursor)
			if err != nil {
				return err
			}
			more = len(rows) > 0
			for _, row := range rows {
				last = row.Key
				if !r.shown(done, row) {
					visible, goOn := show(row)
					if !goOn {
						return nil
					}
					if !visible {
						continue
					}
				}
				if left--; left == 0 {
					more = false
					break
				}
			}
		}
		done = append(done, walked{f, last, left == 0 && f.Limit > 0})
	}
	return nil
}

// page is one look into the store, which may take only so long.
func (r *Relay) page(ctx context.Context, cursor *store.Cursor) ([]store.Row, error) {
	ctx, cancel := context.WithTimeout(ctx, PageWait)
	defer cancel()
	return cursor.Next(ctx, r.now())
}

// walked is a filter whose stored events were shown: all, or those up to last.
type walked struct {
	filter  nostr.Filter
	last    store.Key
	limited bool
}

// shown says whether one of the filters before has brought a row already.
func (r *Relay) shown(done []walked, row store.Row) bool {
	if len(done) == 0 {
		return false
	}
	ev := new(nostr.Event)
	if ev.UnmarshalJSON(row.Raw) != nil {
		return false
	}
	return slices.ContainsFunc(done, func(w walked) bool {
		return !w.filter.LimitZero && w.filter.Matches(ev) && (!w.limited || row.Before(w.last))
	})
}

// count answers a COUNT (NIP-45): of what the client may read.
func (c *conn) count(parts []json.RawMessage) {
	id, filters, err := readRequest(parts)
	if id == "" {
		c.notice(err)
		return
	}
	keys := c.held()
	if err == nil {
		err = c.relay.refuseFilters(keys, filters)
	}
	if err == nil && !c.countIn() {
		err = refuse(rateLimited, "%d counts are under way; wait for them", MaxCounts)
	}
	if err != nil {
		c.refuseSub(id, err)
		return
	}
	for i := range filters {
		filters[i].Limit, filters[i].LimitZero = 0, false // a count has no limit
	}
	c.queries.Add(1)
	go func() { // ends when counted, or after PageWait at a page
		defer c.queries.Done()
		defer c.fence("counting")
		defer c.countOut()
		c.answerCount(id, keys, filters)
	}()
}

func (c *conn) countIn() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts >= MaxCounts {
		return false
	}
	c.counts++
	return true
}

func (c *conn) countOut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts--
}

func (c *conn) answerCount(id string, keys keyring, filters nostr.Filters) {
	c.reading <- struct{}{}
	defer func() { <-c.reading }()
	n := 0
	err := c.relay.walk(context.Background(), filters, func(row store.Row) (visible, goOn bool) {
		if c.relay.canRead(keys, viewOfRow(row)) {
			n++
		}
		return true, !c.out.ended()
	})
	if err != nil {
		c.relay.log.Error("counting stored events", "err", err)
		c.refuseSub(id, refuse(failed, "the stored events could not be counted; try again later"))
		return
	}
	c.out.putText(message(msgCount, id, map[string]int{"count": n}))
}
