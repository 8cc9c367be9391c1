package core

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/run"
	"parley/wasm/store"
)

// ReadBackWait is how long after a relay's OK an own event of an AI session is
// looked for by its id, and how often.
const (
	ReadBackWait  = 500 * time.Millisecond
	ReadBackTries = 3
)

// sendPrompt asks an agent something. Its answers are subscribed before.
func (c *Core) sendPrompt(ctx context.Context, p port.PromptParams) (port.PromptSent, error) {
	agent, err := publicKey(p.Agent)
	if err != nil {
		return port.PromptSent{}, err
	}
	if strings.TrimSpace(p.Text) == "" {
		return port.PromptSent{}, invalid("Write something first.")
	}
	me, session := c.me(), p.Session
	if me == "" {
		return port.PromptSent{}, errSignedOut
	}
	if session == "" {
		var random [32]byte
		if _, err := io.ReadFull(c.Rand, random[:]); err != nil {
			return port.PromptSent{}, err
		}
		session = run.NewSessionID(random)
	}
	if err := c.rememberAgent(ctx, agent); err != nil {
		return port.PromptSent{}, err
	}
	c.mu.Lock()
	info, at := c.info(agent), c.promptTime(agent, session)
	c.mu.Unlock()
	draft, err := run.NewPrompt(run.Question{
		Client: me, Session: session, Message: p.Text, Thinking: p.Thinking,
		Provider: p.Provider, Model: p.Model, FallbackModels: p.Fallback,
	}, info, at)
	if err != nil {
		return port.PromptSent{}, invalid("%s", faultWords(err))
	}
	id, err := c.submitMessage(ctx, draft, p.Hide && info.SupportsNIP59)
	if err != nil {
		return port.PromptSent{}, err
	}
	for _, key := range []string{p.Draft, agentDraft(agent, p.Session)} {
		if key != "" {
			if err := c.setDraft(ctx, port.Draft{Key: key}); err != nil {
				c.notice("storage", err.Error())
			}
		}
	}
	return port.PromptSent{ID: id, Session: session}, nil
}

// promptTime is when to date a prompt: now, but behind the session's last one,
// since sessions are ordered by second and then by an id that is random.
// mu is held.
func (c *Core) promptTime(agent, session string) int64 {
	at := c.now()
	for _, s := range c.sessions.list.List() {
		if s.Agent != agent || s.ID != session || len(s.Runs) == 0 {
			continue
		}
		if card := c.sessions.runs[s.Runs[len(s.Runs)-1]]; card != nil {
			at = max(at, card.run.View(run.At{}).Started+1)
		}
	}
	return at
}

// faultWords is a fault for a person, without its code.
func faultWords(err error) string {
	var f *run.Fault
	if errors.As(err, &f) {
		return f.Sentence()
	}
	return err.Error()
}

// submitMessage encrypts a message of an AI session and has it sent to my
// relays; hidden, in gift wraps to the agent and to myself.
func (c *Core) submitMessage(ctx context.Context, d run.Draft, hide bool) (string, error) {
	s := c.signer()
	if s == nil {
		return "", &port.Error{Code: port.CodeLocked, Message: "Unlock your key to send this; what you wrote is kept."}
	}
	content, err := s.Encrypt(ctx, d.Plain, d.To)
	if err != nil {
		return "", err
	}
	c.keepPlain(s, content, d.To, d.Plain) // nobody is asked what they have just written
	c.mu.Lock()
	relays := slices.Clone(c.relays.order)
	c.mu.Unlock()
	event := d.Event(s.PublicKey(), content)
	if hide {
		return c.submitWrapped(ctx, s, event, relays)
	}
	return c.submit(ctx, act{event: event, relays: relays})
}

func (c *Core) rememberAgent(ctx context.Context, agent string) error {
	c.mu.Lock()
	known, me := c.sessions.agents[agent], c.identity.me
	c.sessions.agents[agent] = true
	c.listenTo(agent)
	c.mu.Unlock()
	if known {
		return nil
	}
	return c.keep(ctx, agentBucket+"/"+me, agent, c.now())
}

// foldOwnRun shows an own prompt or cancel at once. mu is held.
func (c *Core) foldOwnRun(e *nostr.Event, entry store.Entry) {
	c.foldRun(e, entry.CreatedAt, "")
}

// unfoldRun takes a withdrawn prompt out of sight, except when Stop withdrew
// it: then it stays, as cancelled. mu is held.
func (c *Core) unfoldRun(e *nostr.Event) {
	if c.sessions.withdrawn[e.ID] || e.Kind != run.KindPrompt {
		return
	}
	c.forgetRun(e.ID)
}

// forgetRun drops a run and groups the sessions anew. mu is held.
func (c *Core) forgetRun(id string) {
	delete(c.sessions.runs, id)
	c.sessions.list.Remove(id)
	for _, w := range c.watches {
		delete(w.items, id)
		delete(w.tails, id)
	}
	c.touch()
}

// stopRun stops a run: a prompt that no relay has is withdrawn and nothing is
// sent; else the agent is asked to stop.
func (c *Core) stopRun(ctx context.Context, p port.EventID) error {
	c.mu.Lock()
	card, entry := c.sessions.runs[p.ID], c.entryOf(p.ID)
	if card == nil {
		c.mu.Unlock()
		return &port.Error{Code: port.CodeNotFound, Message: "This run is not here."}
	}
	view := card.run.View(c.at(p.ID, card.agent))
	if entry != nil && canDiscard(entry) {
		c.sessions.withdrawn[p.ID] = true
		wraps, kept := c.sessions.wraps[p.ID], entry.Event
		if len(wraps) > 1 && c.outbox[wraps[1]] != nil {
			kept = c.outbox[wraps[1]].Event // the one that I can open again
		}
		c.mu.Unlock()
		for _, id := range wraps {
			c.withdraw(ctx, id)
		}
		return c.withdrawPrompt(ctx, p.ID, kept)
	}
	me := c.identity.me
	c.mu.Unlock()
	if view.State.Ended() {
		return nil
	}
	reason := run.ReasonUser
	if view.State == run.StateIncomplete {
		reason = run.ReasonTimeout
	}
	draft, err := run.NewCancel(p.ID, me, card.agent, view.Session, reason, c.now())
	if err != nil {
		return invalid("%s", faultWords(err))
	}
	_, err = c.submitMessage(ctx, draft, view.Wrapped)
	return err
}

// withdrawPrompt keeps a prompt that never left, as cancelled. What carries it
// is nil while it was not signed: then it is kept for this session only.
func (c *Core) withdrawPrompt(ctx context.Context, id string, e *nostr.Event) error {
	c.withdraw(ctx, id)
	d := port.Delivery{State: run.DeliveryWithdrawn}
	c.mu.Lock()
	c.delivered[id] = d
	c.dirtyEvent(id)
	c.mu.Unlock()
	c.touch()
	if e == nil {
		return nil
	}
	if err := c.Store.Put(ctx, []store.Record{{Event: e, Seen: c.now()}}); err != nil {
		return err
	}
	return c.keep(ctx, deliveryBucket, id, d)
}

// checkRun asks the relays again for what an agent has answered.
func (c *Core) checkRun(ctx context.Context, p port.EventID) error {
	c.mu.Lock()
	card := c.sessions.runs[p.ID]
	relays := slices.Clone(c.relays.order)
	if card == nil {
		c.mu.Unlock()
		return &port.Error{Code: port.CodeNotFound, Message: "This run is not here."}
	}
	filters := []nostr.Filter{run.FilterResume(p.ID, card.agent)}
	if view := card.run.View(run.At{}); view.Wrapped { // from outside a wrap tells nothing of its run
		filters = append(filters, run.FilterWraps(c.identity.me, view.Started))
	}
	c.mu.Unlock()
	passTurn(ctx)
	answered := false
	for _, url := range relays {
		events, _, err := c.pool.Fetch(ctx, url, filters...)
		if err == nil {
			answered = true
			c.takeFetched(ctx, url, events)
		}
	}
	if !answered {
		return &port.Error{Code: port.CodeUnavailable, Message: "No relay could be asked; try again when you are online."}
	}
	return nil
}

// deleteRun forgets a run in this browser, for good: what a relay gives back
// of it is not shown again.
func (c *Core) deleteRun(ctx context.Context, p port.EventID) error {
	c.mu.Lock()
	card := c.sessions.runs[p.ID]
	if card == nil {
		c.mu.Unlock()
		return &port.Error{Code: port.CodeNotFound, Message: "This run is not here."}
	}
	if c.entryOf(p.ID) != nil {
		c.mu.Unlock()
		return invalid("Its prompt is still on its way: stop it first.")
	}
	ids := []string{p.ID}
	for id := range card.inputs {
		ids = append(append(ids, id), c.sessions.wrapsOf[id]...)
	}
	ids = append(append(ids, c.sessions.wrapsOf[p.ID]...), c.sessions.wraps[p.ID]...)
	c.sessions.hidden[p.ID] = true
	c.forgetRun(p.ID)
	bucket := hiddenBucket + "/" + c.identity.me
	c.mu.Unlock()
	if err := c.keep(ctx, bucket, p.ID, c.now()); err != nil {
		return err
	}
	return c.Store.Delete(ctx, ids)
}

// confirmStored looks whether the relays that took an own event keep it: most
// keep no history of these kinds, and an OK promises nothing.
func (c *Core) confirmStored(ctx context.Context, e store.Entry) {
	if !run.IsDurable(e.Event.Kind) { // a relay's OK to a gift wrap means that it is stored
		return
	}
	c.mu.Lock()
	shown := c.carried(e.ID)
	c.mu.Unlock()
	for _, t := range e.Targets {
		if !t.OK {
			continue
		}
		c.spawn(func() { c.readBackFrom(ctx, t.Relay, e.Event.ID, shown) })
	}
}

// readBackFrom looks for an event by its id; shown is the message whose state
// it tells.
func (c *Core) readBackFrom(ctx context.Context, url, id, shown string) {
	for range ReadBackTries {
		timer := time.NewTimer(ReadBackWait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		events, _, err := c.pool.Fetch(ctx, url, room.IDFilters([]string{id})...)
		if err != nil {
			continue
		}
		if slices.ContainsFunc(events, func(e *nostr.Event) bool { return e.ID == id }) {
			c.mu.Lock()
			d := c.delivered[shown]
			d.State, d.Stored, d.Reason = port.Stored, min(d.Stored+1, d.Of), ""
			c.delivered[shown] = d
			c.dirtyEvent(shown)
			c.mu.Unlock()
			c.touch()
			if err := c.keep(ctx, deliveryBucket, shown, d); err != nil && ctx.Err() == nil {
				c.notice("storage", err.Error())
			}
		}
		return
	}
}
