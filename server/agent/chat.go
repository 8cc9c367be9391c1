package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/agent/brain"
	"parley/wasm/room"
)

// chat is one turn in a room: an answer to a message, or what follows a
// question.
type chat struct {
	a       *Agent
	spot    spot
	id      string // what it answers to
	sender  string
	message string
	reply   *brain.Reply
	maybe   bool // it may have been answered in an earlier life

	ctx  context.Context
	stop context.CancelCauseFunc
	said strings.Builder
}

var _ brain.Out = (*chat)(nil)

// converse begins a turn; the caller holds mu.
func (a *Agent) converse(c *chat) {
	a.talks[c.sender]++
	a.wg.Go(func() {
		c.work()
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.talks[c.sender]--; a.talks[c.sender] == 0 {
			delete(a.talks, c.sender)
		}
	})
}

func (c *chat) work() {
	a := c.a
	c.ctx, c.stop = context.WithCancelCause(a.work)
	defer c.stop(nil)
	defer a.clock.AfterFunc(a.limits.RunTime, func() { c.stop(errTooSlow) })()
	if c.maybe && c.answered() || c.reply == nil && a.isBot(c.spot.ref.Relay, c.sender) {
		return
	}
	turn := brain.Turn{Place: brain.Room, ID: c.id, Sender: c.sender, Message: c.message, Reply: c.reply, History: c.history()}
	answer, err := c.think(turn)
	if err != nil {
		answer = brain.Answer{Text: c.excuse(err)}
	}
	if answer.Text == "" {
		answer.Text = c.said.String()
	}
	if strings.TrimSpace(answer.Text) != "" {
		if _, err := a.say(a.talk, c.spot, room.Words{Text: answer.Text}); err != nil {
			a.log.Warn("answering in a room", "room", c.spot.ref.ID, "err", err)
			return
		}
	}
	if answer.Ask != nil {
		if _, err := a.ask(a.talk, c.spot.ref, c.spot.follows(), c.sender, *answer.Ask, nil); err != nil {
			a.log.Warn("asking in a room", "room", c.spot.ref.ID, "err", err)
		}
	}
}

// think is the brain's part. It is over when the time is, whatever the brain
// does.
func (c *chat) think(turn brain.Turn) (brain.Answer, error) {
	result := make(chan outcome, 1)
	c.a.wg.Go(func() { result <- think(c.ctx, c.a.config.Brain, turn, c) }) // ends soon after ctx
	select {
	case o := <-result:
		return o.answer, o.err
	case <-c.ctx.Done():
		return brain.Answer{}, context.Cause(c.ctx)
	}
}

// excuse is what people in the room are told when a turn fails.
func (c *chat) excuse(err error) string {
	f := failureOf(err)
	switch {
	case errors.Is(err, errStopped):
		return "I am being stopped and cannot finish this answer. Ask me again in a moment."
	case f.RetryAfter > 0:
		return fmt.Sprintf("I could not answer (%s): %s Try again in %d s.", f.Code, f.Message, f.RetryAfter)
	}
	return fmt.Sprintf("I could not answer (%s): %s", f.Code, f.Message)
}

// answered asks the relay whether the message was replied to in an earlier life.
func (c *chat) answered() bool {
	mine := nostr.Filter{Kinds: []int{room.KindMessage, room.KindThreadReply}, Authors: []string{c.a.keys.PubKey}}
	quoted, replied := mine.Clone(), mine.Clone()
	quoted.Tags = nostr.TagMap{"q": {c.id}}
	replied.Tags = nostr.TagMap{"e": {c.id}}
	events, err := c.a.fetch(c.ctx, c.spot.ref.Relay, quoted, replied)
	if err != nil {
		c.a.log.Warn("asking whether a message was answered before", "id", c.id, "err", err)
	}
	return len(events) > 0
}

// recalled is how many messages of a thread a turn begins with.
const recalled = 40

// history is what was said in the thread before.
func (c *chat) history() []brain.Exchange {
	if c.spot.root == nil {
		return nil
	}
	events, err := c.a.fetch(c.ctx, c.spot.ref.Relay, room.ThreadFilters(c.spot.ref, c.spot.root.ID, recalled)...)
	if err != nil {
		c.a.log.Debug("reading a thread", "err", err)
	}
	slices.SortFunc(events, func(x, y *nostr.Event) int {
		return int(x.CreatedAt - y.CreatedAt)
	})
	var history []brain.Exchange
	for _, ev := range events {
		if ev.ID == c.spot.root.ID && c.spot.root.PubKey == "" {
			root := *c.spot.root // a turn changes nothing that others hold
			root.PubKey = ev.PubKey
			c.spot.root = &root
		}
		if ev.ID != c.id && (ev.Kind == room.KindThread || ev.Kind == room.KindThreadReply || ev.Kind == room.KindMessage || ev.Kind == room.KindComment) {
			history = append(history, brain.Exchange{Mine: ev.PubKey == c.a.keys.PubKey, Text: remembered(ev.Content)})
		}
	}
	return history
}

func (c *chat) Say(words string) error {
	c.said.WriteString(words)
	return context.Cause(c.ctx)
}

func (c *chat) Think(string) error { return context.Cause(c.ctx) }

func (c *chat) Status(string, *int, string) error { return context.Cause(c.ctx) }

func (c *chat) Tool(ctx context.Context, name string, arguments json.RawMessage) (brain.Outcome, error) {
	if err := context.Cause(c.ctx); err != nil {
		return brain.Outcome{}, err
	}
	return c.a.runTool(ctx, name, arguments), nil
}

func (c *chat) Post(ctx context.Context, text string) error {
	_, err := c.a.say(ctx, c.spot, room.Words{Text: text})
	return err
}

// Ask: a turn in a room ends with its question.
func (c *chat) Ask(context.Context, brain.Question) (brain.Reply, error) {
	return brain.Reply{}, brain.ErrPlace
}

func (c *chat) File(ctx context.Context, f brain.File) error {
	_, err := c.a.postFile(ctx, c.spot, f)
	return err
}

func (c *chat) Handoff(context.Context, string) (func(context.Context, string) error, error) {
	return nil, brain.ErrPlace
}
