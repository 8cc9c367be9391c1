package agent

import (
	"context"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/agent/brain"
	"parley/wasm/room"
	"parley/wasm/task"
)

// puppet is a brain that does what a test says.
type puppet struct {
	act    func(ctx context.Context, turn brain.Turn, out brain.Out) (brain.Answer, error)
	tokens int64 // it remembers; 0: all
}

func (p *puppet) About() brain.About {
	return brain.About{Words: "A puppet", MaxContextTokens: p.tokens}
}

func (p *puppet) Answer(ctx context.Context, turn brain.Turn, out brain.Out) (brain.Answer, error) {
	return p.act(ctx, turn, out)
}

// part is what a puppet plays: each turn stops on the stage, and the test lets
// it go on.
type part struct {
	turn brain.Turn
	out  brain.Out
	ctx  context.Context
	end  chan outcome
}

// stage is a lobby where time stands still, with a puppet agent and somebody who
// asks it for tasks.
type stage struct {
	*place
	clock  *fakeClock
	config Config
	agent  *life
	asker  *person
	turns  chan *part
}

func newStage(t *testing.T, change func(*Config)) *stage {
	t.Helper()
	s := &stage{clock: newFakeClock(), turns: make(chan *part, 20)}
	s.place = newPlace(t, s.clock.Now)
	s.config = s.inRoom()
	s.config.Clock = s.clock
	s.config.Brain = &puppet{act: func(ctx context.Context, turn brain.Turn, out brain.Out) (brain.Answer, error) {
		p := &part{turn, out, ctx, make(chan outcome, 1)}
		s.turns <- p
		select {
		case o := <-p.end:
			return o.answer, o.err
		case <-ctx.Done():
			return brain.Answer{}, context.Cause(ctx)
		}
	}}
	if change != nil {
		change(&s.config)
	}
	s.asker = s.enter()
	s.agent = live(t, s.config)
	return s
}

// begin waits for the next turn.
func (s *stage) begin() *part {
	s.t.Helper()
	select {
	case p := <-s.turns:
		return p
	case <-time.After(patience):
		s.t.Fatal("no turn begins")
		return nil
	}
}

func (p *part) done(text string) { p.end <- outcome{answer: brain.Answer{Text: text}} }

func (p *part) fail(err error) { p.end <- outcome{err: err} }

// request asks for a task.
func (s *stage) request(text string) *nostr.Event {
	s.t.Helper()
	return s.requestAs(s.asker, task.Draft{Text: text})
}

func (s *stage) requestAs(m *person, d task.Draft) *nostr.Event {
	s.t.Helper()
	if d.Room == "" {
		d.Room = lobby
	}
	if d.Agent == "" {
		d.Agent = s.agent.PubKey()
	}
	ev, err := task.BuildRequest(d, m.keys.PubKey, s.clock.Now().Unix())
	if err != nil {
		s.t.Fatal(err)
	}
	return m.publish(ev)
}

// told waits for what the agent says about a task in a kind.
func (s *stage) told(kind int, request *nostr.Event) *nostr.Event {
	s.t.Helper()
	return s.asker.find("an event about the task", by(s.agent.PubKey(), kind, request.ID))
}

// toldNothing makes sure that the agent has not said anything of a kind about a
// task.
func (s *stage) toldNothing(kind int, request *nostr.Event) {
	s.t.Helper()
	if n := s.asker.count(by(s.agent.PubKey(), kind, request.ID)); n != 0 {
		s.t.Errorf("there are %d events of kind %d", n, kind)
	}
}

// say writes in the lobby, as a message or in a thread.
func (s *stage) say(m *person, root *nostr.Event, text string) *nostr.Event {
	s.t.Helper()
	at := s.clock.Now().Unix()
	ev := room.BuildMessage(s.lobby(), room.Words{Text: text}, at)
	if root != nil {
		ev = room.BuildThreadReply(s.lobby(), room.KindThreadReply, root, nil, room.Words{Text: text}, at)
	}
	return m.publish(&ev)
}

// sync makes sure that the agent has seen everything sent before: it answers a
// request for another task that is cancelled at once.
func (s *stage) sync() {
	s.t.Helper()
	mark := s.agent.PubKey()
	ev := room.BuildMessage(s.lobby(), room.Words{Text: "nostr:" + room.NPub(mark) + " sync"}, s.clock.Now().Unix())
	s.asker.publish(&ev)
	p := s.begin()
	if p.turn.Place != brain.Room || p.turn.ID != ev.ID {
		s.t.Fatalf("the turn is %+v", p.turn)
	}
	p.done("synced")
	s.asker.find("the reply", by(mark, room.KindMessage, ev.ID))
}

// card is the task as everybody sees it.
func (s *stage) card(request *nostr.Event) task.View {
	s.asker.mu.Lock()
	defer s.asker.mu.Unlock()
	f := task.NewFold(request.ID)
	for _, ev := range s.asker.events {
		f.Add(ev, s.clock.Now().Unix())
	}
	return f.View(s.clock.Now().Unix(), s.asker.keys.PubKey)
}
