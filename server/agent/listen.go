package agent

import (
	"cmp"
	"crypto/rand"
	"slices"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/relay"
	"parley/wasm/run"
	"parley/wasm/verify"
)

// Names of the subscriptions at each relay.
const (
	subPrompts = "prompts"
	subWraps   = "wraps"
	subMember  = "member"
	subRoom    = "room:" // and the room's id
)

// arrival is one verified event with what to do about it. stored says that it
// was there before the agent began to listen.
type arrival struct {
	at int64
	id string
	do func(stored bool)
}

// backlog is what one subscription had stored, until all of it is here: relays
// send the newest first, and it is taken up in order.
type backlog struct {
	arrivals []arrival
	initial  bool // the agent is not ready before it
}

// subscription is a subscription at a relay.
type subscription struct{ relay, name string }

// listen subscribes at every relay to what is meant for the agent, from before
// its last stop on.
func (a *Agent) listen() {
	me, from := a.keys.PubKey, a.policy.Started-run.StartGrace
	for _, h := range a.homes {
		a.subscribe(h.URL, subPrompts, true, func(since int64) []nostr.Filter {
			return []nostr.Filter{later(run.FilterPrompts(me), promptsSince(since, from))}
		})
		a.subscribe(h.URL, subWraps, true, func(since int64) []nostr.Filter {
			return []nostr.Filter{run.FilterWraps(me, promptsSince(since, from))}
		})
	}
	for _, ref := range a.ownRooms() {
		a.watch(ref, true)
	}
}

// promptsSince is from when on prompts are asked for after a reconnect: from as
// long before it as they are answered, since they are sent when their author is
// online, not when they are dated.
func promptsSince(since, from int64) int64 { return max(since-maxAway, from) }

func later(f nostr.Filter, since int64) nostr.Filter {
	at := nostr.Timestamp(since)
	f.Since = &at
	return f
}

func (a *Agent) subscribe(url, name string, initial bool, filters func(since int64) []nostr.Filter) {
	a.mu.Lock()
	a.backlog[subscription{url, name}] = &backlog{initial: initial}
	a.mu.Unlock()
	if err := a.pool.Subscribe(url, relay.Subscription{Name: name, Filters: filters}); err != nil {
		a.log.Error("listening", "relay", url, "err", err)
	}
}

// take handles a batch of what the relays sent, in order.
func (a *Agent) take(batch []relay.Incoming) {
	var events []*nostr.Event
	for _, in := range batch {
		if in.Kind == relay.GotEvent {
			events = append(events, in.Event)
		}
	}
	good := map[*nostr.Event]bool{}
	for i, err := range verify.Batch(events, rand.Reader) {
		good[events[i]] = err == nil
	}
	for _, in := range batch {
		switch in.Kind {
		case relay.GotEvent:
			if good[in.Event] {
				a.arrived(in)
			}
		case relay.GotEOSE, relay.EOSETimeout:
			a.caughtUp(in.Relay, in.Sub)
		case relay.GotClosed:
			a.log.Warn("a relay ended a subscription", "relay", in.Relay, "what", in.Sub, "reason", in.Reason, "retry", in.Retry)
			if !in.Retry {
				a.caughtUp(in.Relay, in.Sub)
				a.shutOut(in.Relay, in.Sub)
			}
		case relay.GotState:
			a.connection(in.State)
		}
	}
}

// connection follows a relay's connection. What it fails for is said once.
func (a *Agent) connection(s relay.State) {
	switch {
	case s.Phase == relay.Online:
		a.log.Info("connected", "relay", s.URL)
		a.introduce(s.URL)
	case s.Phase == relay.Offline && s.Attempt <= 1 && a.work.Err() == nil:
		a.log.Warn("a relay is away; trying again", "relay", s.URL, "because", s.Reason)
	default:
		a.log.Debug("relay", "url", s.URL, "phase", s.Phase, "reason", s.Reason)
	}
}

// arrived takes up an event, now or once everything stored is here.
func (a *Agent) arrived(in relay.Incoming) {
	what, ok := a.route(in)
	if !ok {
		return
	}
	a.mu.Lock()
	waiting := a.backlog[subscription{in.Relay, in.Sub}]
	if waiting != nil {
		waiting.arrivals = append(waiting.arrivals, what)
	}
	a.mu.Unlock()
	if waiting == nil {
		what.do(false)
	}
}

// route says what to do about an event of a kind that concerns the agent.
func (a *Agent) route(in relay.Incoming) (arrival, bool) {
	ev := in.Event
	do := func(f func(in relay.Incoming, stored bool)) (arrival, bool) {
		return arrival{int64(ev.CreatedAt), ev.ID, func(stored bool) { f(in, stored) }}, true
	}
	switch ev.Kind {
	case run.KindPrompt, run.KindCancel:
		return a.routeMessage(a.open(ev, false), in.Relay)
	case run.KindWrap, run.KindWrapLive:
		rumour, err := run.Unwrap(ev, a.keys.PubKey, a.keys.Decrypt)
		if err != nil {
			a.log.Debug("a gift wrap that is none for us", "id", ev.ID, "err", err)
			return arrival{}, false
		}
		return a.routeMessage(a.open(rumour, true), in.Relay)
	}
	if f := a.roomRoute(ev.Kind); f != nil {
		return do(f)
	}
	return arrival{}, false
}

// routeMessage is route for prompts and cancels.
func (a *Agent) routeMessage(in run.Input, url string) (arrival, bool) {
	return arrival{int64(in.Event.CreatedAt), in.Event.ID, func(stored bool) {
		if in.Event.Kind == run.KindCancel {
			a.cancel(in)
			return
		}
		a.prompt(prompt{in, url}, stored)
	}}, true
}

// open decrypts a prompt or cancel.
func (a *Agent) open(ev *nostr.Event, wrapped bool) run.Input {
	in := run.Input{Event: ev, Wrapped: wrapped, Seen: a.now(), Opening: run.Unreadable}
	if wrapped && run.IsPlain(ev.Content) {
		in.Opening, in.Plain, in.PlainIn = run.Opened, ev.Content, true
		return in
	}
	if plain, err := a.keys.Decrypt(ev.PubKey, ev.Content); err == nil {
		in.Opening, in.Plain = run.Opened, plain
	}
	return in
}

// caughtUp takes up what a subscription had stored, oldest first, once it is all
// here. The agent is ready when one relay has given everything.
func (a *Agent) caughtUp(url, name string) {
	a.mu.Lock()
	b := a.backlog[subscription{url, name}]
	delete(a.backlog, subscription{url, name})
	a.mu.Unlock()
	if name == subPrompts {
		// Who is in a private room is told to those who are signed in, and a
		// relay that wants that has asked for it by now. So it is asked again
		// on every connection, for what happened while there was none.
		a.subscribe(url, subMember, false, relay.Fixed(memberFilters(a.keys.PubKey)...))
	}
	if b == nil {
		return
	}
	slices.SortStableFunc(b.arrivals, func(x, y arrival) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.id, y.id))
	})
	for _, what := range b.arrivals {
		what.do(true)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for s, b := range a.backlog {
		if s.relay == url && b.initial {
			return
		}
	}
	a.readyOnce.Do(func() { close(a.ready) })
}

// verified are those events whose id and signature hold.
func verified(events []*nostr.Event) []*nostr.Event {
	var good []*nostr.Event
	for i, err := range verify.Batch(events, rand.Reader) {
		if err == nil {
			good = append(good, events[i])
		}
	}
	return good
}
