package relay

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nbd-wtf/go-nostr"
)

// Pool holds the connections to all relays. Its methods may be called from
// any goroutine; [Pool.Next] from one at a time. URLs are brought to normal
// form, and a URL that has none is an error.
type Pool struct {
	options Options
	ctx     context.Context
	cancel  context.CancelFunc
	queue   *queue
	wg      sync.WaitGroup // every goroutine of the pool
	// prefix and count make subscription ids that no connection has seen.
	prefix string
	count  atomic.Int64

	mu     sync.Mutex
	closed bool
	relays map[string]*relay
	// consent is what the person answered, by URL. It outlives connections.
	consent map[string]bool
	beat    func() // stops the heartbeat
}

// NewPool starts a pool without connections. Close ends it.
func NewPool(o Options) *Pool {
	if o.Dial == nil {
		o.Dial = dial
	}
	if o.Clock == nil {
		o.Clock = realClock{}
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	p := &Pool{
		options: o, queue: newQueue(), relays: map[string]*relay{}, consent: map[string]bool{},
		prefix: strconv.FormatInt(int64(o.Rand()*(1<<30)), 36),
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.heartbeat(o.Clock.Now())
	return p
}

// heartbeat notices that the machine was asleep. It compares wall clocks,
// since the monotonic one may sleep too.
func (p *Pool) heartbeat(last time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.beat = p.options.Clock.AfterFunc(Heartbeat, func() {
		now := p.options.Clock.Now()
		if now.Round(0).Sub(last.Round(0)) > Heartbeat+JumpAfter {
			p.Probe()
		}
		p.heartbeat(now)
	})
}

// Next waits until something has happened and gives all of it, at most
// MaxBatch at a time, in order. It ends with ctx, or with ErrClosed.
func (p *Pool) Next(ctx context.Context) ([]Incoming, error) { return p.queue.next(ctx) }

// Connect keeps a connection to the relay until Drop, even while nothing is
// asked of it. Without it a relay is connected while it has subscriptions or
// something to do, and IdleAfter longer.
func (p *Pool) Connect(url string) error {
	return p.tell(url, func(r *relay) { r.pinned = true })
}

// Drop closes the relay's connection and ends what was asked of it.
func (p *Pool) Drop(url string) {
	normal, err := Normalize(url)
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.relays[normal]; r != nil {
		delete(p.relays, normal)
		r.cancel()
	}
}

// Subscribe asks the relay, now and after every reconnect, until Unsubscribe.
// It does not wait: what comes, comes out of Next. At most MaxLive
// subscriptions of a relay are open at once; others wait in line.
func (p *Pool) Subscribe(url string, s Subscription) error {
	if s.Name == "" || s.Filters == nil {
		return fmt.Errorf("subscribe at %s: a subscription needs a name and filters", url)
	}
	return p.tell(url, func(r *relay) { r.subscribe(s) })
}

// Unsubscribe ends a subscription. Events already queued still come.
func (p *Pool) Unsubscribe(url, name string) {
	p.tellKnown(url, func(r *relay) { r.unsubscribe(name) })
}

// Publish sends a signed event and waits for the relay's OK. It signs in
// first where the relay demands it. An error (ErrOffline, ErrLost,
// ErrNoAnswer, ErrClosed or ctx's) means that no OK was seen.
func (p *Pool) Publish(ctx context.Context, url string, ev *nostr.Event) (Answer, error) {
	outcome := make(chan published, 1)
	frame, err := eventFrame(msgEvent, ev)
	if err != nil {
		return Answer{}, fmt.Errorf("publish to %s: %w", url, err)
	}
	if err := p.tell(url, func(r *relay) { r.publish(ev.ID, frame, outcome) }); err != nil {
		return Answer{}, err
	}
	select {
	case got := <-outcome:
		if got.err != nil {
			return Answer{}, fmt.Errorf("publish to %s: %w", url, got.err)
		}
		return got.answer, nil
	case <-ctx.Done():
		p.tellKnown(url, func(r *relay) { r.unpublish(ev.ID, outcome) })
		return Answer{}, fmt.Errorf("publish to %s: %w", url, ctx.Err())
	}
}

// Fetch asks once. The events are distinct and NOT verified, in the order
// they came. complete is true when the relay said EOSE; it is false, with
// what came so far and no error, when EOSE did not come in time or there
// were more than MaxFetch events. An error (also with what came so far) is
// ErrOffline, ErrLost, ErrRefused, ErrClosed or ctx's.
func (p *Pool) Fetch(ctx context.Context, url string, filters ...nostr.Filter) (events []*nostr.Event, complete bool, err error) {
	if len(filters) == 0 {
		return nil, false, fmt.Errorf("fetch from %s: there are no filters to ask for", url)
	}
	outcome := make(chan fetched, 1)
	name := "\x00" + p.freshID() // no name of a caller's begins like this
	if err := p.tell(url, func(r *relay) { r.fetch(name, filters, outcome) }); err != nil {
		return nil, false, err
	}
	var got fetched
	select {
	case got = <-outcome:
	case <-ctx.Done():
		// The relay answers at once, and with what came so far.
		p.tellKnown(url, func(r *relay) { r.unsubscribe(name) })
		got = <-outcome
		got.err = ctx.Err()
	}
	if got.err != nil {
		got.err = fmt.Errorf("fetch from %s: %w", url, got.err)
	}
	return got.events, got.complete, got.err
}

// Probe checks every connection now: a relay that does not answer is
// connected anew, and one that waits to reconnect does so at once. Call it on
// wake, on "online" and when the page becomes visible.
func (p *Pool) Probe() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.relays {
		r.mail.post(r.startProbe)
	}
}

// ForgetConsent makes the next AUTH at this relay ask again, also where this
// connection had been refused it, and asks again what needed it.
func (p *Pool) ForgetConsent(url string) {
	normal, err := Normalize(url)
	if err != nil {
		return
	}
	p.mu.Lock()
	delete(p.consent, normal)
	p.mu.Unlock()
	p.tellKnown(url, func(r *relay) { r.reconsider() })
}

func (p *Pool) consentOf(url string) (given, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	given, known = p.consent[url]
	return given, known
}

func (p *Pool) setConsent(url string, given bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.consent[url] = given
}

// States gives every relay of the pool by URL.
func (p *Pool) States() []State {
	p.mu.Lock()
	defer p.mu.Unlock()
	states := make([]State, 0, len(p.relays))
	for _, r := range p.relays {
		states = append(states, r.front.state())
	}
	slices.SortFunc(states, func(a, b State) int { return cmp.Compare(a.URL, b.URL) })
	return states
}

// Diagnostics tells what the relay did wrong so far; zero for unknown relays.
func (p *Pool) Diagnostics(url string) Diagnostics {
	normal, err := Normalize(url)
	if err != nil {
		return Diagnostics{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.relays[normal]; r != nil {
		return r.front.diagnostics()
	}
	return Diagnostics{}
}

// Close ends every connection and goroutine, and returns when all are gone.
// Auth and Ask must return when their ctx ends.
func (p *Pool) Close() {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		p.beat()
	}
	p.mu.Unlock()
	p.cancel()
	p.wg.Wait()
	p.queue.close()
}

// tell runs f on the relay's goroutine, making the relay if need be.
func (p *Pool) tell(url string, f func(*relay)) error {
	normal, err := Normalize(url)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return fmt.Errorf("%s: %w", normal, ErrClosed)
	}
	r := p.relays[normal]
	if r == nil {
		if len(p.relays) >= MaxRelays {
			return fmt.Errorf("%s: %w", normal, ErrTooManyRelays)
		}
		r = newRelay(p, normal)
		p.relays[normal] = r
		p.wg.Go(r.run)
	}
	r.mail.post(func() { f(r) })
	return nil
}

// tellKnown runs f on the relay's goroutine if there is such a relay.
func (p *Pool) tellKnown(url string, f func(*relay)) {
	normal, err := Normalize(url)
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.relays[normal]; r != nil {
		r.mail.post(func() { f(r) })
	}
}

// retire forgets an idle relay, unless something was just asked of it.
func (p *Pool) retire(r *relay) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !r.mail.closeIfEmpty() {
		return false
	}
	if p.relays[r.url] == r {
		delete(p.relays, r.url)
	}
	return true
}

// freshID gives a subscription id that was never used before.
func (p *Pool) freshID() string {
	return p.prefix + ":" + strconv.FormatInt(p.count.Add(1), 36)
}
