package core

import (
	"context"
	"encoding/json"
	"hash/maphash"
	"time"

	"parley/wasm/port"
	"parley/wasm/run"
)

// UpdateEvery is the shortest time between two updates to the page: more than a
// frame, so that a flood becomes a few messages, and little enough that an answer
// is seen within 100 ms of being sent.
const UpdateEvery = 24 * time.Millisecond

// MaxWatches is the most a tab may watch at once; a page uses a handful.
const MaxWatches = 64

// watch is something that a page is kept up to date about.
type watch struct {
	params   port.WatchParams
	tab      string
	window   port.WindowParams   // of timelines
	close    func()              // what to end with the watch; may be nil
	reset    bool                // the next update is the first
	last     uint64              // hash of the last update, apart from items
	items    map[string]uint64   // hash of each item as the page has it
	dirty    map[string]bool     // items to build again
	tails    map[string]run.Tail // how much of each run's texts the page has
	infoHash uint64              // of the RoomInfo that the page has
	view     viewState           // what a watch of this kind keeps for itself
}

// viewState is what some kinds of watch keep between updates.
type viewState struct {
	divider   string // timelines: the first unread message when it was opened
	dividerOK bool
	looked    bool // questions: every relay was asked
}

var seed = maphash.MakeSeed()

func watchKey(tab, id string) string { return tab + "/" + id }

func (c *Core) watch(ctx context.Context, p port.WatchParams) error {
	w := &watch{params: p, tab: tabOf(ctx), reset: true}
	w.window = port.WindowParams{Before: port.MaxWindow / 2}
	if p.Watch == "" {
		return invalid("A watch needs an id.")
	}
	begin, ok := beginnings[p.Name]
	if !ok {
		return invalid("There is nothing called %q to watch.", p.Name)
	}
	if begin != nil {
		if err := begin(c, ctx, w); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := watchKey(w.tab, p.Watch)
	if old := c.watches[key]; old != nil && old.close != nil {
		old.close()
	} else if old == nil && c.countWatches(w.tab) >= MaxWatches {
		if w.close != nil {
			w.close()
		}
		return invalid("This page already watches %d things; close one first.", MaxWatches)
	}
	c.watches[key] = w
	c.touch()
	return nil
}

// beginnings holds, for each kind of watch, what to do at its start.
var beginnings = map[string]func(*Core, context.Context, *watch) error{
	port.AppName:     nil,
	port.RoomName:    (*Core).beginRoom,
	port.ThreadName:  (*Core).beginThread,
	port.AsksName:    nil,
	port.AskName:     (*Core).beginAsk,
	port.TasksName:   nil,
	port.AgentName:   (*Core).beginAgent,
	port.SessionName: (*Core).beginSession,
}

func (c *Core) countWatches(tab string) int {
	n := 0
	for _, w := range c.watches {
		if w.tab == tab {
			n++
		}
	}
	return n
}

func (c *Core) unwatch(ctx context.Context, p port.WatchParams) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropWatch(watchKey(tabOf(ctx), p.Watch))
	return nil
}

func (c *Core) dropWatch(key string) {
	if w := c.watches[key]; w != nil {
		delete(c.watches, key)
		if w.close != nil {
			w.close()
		}
	}
}

// gone forgets a tab that was left. What its extension was asked is refused:
// the act waits as a draft.
func (c *Core) gone(tab string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.strange, tab)
	if c.identity.lastTab == tab {
		c.identity.lastTab = ""
		for other, strange := range c.strange {
			if !strange {
				c.identity.lastTab = other
			}
		}
	}
	for id, wait := range c.answers {
		if wait.tab == tab {
			delete(c.answers, id)
			wait.done <- port.Envelope{Error: &port.Error{Code: port.CodeUnavailable, Message: "The tab with the browser extension was closed."}}
		}
	}
	for key, w := range c.watches {
		if w.tab == tab {
			c.dropWatch(key)
		}
	}
}

func (c *Core) window(ctx context.Context, p port.WindowParams) error {
	c.mu.Lock()
	w := c.watches[watchKey(tabOf(ctx), p.Watch)]
	if w == nil {
		c.mu.Unlock()
		return &port.Error{Code: port.CodeNotFound, Message: "This watch has ended."}
	}
	p.Before, p.After = clamp(p.Before, port.MaxWindow), clamp(p.After, port.MaxWindow)
	p.After = min(p.After, port.MaxWindow-p.Before)
	w.window = p
	c.mu.Unlock()
	c.touch()
	return nil
}

func clamp(n, most int) int { return max(0, min(n, most)) }

// tell posts what changed to those who watch it, at most every UpdateEvery.
func (c *Core) tell(ctx context.Context) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.stale:
		}
		for tab, topics := range c.collect() {
			c.Post(port.Envelope{Type: port.Update, Tab: tab, Updates: topics})
		}
		pause.Reset(UpdateEvery)
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
	}
}

// collect builds the updates of every watch, by tab.
func (c *Core) collect() map[string][]port.Topic {
	c.mu.Lock()
	defer c.mu.Unlock()
	updates := map[string][]port.Topic{}
	for _, w := range c.watches {
		if value := c.update(w); value != nil {
			updates[w.tab] = append(updates[w.tab], port.Topic{Watch: w.params.Watch, Name: w.params.Name, Value: value})
		}
	}
	return updates
}

// update is the news of one watch in JSON, nil when there is none.
func (c *Core) update(w *watch) json.RawMessage {
	var view any
	news := false
	switch w.params.Name {
	case port.AppName:
		view = c.appView()
	case port.RoomName, port.ThreadName:
		view, news = c.timeline(w)
	case port.AsksName:
		view = c.asksView(w)
	case port.AskName:
		view = c.askRecord(w)
	case port.TasksName:
		view = c.tasksView(w)
	case port.AgentName:
		view = c.agentView(w)
	case port.SessionName:
		view, news = c.sessionView(w)
	}
	value, err := json.Marshal(view)
	if err != nil {
		return nil // views hold nothing that JSON cannot
	}
	if hash := maphash.Bytes(seed, value); news || w.reset || hash != w.last {
		w.last, w.reset = hash, false
		return value
	}
	return nil
}

// changed tells whether an item differs from what the page has, and remembers
// it as what the page has now.
func (w *watch) changed(id string, item any) bool {
	value, err := json.Marshal(item)
	if err != nil {
		return false
	}
	hash := maphash.Bytes(seed, value)
	if w.items == nil {
		w.items = map[string]uint64{}
	}
	if old, ok := w.items[id]; ok && old == hash {
		return false
	}
	w.items[id] = hash
	return true
}

// infoChanged is changed for the head of a room.
func (w *watch) infoChanged(info port.RoomInfo) bool {
	value, err := json.Marshal(info)
	if err != nil {
		return false
	}
	hash := maphash.Bytes(seed, value)
	if hash == w.infoHash {
		return false
	}
	w.infoHash = hash
	return true
}
