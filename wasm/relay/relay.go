// Package relay speaks NIP-01 and NIP-42 with Nostr relays: connections that
// come back by themselves, subscriptions that survive them, and publishing
// that counts only an OK it has seen.
//
// A [Pool] holds one connection per relay URL in normal form. Everything that
// arrives comes out of [Pool.Next] in the order it arrived. Events are NOT
// verified here: the caller checks ids and signatures, in batches.
//
// It runs in the browser (over its own WebSocket) and natively.
package relay

import (
	"context"
	"errors"

	"github.com/nbd-wtf/go-nostr"
)

// Errors of this package, wrapped with the relay's URL and what was tried.
var (
	// ErrOffline: there is no connection and the attempt to make one failed.
	ErrOffline = errors.New("relay is offline")
	// ErrLost: the connection ended before the relay answered. The event may
	// or may not have arrived; sending it again is safe ("duplicate:").
	ErrLost = errors.New("connection lost before the relay answered")
	// ErrNoAnswer: the connection stands but the relay did not answer in time.
	ErrNoAnswer = errors.New("relay did not answer in time")
	// ErrClosed: the pool is closed, or the relay was dropped from it.
	ErrClosed = errors.New("relay connections are closed")
	// ErrTooManyRelays: the pool already has MaxRelays relays.
	ErrTooManyRelays = errors.New("too many relays at once; drop one first")
	// ErrRefused ends a one-shot that the relay answered with CLOSED.
	ErrRefused = errors.New("relay refused the request")
	// ErrNoAuth is what Options.Auth returns when no AUTH is to be sent.
	ErrNoAuth = errors.New("not signed in to this relay")
)

// AuthPolicy says what to do when a relay refuses something for want of AUTH.
type AuthPolicy int

const (
	AuthAsk    AuthPolicy = iota // ask the person first, once per relay
	AuthAlways                   // answer
	AuthNever                    // do not answer; what needed it is reported
)

// Options are what a pool needs from outside. The zero value connects, and
// answers no AUTH.
type Options struct {
	// Policy says how AUTH is answered at a relay. Nil means AuthAsk.
	// Called from the pool's goroutines; must not block.
	Policy func(relayURL string) AuthPolicy
	// Ask asks the person under AuthAsk: true to sign in. It may take as long
	// as it takes; ctx ends when the relay is dropped or the pool closed. The
	// answer is remembered until [Pool.ForgetConsent]; an error is not.
	// Nil means no.
	Ask func(ctx context.Context, relayURL string) (bool, error)
	// Auth makes the signed event of kind 22242 (NIP-42), with tags relay and
	// challenge exactly as given. It may show a dialog and take as long as
	// it takes; ctx ends with the connection. An error is remembered until
	// the connection ends. Nil means never.
	Auth func(ctx context.Context, relayURL, challenge string) (*nostr.Event, error)
	// NoIncoming is for programs that only Publish and Fetch and never call
	// Next: nothing is queued for it.
	NoIncoming bool
	// Dial opens sockets; nil means the real ones.
	Dial Dialer
	// Clock is the time; nil means the real one.
	Clock Clock
	// Rand gives numbers in [0,1) for jitter; nil means math/rand/v2.
	Rand func() float64
}

// Phase is where a connection stands.
type Phase string

// The phases, as shown in data-connection.
const (
	Connecting Phase = "connecting"
	Online     Phase = "online"
	Offline    Phase = "offline"
)

// State is a relay's connection at one moment.
type State struct {
	// URL is the relay in normal form.
	URL   string
	Phase Phase
	// Reason says in words why it is not online.
	Reason string
	// Since is when the phase began, in unix seconds.
	Since int64
	// RetryAt is when the next attempt is due, in unix seconds; 0 if none.
	RetryAt int64
	// Attempt counts attempts since it was last online for a while.
	Attempt int
}

// IncomingKind is what an [Incoming] tells.
type IncomingKind string

// Everything a pool reports.
const (
	// GotEvent: Event and Raw are set, Sub names the subscription.
	GotEvent IncomingKind = "event"
	// GotEOSE: what the relay has stored for Sub has all been delivered.
	GotEOSE IncomingKind = "eose"
	// EOSETimeout: EOSE for Sub did not come; with Retry it is being asked
	// again, without it stays open for live events until the next connection.
	EOSETimeout IncomingKind = "eose-timeout"
	// GotClosed: the relay ended Sub with Reason. When Retry is set the pool
	// asks again by itself; else the subscription is over.
	GotClosed IncomingKind = "closed"
	// GotNotice: Reason is a NOTICE, a diagnostic only.
	GotNotice IncomingKind = "notice"
	// GotState: State has changed.
	GotState IncomingKind = "state"
)

// Incoming is one thing that happened, in the order it happened.
type Incoming struct {
	Kind IncomingKind
	// Relay is the URL in normal form.
	Relay string
	// Sub is the subscription's name as given to [Pool.Subscribe].
	Sub string
	// Event is parsed but not verified.
	Event *nostr.Event
	// Raw is the event as the relay wrote it: one JSON object.
	Raw string
	// Reason is the relay's words, or ours.
	Reason string
	// Retry: the pool asks again by itself, sooner or at the next connection.
	Retry bool
	// Stored, for GotEOSE, is how many events the relay sent before it, those
	// dropped as known included, and Oldest the lowest created_at among them.
	// When Stored reaches a filter's limit there may be more before Oldest.
	Stored int
	Oldest int64
	// Since, for GotEOSE, is what Filters was called with.
	Since int64
	// State is set for GotState.
	State State
}

// Subscription is what to ask one relay for, again after every reconnect.
type Subscription struct {
	// Name is the caller's, unique per relay; a second Subscribe under the
	// same name replaces the first. It never goes to the relay.
	Name string
	// Filters gives what to ask for. since is 0 until the relay has once
	// delivered everything up to EOSE; later it is [Overlap] seconds before
	// the newest created_at that came without a gap (never in the future),
	// to be used as the filters' Since. What comes twice is dropped by id.
	// Called from the pool's goroutines; must not block.
	Filters func(since int64) []nostr.Filter
}

// Fixed gives a Filters function that always asks for the same, moved
// forward to since on a reconnect.
func Fixed(filters ...nostr.Filter) func(since int64) []nostr.Filter {
	return func(since int64) []nostr.Filter {
		moved := make([]nostr.Filter, len(filters))
		for i, f := range filters {
			moved[i] = f.Clone()
			if at := nostr.Timestamp(since); since > 0 && (f.Since == nil || *f.Since < at) {
				moved[i].Since = &at
			}
		}
		return moved
	}
}

// Answer is a relay's OK to an event.
type Answer struct {
	OK bool
	// Message is the relay's words, with the prefix of NIP-01 when not OK.
	Message string
}

// Diagnostics counts what a relay did that it should not have.
type Diagnostics struct {
	// Malformed frames, frames over MaxFrame, frames for no subscription of
	// ours, events the filters did not ask for, events delivered before.
	Malformed, Oversized, Unasked, Unmatched, Duplicates int
	// Notices are the last MaxNotices NOTICEs, oldest first.
	Notices []string
}
