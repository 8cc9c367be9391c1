package relay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/ask"
)

// question is a form in the lobby that asks some people.
func question(t *testing.T, by person, expires int64, asked ...person) *nostr.Event {
	t.Helper()
	d := ask.Draft{
		Room: lobbyID, Text: fmt.Sprint("Shall we? ", serial.Add(1)), Selection: ask.Single, Expires: expires,
		Options: []ask.Option{{ID: "yes", Label: "Yes"}, {ID: "no", Label: "No"}},
	}
	for _, p := range asked {
		d.Asked = append(d.Asked, p.key)
	}
	ev, err := ask.BuildRequest(d, by.key, nowUnix())
	if err != nil {
		t.Fatal(err)
	}
	by.resign(t, ev)
	return ev
}

// answer is somebody's answer to a form, right in all but what change does.
func answer(t *testing.T, form *nostr.Event, by person, change func(*nostr.Event)) *nostr.Event {
	t.Helper()
	ev := &nostr.Event{
		Kind: 1111, CreatedAt: form.CreatedAt, Content: "yes",
		Tags: nostr.Tags{
			{"h", lobbyID}, {"E", form.ID}, {"K", "9"}, {"P", form.PubKey},
			{"e", form.ID}, {"k", "9"}, {"p", form.PubKey},
		},
	}
	if change != nil {
		change(ev)
	}
	by.resign(t, ev)
	return ev
}

// TestQuestions: invalid forms and answers that cannot count are refused with
// the reason, by the relay's own clock.
func TestQuestions(t *testing.T) {
	clock := newClock()
	p := openPlace(t, func(c *Config) { c.Clock = clock.now })
	agent, ann, bob, c := newPerson(t, 1), newPerson(t, 2), newPerson(t, 3), p.dial(t)
	form := question(t, agent, nowUnix()+600, ann)
	c.accept(form)
	bad := question(t, agent, 0, ann)
	bad.Tags = append(bad.Tags, nostr.Tag{"option", "yes", "Twice"})
	agent.resign(t, bad)
	c.refuse(invalid, bad)

	c.refuse(invalid, answer(t, form, bob, nil))
	c.refuse(invalid, answer(t, form, ann, func(ev *nostr.Event) { ev.Content = "perhaps" }))
	c.refuse(invalid, answer(t, form, ann, func(ev *nostr.Event) { ev.CreatedAt -= 10 }))
	c.refuse(invalid, answer(t, form, ann, func(ev *nostr.Event) { ev.CreatedAt = nostr.Timestamp(clock.now().Unix() + 310) }))
	c.accept(answer(t, form, ann, func(ev *nostr.Event) { ev.CreatedAt = nostr.Timestamp(clock.now().Unix() + 290) }))
	clock.pass(290)
	c.accept(answer(t, form, ann, nil))
	clock.pass(20) // 310 s: no answer can be slipped in before this one
	c.refuse(invalid, answer(t, form, ann, func(ev *nostr.Event) { ev.Content = "no" }))
	clock.pass(300)
	late := answer(t, form, ann, func(ev *nostr.Event) { ev.CreatedAt = form.CreatedAt + 599 })
	if h := c.publish(late); h.ok || !strings.Contains(h.words, "the time to answer has passed") {
		t.Errorf("a late answer: %v %q", h.ok, h.words)
	}
	c.accept(answer(t, form, agent, func(ev *nostr.Event) { ev.Content = "a comment of the asker's own" }))
}

// TestTasks: who may write what of a task.
func TestTasks(t *testing.T) {
	p := openPlace(t, nil)
	agent, ann, bob, c := newPerson(t, 1), newPerson(t, 2), newPerson(t, 3), p.dial(t)
	h := nostr.Tag{"h", lobbyID}
	c.refuse(invalid, ann.sign(t, 43001, "no agent", h))
	request := ann.sign(t, 43001, "count to ten", h, nostr.Tag{"p", agent.key})
	c.accept(request)
	about := func(who person, kind int) *nostr.Event {
		return who.sign(t, kind, fmt.Sprint(serial.Add(1)), h, nostr.Tag{"e", request.ID}, nostr.Tag{"p", ann.key})
	}
	for _, kind := range []int{43002, 43003, 43004, 43006} {
		c.refuse(blocked, about(bob, kind))
		c.refuse(blocked, about(ann, kind))
	}
	c.refuse(blocked, about(agent, 43005))
	c.refuse(blocked, about(bob, 43005))
	c.accept(about(agent, 43002), about(agent, 43003), about(agent, 43003), about(ann, 43005), about(agent, 43004))
	c.refuse(blocked, about(agent, 43006))
	c.refuse(blocked, about(agent, 43004))
	c.accept(about(agent, 43003), about(ann, 43005))
	c.accept(agent.sign(t, 43002, "of a task that is not here", h, nostr.Tag{"e", randomID(7)}))

	owner := newPerson(t, 9)
	c.accept(owner.sign(t, kindCreateRoom, "", nostr.Tag{"h", "other"}))
	c.refuse(blocked, agent.sign(t, 43003, "elsewhere", nostr.Tag{"h", "other"}, nostr.Tag{"e", request.ID}))
}

// TestTwoEndsAtOnce: of two ends sent at the same moment one is taken.
func TestTwoEndsAtOnce(t *testing.T) {
	p := openPlace(t, nil)
	agent, ann := newPerson(t, 1), newPerson(t, 2)
	h := nostr.Tag{"h", lobbyID}
	request := ann.sign(t, 43001, "race", h, nostr.Tag{"p", agent.key})
	p.dial(t).accept(request)
	results := make(chan bool)
	for i := range 8 {
		c, ev := p.dial(t), agent.sign(t, 43004+2*(i%2), fmt.Sprint(i), h, nostr.Tag{"e", request.ID})
		go func() { // ends with the OK
			c.send(msgEvent, ev)
			got, _ := c.wait(func(h heard) bool { return h.label == msgOK })
			results <- got.ok
		}()
	}
	taken := 0
	for range 8 {
		if <-results {
			taken++
		}
	}
	if taken != 1 {
		t.Errorf("%d ends were taken", taken)
	}
}

// TestOwnRules: a rule sees what is stored, its words get a prefix, and one
// that panics hurts nobody.
func TestOwnRules(t *testing.T) {
	p := openPlace(t, func(c *Config) {
		c.Rules = []Rule{func(_ context.Context, look Lookup, ev *nostr.Event, now int64) error {
			switch ev.Content {
			case "panic":
				panic("a mistake")
			case "reply":
				replies, err := look.Referring(ev.Tags.Find("e")[1], 1)
				if err != nil || len(replies) > 0 {
					return errors.Join(err, errors.New("one reply is enough"))
				}
			case "own prefix":
				return errors.New("pow: try harder")
			}
			return nil
		}}
	})
	ann, c := newPerson(t, 1), p.dial(t)
	root := ann.sign(t, 1, "root")
	reply := func(at int64) *nostr.Event { return ann.signAt(t, at, 1, "reply", nostr.Tag{"e", root.ID}) }
	c.accept(root, reply(1))
	if h := c.publish(reply(2)); h.ok || h.words != "blocked: one reply is enough" {
		t.Errorf("%v %q", h.ok, h.words)
	}
	if h := c.publish(ann.sign(t, 1, "own prefix")); h.ok || h.words != "pow: try harder" {
		t.Errorf("%v %q", h.ok, h.words)
	}
	c.refuse(failed, ann.sign(t, 1, "panic"))
	c.accept(ann.sign(t, 1, "after it"))
}
