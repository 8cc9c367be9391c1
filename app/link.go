package app

import (
	"encoding/json"
	"maps"
	"slices"

	"parley/wasm/port"
)

// LinkState says how the page stands to its core.
type LinkState string

// The states of a link.
const (
	LinkStarting LinkState = "starting" // no hello from a core yet
	LinkReady    LinkState = "ready"
	LinkOutdated LinkState = "outdated" // the core is of another build: reload
	LinkDead     LinkState = "dead"     // the core died too often; see Link.Why
)

// lostCall is what a call that was under way gets when its core is replaced.
var lostCall = port.Error{
	Code:    port.CodeUnavailable,
	Message: "Parley's core was started anew. Try once more.",
}

// repeatable are the methods that may be sent twice without harm, so that a
// new core is asked again in place of one that died. What acts is among them:
// the core does the same call of the same tab once.
var repeatable = map[string]bool{
	port.Window: true, port.Resolve: true, port.Probe: true,
	port.SetDraft: true, port.GetDraft: true, port.MarkRead: true, port.MarkAllRead: true,
	port.Send: true, port.React: true, port.Unreact: true, port.Edit: true, port.Delete: true, port.Report: true,
	port.SendAsk: true, port.AnswerAsk: true, port.SendTask: true, port.CancelTask: true,
	port.SendPrompt: true, port.StopRun: true, port.JoinRoom: true, port.LeaveRoom: true, port.CreateRoom: true,
}

// Link is the page's side of the port: calls and their replies, what the page
// watches, requests to the tab's browser extension. It survives its core: a new
// one is asked for all watches again. All methods are called on the page's
// goroutine.
type Link struct {
	Build string              // this page's build; a core of another is not spoken to
	Send  func(port.Envelope) // to the core
	// Update takes what a watch brought.
	Update func(port.Topic)
	// Request takes a call to the browser extension; Answer sends the result.
	Request func(id int64, method string, args json.RawMessage)
	// Failed takes the error of a watch that the core refused. It may be nil.
	Failed func(watch string, err *port.Error)
	// Stands says that State has changed. It may be nil.
	Stands func()

	state   LinkState
	why     string
	spoken  bool // a core of this build was spoken to
	next    int64
	calls   map[int64]*call
	watches map[string]port.WatchParams
}

type call struct {
	envelope port.Envelope
	reply    func(json.RawMessage, *port.Error)
	sent     bool
}

// State returns how the page stands to its core.
func (l *Link) State() LinkState {
	if l.state == "" {
		return LinkStarting
	}
	return l.state
}

// Why returns the reason of LinkDead, in words.
func (l *Link) Why() string { return l.why }

// Strange reports whether the page met a core of another build before it ever
// spoke to one of its own: it is then the newer of the two.
func (l *Link) Strange() bool { return l.state == LinkOutdated && !l.spoken }

// Call asks the core. Value is the method's type of port/calls.go; reply may be
// nil and is called once. Calls wait until a core is there.
func (l *Link) Call(method string, value any, reply func(json.RawMessage, *port.Error)) {
	if reply == nil {
		reply = func(json.RawMessage, *port.Error) {}
	}
	raw, err := json.Marshal(value)
	if err != nil {
		reply(nil, &port.Error{Code: port.CodeInternal, Message: "Cannot ask for " + method + ": " + err.Error()})
		return
	}
	switch l.state {
	case LinkOutdated:
		reply(nil, &port.Error{Code: port.CodeUnavailable, Message: "Parley was updated. Reload this page to go on."})
		return
	case LinkDead:
		reply(nil, &port.Error{Code: port.CodeUnavailable, Message: "Parley's core has stopped: " + l.why})
		return
	}
	l.next++
	if l.calls == nil {
		l.calls = map[int64]*call{}
	}
	c := &call{port.Envelope{Type: port.Call, ID: l.next, Method: method, Value: raw}, reply, false}
	l.calls[l.next] = c
	l.send(c)
}

func (l *Link) send(c *call) {
	if l.state == LinkReady {
		c.sent = true
		l.Send(c.envelope)
	}
}

// Watch asks to be kept up to date. The watch's id is p.Watch.
func (l *Link) Watch(p port.WatchParams) {
	if l.watches == nil {
		l.watches = map[string]port.WatchParams{}
	}
	l.watches[p.Watch] = p
	if l.state == LinkReady {
		l.askFor(p)
	} // else it is asked for with the others once a core is there
}

func (l *Link) askFor(p port.WatchParams) {
	l.Call(port.Watch, p, func(_ json.RawMessage, err *port.Error) {
		_, still := l.watches[p.Watch]
		if err != nil && still && l.state == LinkReady && l.Failed != nil {
			l.Failed(p.Watch, err)
		}
	})
}

// Unwatch ends a watch.
func (l *Link) Unwatch(watch string) {
	if _, ok := l.watches[watch]; !ok {
		return
	}
	delete(l.watches, watch)
	if l.state == LinkReady {
		l.Call(port.Unwatch, port.WatchParams{Watch: watch}, nil)
	}
}

// Answer sends what the browser extension said to request id.
func (l *Link) Answer(id int64, value json.RawMessage, err *port.Error) {
	l.Send(port.Envelope{Type: port.Answer, ID: id, Value: value, Error: err})
}

// Renew greets a new core. Calls under way get lostCall, except those that can
// be sent again.
func (l *Link) Renew() {
	l.stand(LinkStarting, "")
	l.dropCalls(func(c *call) bool { return c.sent && !repeatable[c.envelope.Method] }, lostCall)
	l.Send(port.Envelope{Type: port.Hello, Build: l.Build})
}

// Die says that there will be no core any more.
func (l *Link) Die(why string) {
	l.stand(LinkDead, why)
	l.dropCalls(func(*call) bool { return true }, port.Error{
		Code: port.CodeUnavailable, Message: "Parley's core has stopped: " + why,
	})
}

func (l *Link) dropCalls(which func(*call) bool, err port.Error) {
	for _, id := range slices.Sorted(maps.Keys(l.calls)) {
		if c := l.calls[id]; which(c) {
			delete(l.calls, id)
			failure := err
			c.reply(nil, &failure)
		}
	}
}

// Receive takes what the core says to this tab.
func (l *Link) Receive(e port.Envelope) {
	switch e.Type {
	case port.Hello:
		l.hello(e.Build)
	case port.Fatal:
		if e.Error != nil {
			l.why = e.Error.Message // Renew or Die follows from the boot script
		}
	}
	if l.state != LinkReady {
		return
	}
	switch e.Type {
	case port.Reply:
		if c := l.calls[e.ID]; c != nil {
			delete(l.calls, e.ID)
			c.reply(e.Value, e.Error)
		}
	case port.Update:
		for _, topic := range e.Updates {
			if _, ok := l.watches[topic.Watch]; ok {
				l.Update(topic)
			}
		}
	case port.Request:
		l.Request(e.ID, e.Method, e.Value)
	}
}

// hello compares builds. Cores say hello again and again, as a sign of life.
func (l *Link) hello(build string) {
	if build != l.Build {
		l.stand(LinkOutdated, "")
		l.dropCalls(func(*call) bool { return true }, port.Error{
			Code: port.CodeUnavailable, Message: "Parley was updated. Reload this page to go on.",
		})
		return
	}
	if l.state == LinkReady {
		return
	}
	l.spoken = true
	l.stand(LinkReady, "")
	for _, watch := range slices.Sorted(maps.Keys(l.watches)) {
		l.askFor(l.watches[watch])
	}
	for _, id := range slices.Sorted(maps.Keys(l.calls)) {
		if c := l.calls[id]; c.envelope.Method != port.Watch {
			l.send(c)
		}
	}
}

func (l *Link) stand(state LinkState, why string) {
	changed := l.state != state
	l.state, l.why = state, why
	if changed && l.Stands != nil {
		l.Stands()
	}
}
