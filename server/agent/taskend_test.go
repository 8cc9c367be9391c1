package agent

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/agent/brain"
	server "parley/server/relay"
	"parley/wasm/ask"
	"parley/wasm/room"
	"parley/wasm/task"
)

func TestARefusedTerminalIsPublishedAgainAfter1SecondAndOnceMoreAfter3(t *testing.T) {
	s := newStage(t, nil)
	tries := make(chan string, 10)
	refuse := 2
	s.rule(func(_ context.Context, _ server.Lookup, ev *nostr.Event, _ int64) error {
		if ev.Kind != task.KindResult {
			return nil
		}
		tries <- ev.ID
		if refuse > 0 {
			refuse--
			return errors.New("error: try again")
		}
		return nil
	})
	r := s.request("do it")
	s.begin().done("Done it")
	first := <-tries
	s.clock.waitFor(t, time.Second)
	s.clock.advance(time.Second)
	second := <-tries
	s.clock.waitFor(t, 3*time.Second)
	s.clock.advance(2 * time.Second)
	if len(tries) != 0 {
		t.Error("it came too early")
	}
	s.clock.advance(time.Second)
	if third := <-tries; first != second || second != third {
		t.Error("it is not the same event")
	}
	s.told(task.KindResult, r)

	refuse = 5
	r = s.request("again")
	s.begin().done("Done it")
	<-tries
	s.clock.waitFor(t, time.Second)
	s.clock.advance(time.Second)
	<-tries
	s.clock.waitFor(t, 3*time.Second)
	s.clock.advance(3 * time.Second)
	<-tries
	last := s.request("the next one") // the third attempt failed: it is forgotten
	s.begin().fail(errors.New("wrong"))
	s.told(task.KindError, last)
	s.clock.advance(10 * time.Minute)
	if len(tries) != 0 {
		t.Error("it was published a fourth time")
	}
	s.toldNothing(task.KindResult, r)
	s.agent.journal.look(func(j *state) {
		if record := j.tasks[r.ID]; record == nil || !record.sent {
			t.Error("the task is still known as unfinished")
		}
	})
}

func TestOnStartTheRelayIsAskedSoThatARestartDoesNotRunAFinishedTaskAgain(t *testing.T) {
	s := newStage(t, nil)
	done := s.request("is done")
	s.begin().done("done")
	s.told(task.KindResult, done)
	cancelled := s.request("is cancelled while the agent is away")
	blocked := s.begin()
	s.told(task.KindAccepted, cancelled)
	waits := s.request("waits")
	s.asker.find("its place in the queue", by(s.agent.PubKey(), room.KindThreadReply, waits.ID))
	s.agent.stop()
	<-blocked.ctx.Done()
	if got := s.told(task.KindError, cancelled); got.Content != textStopped {
		t.Errorf("a task that runs when the agent stops ends with %q", got.Content)
	}
	s.clock.advance(time.Minute)
	away := s.request("was asked while the agent was away")
	gone := s.request("was cancelled meanwhile")
	parsed, _ := task.Parse(gone)
	s.asker.publish(task.BuildCancel(parsed, s.clock.Now().Unix()))

	s.config.Dir = t.TempDir() // it has lost its journal, too
	s.agent = live(t, s.config)
	for _, r := range []*nostr.Event{waits, away} {
		p := s.begin()
		if p.turn.ID != r.ID {
			t.Errorf("the turn is %+v", p.turn)
		}
		p.done("done")
		s.told(task.KindResult, r)
	}
	s.sync()
	for _, r := range []*nostr.Event{done, cancelled} {
		if n := s.asker.count(by(s.agent.PubKey(), task.KindAccepted, r.ID)); n != 1 {
			t.Errorf("a task was accepted %d times", n)
		}
	}
	s.toldNothing(task.KindAccepted, gone)
}

func TestARestartEndsRunningTasksTruthfullyAndKeepsWaitingOnes(t *testing.T) {
	for _, kept := range []bool{true, false} {
		s := newStage(t, nil)
		running, waiting := s.request("running"), s.request("waiting")
		s.begin()
		s.told(task.KindAccepted, running)
		s.asker.find("its place", by(s.agent.PubKey(), room.KindThreadReply, waiting.ID))
		s.agent.kill()
		s.toldNothing(task.KindError, running)
		if !kept {
			s.config.Dir = t.TempDir()
		}
		s.agent = live(t, s.config)
		if got := s.told(task.KindError, running); got.Content != textRestarted {
			t.Errorf("journal %v: got %q", kept, got.Content)
		}
		p := s.begin()
		if p.turn.ID != waiting.ID {
			t.Errorf("journal %v: the turn is %+v", kept, p.turn)
		}
		p.done("done")
		s.told(task.KindResult, waiting)
		s.agent.stop()
	}
}

func TestAHandoffOpensAThreadThatGoesOnInReplies(t *testing.T) {
	s := newStage(t, nil)
	r := s.request("hand it over")
	p := s.begin()
	post, err := p.out.Handoff(p.ctx, "The big plan")
	if err != nil {
		t.Fatal(err)
	}
	if err := post(p.ctx, "I go on here"); err != nil {
		t.Fatal(err)
	}
	p.done("Handed over")
	s.told(task.KindResult, r)
	root := s.asker.find("the thread", func(ev *nostr.Event) bool { return ev.Kind == room.KindThread })
	if root.Content != "The big plan" || value(root, "h") != lobby || root.PubKey != s.agent.PubKey() {
		t.Errorf("the thread is %v", root)
	}
	s.asker.find("its reply", by(s.agent.PubKey(), room.KindThreadReply, root.ID))
	more := room.BuildThreadReply(s.lobby(), room.KindThreadReply, root, nil, room.Words{Text: "and then?"}, s.clock.Now().Unix())
	more.Tags = more.Tags[:2] // it mentions nobody
	s.asker.publish(&more)
	p = s.begin()
	if p.turn.ID != more.ID || p.turn.Place != brain.Room || len(p.turn.History) != 2 {
		t.Errorf("the turn is %+v", p.turn)
	}
	p.done("then the end")
	s.asker.find("the reply", by(s.agent.PubKey(), room.KindThreadReply, more.ID))
}

func TestATaskAsksInTheMiddle(t *testing.T) {
	s := newStage(t, func(c *Config) { c.Brain = quick() })
	r := s.request("ask a question")
	form := s.asker.form(s.agent.PubKey(), 1)
	answer, err := ask.BuildAnswer(form, ask.Answer{Choices: []string{"go"}, Text: "gladly"}, s.asker.keys.PubKey, s.url, s.clock.Now().Unix())
	if err != nil {
		t.Fatal(err)
	}
	s.asker.publish(answer)
	s.asker.find("the reaction", by(s.agent.PubKey(), room.KindReaction, answer.ID))
	if result := s.told(task.KindResult, r); result.Content != "I went on, as you said, and came to the end." {
		t.Errorf("the result is %q", result.Content)
	}
}

func TestATaskThatNobodyAnswersFails(t *testing.T) {
	s := newStage(t, func(c *Config) { c.Brain = quick() })
	r := s.request("ask a question")
	s.asker.form(s.agent.PubKey(), 1)
	s.clock.waitFor(t, taskQuestion*time.Second+deadlineGrace)
	s.clock.advance(taskQuestion*time.Second + deadlineGrace)
	if got := s.told(task.KindError, r); got.Content != "Nobody answered the question in time" {
		t.Errorf("the error is %q", got.Content)
	}
}

func TestATaskThatTakesTooLongIsGivenUp(t *testing.T) {
	s := newStage(t, func(c *Config) { c.Limits.TaskTime = time.Hour })
	r := s.request("never ends")
	s.begin()
	s.clock.waitFor(t, time.Hour)
	s.clock.advance(time.Hour)
	if got := s.told(task.KindError, r); got.Content != errTaskSlow.Error() {
		t.Errorf("the error is %q", got.Content)
	}
}
