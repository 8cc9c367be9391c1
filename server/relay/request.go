package relay

import (
	"context"
	"encoding/json"
	"errors"
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
	hidden := 0
	err := c.relay.walk(s.ctx, c.ip, s.filters, func(row store.Row) (visible bool, err error) {
		if !c.out.waitRoom() {
			return false, errEnded
		}
		visible, err = c.deliver(s, row)
		if !visible {
			if hidden++; hidden > c.relay.config.Limits.Hidden {
				return false, errHidden
			}
		}
		return visible, err
	})
	if s.ctx.Err() != nil || errors.Is(err, errEnded) {
		return
	}
	if err != nil {
		c.endSub(s.id)
		c.refuseSub(s.id, c.relay.readFailure(err))
		return
	}
	c.sendTo(s, frame{op: opText, head: message(msgEOSE, s.id)})
}

var (
	// errEnded stops an answer that nobody waits for any more.
	errEnded  = errors.New("the subscription has ended")
	errHidden = refuse(restricted, "too much of this is not yours to read; ask for less")
)

// readFailure puts what stopped an answer into words for the client.
func (r *Relay) readFailure(err error) error {
	if errors.Is(err, errHidden) {
		return errHidden
	}
	r.log.Error("reading stored events", "err", err)
	return refuse(failed, "the stored events could not be read; try again later")
}

// deliver sends a stored event if the client may read it. No membership changes
// between the check and the sending.
func (c *conn) deliver(s *sub, row store.Row) (visible bool, err error) {
	rs := c.relay.rooms
	rs.mu.RLock()
	defer rs.mu.RUnlock()
	if !rs.mayRead(c.held(), viewOfRow(row)) {
		return false, nil
	}
	if !c.sendTo(s, s.frame(row.Raw)) {
		return false, errEnded
	}
	return true, nil
}

// sendTo sends for a subscription unless it has ended or was replaced.
func (c *conn) sendTo(s *sub, f frame) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.subs[s.id] == s && c.out.put(f)
}

// walk shows what is stored for any of the filters, each event once, with each
// filter's newest first. show says whether the event was visible, which is what
// a filter's limit counts; an error of its own ends the walk.
func (r *Relay) walk(ctx context.Context, ip string, filters nostr.Filters, show func(store.Row) (visible bool, err error)) error {
	var done []walked
	for _, f := range filters {
		left := f.Limit
		cursor := r.store.Query(f)
		var last store.Key
		for more := true; more; {
			rows, err := r.page(ctx, ip, cursor)
			if err != nil {
				return err
			}
			more = len(rows) > 0
			for _, row := range rows {
				last = row.Key
				if !r.shown(done, row) {
					visible, err := show(row)
					if err != nil {
						return err
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
func (r *Relay) page(ctx context.Context, ip string, cursor *store.Cursor) ([]store.Row, error) {
	r.turns.take(ip)
	defer r.turns.give(ip)
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
