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
		if p.topic != liveAI || p.phase != partLive {
			continue
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
		for _, key := range keys {
			if done && l.turn == turn {
				l.agents.current[key] = true
			}
		}
		if !done && l.turn == turn {
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
	first := len(l.agents.whole) == 0
	c.mu.Unlock()
	ask := func(filters ...nostr.Filter) bool {
		events, complete, err := c.pool.Fetch(ctx, url, filters...)
		c.takeFetched(ctx, url, events)
		return err == nil && complete || refusedForGood(err)
	}
	ok := true
	if len(known) > 0 {
		ok = ask(sinceAll(since, run.FilterAnswers(me, known...), run.FilterRecovery(me, known...))...)
	}
	if len(known) > 0 || first {
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
