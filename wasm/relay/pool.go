package relay

import (
	"context"

	"github.com/nbd-wtf/go-nostr"
)

// Pool holds the connections to all relays. Its methods may be called from
// any goroutine; [Pool.Next] from one at a time. URLs are brought to normal
// form, and a URL that has none is an error.
type Pool struct{}

// NewPool starts a pool without connections. Close ends it.
func NewPool(o Options) *Pool { return &Pool{} }

// Next waits until something has happened and gives all of it, at most
// MaxBatch at a time, in order. It ends with ctx, or with ErrClosed.
func (p *Pool) Next(ctx context.Context) ([]Incoming, error) { return nil, ErrClosed }

// Connect keeps a connection to the relay until Drop, even while nothing is
// asked of it. Without it a relay is connected while it has subscriptions or
// something to do, and IdleAfter longer.
func (p *Pool) Connect(url string) error { return ErrClosed }

// Drop closes the relay's connection and ends what was asked of it.
func (p *Pool) Drop(url string) {}

// Subscribe asks the relay, now and after every reconnect, until Unsubscribe.
// It does not wait: what comes, comes out of Next. At most MaxLive
// subscriptions of a relay are open at once; others wait in line.
func (p *Pool) Subscribe(url string, s Subscription) error { return ErrClosed }

// Unsubscribe ends a subscription. Events already queued still come.
func (p *Pool) Unsubscribe(url, name string) {}

// Publish sends a signed event and waits for the relay's OK. It signs in
// first where the relay demands it. An error (ErrOffline, ErrLost,
// ErrNoAnswer, ErrClosed or ctx's) means that no OK was seen.
func (p *Pool) Publish(ctx context.Context, url string, ev *nostr.Event) (Answer, error) {
	return Answer{}, ErrClosed
}

// Fetch asks once. The events are distinct and NOT verified, in the order
// they came. complete is true when the relay said EOSE; it is false, with
// what came so far and no error, when EOSE did not come in time or there
// were more than MaxFetch events.
func (p *Pool) Fetch(ctx context.Context, url string, filters ...nostr.Filter) (events []*nostr.Event, complete bool, err error) {
	return nil, false, ErrClosed
}

// Probe checks every connection now: a relay that does not answer is
// connected anew, and one that waits to reconnect does so at once. Call it on
// wake, on "online" and when the page becomes visible.
func (p *Pool) Probe() {}

// ForgetConsent makes the next AUTH at this relay ask again.
func (p *Pool) ForgetConsent(url string) {}

// States gives every relay of the pool by URL.
func (p *Pool) States() []State { return nil }

// Diagnostics tells what the relay did wrong so far; zero for unknown relays.
func (p *Pool) Diagnostics(url string) Diagnostics { return Diagnostics{} }

// Close ends every connection and goroutine, and returns when all are gone.
func (p *Pool) Close() {}
