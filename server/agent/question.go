package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/agent/brain"
	"parley/wasm/ask"
	"parley/wasm/room"
)

// question waits for its answer.
type question struct {
	entry  entry
	fold   *ask.Fold
	reply  chan<- settled // of a task that waits for it; nil: a turn follows
	unarm  func()         // stops the deadline's timer
	closed bool
}

// settled is how a question ended.
type settled struct {
	reply  brain.Reply
	answer *nostr.Event // nil when the time passed
}

// ask puts a question to a person in a room and waits for nothing. The journal
// knows of it before anybody can answer. It quotes what it follows (nil:
// nothing), so that it never stands before it: in one second ids decide.
func (a *Agent) ask(ctx context.Context, ref room.Ref, after *nostr.Event, to string, q brain.Question, reply chan<- settled) (*question, error) {
	now := a.now()
	draft := ask.Draft{Room: ref.ID, Text: q.Text, Subject: q.Subject, Asked: []string{to}, Mention: []string{to},
		Interaction: q.Interaction, Selection: q.Selection, Options: q.Options, Freeform: q.Freeform}
	if q.Expires > 0 {
		draft.Expires = now + q.Expires
	}
	ev, err := ask.BuildRequest(draft, a.keys.PubKey, now)
	if err != nil {
		return nil, err
	}
	if after != nil {
		quote := nostr.Tag{"q", after.ID, ref.Relay}
		if after.PubKey != "" {
			quote = append(quote, after.PubKey)
		}
		ev.Tags = append(ev.Tags, quote)
	}
	if err := a.sign(ev); err != nil {
		return nil, err
	}
	e := entry{Op: opAsked, At: now, ID: ev.ID, Client: to, Relay: ref.Relay, Room: ref.ID, Memo: q.Memo, Raw: rawEvent(ev)}
	if reply == nil { // a task's question dies with the task
		if err := a.journal.add(e); err != nil {
			return nil, err
		}
	}
	waiting := a.wait(e, ev, reply)
	if err := a.post(ctx, ref, ev); err != nil {
		a.forget(waiting)
		return nil, fmt.Errorf("asking %q: %w", q.Text, err)
	}
	return waiting, nil
}

// wait puts a question among those that wait.
func (a *Agent) wait(e entry, ev *nostr.Event, reply chan<- settled) *question {
	q := &question{entry: e, fold: ask.NewFold(ev.ID), reply: reply, unarm: func() {}}
	q.fold.Add(ev, a.now())
	a.mu.Lock()
	defer a.mu.Unlock()
	a.questions[ev.ID] = q
	if r := q.fold.Request(); r.Expires > 0 {
		left := time.Duration(max(0, r.Expires-a.now())) * time.Second
		q.unarm = a.clock.AfterFunc(left+deadlineGrace, func() { a.settle(q, settled{reply: brain.Reply{Memo: e.Memo, Expired: true}}) })
	}
	return q
}

// deadlineGrace is how long after its deadline an answer may still be on its
// way.
const deadlineGrace = 2 * time.Second

// answerCame takes a comment: perhaps the answer to a question.
func (a *Agent) answerCame(ev *nostr.Event) {
	a.mu.Lock()
	var q *question
	for tag := range ev.Tags.FindAll("e") {
		if q == nil {
			q = a.questions[tag[1]]
		}
	}
	if q == nil || !q.fold.Add(ev, a.now()) {
		a.mu.Unlock()
		return
	}
	view := q.fold.View(a.now(), a.keys.PubKey)
	a.mu.Unlock()
	if view.State != ask.Answered || view.Answer.ID != ev.ID {
		return
	}
	a.settle(q, settled{answer: ev, reply: brain.Reply{Memo: q.entry.Memo, By: ev.PubKey, Choices: view.Answer.Choices, Text: view.Answer.Text}})
}

// settle ends a question, once, with its first valid answer or its deadline.
func (a *Agent) settle(q *question, s settled) {
	a.mu.Lock()
	if q.closed || a.over {
		a.mu.Unlock()
		return // or it waits for the next life
	}
	q.closed = true
	delete(a.questions, q.entry.ID)
	a.wg.Add(1)
	a.mu.Unlock()
	defer a.wg.Done()
	q.unarm()
	if q.reply != nil {
		q.reply <- s // it holds one
		return
	}
	a.journal.note(entry{Op: opSettled, At: a.now(), ID: q.entry.ID})
	a.follow(q, s)
}

// forget drops a question that is of no concern any more.
func (a *Agent) forget(q *question) {
	a.mu.Lock()
	known := !q.closed
	q.closed = true
	delete(a.questions, q.entry.ID)
	a.mu.Unlock()
	q.unarm()
	if known && q.reply == nil {
		a.journal.note(entry{Op: opSettled, At: a.now(), ID: q.entry.ID})
	}
}

// picked is the reaction by which the agent shows that it took an answer.
const picked = "👍"

// follow takes an answer up: a reaction to it, and a turn that goes on in the
// question's thread.
func (a *Agent) follow(q *question, s settled) {
	ref := room.Ref{Relay: q.entry.Relay, ID: q.entry.Room}
	form := q.fold.Request().Event
	c := &chat{a: a, spot: spot{ref: ref, root: form, parent: s.answer}, id: q.entry.ID, sender: q.entry.Client, reply: &s.reply}
	if s.answer != nil {
		c.id, c.sender = s.answer.ID, s.answer.PubKey
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.answer != nil {
		a.wg.Go(func() { a.pickUp(ref, s.answer) })
	}
	a.converse(c)
}

func (a *Agent) pickUp(ref room.Ref, answer *nostr.Event) {
	ev := room.BuildReaction(ref, answer, picked, a.now())
	if err := a.post(a.talk, ref, &ev); err != nil {
		a.log.Warn("reacting to an answer", "err", err)
	}
}

// resumeQuestions waits again for the answers to the questions of an earlier
// life. Those that came meanwhile are asked for before any deadline counts.
func (a *Agent) resumeQuestions() {
	for _, e := range a.asked {
		ev := new(nostr.Event)
		if err := json.Unmarshal(e.Raw, ev); err != nil || a.home(e.Relay) == nil {
			a.log.Warn("a question of an earlier life is left alone", "id", e.ID, "relay", e.Relay, "err", err)
			continue
		}
		a.wg.Go(func() { a.resumeQuestion(e, ev) })
	}
}

func (a *Agent) resumeQuestion(e entry, ev *nostr.Event) {
	for try := 0; ; try++ {
		answers, err := a.fetch(a.work, e.Relay, nostr.Filter{Kinds: []int{room.KindComment}, Tags: nostr.TagMap{"e": {e.ID}}})
		if a.work.Err() != nil {
			return
		}
		if err == nil {
			a.wait(e, ev, nil)
			for _, answer := range answers {
				a.answerCame(answer)
			}
			return
		}
		if !a.sleep(a.work, waits[min(try, len(waits)-1)]) {
			return
		}
	}
}
