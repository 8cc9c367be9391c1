package core

import (
	"context"

	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/run"
	"parley/wasm/store"
)

// at is from where runs are looked at.
func (c *Core) at(id, agent string) run.At {
	at := run.At{Now: c.now(), Timeout: c.Site.RunTimeout, Info: c.sessions.infos[agent]}
	switch {
	case c.sessions.withdrawn[id] || c.delivered[id].State == run.DeliveryWithdrawn:
		at.Delivery.State = run.DeliveryWithdrawn
	case c.entryOf(id) != nil:
		d := c.deliveryOf(*c.entryOf(id))
		at.Delivery = run.Delivery{State: d.State, Reason: d.Reason}
	default:
		if d, ok := c.delivered[id]; ok {
			at.Delivery = run.Delivery{State: d.State, Reason: d.Reason, SentAt: d.At}
		}
	}
	return at
}

// MaxPatch is how many bytes of a run's texts the page gets in one update, so
// that reading one never keeps it busy for long.
const MaxPatch = 64 << 10

func sessionKey(agent, session string) string { return agent + " " + session }

func (c *Core) sessionUnread(s run.Session) bool {
	mark := c.sessions.read[sessionKey(s.Agent, s.ID)]
	return s.Last > mark.At || s.Ends > mark.Ends
}

// readSession notes that a session was read up to now. mu is held.
func (c *Core) readSession(s run.Session) {
	if !c.sessionUnread(s) {
		return
	}
	key := sessionKey(s.Agent, s.ID)
	mark := readMark{s.Last, s.Ends}
	c.sessions.read[key] = mark
	c.keepLater(sessionReadBucket+"/"+c.identity.me, key, mark)
}

func (c *Core) markSessionsRead() {
	for _, s := range c.sessions.list.List() {
		c.readSession(s)
	}
}

func (c *Core) beginSession(ctx context.Context, w *watch) error {
	if w.params.Session == "" || len(w.params.Session) > run.MaxSessionBytes {
		return invalid("A session's name has 1 to %d bytes.", run.MaxSessionBytes)
	}
	if err := c.beginAgent(ctx, w); err != nil {
		return err
	}
	c.spawn(func() { c.readSessionRuns(c.ctx, w.params.Agent, w.params.Session) })
	return nil
}

// readSessionRuns reads what restoreSessions leaves out: the tools and the
// thinking of runs that have ended.
func (c *Core) readSessionRuns(ctx context.Context, agent, session string) {
	c.mu.Lock()
	var ids []string
	for _, s := range c.sessions.list.List() {
		if s.Agent == agent && s.ID == session {
			ids = append(ids, s.Runs...)
		}
	}
	c.mu.Unlock()
	if len(ids) == 0 {
		return
	}
	err := c.readRuns(ctx, store.Query{Tag: "e", Values: ids, Kinds: []int{run.KindTool, run.KindDelta, run.KindStatus}, Limit: SessionsPage})
	if err != nil && ctx.Err() == nil {
		c.notice("storage", "A session cannot be read whole: "+err.Error())
	}
	c.touch()
}

func (c *Core) sessionItem(s run.Session) port.SessionItem {
	item := port.SessionItem{Session: s, Agent: c.profiles.Person(s.Agent), Unread: c.sessionUnread(s)}
	item.Session.Runs = nil
	if n := len(s.Runs); n > 0 {
		if card := c.sessions.runs[s.Runs[n-1]]; card != nil {
			item.State = card.run.View(c.at(s.Runs[n-1], s.Agent)).State
		}
	}
	return item
}

// sessionView is the update of a session's watch; news is true when there are
// runs in it. mu is held.
func (c *Core) sessionView(w *watch) (v port.SessionView, news bool) {
	key := w.params.Agent
	info := c.info(key)
	v = port.SessionView{
		Reset: w.reset, Agent: c.profiles.Person(key), NPub: room.NPub(key), Info: info, HasInfo: info.Named(),
		Session: run.Session{ID: w.params.Session, Agent: key, Client: c.identity.me},
		Order:   []string{}, DraftKey: agentDraft(key, w.params.Session),
	}
	if w.reset {
		w.items, w.tails = nil, map[string]run.Tail{}
		v.Draft = c.drafts[v.DraftKey]
	}
	for _, s := range c.sessions.list.List() {
		if s.Agent == key && s.ID == w.params.Session {
			v.Session = s
			c.readSession(s)
		}
	}
	v.Order = v.Session.Runs
	if n := len(v.Order) - MaxSessionRuns; n > 0 {
		v.Earlier, v.Order = n, v.Order[n:]
	}
	if v.Order == nil {
		v.Order = []string{}
	}
	v.Session.Runs = nil
	v.Loading = len(v.Order) == 0 && !c.heard(key)
	c.sumUp(&v)
	var unfinished []string
	for _, id := range v.Order {
		if _, has := w.items[id]; has && !w.dirty[id] {
			continue
		}
		item, ok, more := c.runItem(w, id)
		if ok {
			v.Runs = append(v.Runs, item)
		}
		if more {
			unfinished = append(unfinished, id)
		}
	}
	clear(w.dirty)
	for _, id := range unfinished {
		w.markDirty(id)
		c.touch()
	}
	return v, len(v.Runs) > 0
}

// sumUp adds the tokens and the price of a session up.
func (c *Core) sumUp(v *port.SessionView) {
	var usage run.Usage
	for _, id := range v.Order {
		card := c.sessions.runs[id]
		if card == nil {
			continue
		}
		view := card.run.View(run.At{})
		if view.Usage != nil {
			usage.InputTokens += view.Usage.InputTokens
			usage.OutputTokens += view.Usage.OutputTokens
		}
		if d, ok := c.delivered[id]; ok && d.State == port.Sent {
			v.Note = "Your relays keep no history of AI sessions: another device sees only what comes while it is online."
		}
	}
	if usage != (run.Usage{}) {
		v.Usage, v.Cost = &usage, v.Info.Cost(usage)
	}
}

// runItem is a run for the page, with only the new end of its texts where the
// page has their beginning. At most MaxPatch bytes of them come at once; a run
// whose texts are not over there yet is still being written, for the page, and
// more says that it goes on. mu is held.
func (c *Core) runItem(w *watch, id string) (item port.RunItem, ok, more bool) {
	card := c.sessions.runs[id]
	if card == nil {
		return item, false, false
	}
	view := card.run.View(c.at(id, card.agent))
	card.deadline = view.Deadline
	item = port.RunItem{View: view}
	if e := c.entryOf(id); e != nil {
		d := c.deliveryOf(*e)
		item.Delivery = &d
	} else if d, ok := c.delivered[id]; ok {
		item.Delivery = &d
	}
	item.CanStop = !view.State.Ended() && view.State != run.StateCancelling
	item.Retry = view.State == run.StateFailed || view.State == run.StateCancelled || view.State == run.StateDone
	had := w.tails[id]
	patch := card.run.Since(had)
	has := card.run.Tail()
	if more = patch.Cut(MaxPatch); more {
		has.Text, has.Thinking = patch.Keep+len(patch.Text), patch.KeepThinking+len(patch.Thinking)
		if view.State.Ended() {
			item.View.State, item.View.Ended, item.View.Error, item.Retry = run.StateStreaming, 0, nil, false
		}
	}
	item.Decrypt = view.Sealed > 0 && c.sessions.secrets.paused
	// What changed is seen without the texts: they may be long, and grow.
	item.View.Text, item.View.Thinking = "", ""
	if !w.changed(id, shownRun{item, has}) {
		return item, false, false
	}
	item.From, item.View.Text = patch.Keep, patch.Text
	item.ThinkingFrom, item.View.Thinking = patch.KeepThinking, patch.Thinking
	w.tails[id] = has
	return item, true, more
}

// shownRun is what the page has of a run: its item without the texts, and how
// much of those.
type shownRun struct {
	Item port.RunItem
	Has  run.Tail
}
