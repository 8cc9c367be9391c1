package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/agent/brain"
	server "parley/server/relay"
	"parley/wasm/room"
	"parley/wasm/run"
	"parley/wasm/task"
)

// The tests of this file are named after the sentences of "Long task cards" in
// "Tiny agent interactions".

func value(ev *nostr.Event, name string) string {
	if t := ev.Tags.Find(name); t != nil {
		return t[1]
	}
	return ""
}

func TestTheAdapterAcceptsARequestFromAnAllowedUserInARoomItWatches(t *testing.T) {
	friend := keysOf(t, secretKey())
	s := newStage(t, func(c *Config) { c.AllowAll, c.Allow = false, []string{friend.PubKey} })
	stranger := s.request("by a stranger")
	s.asker.keys = friend
	other := s.requestAs(s.asker, task.Draft{Text: "for somebody else", Agent: keysOf(t, secretKey()).PubKey})
	mine := s.request("by a friend")
	p := s.begin()
	if p.turn.ID != mine.ID || p.turn.Place != brain.Task || p.turn.Message != "by a friend" || p.turn.Sender != friend.PubKey {
		t.Errorf("the turn is %+v", p.turn)
	}
	p.done("Done it")
	s.told(task.KindResult, mine)
	for _, kind := range []int{task.KindAccepted, task.KindResult, task.KindError} {
		s.toldNothing(kind, stranger)
		s.toldNothing(kind, other)
	}
}

func TestTheThreadIsAnchoredAtTheRequest(t *testing.T) {
	s := newStage(t, nil)
	r := s.request("do it")
	s.begin().done("All of it\nis done")
	reply := s.told(room.KindThreadReply, r)
	if e := reply.Tags.Find("e"); e[1] != r.ID || e[3] != "root" || value(reply, "h") != lobby || value(reply, "p") != s.asker.keys.PubKey {
		t.Errorf("got %v", reply.Tags)
	}
}

func TestRequestsThatShareAThreadRunAsSeparateTurnsAndEachKeepsItsOwnCard(t *testing.T) {
	s := newStage(t, nil)
	root := room.BuildThread(s.lobby(), room.Words{Subject: "Work", Text: "Work"}, s.clock.Now().Unix())
	s.asker.publish(&root)
	first := s.requestAs(s.asker, task.Draft{Text: "one", Root: root.ID})
	second := s.requestAs(s.asker, task.Draft{Text: "two", Root: root.ID})
	s.begin().done("One is done")
	s.begin().done("Two is done")
	for _, r := range []*nostr.Event{first, second} {
		result := s.told(task.KindResult, r)
		card := s.card(r)
		if card.State != task.Done || card.Result.Line != map[bool]string{true: "One is done", false: "Two is done"}[r == first] {
			t.Errorf("the card is %+v", card)
		}
		full := s.asker.find("the reply", func(ev *nostr.Event) bool { return ev.ID == card.Result.Full })
		var marks []string
		for e := range full.Tags.FindAll("e") {
			marks = append(marks, e[1]+e[3])
		}
		if len(marks) != 2 || marks[0] != root.ID+"root" || marks[1] != r.ID+"reply" {
			t.Errorf("the reply has %v", full.Tags)
		}
		if value(result, "e") != r.ID {
			t.Errorf("the result has %v", result.Tags)
		}
	}
}

func TestEveryAnswerCarriesTheRequestTheRequesterAndTheRoom(t *testing.T) {
	s := newStage(t, nil)
	done, failed := s.request("go well"), s.request("go wrong")
	p := s.begin()
	if err := p.out.Say("A line"); err != nil {
		t.Fatal(err)
	}
	s.told(task.KindProgress, done)
	p.done("")
	s.begin().fail(&brain.Failure{Code: run.ToolError, Message: "It broke"})
	for kind, r := range map[int]*nostr.Event{task.KindAccepted: done, task.KindProgress: done, task.KindResult: done, task.KindError: failed} {
		ev := s.told(kind, r)
		if value(ev, "e") != r.ID || value(ev, "p") != s.asker.keys.PubKey || value(ev, "h") != lobby {
			t.Errorf("kind %d has %v", kind, ev.Tags)
		}
	}
	if ev := s.told(task.KindAccepted, done); ev.Content != "" {
		t.Errorf("accepted says %q", ev.Content)
	}
	if ev := s.told(task.KindResult, done); ev.Content != "Done" {
		t.Errorf("a turn that posted nothing and returned nothing says %q", ev.Content)
	}
	if ev := s.told(task.KindError, failed); ev.Content != "It broke" {
		t.Errorf("the error is %q", ev.Content)
	}
}

func TestAQueuedRequestIsAcceptedWhenItsTurnBegins(t *testing.T) {
	s := newStage(t, nil)
	first, second, third := s.request("first"), s.request("second"), s.request("third")
	p := s.begin()
	s.told(task.KindAccepted, first)
	place := s.asker.find("its place in the queue", by(s.agent.PubKey(), room.KindThreadReply, third.ID))
	if !strings.Contains(place.Content, "2 tasks before it") {
		t.Errorf("the place is told as %q", place.Content)
	}
	s.toldNothing(task.KindAccepted, second)
	p.done("first done")
	p = s.begin()
	if p.turn.ID != second.ID {
		t.Error("not in their order")
	}
	s.told(task.KindAccepted, second)
	s.toldNothing(task.KindAccepted, third)
	p.done("second done")
	s.begin().done("third done")
	s.told(task.KindResult, third)
}

func TestTheQueueIsBounded(t *testing.T) {
	s := newStage(t, func(c *Config) { c.Limits.QueuedTasks = 2 })
	var requests []*nostr.Event
	for _, name := range []string{"works", "waits", "waits too", "is too many"} {
		requests = append(requests, s.request(name))
	}
	refused := s.told(task.KindError, requests[3])
	if !strings.Contains(refused.Content, "queue is full: 2 tasks wait") {
		t.Errorf("got %q", refused.Content)
	}
	for range 3 {
		s.begin().done("done")
	}
	s.told(task.KindResult, requests[2])
}

func TestProgressAtMostOnceEvery15SecondsAndNothingWhenNothingChanged(t *testing.T) {
	s := newStage(t, nil)
	r := s.request("long")
	p := s.begin()
	is := by(s.agent.PubKey(), task.KindProgress, r.ID)
	said := func(words string) {
		if err := p.out.Say(words); err != nil {
			t.Fatal(err)
		}
	}
	said("First\n")
	s.told(task.KindProgress, r)
	for range 30 { // tool calls are never published one by one
		if _, err := p.out.Tool(p.ctx, "calculator", json.RawMessage(`{"expr":"6*7"}`)); err != nil {
			t.Fatal(err)
		}
	}
	said("Second ")
	said("line\nThird")
	s.clock.waitFor(t, 15*time.Second)
	s.clock.advance(14 * time.Second)
	if n := s.asker.count(is); n != 1 {
		t.Errorf("%d progress events within 15 s", n)
	}
	s.clock.advance(time.Second)
	s.asker.until("the second progress", func() bool { return len(texts(s.asker.events, is)) == 2 })
	if got := texts(s.asker.events, is)[1]; got != "Third\ncalculator: {\"text\":\"42\",\"value\":42}" {
		t.Errorf("progress is %q", got)
	}
	s.clock.advance(time.Minute)
	long := strings.Repeat("ä", 300)
	said("\n" + long)
	s.asker.until("the third progress", func() bool { return len(texts(s.asker.events, is)) == 3 })
	line, _, _ := strings.Cut(texts(s.asker.events, is)[2], "\n")
	if utf8.RuneCountInString(line) != task.LineLimit {
		t.Errorf("the line has %d characters", utf8.RuneCountInString(line))
	}
	p.done("")
	s.told(task.KindResult, r)
}

func texts(events []*nostr.Event, is func(ev *nostr.Event) bool) (all []string) {
	for _, ev := range events {
		if is(ev) {
			all = append(all, ev.Content)
		}
	}
	return all
}

func TestTheResultIsTheFirstLineOfTheFinalReplyAndNamesIt(t *testing.T) {
	s := newStage(t, nil)
	r := s.request("write much")
	p := s.begin()
	if err := p.out.Post(p.ctx, "On the way"); err != nil {
		t.Fatal(err)
	}
	p.done(strings.Repeat("long ", 100) + "\nand more")
	result := s.told(task.KindResult, r)
	if utf8.RuneCountInString(result.Content) != task.LineLimit || strings.Contains(result.Content, "and more") {
		t.Errorf("the result is %q", result.Content)
	}
	full := s.card(r).Result.Full
	reply := s.asker.find("the full text", func(ev *nostr.Event) bool { return ev.ID == full })
	if reply.Kind != room.KindThreadReply || !strings.HasSuffix(reply.Content, "and more") {
		t.Errorf("the reply is %v", reply)
	}
}

func TestAReportedFailureIsAResultWhenTheAdapterPostedAReply(t *testing.T) {
	s := newStage(t, nil)
	delivered, broken, unsent := s.request("delivered"), s.request("broken"), s.request("unsent")
	p := s.begin()
	if err := p.out.Post(p.ctx, "This much is known"); err != nil {
		t.Fatal(err)
	}
	p.fail(&brain.Failure{Code: run.ToolError, Message: "The rest is not"})
	if result := s.told(task.KindResult, delivered); result.Content != "This much is known" {
		t.Errorf("the result is %q", result.Content)
	}
	p = s.begin() // a handler error
	if err := p.out.Post(p.ctx, "This much is known"); err != nil {
		t.Fatal(err)
	}
	p.fail(errors.New("a nil pointer somewhere"))
	if got := s.told(task.KindError, broken); got.Content != "The task failed" {
		t.Errorf("the error is %q", got.Content)
	}
	p = s.begin() // a failed send
	if err := p.out.Post(p.ctx, "This much is known"); err != nil {
		t.Fatal(err)
	}
	s.rule(func(_ context.Context, _ server.Lookup, ev *nostr.Event, _ int64) error {
		if ev.Content == "refused" {
			return errors.New("blocked: not this")
		}
		return nil
	})
	if err := p.out.Post(p.ctx, "refused"); err == nil {
		t.Error("a refused message was posted")
	}
	p.fail(&brain.Failure{Code: run.ToolError, Message: "The rest is not"})
	if got := s.told(task.KindError, unsent); got.Content != "The rest is not" {
		t.Errorf("the error is %q", got.Content)
	}
}

func TestATurnThatCannotPostItsReplyCarriesTheTextItself(t *testing.T) {
	s := newStage(t, nil)
	s.rule(func(_ context.Context, _ server.Lookup, ev *nostr.Event, _ int64) error {
		if ev.Kind == room.KindThreadReply {
			return errors.New("blocked: no replies here")
		}
		return nil
	})
	r := s.request("do it")
	s.begin().done("What came of it")
	if result := s.told(task.KindResult, r); result.Content != "What came of it" || s.card(r).Result.Full != "" {
		t.Errorf("the result is %v", result)
	}
}

func TestCancelledWhenTheTurnWasStoppedAndFailedWhenItBroke(t *testing.T) {
	s := newStage(t, nil)
	stopped, panicked := s.request("stop"), s.request("panic")
	s.begin().fail(&brain.Failure{Code: run.Cancelled, Message: "stopped"})
	if got := s.told(task.KindError, stopped); got.Content != "Cancelled" {
		t.Errorf("the error is %q", got.Content)
	}
	s.begin().fail(errors.New("the brain panicked: oh"))
	if got := s.told(task.KindError, panicked); got.Content != "The task failed" {
		t.Errorf("the error is %q", got.Content)
	}
}

func TestARequestSentTwiceIsMergedIntoTheOther(t *testing.T) {
	s := newStage(t, nil)
	first := s.request("the same")
	p := s.begin()
	s.clock.advance(time.Second)
	second := s.request("the same")
	merged := s.told(task.KindError, second)
	if merged.Content != "Merged into task "+first.ID {
		t.Errorf("got %q", merged.Content)
	}
	if card := s.card(second); card.State != task.Cancelled || card.MergedInto != first.ID {
		t.Errorf("the card is %+v", card)
	}
	p.done("done once")
	s.told(task.KindResult, first)
}

func TestTheRequestersCancelEndsTheTaskAndNothingFurtherIsPublished(t *testing.T) {
	s := newStage(t, nil)
	running, waiting := s.request("running"), s.request("waiting")
	p := s.begin()
	for _, r := range []*nostr.Event{waiting, running} {
		parsed, _ := task.Parse(r)
		s.asker.publish(task.BuildCancel(parsed, s.clock.Now().Unix()))
	}
	select {
	case <-p.ctx.Done():
	case <-time.After(patience):
		t.Fatal("the turn goes on")
	}
	if err := p.out.Post(p.ctx, "too late"); err == nil {
		t.Error("a cancelled task could post")
	}
	if err := p.out.Say("too late"); err == nil {
		t.Error("a cancelled task could speak")
	}
	last := s.request("last")
	s.begin().done("done")
	s.told(task.KindResult, last)
	for _, kind := range []int{task.KindResult, task.KindError, task.KindProgress} {
		s.toldNothing(kind, running)
		s.toldNothing(kind, waiting)
	}
	s.toldNothing(task.KindAccepted, waiting)
	if a, b := s.card(running).State, s.card(waiting).State; a != task.Cancelled || b != task.Cancelled {
		t.Errorf("the cards are %s and %s", a, b)
	}
}

func TestACancelMessageInTheThreadOrTheRoomStopsTheTurnNamingItsSender(t *testing.T) {
	s := newStage(t, nil)
	other := s.enter()
	name := "nostr:" + room.NPub(s.agent.PubKey())
	for i, inThread := range []bool{true, false} {
		r := s.request("long")
		p := s.begin()
		s.told(task.KindAccepted, r)
		waiting := s.request(fmt.Sprint("waits ", i)) // it is not meant: it was not accepted
		s.asker.find("its place in the queue", by(s.agent.PubKey(), room.KindThreadReply, waiting.ID))
		if inThread {
			s.say(other, r, name+" !cancel")
		} else {
			s.say(other, nil, name+" !cancel please")
		}
		if got := s.told(task.KindError, r); got.Content != "Cancelled by "+other.keys.PubKey {
			t.Errorf("in the thread %v: got %q", inThread, got.Content)
		}
		<-p.ctx.Done()
		s.begin().done("done")
		s.told(task.KindResult, waiting)
		s.clock.advance(time.Second)
	}
}

func TestACancelMessageThatMeansNobodyHereChangesNothing(t *testing.T) {
	friend := keysOf(t, secretKey())
	s := newStage(t, func(c *Config) { c.AllowAll, c.Allow = false, []string{friend.PubKey} })
	stranger := s.enter()
	s.asker.keys = friend
	r := s.request("long")
	p := s.begin()
	s.told(task.KindAccepted, r)
	name := "nostr:" + room.NPub(s.agent.PubKey())
	s.say(stranger, r, name+" !cancel") // not allowed
	s.say(s.asker, nil, "!cancel")      // names nobody
	s.say(s.asker, r, "please !cancel") // not a word of its own after mentions
	waiting := s.request("waits")
	s.say(s.asker, nil, name+" hello") // and the agent has seen all of it
	talk := s.begin()
	talk.done("hello")
	if p.ctx.Err() != nil {
		t.Error("the task was stopped")
	}
	s.say(s.asker, waiting, name+" !cancel") // one that waits, in its thread
	if got := s.told(task.KindError, waiting); got.Content != "Cancelled by "+friend.PubKey {
		t.Errorf("got %q", got.Content)
	}
	p.done("done")
	s.told(task.KindResult, r)
}
