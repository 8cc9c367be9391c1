package agent

import (
	"strings"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/ask"
	"parley/wasm/room"
)

// lobby is the room every relay begins with.
const lobby = "lobby"

// enter connects a person to the lobby.
func (p *place) enter() *person {
	p.t.Helper()
	return p.join(func(me string) []nostr.Filter {
		return []nostr.Filter{{Tags: nostr.TagMap{"h": {lobby}}}}
	})
}

func (p *place) lobby() room.Ref { return room.Ref{Relay: p.url, ID: lobby} }

// inRoom is an agent's configuration with the lobby.
func (p *place) inRoom() Config {
	c := p.configure()
	c.Rooms = []Room{{ID: lobby}}
	return c
}

// mention writes to an agent in the lobby.
func (m *person) mention(agent, text string) *nostr.Event {
	m.t.Helper()
	ev := room.BuildMessage(room.Ref{Relay: m.url, ID: lobby}, room.Words{Text: "nostr:" + room.NPub(agent) + " " + text}, time.Now().Unix())
	return m.publish(&ev)
}

// by is what somebody wrote, of a kind, that names an event.
func by(pubkey string, kind int, about string) func(ev *nostr.Event) bool {
	return func(ev *nostr.Event) bool {
		if ev.PubKey != pubkey || ev.Kind != kind {
			return false
		}
		for _, t := range ev.Tags {
			if len(t) > 1 && t[1] == about && (t[0] == "e" || t[0] == "q" || t[0] == "E") {
				return true
			}
		}
		return about == ""
	}
}

// form waits for the question after so many others.
func (m *person) form(agent string, n int) *ask.Request {
	m.t.Helper()
	var found *ask.Request
	m.until("a question", func() bool {
		seen := 0
		for _, ev := range m.events {
			if ev.PubKey != agent || ask.Classify(ev) != ask.Native {
				continue
			}
			if seen++; seen == n {
				r, err := ask.Parse(ev)
				if err != nil {
					m.t.Fatal(err)
				}
				found = r
			}
		}
		return found != nil
	})
	return found
}

func (m *person) answer(r *ask.Request, a ask.Answer) *nostr.Event {
	m.t.Helper()
	ev, err := ask.BuildAnswer(r, a, m.keys.PubKey, m.url, time.Now().Unix())
	if err != nil {
		m.t.Fatal(err)
	}
	return m.publish(ev)
}

func TestAMentionIsAnsweredInPlace(t *testing.T) {
	p := newPlace(t, nil)
	a := live(t, p.inRoom())
	m := p.enter()
	said := m.mention(a.PubKey(), "help")
	reply := m.find("the reply", by(a.PubKey(), room.KindMessage, said.ID))
	if !strings.Contains(reply.Content, "tour") || reply.Tags.FindWithValue("p", m.keys.PubKey) == nil {
		t.Errorf("got %v", reply)
	}
	named := room.BuildThread(p.lobby(), room.Words{Subject: "Sums", Text: "@house agent: 6 * 7"}, time.Now().Unix())
	m.publish(&named)
	reply = m.find("the reply in the thread", by(a.PubKey(), room.KindThreadReply, named.ID))
	if !strings.Contains(reply.Content, "42") {
		t.Errorf("got %v", reply)
	}
	more := room.BuildThreadReply(p.lobby(), room.KindThreadReply, &named, reply, room.Words{Text: "1 / 0"}, time.Now().Unix())
	m.publish(&more)
	reply = m.find("the reply to the reply", by(a.PubKey(), room.KindThreadReply, more.ID))
	if !strings.Contains(reply.Content, "division by zero") || rootOf(reply).ID != named.ID {
		t.Errorf("got %v", reply)
	}
}

func TestTheTourAsksEveryKindOfQuestion(t *testing.T) {
	p := newPlace(t, nil)
	a := live(t, p.inRoom())
	m := p.enter()
	m.mention(a.PubKey(), "tour")
	for i, given := range []struct {
		answer ask.Answer
		says   string
	}{
		{ask.Answer{Choices: []string{"tea"}}, "**Tea**"},
		{ask.Answer{Choices: []string{"mon", "fri"}}, "**Monday**, **Friday**"},
		{ask.Answer{Text: "The quiet room"}, "The quiet room"},
		{ask.Answer{Choices: []string{"well"}, Text: "very"}, "**Well** and wrote: very"},
		{ask.Answer{Choices: []string{"approve"}}, "I water the plants"},
		{ask.Answer{Choices: []string{"yes"}}, "That was the tour"},
	} {
		form := m.form(a.PubKey(), i+1)
		if len(form.Asked) != 1 || form.Asked[0] != m.keys.PubKey || len(ask.Notify(form)) != 1 {
			t.Errorf("asked are %v, notified %v", form.Asked, ask.Notify(form))
		}
		answer := m.answer(form, given.answer)
		m.find("the reaction", by(a.PubKey(), room.KindReaction, answer.ID))
		reply := m.find("the reply in the thread", by(a.PubKey(), room.KindThreadReply, answer.ID))
		if !strings.Contains(reply.Content, given.says) || rootOf(reply).ID != form.Event.ID {
			t.Errorf("question %d: got %v", i+1, reply)
		}
	}
}

func TestAWaitingQuestionSurvivesARestart(t *testing.T) {
	p := newPlace(t, nil)
	config := p.inRoom()
	a := live(t, config)
	m := p.enter()
	m.mention(a.PubKey(), "ask approval")
	form := m.form(a.PubKey(), 1)
	m.mention(a.PubKey(), "ask text")
	second := m.form(a.PubKey(), 2)
	a.stop()
	away := m.answer(form, ask.Answer{Choices: []string{"deny"}})
	a = live(t, config)
	m.find("the reaction to what was answered meanwhile", by(a.PubKey(), room.KindReaction, away.ID))
	reply := m.find("the reply", by(a.PubKey(), room.KindThreadReply, away.ID))
	if !strings.Contains(reply.Content, "leave the plants alone") {
		t.Errorf("got %v", reply)
	}
	after := m.answer(second, ask.Answer{Text: "Hall"})
	m.find("the reply to the other one", by(a.PubKey(), room.KindThreadReply, after.ID))
	a.stop()
	a = live(t, config)
	a.stop()
	if n := m.count(by(a.PubKey(), room.KindThreadReply, away.ID)); n != 1 {
		t.Errorf("%d replies to one answer", n)
	}
}
