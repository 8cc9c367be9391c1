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
)

// backlog is what a relay had stored; it is taken up in order once all is here.
type backlog struct {
	prompts []prompt
	done    map[string]bool // by subscription
}

// listen subscribes at every relay to what is meant for the agent, from before
// its last stop on.
func (a *Agent) listen() {
	started := a.policy.Started
	for _, h := range a.homes {
		a.backlog[h.URL] = backlog{done: map[string]bool{}}
		a.subscribe(h.URL, subPrompts, func(since int64) []nostr.Filter {
			at := nostr.Timestamp(max(since, started-run.StartGrace))
			f := run.FilterPrompts(a.keys.PubKey)
			f.Since = &at
			return []nostr.Filter{f}
		})
		a.subscribe(h.URL, subWraps, func(since int64) []nostr.Filter {
			return []nostr.Filter{run.FilterWraps(a.keys.PubKey, max(since, started-run.StartGrace))}
		})
	}
}

func (a *Agent) subscribe(url, name string, filters func(since int64) []nostr.Filter) {
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
				a.event(in)
			}
		case relay.GotEOSE, relay.EOSETimeout:
			a.caughtUp(in.Relay, in.Sub)
		case relay.GotClosed:
			a.log.Warn("a relay ended a subscription", "relay", in.Relay, "what", in.Sub, "reason", in.Reason, "retry", in.Retry)
			if !in.Retry {
				a.caughtUp(in.Relay, in.Sub)
			}
		case relay.GotState:
			a.log.Debug("relay", "url", in.Relay, "phase", in.State.Phase, "reason", in.State.Reason)
			if in.State.Phase == relay.Online {
				a.introduce(in.Relay)
			}
		}
	}
}

// event routes one verified event.
func (a *Agent) event(in relay.Incoming) {
	switch kind := in.Event.Kind; {
	case kind == run.KindPrompt || kind == run.KindCancel:
		a.message(a.open(in.Event, false), in.Relay, in.Sub)
	case kind == run.KindWrap || kind == run.KindWrapLive:
		rumour, err := run.Unwrap(in.Event, a.keys.PubKey, a.keys.Decrypt)
		if err != nil {
			a.log.Debug("a gift wrap that is none for us", "id", in.Event.ID, "err", err)
			return
		}
		a.message(a.open(rumour, true), in.Relay, in.Sub)
	}
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

// caughtUp takes up the stored prompts of a relay, oldest first, once it has
// sent them all.
func (a *Agent) caughtUp(url, sub string) {
	a.mu.Lock()
	b, waiting := a.backlog[url]
	if !waiting || sub != subPrompts && sub != subWraps {
		a.mu.Unlock()
		return
	}
	b.done[sub] = true
	if !b.done[subPrompts] || !b.done[subWraps] {
		a.mu.Unlock()
		return
	}
	delete(a.backlog, url)
	a.mu.Unlock()
	slices.SortFunc(b.prompts, func(x, y prompt) int {
		return cmp.Or(cmp.Compare(x.in.Event.CreatedAt, y.in.Event.CreatedAt), cmp.Compare(x.in.Event.ID, y.in.Event.ID))
	})
	for _, p := range b.prompts {
		a.prompt(p, true)
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
