package agent

import (
	"strings"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/agent/brain"
	"parley/wasm/ask"
	"parley/wasm/room"
)

func TestNamed(t *testing.T) {
	for text, want := range map[string]string{
		"@House agent, help":     "@House agent",
		"hello @house AGENT!":    "@house AGENT",
		"@house agents":          "",
		"me@house agent":         "",
		"house agent":            "",
		"@House  agent":          "",
		"x @agents @house agent": "@house agent",
		"":                       "",
		"İ @house agent":         "@house agent",
	} {
		from, to := named(text, "House agent")
		got := ""
		if from >= 0 {
			got = text[from:to]
		}
		if !strings.EqualFold(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestTheMentionIsNoPartOfWhatIsSaid(t *testing.T) {
	a, err := New(Config{Relays: []Relay{{URL: "ws://a.example"}}, Secret: secretKey(), Dir: t.TempDir(), Brain: quick(), Name: "House agent", Logger: testLog()})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	npub := room.NPub(a.PubKey())
	for text, want := range map[string]string{
		"@House agent: help":                 "help",
		"  @house agent help me":             "help me",
		"nostr:" + npub + " help":            "help",
		"@" + npub + ", help":                "help",
		npub + " help":                       "help",
		"help, @House agent":                 "help, @House agent",
		"nostr:" + npub:                      "",
		"help":                               "help",
		"nostr:" + room.NPub(someHex) + " x": "nostr:" + room.NPub(someHex) + " x",
	} {
		if got := a.withoutMention(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestTheAgentHearsTheNameOfItsProfile(t *testing.T) {
	p := newPlace(t, nil)
	config := p.inRoom()
	m := p.enter()
	profile := nostr.Event{Kind: room.KindProfile, CreatedAt: nostr.Now(), Content: `{"name":"rob","display_name":"Robin"}`}
	if err := keysOf(t, config.Secret).Sign(&profile); err != nil {
		t.Fatal(err)
	}
	if err := m.send(&profile); err != nil {
		t.Fatal(err)
	}
	a := live(t, config)
	<-a.homes[0].told
	for _, name := range []string{"@robin", "@Rob", "@House agent"} {
		ev := room.BuildMessage(p.lobby(), room.Words{Text: name + " 6 * 7"}, time.Now().Unix())
		m.publish(&ev)
		m.find("the reply", by(a.PubKey(), room.KindMessage, ev.ID))
	}
	if n := m.count(func(ev *nostr.Event) bool { return ev.Kind == room.KindProfile }); n != 0 {
		t.Errorf("%d profiles", n)
	}
}

func TestWhoIsNotAnswered(t *testing.T) {
	friend := keysOf(t, secretKey())
	s := newStage(t, func(c *Config) {
		c.AllowAll, c.Allow, c.Limits.Prompts, c.Limits.MaxActive = false, []string{friend.PubKey}, 3, 2
	})
	name := "nostr:" + room.NPub(s.agent.PubKey()) + " "
	s.say(s.asker, nil, name+"by a stranger")
	s.asker.keys = friend
	s.say(s.asker, nil, "to nobody")
	old := room.BuildMessage(s.lobby(), room.Words{Text: name + "old"}, s.clock.Now().Unix()-MaxMentionAge-1)
	s.asker.publish(&old)
	form, err := ask.BuildRequest(ask.Draft{Room: lobby, Text: "A question?", Asked: []string{s.agent.PubKey()}, Selection: ask.Text}, friend.PubKey, s.clock.Now().Unix())
	if err != nil {
		t.Fatal(err)
	}
	s.asker.publish(form) // questions are for people
	first, second := s.say(s.asker, nil, name+"first"), s.say(s.asker, nil, name+"second")
	one, two := s.begin(), s.begin()
	if one.turn.ID != first.ID && two.turn.ID != first.ID || one.turn.ID != second.ID && two.turn.ID != second.ID {
		t.Errorf("turns are %+v, %+v", one.turn, two.turn)
	}
	s.say(s.asker, nil, name+"third, while two are answered")
	s.request("the agent has seen the third")
	s.begin().done("done")
	s.clock.advance(time.Minute)
	one.done("done")
	two.done("done")
	s.asker.until("both replies", func() bool { return len(texts(s.asker.events, by(s.agent.PubKey(), room.KindMessage, ""))) == 2 })
	fourth := s.say(s.asker, nil, name+"fourth")
	p := s.begin()
	if p.turn.ID != fourth.ID {
		t.Errorf("the turn is %+v", p.turn)
	}
	p.done("done")
}

func TestTwoAgentsDoNotTalkToEachOther(t *testing.T) {
	p := newPlace(t, nil)
	first, second := live(t, p.inRoom()), live(t, p.inRoom())
	<-first.homes[0].told
	<-second.homes[0].told
	m := p.enter()
	both := m.mention(first.PubKey(), "help, nostr:"+room.NPub(second.PubKey()))
	reply := m.find("the first reply", by(first.PubKey(), room.KindMessage, both.ID))
	m.find("the second reply", by(second.PubKey(), room.KindMessage, both.ID))
	ev := room.BuildReply(p.lobby(), reply, room.Words{Text: "nostr:" + room.NPub(first.PubKey()) + " help"}, time.Now().Unix())
	if err := second.sign(&ev); err != nil {
		t.Fatal(err)
	}
	if v := second.publish(t.Context(), second.urls(), &ev); !v.stored {
		t.Fatal(v.words)
	}
	mark := m.mention(first.PubKey(), "help")
	m.find("the reply to a person", by(first.PubKey(), room.KindMessage, mark.ID))
	if n := m.count(by(first.PubKey(), room.KindMessage, ev.ID)); n != 0 {
		t.Error("an agent was answered")
	}
}

func TestAThreadOfCommentsIsAnsweredInComments(t *testing.T) {
	p := newPlace(t, nil)
	a := live(t, p.inRoom())
	m := p.enter()
	root := room.BuildThread(p.lobby(), room.Words{Subject: "Talk", Text: "Talk"}, time.Now().Unix())
	m.publish(&root)
	comment := room.BuildThreadReply(p.lobby(), room.KindComment, &root, nil, room.Words{Text: "nostr:" + room.NPub(a.PubKey()) + " 6 * 7"}, time.Now().Unix())
	m.publish(&comment)
	reply := m.find("the reply", by(a.PubKey(), room.KindComment, comment.ID))
	if value(reply, "E") != root.ID || value(reply, "e") != comment.ID || value(reply, "K") != "11" || value(reply, "k") != "1111" || !strings.Contains(reply.Content, "42") {
		t.Errorf("got %v", reply)
	}
}

func TestAFailedTurnIsToldInTheRoom(t *testing.T) {
	s := newStage(t, func(c *Config) { c.Limits.RunTime = time.Minute })
	name := "nostr:" + room.NPub(s.agent.PubKey()) + " "
	limited := s.say(s.asker, nil, name+"limited")
	s.begin().fail(&brain.Failure{Code: "RATE_LIMIT", Message: "Too much.", RetryAfter: 7})
	if reply := s.asker.find("the reply", by(s.agent.PubKey(), room.KindMessage, limited.ID)); !strings.Contains(reply.Content, "RATE_LIMIT") || !strings.Contains(reply.Content, "7 s") {
		t.Errorf("got %q", reply.Content)
	}
	slow := s.say(s.asker, nil, name+"slow")
	s.begin()
	s.clock.waitFor(t, time.Minute)
	s.clock.advance(time.Minute)
	if reply := s.asker.find("the reply", by(s.agent.PubKey(), room.KindMessage, slow.ID)); !strings.Contains(reply.Content, "too long") {
		t.Errorf("got %q", reply.Content)
	}
}

func TestARoomQuestionThatNobodyAnswersInTime(t *testing.T) {
	s := newStage(t, func(c *Config) { c.Brain = quick() })
	s.say(s.asker, nil, "nostr:"+room.NPub(s.agent.PubKey())+" ask single")
	form := s.asker.form(s.agent.PubKey(), 1)
	left := time.Duration(form.Expires-s.clock.Now().Unix()) * time.Second
	s.clock.waitFor(t, left+deadlineGrace)
	s.clock.advance(left + deadlineGrace)
	reply := s.asker.find("the reply in the thread", by(s.agent.PubKey(), room.KindThreadReply, form.Event.ID))
	if !strings.Contains(reply.Content, "Nobody answered in time") {
		t.Errorf("got %q", reply.Content)
	}
}

// TestTheFirstValidAnswerCounts: what comes from others, or is none, changes
// nothing, and what comes after neither.
func TestTheFirstValidAnswerCounts(t *testing.T) {
	p := newPlace(t, nil)
	a := live(t, p.inRoom())
	m, other := p.enter(), p.enter()
	m.mention(a.PubKey(), "ask single")
	form := m.form(a.PubKey(), 1)
	comment := func(by *person, content string) *nostr.Event {
		ev, err := ask.BuildAnswer(form, ask.Answer{Choices: []string{"tea"}}, m.keys.PubKey, p.url, time.Now().Unix())
		if err != nil {
			t.Fatal(err)
		}
		ev.Content = content
		return ev
	}
	if err := other.try(comment(other, "tea")); err == nil {
		t.Error("the relay took an answer by somebody who is not asked")
	}
	if err := m.try(comment(m, "beer")); err == nil {
		t.Error("the relay took an answer that is none")
	}
	first := m.answer(form, ask.Answer{Choices: []string{"water"}})
	m.find("the reply", by(a.PubKey(), room.KindThreadReply, first.ID))
	second := m.answer(form, ask.Answer{Choices: []string{"tea"}})
	mark := m.mention(a.PubKey(), "help")
	m.find("the reply to something else", by(a.PubKey(), room.KindMessage, mark.ID))
	if n := m.count(by(a.PubKey(), room.KindThreadReply, second.ID)); n != 0 {
		t.Error("the second answer was taken up, too")
	}
}
