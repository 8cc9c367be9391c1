package core

import (
	"context"
	"slices"

	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/store"
)

// Why an act does not leave for a relay, in words.
const (
	relayRemoved = "You have removed this relay."
	noRelayLeft  = "You have removed the relay that this was for, and there is no other. Add one in the settings and press Retry."
)

var errNoRelay = &port.Error{Code: port.CodeUnavailable, Message: "There is no relay to send this to. Add one in the settings."}

// retarget gives an act that belongs to no room relays that are in the person's
// list: those that it is for and that are still there, or else all there are.
// Without any it is refused, and says why. Acts in a room are for the room's
// relay, whatever is in the list. mu is held.
func (c *Core) retarget(e store.Entry) store.Entry {
	if roomOf(&e) != (room.Ref{}) {
		return e
	}
	targets := make([]store.Target, 0, len(e.Targets))
	alive := false
	for _, t := range e.Targets {
		switch {
		case t.OK || c.relays.isMine(t.Relay):
			alive = true
		case store.MayHave(t): // not to be given back as if it had never left
			t = store.Target{Relay: t.Relay, State: store.Refused, Reason: relayRemoved, Maybe: true}
		default:
			continue
		}
		targets = append(targets, t)
	}
	for _, url := range c.relays.order {
		if !alive {
			targets = append(targets, store.Target{Relay: url, State: store.Waiting})
		}
	}
	if !alive && len(c.relays.order) == 0 {
		targets = slices.DeleteFunc(targets, func(t store.Target) bool { return t.State != store.Refused })
		for _, t := range e.Targets {
			if !slices.ContainsFunc(targets, func(have store.Target) bool { return have.Relay == t.Relay }) {
				targets = append(targets, store.Target{Relay: t.Relay, State: store.Refused})
			}
		}
		for i := range targets {
			targets[i].Reason = noRelayLeft
		}
	}
	e.Targets = targets
	return e
}

// retargetAll is retarget for everything that waits for a relay that is not in
// the list any more.
func (c *Core) retargetAll(ctx context.Context) {
	c.mu.Lock()
	var ids []string
	for id, e := range c.outbox {
		gone := slices.ContainsFunc(e.Targets, func(t store.Target) bool {
			return !t.OK && t.State != store.Refused && !c.relays.isMine(t.Relay)
		})
		if gone && roomOf(e) == (room.Ref{}) {
			ids = append(ids, id)
		}
	}
	c.mu.Unlock()
	for _, id := range ids {
		c.resettle(ctx, id, c.retarget)
	}
	if len(ids) > 0 {
		poke(c.kick)
	}
}
