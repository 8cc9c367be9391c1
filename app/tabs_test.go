package app

import (
	"encoding/json"
	"testing"
	"time"

	"parley/wasm/port"
)

// browser is a browser's lock and channel, with as many tabs as a test opens.
// Nothing happens until run: callbacks come later, as in a browser.
type browser struct {
	now    time.Time
	tabs   map[string]*fakeTab
	names  []string
	holder *wish
	queue  []*wish
	later  []func()
}

type wish struct {
	tab              *fakeTab
	held, busy, lost func()
}

type fakeTab struct {
	*Tabs
	b       *browser
	open    bool
	frozen  bool // gets and does nothing
	running bool
	hung    bool // the core does not answer
	starts  int
	renews  int      // how often the core was replaced
	asked   []string // methods its core was asked
	got     []string // methods or types delivered
	renewed int
}

func newBrowser() *browser {
	return &browser{now: time.Unix(1000, 0), tabs: map[string]*fakeTab{}}
}

func (b *browser) open(name string) *fakeTab {
	f := &fakeTab{b: b, open: true}
	f.Tabs = &Tabs{
		Tab: name, Locks: f, Channel: f, Worker: fakeWorker{f},
		Now:     func() time.Time { return b.now },
		Deliver: func(e port.Envelope) { f.got = append(f.got, e.Type+e.Method) },
		Renewed: func() { f.renewed++ },
	}
	b.tabs[name] = f
	b.names = append(b.names, name)
	f.Start()
	b.run()
	return f
}

func (b *browser) run() {
	for len(b.later) > 0 {
		next := b.later[0]
		b.later = b.later[1:]
		next()
	}
}

// pass lets time go by, second by second, with every tab ticking.
func (b *browser) pass(d time.Duration) {
	for ; d > 0; d -= tickEvery {
		b.now = b.now.Add(tickEvery)
		for _, name := range b.names {
			if f := b.tabs[name]; f.open && !f.frozen {
				f.Tick()
			}
			b.run()
		}
	}
}

func (f *fakeTab) close() {
	f.open, f.running = false, false
	if f.b.holder != nil && f.b.holder.tab == f {
		f.b.holder = nil
	}
	f.b.grant()
	f.b.run()
}

func (f *fakeTab) says(e port.Envelope) {
	text, _ := json.Marshal(e)
	f.FromWorker(string(text))
}

// Request is the browser's lock.
func (f *fakeTab) Request(how LockWish, held, busy, lost func()) {
	b, w := f.b, &wish{f, held, busy, lost}
	switch {
	case how == Steal:
		if old := b.holder; old != nil {
			b.later = append(b.later, func() {
				if old.tab.open {
					old.lost()
				}
			})
		}
		b.holder = w
		b.later = append(b.later, held)
	case how == IfFree && b.holder != nil:
		b.later = append(b.later, busy)
	default:
		b.queue = append(b.queue, w)
		b.grant()
	}
}

func (b *browser) grant() {
	for b.holder == nil && len(b.queue) > 0 {
		next := b.queue[0]
		b.queue = b.queue[1:]
		if next.tab.open {
			b.holder = next
			b.later = append(b.later, next.held)
		}
	}
}

// Post is the browser's channel.
func (f *fakeTab) Post(text string) {
	for _, name := range f.b.names {
		if other := f.b.tabs[name]; other != f && other.open && !other.frozen {
			f.b.later = append(f.b.later, func() { other.FromChannel(text) })
		}
	}
}

type fakeWorker struct{ *fakeTab }

func (w fakeWorker) Start() {
	if !w.running {
		w.running = true
		w.starts++
	}
}
func (w fakeWorker) Stop()          { w.running = false }
func (w fakeWorker) Restart(string) { w.renews, w.hung = w.renews+1, false }
func (w fakeWorker) Send(text string) {
	var e port.Envelope
	_ = json.Unmarshal([]byte(text), &e)
	if e.Type == port.Hello && !w.hung {
		w.b.later = append(w.b.later, func() { w.says(port.Envelope{Type: port.Hello, Tab: e.Tab}) })
	}
	if e.Type != port.Call {
		return
	}
	w.asked = append(w.asked, e.Tab+":"+e.Method)
}

func (b *browser) wantCore(t *testing.T, name string) {
	t.Helper()
	for _, other := range b.names {
		f := b.tabs[other]
		if f.open && !f.frozen && f.running != (other == name) {
			t.Errorf("core of tab %s runs: %v, want it in tab %s only", other, f.running, name)
		}
	}
}

func TestOneTabHasTheCoreAndServesAll(t *testing.T) {
	b := newBrowser()
	a, c := b.open("a"), b.open("c")
	b.wantCore(t, "a")

	c.Send(port.Envelope{Type: port.Call, Method: port.Watch})
	b.run()
	if len(a.asked) != 1 || a.asked[0] != "c:watch" {
		t.Fatalf("the core of a was asked %v, want c:watch", a.asked)
	}
	a.says(port.Envelope{Type: port.Reply, Tab: "c"})
	a.says(port.Envelope{Type: port.Update})
	b.run()
	if want := []string{"reply", "update"}; !equal(c.got, want) {
		t.Errorf("tab c got %v, want %v", c.got, want)
	}
	if want := []string{"update"}; !equal(a.got, want) {
		t.Errorf("tab a got %v, want %v: a reply to another tab is not for it", a.got, want)
	}
}

func TestAnExtensionIsAskedInTheTabThatCalled(t *testing.T) {
	b := newBrowser()
	a, c := b.open("a"), b.open("c")
	a.says(port.Envelope{Type: port.Request, Tab: "c", Method: port.ExtSignEvent})
	b.run()
	if len(a.got) != 0 || !equal(c.got, []string{"request" + port.ExtSignEvent}) {
		t.Errorf("tab a got %v and tab c got %v, want the request in c only", a.got, c.got)
	}
}

func TestTheNextTabTakesOverWhenTheFirstCloses(t *testing.T) {
	b := newBrowser()
	a, c, d := b.open("a"), b.open("c"), b.open("d")
	before := d.renewed
	a.close()
	b.wantCore(t, "c")
	if d.renewed != before+1 {
		t.Errorf("tab d heard of %d new cores, want 1", d.renewed-before)
	}
	d.Send(port.Envelope{Type: port.Call, Method: port.Probe})
	b.run()
	if !equal(c.asked, []string{"d:probe"}) {
		t.Errorf("the core of c was asked %v, want d:probe", c.asked)
	}
}

func TestASilentTabLosesTheLockAfterThreeSeconds(t *testing.T) {
	b := newBrowser()
	a, c := b.open("a"), b.open("c")
	b.pass(10 * time.Second)
	if c.Leading() {
		t.Fatal("tab c took over from a tab that speaks")
	}
	a.frozen = true
	b.pass(takeoverAfter)
	if c.Leading() {
		t.Fatal("tab c took over before three seconds had passed")
	}
	b.pass(tickEvery)
	b.wantCore(t, "c")
	if a.running {
		t.Error("the tab that lost the lock still runs its core")
	}
	a.frozen = false
	b.pass(5 * time.Second)
	b.wantCore(t, "c")
}

func TestACoreThatHangsIsReplaced(t *testing.T) {
	b := newBrowser()
	a := b.open("a")
	b.pass(2 * hungAfter)
	if a.renews != 0 {
		t.Fatal("a core that answers was replaced")
	}
	a.hung = true
	b.pass(hungAfter - askAfter)
	if a.renews != 0 {
		t.Fatal("replaced too early")
	}
	b.pass(2 * askAfter)
	if a.renews != 1 {
		t.Errorf("replaced %d times, want 1", a.renews)
	}
}

func TestATabThatSleptDoesNotTakeOver(t *testing.T) {
	b := newBrowser()
	b.open("a")
	c := b.open("c")
	b.now = b.now.Add(time.Hour)
	c.Tick()
	b.run()
	if c.Leading() {
		t.Error("tab c woke and took the core of a tab that had no time to speak")
	}
	b.pass(10 * time.Second)
	b.wantCore(t, "a")
	a := b.tabs["a"]
	a.hung = true
	b.now = b.now.Add(time.Hour)
	a.Tick()
	if a.renews != 0 {
		t.Error("tab a woke and replaced a core that had no time to speak")
	}
}

func TestTheWordsOfAFormerLeaderAreNotHeard(t *testing.T) {
	b := newBrowser()
	a, c := b.open("a"), b.open("c")
	b.now = b.now.Add(time.Second)
	c.TakeOver()
	old := a.epoch
	b.run()
	got := len(c.got)
	text, _ := json.Marshal(tabMessage{Kind: fromCore, Tab: "a", Epoch: old, Text: `{"t":"update"}`})
	c.FromChannel(string(text))
	if len(c.got) != got || !c.Leading() {
		t.Error("tab c heard a core that is no longer in charge")
	}
}

func TestACoreThatWasReplacedIsANewCoreToEveryTab(t *testing.T) {
	b := newBrowser()
	a, c := b.open("a"), b.open("c")
	inA, inC := a.renewed, c.renewed
	a.WorkerRestarted()
	b.run()
	if a.renewed != inA+1 || c.renewed != inC+1 {
		t.Errorf("new cores heard of: %d in a, %d in c, want 1 and 1", a.renewed-inA, c.renewed-inC)
	}
}

func TestWithoutLocksEachTabHasItsOwnCore(t *testing.T) {
	b := newBrowser()
	for _, name := range []string{"a", "c"} {
		f := &fakeTab{b: b, open: true}
		f.Tabs = &Tabs{
			Tab: name, Worker: fakeWorker{f}, Now: func() time.Time { return b.now },
			Deliver: func(e port.Envelope) { f.got = append(f.got, e.Type) }, Renewed: func() { f.renewed++ },
		}
		f.Start()
		f.says(port.Envelope{Type: port.Hello})
		f.Tick()
		if !f.running || f.renewed != 1 || !equal(f.got, []string{"hello"}) {
			t.Errorf("tab %s: running %v, renewed %d, got %v", name, f.running, f.renewed, f.got)
		}
	}
}

func TestGarbageOnTheChannelIsIgnored(t *testing.T) {
	b := newBrowser()
	a := b.open("a")
	for _, text := range []string{"", "{", `{"k":"said","tab":"x","n":99999999999999,"x":"{"}`, `{"k":"?"}`} {
		a.FromChannel(text)
	}
	a.FromWorker("{")
	b.run()
	if len(a.got) != 0 {
		t.Errorf("delivered %v", a.got)
	}
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
