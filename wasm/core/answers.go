package core

import (
	"context"
	"errors"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/ask"
	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/store"
)

// FreshAnswer is how old, in seconds, an answer's created_at may be when it
// leaves; relays refuse one that is off their clock by more than 300.
const FreshAnswer = 240

// answerAsk answers a question form or an older request. The draft stays
// until a relay has taken the answer.
func (c *Core) answerAsk(ctx context.Context, p port.AnswerParams) (port.EventID, error) {
	me := c.me()
	c.mu.Lock()
	f := c.askFold(p.ID)
	if f == nil || f.Request() == nil {
		c.mu.Unlock()
		return port.EventID{}, &port.Error{Code: port.CodeNotFound, Message: "This question is not loaded."}
	}
	ref, request := c.cards.asks[p.ID], f.Request()
	refused, may := c.cards.own[p.ID], c.relays.mayOpen(ref.Relay)
	err := c.stillOpen(f)
	c.mu.Unlock()
	if err != nil {
		return port.EventID{}, err
	}
	if !may {
		return port.EventID{}, invalid("Open %s first; it is not among your relays.", ref.Relay)
	}
	event, err := buildAnswer(request, p, me, ref.Relay, c.now())
	if err != nil {
		return port.EventID{}, invalid("%v", err)
	}
	if refused != "" {
		c.withdraw(ctx, refused) // a new answer takes the place of one that was refused
	}
	id, err := c.submit(ctx, act{event: *event, room: ref, relays: []string{ref.Relay}, exact: true})
	return port.EventID{ID: id}, err
}

func buildAnswer(r *ask.Request, p port.AnswerParams, me, relayURL string, now int64) (*nostr.Event, error) {
	if r.Form == ask.Native {
		return ask.BuildAnswer(r, ask.Answer{Choices: p.Choices, Text: p.Text}, me, relayURL, now)
	}
	switch p.Verdict {
	case "approve", "deny":
		return ask.BuildReaction(r, p.Verdict == "approve", me, relayURL, now)
	case "reply":
		return ask.BuildReply(r, p.Text, me, relayURL, now)
	}
	return nil, errors.New("choose approve, deny or reply")
}

// stillOpen looks whether a question takes my answer now. mu is held.
func (c *Core) stillOpen(f *ask.Fold) error {
	if entry := c.outbox[c.cards.own[f.ID()]]; entry != nil && c.deliveryOf(*entry).State != port.Refused {
		return invalid("Your answer is on its way already.")
	}
	if view := f.View(c.now(), c.identity.me); !view.Answerable {
		return invalid("Nothing was sent: %s.", view.WhyNot)
	}
	return nil
}

// stillWanted looks at an act again just before it leaves. An answer to a
// question that was settled or has expired meanwhile is taken back, and one
// that is too old for the relay's clock is dated anew.
func (c *Core) stillWanted(ctx context.Context, id string) bool {
	c.mu.Lock()
	entry := c.outbox[id]
	if entry == nil {
		c.mu.Unlock()
		return false
	}
	f := c.askFold(c.cardOf(eventOf(entry)))
	if f == nil {
		c.mu.Unlock()
		return true
	}
	view := f.View(c.now(), eventOf(entry).PubKey)
	stale := c.now()-int64(eventOf(entry).CreatedAt) > FreshAnswer
	copied := *entry
	c.mu.Unlock()
	if !view.Answerable {
		c.withdraw(ctx, id)
		c.notice("answer", "Your answer was not sent: "+view.WhyNot+". What you typed is kept.")
		return false
	}
	if stale {
		c.renew(ctx, copied)
		return false
	}
	return true
}

// renew replaces an answer by one of now: the same words by the same person,
// whoever is signed in, with a new signature.
func (c *Core) renew(ctx context.Context, e store.Entry) {
	template := *eventOf(&e)
	template.CreatedAt, template.ID, template.Sig = nostr.Timestamp(c.now()), "", ""
	ref := roomOf(&e)
	c.withdraw(ctx, e.ID)
	if _, err := c.submitAs(ctx, template.PubKey, act{event: template, room: ref, relays: []string{ref.Relay}, exact: true}); err != nil {
		c.notice("answer", "Your answer was not sent: "+err.Error()+". What you typed is kept.")
	}
}

// afterSent counts an own act on a question or task once a relay has it, and
// forgets what was typed for it.
func (c *Core) afterSent(ctx context.Context, e store.Entry) {
	c.mu.Lock()
	card := c.cardOf(e.Event)
	if c.cards.own[card] == e.ID {
		delete(c.cards.own, card)
	}
	isAsk := c.askFold(card) != nil
	if r := c.rooms[roomOf(&e)]; r != nil {
		c.foldCards(r, e.Event, e.CreatedAt)
	}
	if card != "" {
		c.dirtyEvent(card)
	}
	if r := c.rooms[roomOf(&e)]; r != nil && e.Event.Kind == room.KindJoin {
		c.showAgain(r)
	}
	c.mu.Unlock()
	c.touch()
	if isAsk {
		if err := c.setDraft(ctx, port.Draft{Key: askDraft(card)}); err != nil {
			c.notice("storage", err.Error())
		}
	}
	if isRunKind(e.Event.Kind) {
		c.confirmStored(ctx, e)
	}
}
