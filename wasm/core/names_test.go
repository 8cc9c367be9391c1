//go:build !js

package core

import (
	"encoding/json"
	"slices"
	"testing"

	"parley/wasm/port"
	"parley/wasm/store"
)

// firstOf waits for the first update of a watch and reads it into v.
func (p *page) firstOf(watch port.WatchParams, v any) {
	p.t.Helper()
	p.must(port.Watch, watch)
	var value json.RawMessage
	p.wait("the first update of "+watch.Watch, func() bool {
		value = p.first[watch.Watch]
		return value != nil
	})
	if err := json.Unmarshal(value, v); err != nil {
		p.t.Fatal(err)
	}
}

func TestNamesThatAreKeptAreThereAtOnceAfterAReload(t *testing.T) {
	r, kept := startRelay(t), store.NewMemory("")
	ana := open(t, setup{relay: r.url, rooms: []string{"lobby"}, store: kept})
	ben := open(t, setup{relay: r.url, rooms: []string{"lobby"}})
	me, asker := ana.signUp(), ben.signUp()
	ben.must(port.SetProfile, port.Profile{Name: "Ben"})
	ana.enter(lobby(r.url))
	ben.enter(lobby(r.url))
	question := ben.ask(lobby(r.url), 0, me)
	job := ana.task(asker, "long", "do it")
	ben.say(lobby(r.url), "Hello")
	ana.wait("Ben's name", func() bool {
		item := ana.timelines["room"].items[question]
		return item.Ask != nil && item.Ask.People[asker].Name == "Ben"
	})
	ana.wait("the task to be stored", func() bool {
		d := ana.timelines["room"].items[job].Delivery
		return d != nil && d.State == port.Stored
	})
	ana.stop()
	r.stop()

	again := open(t, setup{relay: r.url, rooms: []string{"lobby"}, store: kept})
	var asks port.AsksView
	again.firstOf(port.WatchParams{Watch: "asks", Name: port.AsksName}, &asks)
	if len(asks.Items) != 1 || asks.Items[0].People[asker].Name != "Ben" {
		t.Errorf("the questions come at first as %+v", asks.Items)
	}
	var tasks port.TasksView
	again.firstOf(port.WatchParams{Watch: "tasks", Name: port.TasksName}, &tasks)
	if len(tasks.Items) != 1 || tasks.Items[0].People[asker].Name != "Ben" {
		t.Errorf("the tasks come at first as %+v", tasks.Items)
	}
	again.enter(lobby(r.url))
	again.mu.Lock()
	defer again.mu.Unlock()
	for id, item := range again.timelines["room"].items {
		if item.Message.Author.PubKey == asker && item.Message.Author.Name != "Ben" {
			t.Errorf("%s is by %q", id, item.Message.Author.Name)
		}
	}
}

func TestAQuestionAskedInAThreadNamesItsRoot(t *testing.T) {
	url := startRelay(t).url
	ana := open(t, setup{relay: url, rooms: []string{"lobby"}})
	ben := open(t, setup{relay: url, rooms: []string{"lobby"}})
	me := ana.signUp()
	ben.signUp()
	ana.enter(lobby(url))
	ben.enter(lobby(url))
	root := ben.say(lobby(url), "Lunch?")
	ana.wait("the root", func() bool { return ana.timelines["room"].items[root].Message.ID == root })
	reply := ben.must(port.SendAsk, port.AskParams{
		Room: lobby(url), Thread: root, Text: "Where?", People: []string{me}, Selection: "text",
	})
	var question port.EventID
	if err := json.Unmarshal(reply, &question); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*page{ana, ben} {
		p.must(port.Watch, port.WatchParams{Watch: "thread", Name: port.ThreadName, Room: lobby(url), ID: root})
		p.wait("the question in the thread", func() bool {
			s := p.timelines["thread"]
			return s != nil && slices.Equal(s.last.Order, []string{root, question.ID}) && s.items[question.ID].Ask != nil
		})
	}
	if item := ana.asked(question.ID); item.Thread != root {
		t.Errorf("the question stands in thread %q", item.Thread)
	}
	// What is said about it is no answer to it, whatever kind the thread has.
	ben.must(port.Send, port.SendParams{Room: lobby(url), Thread: root, ReplyTo: question.ID, Text: "I am hungry"})
	ana.wait("the words under the question", func() bool {
		s := ana.timelines["thread"]
		return len(s.last.Order) == 3 && s.items[s.last.Order[2]].Message.Text == "I am hungry"
	})
	if _, err := ben.call(port.SendAsk, port.AskParams{Room: lobby(url), Thread: "lunch", Text: "?", People: []string{me}, Selection: "text"}); err == nil {
		t.Error("a thread without an id is taken")
	}
}
