package app

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/components"
	"parley/wasm/port"
	"parley/wasm/room"
)

// page is a shell with a core that a test plays. It is mounted as a server
// mounts components, where go-app does not call OnMount.
type page struct {
	shell
	t      *testing.T
	engine ui.TestEngine
	calls  []port.Envelope
	timers []func()
}

// OnPreRender implements ui.PreRenderer.
func (p *page) OnPreRender(ctx ui.Context) {
	p.OnMount(ctx)
	p.tabs.Worker = p
	p.link.Renew()
}

func (p *page) Start() {}
func (p *page) Stop()  {}

func (p *page) Restart(string) {}

// Send takes what the page says to its core.
func (p *page) Send(text string) {
	var e port.Envelope
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		p.t.Error(err)
	}
	if e.Type == port.Hello {
		p.says(port.Envelope{Type: port.Hello, Build: e.Build})
		return
	}
	p.calls = append(p.calls, e)
}

func (p *page) says(e port.Envelope) {
	text, err := json.Marshal(e)
	if err != nil {
		p.t.Fatal(err)
	}
	p.inbox.post(func() { p.tabs.FromWorker(string(text)) })
}

func openPage(t *testing.T, route Route) *page {
	t.Helper()
	p := &page{t: t, engine: ui.NewTestEngine()}
	p.wait = func(_ time.Duration, f func()) func() {
		p.timers = append(p.timers, f)
		return func() {}
	}
	if err := p.engine.Load(p); err != nil {
		t.Fatal(err)
	}
	p.engine.ConsumeAll()
	p.inbox.post(func() { p.goTo(route); p.changed() })
	p.engine.ConsumeAll()
	return p
}

// call returns the newest call of a method, with its value read into v.
func (p *page) call(method string, v any) port.Envelope {
	p.t.Helper()
	for i := len(p.calls) - 1; i >= 0; i-- {
		if e := p.calls[i]; e.Method == method {
			if v != nil {
				if err := json.Unmarshal(e.Value, v); err != nil {
					p.t.Fatal(err)
				}
			}
			return e
		}
	}
	p.t.Fatalf("the page did not call %s", method)
	return port.Envelope{}
}

func (p *page) called(method string) int {
	n := 0
	for _, e := range p.calls {
		if e.Method == method {
			n++
		}
	}
	return n
}

// shows sends an update of a watch by name.
func (p *page) shows(name string, view any) {
	p.t.Helper()
	for i := len(p.calls) - 1; i >= 0; i-- {
		var w port.WatchParams
		if p.calls[i].Method != port.Watch || json.Unmarshal(p.calls[i].Value, &w) != nil || w.Name != name {
			continue
		}
		value, err := json.Marshal(view)
		if err != nil {
			p.t.Fatal(err)
		}
		p.says(port.Envelope{Type: port.Update, Updates: []port.Topic{{Watch: w.Watch, Name: name, Value: value}}})
		p.engine.ConsumeAll()
		return
	}
	p.t.Fatalf("the page does not watch %s", name)
}

func (p *page) reply(e port.Envelope, value any, err *port.Error) {
	raw, _ := json.Marshal(value)
	p.says(port.Envelope{Type: port.Reply, ID: e.ID, Value: raw, Error: err})
	p.engine.ConsumeAll()
}

func (p *page) act(action string, value any) {
	p.ctx.NewActionWithValue(action, value)
	p.engine.ConsumeAll()
}

func (p *page) html() string { return ui.HTMLString(p) }

func (p *page) want(parts ...string) {
	p.t.Helper()
	html := p.html()
	for _, part := range parts {
		if !strings.Contains(html, part) {
			p.t.Errorf("%q is not on the page", part)
		}
	}
}

func (p *page) absent(parts ...string) {
	p.t.Helper()
	html := p.html()
	for _, part := range parts {
		if strings.Contains(html, part) {
			p.t.Errorf("%q is on the page", part)
		}
	}
}

var (
	lobby  = room.Ref{Relay: "wss://a.example", ID: "lobby"}
	inRoom = Route{Page: Room, Room: lobby}
	mira   = port.Identity{Person: room.Person{PubKey: "aa", Name: "Mira"}, NPub: "npub1aa", Signer: "local", BackedUp: true}
)

func signedIn() port.AppView {
	return port.AppView{Me: &mira, Connection: port.Online, Relays: []port.RelayView{{URL: lobby.Relay, State: port.Online, Mine: true}},
		Rooms: []port.RoomItem{{Ref: lobby, Name: "Lobby", Unread: 2}}, NeedsYou: 3}
}

func lobbyInfo() *port.RoomInfo {
	return &port.RoomInfo{Meta: room.Meta{Ref: lobby, Name: "Lobby", Known: true}, Listed: true, Member: true, CanWrite: true}
}

func openLobby(t *testing.T) *page {
	p := openPage(t, inRoom)
	p.shows(port.AppName, signedIn())
	order, items := itemsOf(0, 5)
	p.shows(port.RoomName, port.Timeline{Reset: true, Order: order, Items: items, Info: lobbyInfo(), DraftKey: "k"})
	return p
}

func TestTheRoomPage(t *testing.T) {
	p := openLobby(t)
	p.want(`role="log"`, `aria-live="off"`, `aria-label="Messages"`, `data-event="`+idOf(4)+`"`,
		`aria-label="Message"`, `aria-label="Send"`, `data-connection="online"`, "Lobby")
	if n := strings.Count(p.html(), `data-event="`+idOf(4)+`"`); n != 1 {
		t.Errorf("an event stands on the page %d times", n)
	}
	if n := strings.Count(p.html(), `aria-live="polite"`); n != 1 {
		t.Errorf("%d polite live regions, want 1", n)
	}
}

func TestSending(t *testing.T) {
	p := openLobby(t)
	p.act(components.DoReply, idOf(2))
	p.want("Reply to aa")
	p.act(components.DoSend, components.Words{Key: "k", Text: "hello"})
	var sent port.SendParams
	call := p.call(port.Send, &sent)
	if sent.Text != "hello" || sent.ReplyTo != idOf(2) || sent.Draft != "k" || sent.Room != lobby {
		t.Errorf("sent %+v", sent)
	}
	p.absent("Reply to aa")
	p.reply(call, nil, &port.Error{Code: port.CodeRefused, Message: "The extension said no."})
	p.want("The extension said no.")
	if p.s.write.fill != "hello" {
		t.Error("the words are lost when the signer refuses")
	}
}

func TestAThreadIsAnsweredInItsThread(t *testing.T) {
	p := openPage(t, Route{Page: Thread, Room: lobby, ID: idOf(0)})
	p.shows(port.AppName, signedIn())
	order, items := itemsOf(0, 2)
	p.shows(port.ThreadName, port.Timeline{Reset: true, Order: order, Items: items, Info: lobbyInfo(), RootID: idOf(0)})
	p.act(components.DoSend, components.Words{Text: "hello"})
	var sent port.SendParams
	p.call(port.Send, &sent)
	if sent.Thread != idOf(0) {
		t.Errorf("sent %+v", sent)
	}
}

func TestEditing(t *testing.T) {
	p := openLobby(t)
	own := itemOf(4, "aa")
	own.Own, own.Message.Text = true, "old words"
	p.shows(port.RoomName, port.Timeline{Order: p.s.main.order, Items: []port.Item{own}})
	p.act(components.DoEdit, idOf(4))
	p.want("Edit your message")
	if p.s.write.fill != "old words" || !p.s.write.replace {
		t.Errorf("the composer gets %+v", p.s.write)
	}
	p.act(components.DoSend, components.Words{Text: "new words"})
	var edit port.EventParams
	p.call(port.Edit, &edit)
	if edit.ID != idOf(4) || edit.Text != "new words" || p.called(port.Send) != 0 {
		t.Errorf("edited %+v", edit)
	}
}

func TestReactionsToARequestAreNoAnswers(t *testing.T) {
	p := openLobby(t)
	request := itemOf(4, "bb")
	request.Message.Request = true
	p.shows(port.RoomName, port.Timeline{Order: p.s.main.order, Items: []port.Item{request}})
	for _, answer := range []string{"+", "-"} {
		p.act(components.DoReact, components.Mark{ID: idOf(4), Text: answer})
	}
	if n := p.called(port.React); n != 0 {
		t.Fatalf("%d answers were sent as reactions", n)
	}
	p.act(components.DoReact, components.Mark{ID: idOf(4), Text: "👍"})
	if n := p.called(port.React); n != 1 {
		t.Errorf("%d reactions were sent, want 1", n)
	}
}

func TestWhoCannotWriteIsToldWhatToDo(t *testing.T) {
	p := openPage(t, inRoom)
	out := signedIn()
	out.Me = nil
	p.shows(port.AppName, out)
	info := lobbyInfo()
	info.CanWrite, info.Member, info.WhyNot = false, false, "Sign in to write"
	p.shows(port.RoomName, port.Timeline{Reset: true, Order: []string{}, Info: info})
	p.want("Sign in to write")
	p.absent(`aria-label="Message"`)

	p.shows(port.AppName, signedIn())
	info.WhyNot = "Join to write"
	p.shows(port.RoomName, port.Timeline{Order: []string{}, Info: info})
	p.want("Join to write")
	p.act(components.DoJoin, nil)
	p.call(port.JoinRoom, nil)
}

func TestARoomOnARelayThatIsAwaySaysSo(t *testing.T) {
	p := openPage(t, inRoom)
	for _, step := range []struct {
		state, why, want string
	}{
		{port.Online, "", "Loading…"},
		{port.Connecting, "", "Loading…"},
		{port.Offline, "no connection", "The relay of this room is away."},
		{port.Online, "silent", "does not answer"},
	} {
		v := signedIn()
		v.Relays[0].State, v.Relays[0].Why = step.state, step.why
		p.shows(port.AppName, v)
		p.shows(port.RoomName, port.Timeline{Reset: true, Order: []string{}, Loading: true})
		p.want(step.want)
		order, items := itemsOf(0, 1)
		p.shows(port.RoomName, port.Timeline{Reset: true, Order: order, Items: items, Older: true})
		p.want(strings.Replace(step.want, "Loading…", "Loading older messages…", 1))
	}
}

func TestADraftIsFlushedOnTheWayOut(t *testing.T) {
	p := openLobby(t)
	p.act(components.DoType, components.Words{Key: "k", Text: "half"})
	p.inbox.post(func() { p.goTo(Route{Page: Settings}) })
	p.engine.ConsumeAll()
	var draft port.Draft
	p.call(port.SetDraft, &draft)
	if draft != (port.Draft{Key: "k", Text: "half"}) {
		t.Errorf("kept %+v", draft)
	}
	if p.called(port.Unwatch) == 0 {
		t.Error("the room that was left is still watched")
	}
}

func TestBanners(t *testing.T) {
	p := openPage(t, Route{Page: Start})
	v := signedIn()
	me := mira
	me.BackedUp, me.Locked = false, true
	v.Me, v.Notices = &me, []port.Notice{{Code: "storage", Text: "Nothing is kept."}}
	p.shows(port.AppName, v)
	p.want("Your key is only in this browser", ">Unlock<", "Nothing is kept.")
	p.act(components.DoUnlock, components.Secret{Passphrase: "x"})
	p.reply(p.call(port.Unlock, nil), nil, &port.Error{Code: port.CodeInvalid, Message: "This is not the passphrase."})
	p.want("This is not the passphrase.")
}

func TestAnotherBuildIsOffered(t *testing.T) {
	p := openPage(t, Route{Page: Start})
	p.shows(port.AppName, signedIn())
	p.says(port.Envelope{Type: port.Hello, Build: "newer"})
	p.engine.ConsumeAll()
	p.want("Parley was updated.", ">Update<", `data-connection="offline"`)
}

func TestRelayDialogs(t *testing.T) {
	p := openPage(t, Route{Page: Start})
	v := signedIn()
	v.Dialogs = []port.Dialog{{Kind: "open", URL: "wss://strange.example"}, {Kind: "auth", URL: "wss://b.example"}}
	p.shows(port.AppName, v)
	p.want("Open wss://strange.example?", ">Open<", ">Not now<")
	p.absent("Sign in to wss://b.example?")
	p.act(components.DoAskedRelay, components.RelayAnswer{Kind: "open", URL: "wss://strange.example", Allow: true})
	var answer port.RelayParams
	p.call(port.OpenRelay, &answer)
	if !answer.Allow || answer.URL != "wss://strange.example" {
		t.Errorf("answered %+v", answer)
	}
	p.want("Sign in to wss://b.example?")
	p.absent("Open wss://strange.example?")

	again := v.Dialogs[:1]
	v.Dialogs = nil
	p.shows(port.AppName, v)
	v.Dialogs = again
	p.shows(port.AppName, v)
	p.want("Open wss://strange.example?")
}

func TestADoublePressIsOneCall(t *testing.T) {
	p := openPage(t, Route{Page: Settings})
	v := signedIn()
	v.Me = nil
	p.shows(port.AppName, v)
	p.act(components.DoCreateKey, components.Secret{})
	p.act(components.DoCreateKey, components.Secret{})
	if n := p.called(port.CreateKey); n != 1 {
		t.Errorf("%d keys were asked for", n)
	}
}

func TestEveryPageIsDrawn(t *testing.T) {
	for _, route := range []Route{
		{Page: Start}, inRoom, {Page: Thread, Room: lobby, ID: idOf(1)}, {Page: Agents}, {Page: Asks}, {Page: Tasks},
		{Page: Settings}, {Page: Code, Code: "npub1x"}, {Page: Missing}, {Page: Agent, NPub: "npub1x"}, {Page: Ask, ID: "00"},
	} {
		p := openPage(t, route)
		p.want("<h1", `data-connection="connecting"`)
		p.shows(port.AppName, signedIn())
		p.want("<h1", `data-connection="online"`, "Needs you", "Tasks")
		p.absent(" style=")
	}
}

func TestACodeLeadsToItsPlace(t *testing.T) {
	p := openPage(t, Route{Page: Code, Code: "nevent1x"})
	call := p.call(port.Resolve, nil)
	p.reply(call, nil, &port.Error{Code: port.CodeNotFound, Message: "No relay has this event."})
	p.want("No relay has this event.")
	p.reply(call, nil, nil)

	p = openPage(t, Route{Page: Code, Code: "nevent1x"})
	p.reply(p.call(port.Resolve, nil), port.Place{Path: inRoom.Path()}, nil)
	if p.s.route != inRoom {
		t.Errorf("the page shows %+v", p.s.route)
	}
}

func TestPathOf(t *testing.T) {
	tests := []struct{ text, want string }{
		{"https://parley.example/rooms/lobby?relay=wss%3A%2F%2Fa.example", "/rooms/lobby?relay=wss%3A%2F%2Fa.example"},
		{"nostr:npub1x", "/npub1x"},
		{"nevent1x", "/nevent1x"},
		{"https://elsewhere.example/rooms/lobby", ""},
		{"https://parley.example/what/ever", ""},
		{"nsec1x", ""},
		{"hello", ""},
	}
	for _, tt := range tests {
		got, ok := pathOf(tt.text, "https://parley.example")
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("pathOf(%q) = %q, %v, want %q", tt.text, got, ok, tt.want)
		}
	}
}
