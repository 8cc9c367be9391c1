package relay

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/relay/store"
)

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
	n, hidden := 0, 0
	err := c.relay.walk(context.Background(), c.ip, filters, func(row store.Row) (visible bool, err error) {
		if c.relay.canRead(keys, viewOfRow(row)) {
			n++
		} else if hidden++; hidden > c.relay.config.Limits.Hidden {
			return false, errHidden
		}
		if c.out.ended() {
			return false, errEnded
		}
		return true, nil
	})
	if errors.Is(err, errEnded) {
		return
	}
	if err != nil {
		c.refuseSub(id, c.relay.readFailure(err))
		return
	}
	c.out.putText(message(msgCount, id, map[string]int{"count": n}))
}
