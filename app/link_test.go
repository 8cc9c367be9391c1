package app

import (
	"encoding/json"
	"testing"

	"parley/wasm/port"
)

// fakeCore notes what a link sends.
type fakeCore struct {
	link    *Link
	sent    []port.Envelope
	topics  []port.Topic
	request string
}

func newFakeCore() *fakeCore {
	f := &fakeCore{}
	f.link = &Link{
		Build:   "b1",
		Send:    func(e port.Envelope) { f.sent = append(f.sent, e) },
		Update:  func(t port.Topic) { f.topics = append(f.topics, t) },
		Request: func(_ int64, method string, _ json.RawMessage) { f.request = method },
	}
	return f
}

func (f *fakeCore) hello(build string) { f.link.Receive(port.Envelope{Type: port.Hello, Build: build}) }

// take returns the methods sent since the last take.
func (f *fakeCore) take() []string {
	var methods []string
	for _, e := range f.sent {
		methods = append(methods, e.Type+" "+e.Method)
	}
	f.sent = nil
	return methods
}

func TestCallsWaitForTheCore(t *testing.T) {
	f := newFakeCore()
	f.link.Renew()
	f.link.Watch(port.WatchParams{Watch: "1", Name: port.AppName})
	f.link.Call(port.Probe, nil, nil)
	if got := f.take(); !equal(got, []string{"hello "}) {
		t.Fatalf("sent %v before the core said hello", got)
	}
	f.hello("b1")
	if got := f.take(); !equal(got, []string{"call watch", "call probe"}) {
		t.Errorf("sent %v after hello, want the watch, then the call, once each", got)
	}
	f.hello("b1")
	if got := f.take(); len(got) != 0 {
		t.Errorf("a further hello made the page send %v", got)
	}
}

func TestAReplyReachesItsCallOnce(t *testing.T) {
	f := newFakeCore()
	f.link.Renew()
	f.hello("b1")
	var values []string
	f.link.Call(port.Backup, nil, func(v json.RawMessage, err *port.Error) { values = append(values, string(v)) })
	id := f.sent[len(f.sent)-1].ID
	for range 2 {
		f.link.Receive(port.Envelope{Type: port.Reply, ID: id, Value: json.RawMessage(`1`)})
	}
	f.link.Receive(port.Envelope{Type: port.Reply, ID: id + 1, Value: json.RawMessage(`2`)})
	if !equal(values, []string{"1"}) {
		t.Errorf("the call got %v, want 1", values)
	}
}

func TestANewCoreIsAskedForAllWatchesAgain(t *testing.T) {
	f := newFakeCore()
	f.link.Renew()
	f.hello("b1")
	f.link.Watch(port.WatchParams{Watch: "1", Name: port.AppName})
	f.link.Watch(port.WatchParams{Watch: "2", Name: port.RoomName})
	f.link.Watch(port.WatchParams{Watch: "3", Name: port.TasksName})
	f.link.Unwatch("3")
	var lost *port.Error
	f.link.Call(port.CreateKey, nil, func(_ json.RawMessage, err *port.Error) { lost = err })
	f.link.Call(port.SetDraft, nil, func(_ json.RawMessage, err *port.Error) {
		t.Errorf("a call that may be repeated was given up: %v", err)
	})
	f.take()

	f.link.Renew()
	if lost == nil || lost.Code != port.CodeUnavailable {
		t.Errorf("the call under way got %v, want unavailable", lost)
	}
	f.hello("b1")
	if got := f.take(); !equal(got, []string{"hello ", "call watch", "call watch", "call set_draft"}) {
		t.Errorf("the new core was sent %v", got)
	}
}

func TestACoreOfAnotherBuildIsNotSpokenTo(t *testing.T) {
	f := newFakeCore()
	f.link.Renew()
	f.link.Watch(port.WatchParams{Watch: "1", Name: port.AppName})
	f.take()
	f.hello("b2")
	if f.link.State() != LinkOutdated || !f.link.Strange() {
		t.Fatalf("state %q, strange %v", f.link.State(), f.link.Strange())
	}
	var got *port.Error
	f.link.Call(port.Send, nil, func(_ json.RawMessage, err *port.Error) { got = err })
	f.link.Receive(port.Envelope{Type: port.Update, Updates: []port.Topic{{Watch: "1"}}})
	if sent := f.take(); len(sent) != 0 || got == nil || len(f.topics) != 0 {
		t.Errorf("sent %v, error %v, updates %v across builds", sent, got, f.topics)
	}
}

func TestATabThatSpokeBeforeIsTheOlderOne(t *testing.T) {
	f := newFakeCore()
	f.link.Renew()
	f.hello("b1")
	f.link.Renew()
	f.hello("b2")
	if f.link.State() != LinkOutdated || f.link.Strange() {
		t.Errorf("state %q, strange %v: want outdated and not strange", f.link.State(), f.link.Strange())
	}
}

func TestUpdatesOfEndedWatchesAreDropped(t *testing.T) {
	f := newFakeCore()
	f.link.Renew()
	f.hello("b1")
	f.link.Watch(port.WatchParams{Watch: "1", Name: port.RoomName})
	f.link.Unwatch("1")
	f.link.Receive(port.Envelope{Type: port.Update, Updates: []port.Topic{{Watch: "1", Name: port.RoomName}}})
	if len(f.topics) != 0 {
		t.Errorf("got %v", f.topics)
	}
}

func TestADeadCoreFailsEveryCall(t *testing.T) {
	f := newFakeCore()
	f.link.Renew()
	f.hello("b1")
	var errs []*port.Error
	note := func(_ json.RawMessage, err *port.Error) { errs = append(errs, err) }
	f.link.Call(port.SetDraft, nil, note)
	f.link.Die("out of memory")
	f.link.Call(port.Send, nil, note)
	if len(errs) != 2 || errs[0] == nil || errs[1] == nil || f.link.Why() != "out of memory" {
		t.Errorf("errors %v, why %q", errs, f.link.Why())
	}
}

func TestExtensionRequestsAreAnswered(t *testing.T) {
	f := newFakeCore()
	f.link.Renew()
	f.hello("b1")
	f.take()
	f.link.Receive(port.Envelope{Type: port.Request, ID: 7, Method: port.ExtGetPublicKey})
	f.link.Answer(7, json.RawMessage(`"ab"`), nil)
	if f.request != port.ExtGetPublicKey || len(f.sent) != 1 || f.sent[0].Type != port.Answer || f.sent[0].ID != 7 {
		t.Errorf("request %q, sent %+v", f.request, f.sent)
	}
}
