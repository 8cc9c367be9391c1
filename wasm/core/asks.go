package core

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"parley/wasm/ask"
	"parley/wasm/port"
	"parley/wasm/relay"
	"parley/wasm/room"
	"parley/wasm/store"
	"parley/wasm/verify"
)

// MaxAskMinutes is the longest that a question made here stays open: a year.
const MaxAskMinutes = 366 * 24 * 60

// Filters of AsksView.
const (
	filterOpen     = "open"
	filterAnswered = "answered"
	filterExpired  = "expired"
)

// askItem is a question for the page. mu is held.
func (c *Core) askItem(id string, f *ask.Fold) port.AskItem {
	me, now, ref := c.identity.me, c.now(), c.cards.asks[id]
	view := f.View(now, me)
	item := port.AskItem{Room: ref, RoomName: c.roomName(ref), Dismissed: c.cards.dismissed[id], Draft: c.drafts[askDraft(id)]}
	if entry := c.outbox[c.cards.own[id]]; entry != nil {
		d := c.deliveryOf(*entry)
		item.Delivery = &d
		if d.State != port.Refused {
			view = view.WithSending(eventOf(entry), entry.CreatedAt, now)
		}
	} else if view.Answer != nil && view.Answer.By == me {
		item.Delivery = c.delivery(view.Answer.ID)
	}
	item.View = view
	keys := append([]string{view.Asker}, view.Asked...)
	for _, e := range view.History {
		keys = append(keys, e.By)
	}
	if view.Answer != nil {
		keys = append(keys, view.Answer.By)
	}
	item.People = c.people(ref, keys...)
	item.Link = room.NEvent(id, ref.Relay, view.Asker, view.Kind)
	if r := c.rooms[ref]; r != nil {
		if m, ok := r.fold.Message(id, me); ok {
			item.Refs, item.Thread = m.Refs, m.Root
		}
	}
	return item
}

// askDraft names what was typed into a form.
func askDraft(id string) string { return "ask " + id }

// asksView is every question that asks me. mu is held.
func (c *Core) asksView(w *watch) port.AsksView {
	v := port.AsksView{Filter: w.params.Filter, Items: []port.AskItem{}, Loading: c.cardsLoading()}
	if v.Filter == "" {
		v.Filter = filterOpen
	}
	for id, ref := range c.cards.asks {
		f := c.askFold(id)
		if !c.concerns(f) {
			continue
		}
		item := c.askItem(id, f)
		if askFilter(item.View) != v.Filter {
			continue
		}
		if c.stranger(ref, item.View.Asker) {
			v.Strangers = append(v.Strangers, item)
		} else {
			v.Items = append(v.Items, item)
		}
	}
	order := byExpiry
	if v.Filter != filterOpen {
		order = newestFirst
	}
	slices.SortFunc(v.Items, order)
	slices.SortFunc(v.Strangers, order)
	return v
}

// concerns tells whether a question asks me.
func (c *Core) concerns(f *ask.Fold) bool {
	if f == nil || c.identity.me == "" {
		return false
	}
	r := f.Request()
	return r != nil && slices.Contains(r.Asked, c.identity.me) && !c.blocked[r.Event.PubKey]
}

func askFilter(v ask.View) string {
	switch v.State {
	case ask.Open, ask.Sending:
		return filterOpen
	case ask.Answered:
		return filterAnswered
	}
	return filterExpired
}

// byExpiry puts the soonest deadline first and questions without one last.
func byExpiry(a, b port.AskItem) int {
	if a.Dismissed != b.Dismissed {
		if a.Dismissed {
			return 1
		}
		return -1
	}
	x, y := uint64(a.View.Expires-1), uint64(b.View.Expires-1) // 0 becomes the largest
	return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.View.CreatedAt, b.View.CreatedAt), cmp.Compare(a.View.ID, b.View.ID))
}

func newestFirst(a, b port.AskItem) int {
	return cmp.Or(cmp.Compare(b.View.CreatedAt, a.View.CreatedAt), cmp.Compare(a.View.ID, b.View.ID))
}

func (c *Core) cardsLoading() bool {
	for url, l := range c.live {
		asked := slices.ContainsFunc(l.parts, func(p *part) bool { return p.topic == liveCards })
		if asked && !c.cards.loaded[url] && c.relays.states[url].Phase == relay.Online {
			return true
		}
	}
	return false
}

// counts gives what waits for me, and how many of my tasks run. mu is held.
func (c *Core) counts() (asks, running int) {
	now, me := c.now(), c.identity.me
	for id, ref := range c.cards.asks {
		f := c.askFold(id)
		if !c.concerns(f) || c.cards.dismissed[id] || c.outbox[c.cards.own[id]] != nil || c.stranger(ref, f.Request().Event.PubKey) {
			continue
		}
		if v := f.View(now, me); v.State == ask.Open && v.Answerable {
			asks++
		}
	}
	for id := range c.cards.tasks {
		if f := c.taskFold(id); f != nil && me != "" {
			if v := f.View(now, me); v.Requester == me && taskRuns(v) {
				running++
			}
		}
	}
	return asks, running
}

func (c *Core) sendAsk(ctx context.Context, p port.AskParams) (port.EventID, error) {
	r, err := c.in(p.Room)
	if err != nil {
		return port.EventID{}, err
	}
	if p.Minutes < 0 || p.Minutes > MaxAskMinutes {
		return port.EventID{}, invalid("A question stays open for up to %d minutes.", MaxAskMinutes)
	}
	if p.Thread != "" && !verify.IsID(p.Thread) {
		return port.EventID{}, invalid("A thread is named by an event id, 64 hex digits; this is not one.")
	}
	draft := ask.Draft{
		Room: r.ref.ID, Root: p.Thread, Text: p.Text, Subject: p.Subject, Asked: p.People,
		Selection: ask.Selection(p.Selection), Freeform: p.Freeform,
	}
	if p.Notify {
		draft.Mention = p.People
	}
	for _, label := range p.Options {
		draft.Options = append(draft.Options, ask.Option{Label: label})
	}
	now := c.now()
	if p.Minutes > 0 {
		draft.Expires = now + int64(p.Minutes)*60
	}
	event, err := ask.BuildRequest(draft, c.me(), now)
	if err != nil {
		return port.EventID{}, invalid("%v", err)
	}
	id, err := c.submit(ctx, act{event: *event, room: r.ref, relays: []string{r.ref.Relay}})
	return port.EventID{ID: id}, err
}

func (c *Core) dismissAsk(ctx context.Context, p port.EventParams) error {
	if err := c.keep(ctx, dismissedBucket+"/"+c.me(), p.ID, c.now()); err != nil {
		return err
	}
	c.setDismissed(p.ID, true)
	return nil
}

func (c *Core) restoreAsk(ctx context.Context, p port.EventParams) error {
	if err := c.Store.Remove(ctx, dismissedBucket+"/"+c.me(), p.ID); err != nil {
		return fmt.Errorf("bring the question back: %w", err)
	}
	c.setDismissed(p.ID, false)
	return nil
}

func (c *Core) setDismissed(id string, dismissed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if dismissed {
		c.cards.dismissed[id] = true
	} else {
		delete(c.cards.dismissed, id)
	}
	c.dirtyEvent(id)
	c.touch()
}

// beginAsk finds a question by its id alone: here, or on my relays.
func (c *Core) beginAsk(ctx context.Context, w *watch) error {
	id := w.params.ID
	if !verify.IsID(id) {
		return invalid("A question is named by an event id, 64 hex digits; this is not one.")
	}
	c.mu.Lock()
	known := c.askFold(id) != nil
	c.mu.Unlock()
	if known {
		return nil
	}
	c.spawn(func() {
		_, _ = c.eventPlace(c.ctx, room.Code{ID: id}) // what it finds is folded
		records, err := c.Store.Query(c.ctx, store.Query{IDs: []string{id}})
		if err == nil {
			for _, rec := range records {
				for _, url := range rec.Relays {
					c.foldRecords(url, []store.Record{rec})
				}
			}
		}
		c.mu.Lock()
		w.view.looked = true
		c.mu.Unlock()
		c.touch()
	})
	return nil
}

// askRecord is the decision record of a question. mu is held.
func (c *Core) askRecord(w *watch) port.AskRecord {
	f := c.askFold(w.params.ID)
	if f == nil || f.Request() == nil {
		return port.AskRecord{Loading: !w.view.looked, Missing: w.view.looked}
	}
	v := port.AskRecord{Item: c.askItem(w.params.ID, f)}
	if record, ok := f.Record(); ok {
		v.Export, _ = json.Marshal(record) // signed events hold nothing that JSON cannot
	}
	return v
}
