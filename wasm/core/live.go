package core

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/relay"
)

// What is heard live on one relay is merged into few subscriptions, however
// many rooms and agents there are: relays take 20 of a connection and fewer. A
// live subscription asks for what arrives and for no history; that is asked for
// by one-shots, once what arrives is heard, so that nothing falls in between.
const (
	// MaxRoomSubs and MaxStateSubs bound the subscriptions for the messages of a
	// relay's rooms and for what it says about them. There is one of each for
	// what arrives from agents, for what people say of themselves and delete,
	// and for the cards.
	MaxRoomSubs  = 3
	MaxStateSubs = 2
	// MaxLiveSubs is the most live subscriptions of a relay. While one is
	// replaced there are two of it, which is what relay.MaxLive has room for.
	MaxLiveSubs = MaxRoomSubs + MaxStateSubs + 3
	// MaxSubKeys and MaxSubBytes bound the rooms or people in one subscription:
	// relays take 200 values and more, and messages of 16 kB and more.
	MaxSubKeys  = 200
	MaxSubBytes = 12 << 10
	// MaxAgents is how many agents are heard live on a relay, MaxAuthors of how
	// many people deletions that name no room are.
	MaxAgents  = 80
	MaxAuthors = 80
	// LiveWait gathers changes of what is heard, so that fifty rooms that are
	// listed at once are one question; LiveEvery is the shortest time between two
	// changes.
	LiveWait  = 20 * time.Millisecond
	LiveEvery = 250 * time.Millisecond
)

// topic is what a live subscription is for; its name at the pool begins so.
type topic string

const (
	liveRooms  topic = "rooms"
	liveState  topic = "state"
	livePeople topic = "people"
	liveAI     topic = "ai"
	liveCards  topic = "cards"
)

// liveRelay is what is heard live on one relay.
type liveRelay struct {
	parts []*part
	turn  int // counts the connections that ended
	// alone is set for a relay that takes one room in a subscription; again
	// when the plan changed while a subscription was not live yet.
	alone, again bool
	catching     int // one-shots for what open rooms missed that are under way
	agents       agentSync
	infos        map[string]bool // agents that were asked about themselves on this connection
	authors      []string        // whose deletions are heard
	authorAt     int64           // when authors last changed
	unheard      bool            // somebody wrote who is not in authors
}

// part is one live subscription. A change takes a new one under another name;
// the one before ends when the new one is live, so nothing is missed.
type part struct {
	topic   topic
	private bool // rooms that only members can read, apart from the others
	keys    []string
	name    string
	before  string   // still heard until name is
	fresh   []string // keys that were added and are not heard yet
	phase   partPhase
}

type partPhase int

const (
	partAsked  partPhase = iota // not live yet
	partLive                    // the relay said EOSE on this connection
	partClosed                  // the relay ended it; the pool may ask again by itself
	partDead                    // ... and does not
)

func newLiveRelay() *liveRelay { return &liveRelay{agents: newAgentSync(), infos: map[string]bool{}} }

// part gives the live subscription of a name, nil for one that was replaced.
func (l *liveRelay) part(name string) *part {
	for _, p := range l.parts {
		if p.name == name {
			return p
		}
	}
	return nil
}

// demand is what is to be heard of one topic.
type demand struct {
	topic   topic
	private bool
	keys    []string // the most important first
	subs    int      // the most subscriptions
	each    int      // the most keys in one
}

// assign spreads a demand over the parts there are and new ones, and changes as
// few as it can. It gives the keys of each part, for existing ones in their
// order, and what found no place.
func assign(have []*part, d demand) (sets [][]string, left []string) {
	place := map[string]int{}
	for i, p := range have {
		sets = append(sets, nil)
		for _, key := range p.keys {
			place[key] = i
		}
	}
	size := func(set []string) (bytes int) {
		for _, key := range set {
			bytes += len(key) + len(`"",`)
		}
		return bytes
	}
	fits := func(i int, key string) bool {
		return len(sets[i]) < d.each && size(sets[i])+len(key) < MaxSubBytes
	}
	var fresh []string
	for _, key := range d.keys {
		if i, ok := place[key]; ok && i < d.subs && fits(i, key) {
			sets[i] = append(sets[i], key)
		} else {
			fresh = append(fresh, key)
		}
	}
	for _, key := range fresh {
		i := 0
		for i < len(sets) && !fits(i, key) {
			i++
		}
		if i >= d.subs {
			left = append(left, key)
			continue
		}
		if i == len(sets) {
			sets = append(sets, nil)
		}
		sets[i] = append(sets[i], key)
	}
	for _, set := range sets {
		slices.Sort(set)
	}
	return sets, left
}

// settleDemand brings the subscriptions of one topic in line with what is
// wanted, and gives what found no place. One that is not live yet is not
// replaced: the relay gets one change at a time. mu is held.
func (c *Core) settleDemand(url string, l *liveRelay, d demand) (left []string) {
	var have []*part
	for _, p := range l.parts {
		if p.topic == d.topic && p.private == d.private {
			have = append(have, p)
		}
	}
	most := min(len(d.keys), d.subs*d.each)
	over := d.keys[most:]
	d.keys = d.keys[:most]
	sets, left := assign(have, d)
	left = append(left, over...)
	online := c.relays.states[url].Phase == relay.Online
	for i, keys := range sets {
		if i == len(have) {
			p := &part{topic: d.topic, private: d.private}
			have, l.parts = append(have, p), append(l.parts, p)
		}
		p := have[i]
		switch {
		case len(keys) == 0:
			c.endPart(url, l, p)
		case slices.Equal(keys, p.keys): // a dead one waits for the next connection
		case p.name != "" && p.phase == partAsked && online:
			l.again = true
		default:
			c.subscribe(url, l, p, keys)
		}
	}
	return left
}

// subscribe puts a part's subscription in the place of the one before.
func (c *Core) subscribe(url string, l *liveRelay, p *part, keys []string) {
	switch {
	case p.name == "" || p.phase == partDead:
	case p.phase == partLive && p.before == "":
		p.before = p.name
	default:
		c.pool.Unsubscribe(url, p.name)
	}
	c.asked++
	for _, r := range c.roomsOf(url, &part{topic: p.topic, keys: keys}) {
		if !slices.Contains(p.keys, r.ref.ID) {
			r.live, r.current = false, false // what it missed is asked for once it is heard here
		}
	}
	for _, key := range keys {
		if !slices.Contains(p.keys, key) {
			p.fresh = append(p.fresh, key)
			l.forget(p.topic, key)
		}
	}
	p.keys, p.phase = keys, partAsked
	p.name = string(p.topic) + " " + strconv.Itoa(c.asked)
	filters := c.liveFilters(p)
	if err := c.pool.Subscribe(url, relay.Subscription{Name: p.name, Filters: filters}); err != nil {
		p.phase = partDead
	}
}

// forget has what is known of an agent asked for again: it may have been heard
// before, but not in between.
func (l *liveRelay) forget(t topic, key string) {
	switch agent, _ := strings.CutPrefix(key, agentMark); t {
	case liveAI:
		delete(l.agents.whole, key)
		delete(l.agents.current, key)
	case livePeople:
		delete(l.infos, agent)
	}
}

// endPart ends a live subscription.
func (c *Core) endPart(url string, l *liveRelay, p *part) {
	for _, name := range []string{p.name, p.before} {
		if name != "" {
			c.pool.Unsubscribe(url, name)
		}
	}
	l.parts = slices.DeleteFunc(l.parts, func(o *part) bool { return o == p })
}

// always is a Filters that asks for the same each time.
func always(filters ...nostr.Filter) func(int64) []nostr.Filter {
	return func(int64) []nostr.Filter { return filters }
}
