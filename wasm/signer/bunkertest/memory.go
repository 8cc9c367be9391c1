package bunkertest

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/relay"
)

// Memory is relays in memory, one for each URL that is dialled. They pass on and
// keep nothing, as relays do with ephemeral events.
type Memory struct {
	mu     sync.Mutex
	conns  map[*memoryConn]bool
	down   map[string]bool   // relays that take no connections
	refuse map[string]string // what they say to each event
	closed map[string]string // ... and to each subscription of a client's
	passed []*nostr.Event
}

// NewMemory makes relays that all work.
func NewMemory() *Memory {
	return &Memory{conns: map[*memoryConn]bool{}, down: map[string]bool{}, refuse: map[string]string{}, closed: map[string]string{}}
}

// SetDown cuts the connections of a relay and takes no new ones, or takes them
// again.
func (m *Memory) SetDown(url string, down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down[url] = down
	for c := range m.conns {
		if c.url == url && down {
			c.end()
			delete(m.conns, c)
		}
	}
}

// Refuse has a relay refuse every event with these words; "" takes them again.
func (m *Memory) Refuse(url, words string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refuse[url] = words
}

// EndSubscriptions has a relay close the subscriptions of whoever asks by author,
// as clients do, with these words, and take no new ones; "" takes them again.
func (m *Memory) EndSubscriptions(url, words string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed[url] = words
	for c := range m.conns {
		for id, filters := range c.subs {
			if c.url == url && words != "" && len(filters[0].Authors) > 0 {
				delete(c.subs, id)
				c.say("CLOSED", id, words)
			}
		}
	}
}

// Passed are all events that were taken, in order.
func (m *Memory) Passed() []*nostr.Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]*nostr.Event(nil), m.passed...)
}

// Dial is a relay.Dialer.
func (m *Memory) Dial(_ context.Context, url string) (relay.Conn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down[url] {
		return nil, errors.New("nobody is there")
	}
	c := &memoryConn{memory: m, url: url, frames: make(chan relay.Frame, 1<<12), ended: make(chan struct{}), subs: map[string][]nostr.Filter{}}
	c.end = sync.OnceFunc(func() { close(c.ended) })
	m.conns[c] = true
	return c, nil
}

type memoryConn struct {
	memory *Memory
	url    string
	frames chan relay.Frame
	ended  chan struct{}
	end    func()
	subs   map[string][]nostr.Filter
}

var errEnded = errors.New("the connection has ended")

// Read implements relay.Conn.
func (c *memoryConn) Read(ctx context.Context) (relay.Frame, error) {
	select {
	case f := <-c.frames:
		return f, nil
	case <-c.ended:
		return relay.Frame{}, errEnded
	case <-ctx.Done():
		return relay.Frame{}, ctx.Err()
	}
}

// Close implements relay.Conn.
func (c *memoryConn) Close() {
	c.memory.mu.Lock()
	defer c.memory.mu.Unlock()
	delete(c.memory.conns, c)
	c.end()
}

// Send implements relay.Conn: it is the relay's side.
func (c *memoryConn) Send(frame string) error {
	var parts []json.RawMessage
	var label, id string
	if err := json.Unmarshal([]byte(frame), &parts); err != nil {
		return err
	}
	if len(parts) < 2 || json.Unmarshal(parts[0], &label) != nil {
		return errors.New("not a message of NIP-01")
	}
	_ = json.Unmarshal(parts[1], &id) // an EVENT has none
	c.memory.mu.Lock()
	defer c.memory.mu.Unlock()
	if !c.memory.conns[c] {
		return errEnded
	}
	switch label {
	case "EVENT":
		return c.event(parts[1])
	case "REQ":
		filters := make([]nostr.Filter, len(parts)-2)
		for i, text := range parts[2:] {
			if err := json.Unmarshal(text, &filters[i]); err != nil {
				return err
			}
		}
		if words := c.memory.closed[c.url]; words != "" && len(filters[0].Authors) > 0 {
			c.say("CLOSED", id, words)
			return nil
		}
		c.subs[id] = filters
		c.say("EOSE", id)
	case "CLOSE":
		delete(c.subs, id)
	}
	return nil
}

func (c *memoryConn) event(text json.RawMessage) error {
	e := new(nostr.Event)
	if err := json.Unmarshal(text, e); err != nil {
		return err
	}
	words := c.memory.refuse[c.url]
	c.say("OK", e.ID, words == "", words)
	if words != "" {
		return nil
	}
	c.memory.passed = append(c.memory.passed, e)
	for other := range c.memory.conns {
		for id, filters := range other.subs {
			if other.url == c.url && nostr.Filters(filters).Match(e) {
				other.say("EVENT", id, e)
			}
		}
	}
	return nil
}

func (c *memoryConn) say(parts ...any) {
	text, err := json.Marshal(parts)
	if err != nil {
		return // plain data
	}
	select {
	case c.frames <- relay.Frame{Text: string(text)}:
	default: // a reader that is so far behind is cut off
		c.end()
	}
}
