package app

import (
	"encoding/json"
	"time"

	"parley/wasm/port"
)

// Times of the election between tabs.
const (
	// tickEvery is how often Tabs.Tick is to be called.
	tickEvery = time.Second
	// takeoverAfter is the silence after which a tab takes the core's lock from
	// the tab that holds it. The core says hello at least every second.
	takeoverAfter = 3 * time.Second
	// askAfter is the silence after which this tab's own core is asked for a sign
	// of life, and hungAfter the one after which it is replaced.
	askAfter  = 5 * time.Second
	hungAfter = 20 * time.Second
	// lateTick is the pause between two ticks that shows that this tab itself
	// was asleep, so that silence says nothing about others.
	lateTick = 2500 * time.Millisecond
)

// LockWish says how a lock is asked for.
type LockWish int

// The wishes, as the Web Locks API knows them.
const (
	IfFree LockWish = iota // now or not at all
	InTurn                 // once those before us let go
	Steal                  // now, from whoever holds it
)

// Locks is the lock that elects the tab whose worker runs the core. The
// callbacks come on the page's goroutine, after Request has returned: held or
// busy once, and lost when the lock is taken from us afterwards. Only IfFree
// calls busy.
type Locks interface {
	Request(wish LockWish, held, busy, lost func())
}

// Channel reaches the other tabs of this browser.
type Channel interface {
	Post(text string)
}

// Worker is the core of this tab. Start and Stop do nothing when there is
// nothing to do; what is sent before a worker listens reaches it. Restart ends
// the core and starts another.
type Worker interface {
	Start()
	Stop()
	Restart(why string)
	Send(text string)
}

// Tabs joins this tab to the one core of the browser: it runs the core in this
// tab's worker when this tab holds the lock, and speaks over the channel to the
// tab that does otherwise. All methods are called on the page's goroutine.
type Tabs struct {
	Tab     string           // this tab's id
	Build   string           // the page's build
	Locks   Locks            // nil where the browser has none: each tab has its own core
	Channel Channel          // nil with Locks
	Worker  Worker           // the core in this tab
	Now     func() time.Time // the clock
	// Deliver takes what the core says to this tab, or to all.
	Deliver func(port.Envelope)
	// Renewed says that another core than before is in charge: what the former
	// was asked is forgotten.
	Renewed func()

	leading   bool
	followers bool      // other tabs depend on this one's core
	queued    bool      // a request in turn is pending
	leader    string    // the tab in charge, when it is another
	epoch     int64     // of the core in charge; a higher one wins
	heard     time.Time // the last word of the core in charge
	asked     time.Time // when this tab's own core was asked for one
	ticked    time.Time
}

// Kinds of messages between tabs.
const (
	toCore   = "call" // Text goes to the core
	fromCore = "said" // Text came from the core
	iLead    = "lead" // the sender has the core
	whoLeads = "who"  // asks for iLead
)

// tabMessage is what goes over the channel.
type tabMessage struct {
	Kind  string `json:"k"`
	Tab   string `json:"tab"`
	Epoch int64  `json:"n,omitempty"`
	Text  string `json:"x,omitempty"` // an envelope of the port
}

// Start asks for the lock.
func (t *Tabs) Start() {
	t.heard, t.ticked = t.Now(), t.Now()
	if t.Locks == nil {
		t.lead()
		return
	}
	t.Locks.Request(IfFree, t.lead, t.follow, t.lost)
}

// Leading reports whether the core runs in this tab.
func (t *Tabs) Leading() bool { return t.leading }

// Send sends an envelope to the core, wherever it runs.
func (t *Tabs) Send(e port.Envelope) {
	e.Tab = t.Tab
	text, err := json.Marshal(e)
	if err != nil {
		return // every value was marshalled once already
	}
	if t.leading {
		t.Worker.Send(string(text))
		return
	}
	t.post(tabMessage{Kind: toCore, Text: string(text)})
}

// Tick looks whether the core in charge still lives. Another tab is asked, and
// answers although its own timers may be held up; this tab's own core is asked
// when it has said nothing for a while.
func (t *Tabs) Tick() {
	now := t.Now()
	slept := now.Sub(t.ticked) > lateTick
	t.ticked = now
	if slept {
		t.heard = now
	}
	silence := now.Sub(t.heard)
	switch {
	case t.leading && silence > hungAfter:
		t.heard = now
		t.Worker.Restart("It gave no sign of life.")
	case t.leading:
		if silence > askAfter && now.Sub(t.asked) > askAfter {
			t.asked = now
			t.Send(port.Envelope{Type: port.Hello, Build: t.Build})
		}
	case silence > takeoverAfter:
		t.TakeOver()
	default:
		t.post(tabMessage{Kind: whoLeads})
	}
}

// TakeOver takes the lock from the tab that holds it: it is silent, or it runs
// an older build than this tab.
func (t *Tabs) TakeOver() {
	if t.leading || t.Locks == nil {
		return
	}
	t.heard = t.Now()
	t.Locks.Request(Steal, t.lead, func() {}, t.lost)
}

// WorkerRestarted says that this tab's core died and was replaced.
func (t *Tabs) WorkerRestarted() {
	if !t.leading {
		return
	}
	t.newEpoch()
	t.post(tabMessage{Kind: iLead})
	t.Renewed()
}

// FromWorker takes an envelope from this tab's core.
func (t *Tabs) FromWorker(text string) {
	if !t.leading {
		return
	}
	t.heard = t.Now()
	tab := t.deliver(text)
	if t.followers && tab != t.Tab {
		t.post(tabMessage{Kind: fromCore, Text: text})
	}
}

// FromChannel takes a message from another tab.
func (t *Tabs) FromChannel(text string) {
	var m tabMessage
	if json.Unmarshal([]byte(text), &m) != nil || m.Tab == t.Tab {
		return
	}
	switch m.Kind {
	case toCore, whoLeads:
		if !t.leading {
			return
		}
		t.followers = true
		if m.Kind == toCore {
			t.Worker.Send(m.Text)
			return
		}
		t.post(tabMessage{Kind: iLead})
	case iLead, fromCore:
		t.fromLeader(m)
	}
}

func (t *Tabs) fromLeader(m tabMessage) {
	if m.Epoch < t.epoch {
		return // a tab that has not noticed yet that it lost the lock
	}
	if t.leading {
		if m.Epoch > t.epoch {
			t.lost()
		}
		return
	}
	t.heard = t.Now()
	if m.Tab != t.leader || m.Epoch != t.epoch {
		t.leader, t.epoch = m.Tab, m.Epoch
		t.Renewed()
	}
	if m.Kind == fromCore {
		t.deliver(m.Text)
	}
}

// deliver hands an envelope on when it is for this tab. It returns the tab that
// it is for.
func (t *Tabs) deliver(text string) string {
	var e port.Envelope
	if json.Unmarshal([]byte(text), &e) != nil {
		return t.Tab
	}
	if e.Tab == "" || e.Tab == t.Tab {
		t.Deliver(e)
	}
	return e.Tab
}

func (t *Tabs) lead() {
	t.queued = false
	if t.leading {
		return
	}
	t.leading, t.leader = true, t.Tab
	t.heard = t.Now()
	t.newEpoch()
	t.Worker.Start()
	t.post(tabMessage{Kind: iLead})
	t.Renewed()
}

// newEpoch counts cores in the browser's clock, so that tabs that never met
// agree on which is newer.
func (t *Tabs) newEpoch() { t.epoch = max(t.Now().UnixMilli(), t.epoch+1) }

func (t *Tabs) follow() {
	t.leading = false
	t.heard = t.Now()
	t.Worker.Stop()
	if !t.queued {
		t.queued = true
		t.Locks.Request(InTurn, t.lead, func() {}, t.lost)
	}
	t.post(tabMessage{Kind: whoLeads})
}

func (t *Tabs) lost() {
	if t.leading {
		t.leader = ""
		t.follow()
	}
}

func (t *Tabs) post(m tabMessage) {
	if t.Channel == nil {
		return
	}
	m.Tab = t.Tab
	if m.Kind == iLead || m.Kind == fromCore {
		m.Epoch = t.epoch
	}
	text, err := json.Marshal(m)
	if err != nil {
		return // strings and numbers always marshal
	}
	t.Channel.Post(string(text))
}
