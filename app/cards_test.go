package app

import (
	"slices"
	"strings"
	"testing"

	"parley/components"
	"parley/wasm/ask"
	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/task"
)

func meView() port.AppView {
	return port.AppView{
		Me: &port.Identity{Person: room.Person{PubKey: "me", Name: "Mira"}, Signer: "local", BackedUp: true}, Connection: port.Online,
		Agents: []port.AgentItem{{Person: room.Person{PubKey: "bot", Name: "Scout"}, NPub: "npub1scout"}},
	}
}

func askItem(id string, change func(*port.AskItem)) port.AskItem {
	item := port.AskItem{
		Room: room.Ref{Relay: "wss://r.example", ID: "lobby"}, RoomName: "Lobby",
		People: port.People{"bb": {PubKey: "bb", Name: "Ana"}},
		View: ask.View{
			ID: id, Asker: "bb", Kind: 9, Form: ask.Native, State: ask.Open, Selection: ask.Text, Text: "How are you?",
			Asked: []string{"me"}, Answerable: true, Offers: []ask.Offer{ask.OfferAnswer},
		},
	}
	if change != nil {
		change(&item)
	}
	return item
}

func TestAnAnswerKeepsTheDraftUntilARelayHasIt(t *testing.T) {
	p := openPage(t, Route{Page: Asks})
	p.shows(port.AppName, meView())
	p.shows(port.AsksName, port.AsksView{Filter: "open", Items: []port.AskItem{askItem("q1", nil)}})
	problem := "unheard"
	p.inbox.post(func() {
		p.typed(components.Words{Key: "ask q1", Text: `{"text":"Fine"}`})
		p.answer(components.AnswerAct{ID: "q1", Text: "Fine", Result: func(text string) { problem = text }})
	})
	p.engine.ConsumeAll()
	var draft port.Draft
	if p.call(port.SetDraft, &draft); draft.Key != "ask q1" || draft.Text != `{"text":"Fine"}` {
		t.Errorf("the draft is %+v", draft)
	}
	var params port.AnswerParams
	e := p.call(port.AnswerAsk, &params)
	if params.ID != "q1" || params.Text != "Fine" {
		t.Errorf("the answer is %+v", params)
	}
	p.says(port.Envelope{Type: port.Reply, ID: e.ID, Error: &port.Error{Code: port.CodeInvalid, Message: "Nothing was sent: it has been answered."}})
	p.engine.ConsumeAll()
	if problem != "Nothing was sent: it has been answered." {
		t.Errorf("the form was told %q", problem)
	}
}

func TestRowsHoldTheirPlaceWhileSomebodyWrites(t *testing.T) {
	for _, step := range []struct {
		rows, order []string
		writing     bool
		want        []string
	}{
		{nil, []string{"a", "b"}, false, []string{"a", "b"}},
		{[]string{"a", "b"}, []string{"c", "b"}, false, []string{"c", "b"}},
		{[]string{"a", "b"}, []string{"c", "b"}, true, []string{"", "b", "c"}},
		{[]string{"", "b", "c"}, []string{"c", "b", "a"}, true, []string{"", "b", "c", "a"}},
		{[]string{"a"}, nil, true, []string{""}},
	} {
		if got := arrange(step.rows, step.order, step.writing); !slices.Equal(got, step.want) {
			t.Errorf("%q then %q, writing %v: %q, want %q", step.rows, step.order, step.writing, got, step.want)
		}
	}
}

func TestAQuestionPutAwayCanBeBroughtBack(t *testing.T) {
	p := openPage(t, Route{Page: Asks})
	p.shows(port.AppName, meView())
	p.shows(port.AsksName, port.AsksView{Filter: "open", Items: []port.AskItem{askItem("q1", nil), askItem("q2", nil)}})
	p.inbox.post(func() { p.putAway("q1") })
	p.engine.ConsumeAll()
	var params port.EventParams
	if p.call(port.DismissAsk, &params); params.ID != "q1" || p.s.asked.put != "q1" {
		t.Errorf("put away: %+v, to be undone: %q", params, p.s.asked.put)
	}
	p.shows(port.AsksName, port.AsksView{Filter: "open", Items: []port.AskItem{askItem("q2", nil),
		askItem("q1", func(i *port.AskItem) { i.Dismissed = true })}})
	if !slices.Equal(p.s.asked.rows, []string{"q2"}) {
		t.Errorf("the list shows %q", p.s.asked.rows)
	}
	p.inbox.post(func() { p.bringBack("q1") })
	p.engine.ConsumeAll()
	if p.call(port.RestoreAsk, &params); params.ID != "q1" || p.s.asked.put != "" {
		t.Errorf("brought back: %+v, still to be undone: %q", params, p.s.asked.put)
	}
}

func TestAnAnsweredQuestionThatLeavesTheListIsSaid(t *testing.T) {
	p := openPage(t, Route{Page: Asks})
	p.shows(port.AppName, meView())
	p.shows(port.AsksName, port.AsksView{Filter: "open", Items: []port.AskItem{askItem("q1", nil)}})
	p.s.asked.answered("q1")
	p.shows(port.AsksName, port.AsksView{Filter: "open"})
	if len(p.s.toasts) != 1 || !strings.Contains(p.s.toasts[0].Text, "Your answer") {
		t.Errorf("said: %+v", p.s.toasts)
	}
}

func TestATaskLeadsToItsThreadAndToTheOneThatTookIt(t *testing.T) {
	item := port.TaskItem{
		Room: room.Ref{Relay: "wss://r.example", ID: "lobby"},
		View: task.View{ID: "t1", Root: "root", MergedInto: "t2", State: task.Cancelled},
	}
	shown := taskOf(&item, "me")
	if want := "/rooms/lobby/threads/root?relay=wss%3A%2F%2Fr.example"; shown.Thread != want {
		t.Errorf("the conversation is at %q", shown.Thread)
	}
	if want := "/rooms/lobby/threads/t2?relay=wss%3A%2F%2Fr.example"; shown.Merged != want {
		t.Errorf("the other task is at %q", shown.Merged)
	}
}

func TestAgentsOfTheRoomAreAskedFirst(t *testing.T) {
	p := openPage(t, Route{Page: Room, Room: room.Ref{ID: "lobby"}})
	app := meView()
	app.Agents = append(app.Agents, port.AgentItem{Person: room.Person{PubKey: "far", Name: "Far"}})
	p.shows(port.AppName, app)
	p.shows(port.RoomName, port.Timeline{Reset: true, Order: []string{}, Info: &port.RoomInfo{
		Agents: []string{"bot"},
		Meta: room.Meta{Ref: room.Ref{ID: "lobby"}, Members: []room.Member{
			{Person: room.Person{PubKey: "me", Name: "Mira"}}, {Person: room.Person{PubKey: "aa", Name: "Ana"}},
		}},
	}})
	var names []string
	for _, c := range p.agentsHere() {
		names = append(names, c.Person.Name)
	}
	if !slices.Equal(names, []string{"Scout", "Far"}) {
		t.Errorf("agents: %q", names)
	}
	if people := p.peopleHere(); len(people) != 1 || people[0].Person.Name != "Ana" {
		t.Errorf("people: %+v", people)
	}
}

func TestFilesWaitForTheirMessage(t *testing.T) {
	var a attachments
	one, two := a.add("/rooms/a", "a.txt", 3), a.add("/rooms/a", "b.txt", 4)
	a.finish("/rooms/a", one, room.File{URL: "https://x/1"}, "")
	if _, why := a.take("/rooms/a"); why == "" {
		t.Error("a message goes without the file that is on its way")
	}
	a.finish("/rooms/a", two, room.File{}, "too large")
	if _, why := a.take("/rooms/a"); !strings.Contains(why, "b.txt") || !strings.Contains(why, "too large") {
		t.Errorf("a message with a file that failed: %q", why)
	}
	if left := a.at("/rooms/a"); len(left) != 2 || left[1].Problem != "too large" {
		t.Errorf("left: %+v", left)
	}
	a.remove("/rooms/a", two)
	files, why := a.take("/rooms/a")
	if why != "" || len(files) != 1 || files[0].URL != "https://x/1" {
		t.Errorf("took %v, %q", files, why)
	}
	a.giveBack("/rooms/a", files)
	if back := a.at("/rooms/a"); len(back) != 1 || back[0].Busy || back[0].Problem != "" {
		t.Errorf("given back: %+v", back)
	}
	if len(a.at("/rooms/b")) != 0 {
		t.Error("another room has files")
	}
}
