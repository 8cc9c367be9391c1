package relay

import (
	"encoding/json"
	"sync"

	"parley/wasm/verify"
)

const (
	// maxPending is how many events of a connection wait to be checked, and to
	// be finished, at most.
	maxPending = 128
	// maxFlow is how many bytes of events of a connection are on their way
	// before the next message is read.
	maxFlow = 4 << 20
	// maxTogether is how many signatures are checked together.
	maxTogether = 64
)

// event takes an EVENT as far as it goes without waiting.
func (c *conn) event(raw json.RawMessage, bytes int) {
	ev, err := verify.ParseEvent(raw)
	if err != nil {
		c.badEvent(raw)
		return
	}
	p := pending{ev: ev, keys: c.held(), bytes: bytes}
	if wait, ok := c.relay.gates.event(c.ip, costOf(ev), bytes); !ok {
		p.err = slowDown("events", wait)
	}
	c.flow.wait()
	c.flow.add(bytes)
	c.arrived <- p
}

// flow counts bytes on their way.
type flow struct {
	mu    sync.Mutex
	less  *sync.Cond
	bytes int
}

func (f *flow) add(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.bytes += n
	f.less.Broadcast()
}

// wait waits until little enough is on its way.
func (f *flow) wait() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.bytes > maxFlow {
		f.less.Wait()
	}
}

// checkAll checks the connection's events, in order, and together those that
// have come meanwhile.
func (c *conn) checkAll() {
	for p := range c.arrived {
		batch := []pending{p}
		for more := true; more && len(batch) < maxTogether; {
			select {
			case p, ok := <-c.arrived:
				if more = ok; ok {
					batch = append(batch, p)
				}
			default:
				more = false
			}
		}
		c.check(batch)
		for _, p := range batch {
			c.pending <- p
		}
	}
}

func (c *conn) check(batch []pending) {
	defer c.fence("checking events")
	c.relay.accept(batch)
}

// badEvent answers by id where there is one.
func (c *conn) badEvent(raw json.RawMessage) {
	err := refuse(invalid, "this is not an event: its fields must have the types of NIP-01")
	var part struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(raw, &part) != nil || !isHex(part.ID, 64) {
		c.notice(err)
		return
	}
	c.out.putText(message(msgOK, part.ID, false, err.Error()))
}

// finishAll answers the connection's events, in order.
func (c *conn) finishAll() {
	for p := range c.pending {
		c.finish(p)
	}
}

func (c *conn) finish(p pending) {
	defer c.fence("finishing an event")
	defer c.flow.add(-p.bytes)
	words, err := c.relay.finish(p)
	if err != nil {
		words = err.Error()
	}
	c.out.putText(message(msgOK, p.ev.ID, err == nil, words))
}
