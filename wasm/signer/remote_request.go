package signer

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/nbd-wtf/go-nostr"
)

// MaxRequests is how many requests that nobody waits for are remembered, so that
// their late answers still count.
const MaxRequests = 256

// idSize is how many random bytes make a request's id.
const idSize = 16

// request is one call on its way, or answered and not fetched yet.
type request struct {
	id      string
	method  string
	call    string // method and parameters
	text    string // what is encrypted
	number  int64  // in the order they were made
	event   *nostr.Event
	sent    map[string]bool   // relays that were given event
	refused map[string]string // relays that did not take it, with their words
	waiting int               // how many wait for the answer
	link    string            // where the person has to sign in first
	done    chan struct{}     // closed when result and err stand
	result  string
	err     error
}

func (q *request) over() bool {
	select {
	case <-q.done:
		return true
	default:
		return false
	}
}

// outlives tells whether an answer is still of use when nobody waits any more:
// somebody has read a question for it.
func (q *request) outlives() bool {
	return q.method == methodSign || q.method == methodEncrypt || q.method == methodDecrypt
}

// ask makes a request and waits for its answer: as long as the signer gives
// signs of life, at most AnswerWait.
func (r *Remote) ask(ctx context.Context, method string, params ...string) (string, error) {
	r.mu.Lock()
	if err := r.shut(method); err != nil {
		r.mu.Unlock()
		return "", err
	}
	q, err := r.join(method, params)
	gone := r.gone
	r.mu.Unlock()
	if err != nil {
		return "", err
	}
	defer r.leave(q)
	check, limit := time.NewTimer(PingAfter), time.NewTimer(AnswerWait)
	defer check.Stop()
	defer limit.Stop()
	for {
		select {
		case <-q.done:
			return q.result, q.err
		case <-gone:
			if gone, err = r.leftAlone(q); err != nil {
				return "", err
			}
		case <-check.C:
			r.askLife(q)
			check.Reset(PingAgain)
		case <-limit.C:
			return "", &fault{ErrAway, "your remote signer has not answered for a long time"}
		case <-ctx.Done():
			return "", ctx.Err()
		case <-r.ctx.Done():
			return "", errClosed
		}
	}
}

// askPatiently is ask for a signer that need not know us yet, so that a sign of
// life cannot be asked for: only relays that are away end it, and ctx.
func (r *Remote) askPatiently(ctx context.Context, method string, params ...string) (string, error) {
	r.mu.Lock()
	q, err := r.join(method, params)
	r.mu.Unlock()
	if err != nil {
		return "", err
	}
	defer r.leave(q)
	link := time.NewTicker(LinkWait)
	defer link.Stop()
	for {
		select {
		case <-q.done:
			return q.result, q.err
		case <-link.C:
			r.mu.Lock()
			unheard := !r.listening()
			err := r.unreachable()
			r.mu.Unlock()
			if unheard {
				return "", err
			}
		case <-ctx.Done():
			return "", ctx.Err()
		case <-r.ctx.Done():
			return "", errClosed
		}
	}
}

// shut tells why nothing can be asked now; nil when it can. mu is held.
func (r *Remote) shut(method string) error {
	switch {
	case r.other != "" && method != methodPublicKey:
		return otherKey()
	case r.away != "":
		poke(r.nudge)
		return r.awayError()
	}
	return nil
}

// leftAlone tells whether a request is given up because the signer went away:
// not when it is answered, nor when the person has to sign in elsewhere first, nor
// when it is back already. Then gone is closed when it goes away once more.
func (r *Remote) leftAlone(q *request) (gone chan struct{}, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.away == "":
		return r.gone, nil
	case q.over() || q.link != "":
		return nil, nil
	}
	return nil, r.awayError()
}

// join makes a request, or finds the one that asks the same; each ping is one of
// its own, since it is about now. mu is held.
func (r *Remote) join(method string, params []string) (*request, error) {
	if r.closed {
		return nil, errClosed
	}
	if params == nil {
		params = []string{} // the NIP wants an array
	}
	call, err := json.Marshal(append([]string{method}, params...))
	if err != nil {
		return nil, err
	}
	if q := r.byCall[string(call)]; q != nil {
		if q.waiting++; q.waiting == 1 && !q.over() {
			q.seal() // the signer may have lost it when it was away
			r.send(q)
		}
		return q, nil
	}
	var random [idSize]byte
	if _, err := io.ReadFull(r.options.Rand, random[:]); err != nil {
		return nil, fmt.Errorf("ask the remote signer: drawing randomness: %w", err)
	}
	r.count++
	q := &request{
		id: hex.EncodeToString(random[:]), method: method, call: string(call), number: r.count, waiting: 1, done: make(chan struct{}),
	}
	text, err := json.Marshal(struct {
		ID     string   `json:"id"`
		Method string   `json:"method"`
		Params []string `json:"params"`
	}{q.id, method, params})
	if err != nil {
		return nil, err
	}
	q.text = string(text)
	q.seal()
	if !r.listening() {
		r.listenAgain()
	}
	r.forgetOldest()
	r.requests[q.id] = q
	if method != methodPing {
		r.byCall[q.call] = q
	}
	r.send(q)
	return q, nil
}

// seal has a request sent anew, under the same id, in an event of its own.
func (q *request) seal() { q.event, q.sent, q.refused = nil, map[string]bool{}, map[string]string{} }

// leave ends a wait. What is answered is forgotten.
func (r *Remote) leave(q *request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if q.waiting--; q.waiting == 0 && (q.over() || !q.outlives()) {
		r.forget(q)
	}
}

func (r *Remote) forget(q *request) {
	delete(r.requests, q.id)
	if r.byCall[q.call] == q {
		delete(r.byCall, q.call)
	}
	if q.link != "" {
		r.tell()
	}
}

// forgetOldest makes room for one more request. mu is held.
func (r *Remote) forgetOldest() {
	var oldest *request
	n := 0
	for _, q := range r.requests {
		if q.waiting == 0 {
			n++
			if oldest == nil || q.number < oldest.number {
				oldest = q
			}
		}
	}
	if n >= MaxRequests {
		r.forget(oldest)
	}
}

// finish gives a request its answer. mu is held.
func (r *Remote) finish(q *request, result string, err error) {
	if q.over() {
		return
	}
	q.result, q.err = result, err
	close(q.done)
	if q.link != "" {
		r.tell()
	}
	if q.waiting == 0 && !q.outlives() {
		r.forget(q)
	}
}

func poke(signal chan struct{}) {
	select {
	case signal <- struct{}{}:
	default:
	}
}
