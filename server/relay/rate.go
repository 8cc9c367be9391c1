package relay

import (
	"sync"
	"time"

	"github.com/nbd-wtf/go-nostr"
)

// bucket lets through so many a second, and so many at once.
type bucket struct {
	level float64 // tokens left
	at    time.Time
}

// take takes n tokens, or none and says how long until there are.
func (b *bucket) take(n, rate, burst int, now time.Time) (wait time.Duration, ok bool) {
	if b.at.IsZero() {
		b.level = float64(burst)
	} else if past := now.Sub(b.at).Seconds(); past > 0 {
		b.level = min(float64(burst), b.level+past*float64(rate))
	}
	b.at = now
	if b.level < float64(n) {
		return time.Duration((float64(n) - b.level) / float64(rate) * float64(time.Second)), false
	}
	b.level -= float64(n)
	return 0, true
}

// gates holds the buckets of all addresses and keys, and counts connections.
type gates struct {
	limits Limits
	clock  func() time.Time

	mu      sync.Mutex
	buckets map[gate]*bucket
	conns   crowd
	long    crowd // long messages being read
}

// gate names a bucket: what is counted, of whom.
type gate struct{ what, who string }

func newGates(limits Limits, clock func() time.Time) *gates {
	return &gates{limits: limits, clock: clock, buckets: map[gate]*bucket{}, conns: newCrowd(), long: newCrowd()}
}

// event asks for room for an event of some cost and so many bytes, from an
// address.
func (g *gates) event(ip string, cost, bytes int) (wait time.Duration, ok bool) {
	if wait, ok = g.take(gate{"bytes", ip}, bytes, g.limits.ByteRate, g.limits.ByteBurst); !ok {
		return wait, false
	}
	return g.take(gate{"events", ip}, cost, g.limits.EventRate, g.limits.EventBurst)
}

const (
	tagsPerEvent = 20  // tags that cost as much as an event
	roomCost     = 100 // of a new room, in events
)

// costOf is as how many events an event counts: by the work it makes, which
// goes by its tags.
func costOf(ev *nostr.Event) int {
	cost := 1 + len(ev.Tags)/tagsPerEvent
	if ev.Kind == kindCreateRoom {
		cost += roomCost
	}
	return cost
}

// author asks for room for an event by a key. Ask only once the signature is
// checked, or anybody could use up anybody's.
func (g *gates) author(key string) (wait time.Duration, ok bool) {
	return g.take(gate{"author", key}, 1, g.limits.EventRate, g.limits.EventBurst)
}

// request asks for room for a REQ, COUNT or AUTH.
func (g *gates) request(ip string) (wait time.Duration, ok bool) {
	return g.take(gate{"requests", ip}, 1, g.limits.RequestRate, g.limits.RequestBurst)
}

func (g *gates) take(who gate, n, rate, burst int) (time.Duration, bool) {
	if g.limits.Off {
		return 0, true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	b := g.buckets[who]
	if b == nil {
		b = new(bucket)
		g.buckets[who] = b
	}
	return b.take(n, rate, burst, g.clock())
}

// enter counts a connection in, or says that there are too many.
func (g *gates) enter(ip string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.conns.enter(ip, g.limits.ConnsPerIP, g.limits.Conns, g.limits.Off)
}

func (g *gates) leave(ip string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.conns.leave(ip)
}

// enterLong counts in a long message that is being read.
func (g *gates) enterLong(ip string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.long.enter(ip, LongPerIP, LongMessages, g.limits.Off)
}

func (g *gates) leaveLong(ip string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.long.leave(ip)
}

// crowd counts who is there, by address and in all.
type crowd struct {
	byIP  map[string]int
	total int
}

func newCrowd() crowd { return crowd{byIP: map[string]int{}} }

func (c *crowd) enter(ip string, perIP, all int, unbounded bool) bool {
	if !unbounded && (c.byIP[ip] >= perIP || c.total >= all) {
		return false
	}
	c.byIP[ip]++
	c.total++
	return true
}

func (c *crowd) leave(ip string) {
	c.total--
	if c.byIP[ip]--; c.byIP[ip] == 0 {
		delete(c.byIP, ip)
	}
}

// idle is after how long without use a bucket is forgotten: with the default
// limits it is full again by then.
const idle = time.Minute

// sweep forgets the buckets nobody uses.
func (g *gates) sweep() {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock()
	for who, b := range g.buckets {
		if now.Sub(b.at) > idle {
			delete(g.buckets, who)
		}
	}
}
