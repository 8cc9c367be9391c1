package core

import (
	"context"
	"slices"
	"strings"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/relay"
	"parley/wasm/run"
)

// AgentsAtOnce is for how many agents' histories one question asks: two filters
// for each, and relays take ten.
const AgentsAtOnce = 5

// agentSync is how far AI sessions were heard on one relay.
type agentSync struct {
	whole   map[string]bool // agents whose history was asked for in this core's life
	current map[string]bool // ... and on this connection, from upTo
	wraps   bool            // gift wraps were asked for on this connection
	asking  bool
	rest    int64 // a question failed: none before this time
	upTo    int64 // everything of those that are whole was heard up to here
}

func newAgentSync() agentSync {
	return agentSync{whole: map[string]bool{}, current: map[string]bool{}}
}

func agentAt(url, agent string) string { return url + " " + agent }

// catchUpAgents asks for what agents have said while nobody listened: all of it
// the first time, a few agents at a time. mu is held.
func (c *Core) catchUpAgents(url string, l *liveRelay) {
	if l.agents.asking || c.now() < l.agents.rest {
		return
	}
	var keys []string
	for _, p := range l.parts {
		if p.topic != liveAI || p.phase != partLive && p.phase != partDead {
			continue // not heard yet; where it never will be there is the history at least
		}
		for _, key := range p.keys {
			if !l.agents.current[key] {
				keys = append(keys, key)
			}
		}
	}
	if len(keys) == 0 {
		return
	}
	l.agents.asking = true
	turn, me := l.turn, c.identity.me
	c.spawn(func() {
		done := c.fetchAgents(c.ctx, url, l, me, keys)
		c.mu.Lock()
		defer c.mu.Unlock()
		l.agents.asking = false
		if c.live[url] != l {
			return
		}
		switch {
		case l.turn != turn: // the next connection asks again
		case done:
			l.agents.wraps = true
			for _, key := range keys {
				l.agents.current[key] = true
			}
		default:
			l.agents.rest = c.now() + RestAfter
		}
		c.catchUpAgents(url, l)
		c.touch()
	})
}

// fetchAgents gives false when not all of it came.
func (c *Core) fetchAgents(ctx context.Context, url string, l *liveRelay, me string, keys []string) bool {
	c.mu.Lock()
	since, began := max(0, l.agents.upTo-SyncOverlap), c.now()
	var known, fresh []string
	for _, key := range keys {
		if l.agents.whole[key] && since > 0 {
			known = append(known, key)
		} else {
			fresh = append(fresh, key)
		}
	}
	wraps := l.agents.wraps
	c.mu.Unlock()
	// What has a since is asked for down to it, the rest as far as a relay gives it.
	ask := func(filters ...nostr.Filter) bool {
		events, complete, err := c.pool.Fetch(ctx, url, filters...)
		c.takeFetched(ctx, url, events)
		if err != nil || !complete || len(events) < PageFull {
			return err == nil && complete || refusedForGood(err)
		}
		whole := true
		for _, f := range filters {
			if f.Since != nil {
				whole = c.fetchBelow(ctx, url, f, 0) && whole
			}
		}
		return whole
	}
	ok := true
	if len(known) > 0 {
		ok = ask(sinceAll(since, run.FilterAnswers(me, known...), run.FilterRecovery(me, known...))...)
	}
	if !wraps {
		ok = ask(run.FilterWraps(me, since)) && ok
	}
	for some := range slices.Chunk(fresh, AgentsAtOnce) {
		var filters []nostr.Filter
		for _, key := range some {
			filters = append(filters, run.FilterAnswers(me, key), run.FilterRecovery(me, key))
		}
		whole := ask(filters...)
		c.mu.Lock()
		for _, key := range some {
			c.sessions.loaded[agentAt(url, key)] = whole || c.sessions.loaded[agentAt(url, key)]
			l.agents.whole[key] = whole
		}
		c.mu.Unlock()
		c.touch()
		ok = ok && whole
	}
	if ok {
		c.mu.Lock()
		l.agents.upTo = max(l.agents.upTo, began)
		c.mu.Unlock()
	}
	return ok
}

func sinceAll(since int64, filters ...nostr.Filter) []nostr.Filter {
	return relay.Fixed(filters...)(since)
}

// askInfos asks once what agents say about themselves; what they say later is
// heard live. mu is held.
func (c *Core) askInfos(url string, l *liveRelay, p *part) {
	var keys []string
	for _, key := range p.keys {
		if agent, ok := strings.CutPrefix(key, agentMark); ok && !l.infos[agent] {
			l.infos[agent] = true
			keys = append(keys, agent)
		}
	}
	if len(keys) == 0 {
		return
	}
	me := c.identity.me
	c.spawn(func() {
		events, _, err := c.pool.Fetch(c.ctx, url, run.FilterInfo(keys...))
		c.takeFetched(c.ctx, url, events)
		c.mu.Lock()
		for _, key := range keys {
			if err != nil {
				delete(l.infos, key)
			}
			if me == "" {
				c.sessions.loaded[agentAt(url, key)] = true
			}
		}
		c.mu.Unlock()
		c.touch()
	})
}
