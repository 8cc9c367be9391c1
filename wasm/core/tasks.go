package core

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/task"
)

// Filters of TasksView.
const (
	filterRunning = "running"
	filterEnded   = "ended"
	filterAll     = "all"
)

// taskRuns tells whether an agent works on a task.
func taskRuns(v task.View) bool {
	return v.State == task.Accepted || v.State == task.Running || v.State == task.Cancelling
}

// taskItem is a task for the page. mu is held.
func (c *Core) taskItem(id string, f *task.Fold) port.TaskItem {
	me, now, ref := c.identity.me, c.now(), c.cards.tasks[id]
	view := f.View(now, me)
	item := port.TaskItem{Room: ref, RoomName: c.roomName(ref)}
	if entry := c.outbox[c.cards.own[id]]; entry != nil {
		d := c.deliveryOf(*entry)
		item.Delivery = &d
		if d.State != port.Refused {
			view = view.WithCancelWaiting()
		}
	} else if entry := c.outbox[id]; entry != nil {
		d := c.deliveryOf(*entry)
		item.Delivery = &d
	}
	item.View = view
	keys := []string{view.Requester, view.Agent, view.CancelledBy}
	for _, a := range view.CancelAsks {
		keys = append(keys, a.By)
	}
	item.People = c.people(ref, keys...)
	item.Link = room.NEvent(id, ref.Relay, view.Requester, task.KindRequest)
	if r := c.rooms[ref]; r != nil && view.Result != nil {
		for _, f := range view.Result.Files {
			if m, ok := r.fold.Message(f.ID, me); ok {
				item.Files = append(item.Files, m.Files...)
			} else {
				c.wantAround(r, []string{f.ID})
			}
		}
	}
	return item
}

// tasksView is every task I asked for or that names me, running first.
func (c *Core) tasksView(w *watch) port.TasksView {
	v := port.TasksView{Filter: w.params.Filter, Items: []port.TaskItem{}, Loading: c.cardsLoading()}
	if v.Filter == "" {
		v.Filter = filterAll
	}
	me := c.identity.me
	for id, ref := range c.cards.tasks {
		f := c.taskFold(id)
		if me == "" || f == nil || f.Request() == nil || !concernsMe(f.Request(), me) {
			continue
		}
		item := c.taskItem(id, f)
		ended := item.View.State.Ended()
		if v.Filter == filterRunning && ended || v.Filter == filterEnded && !ended || c.blocked[item.View.Requester] {
			continue
		}
		if c.stranger(ref, item.View.Requester) {
			continue
		}
		v.Items = append(v.Items, item)
	}
	slices.SortFunc(v.Items, func(a, b port.TaskItem) int {
		return cmp.Or(
			cmp.Compare(rank(a.View), rank(b.View)),
			cmp.Compare(b.View.CreatedAt, a.View.CreatedAt), cmp.Compare(a.View.ID, b.View.ID))
	})
	return v
}

// concernsMe tells whether I asked for a task or am named in it.
func concernsMe(r *task.Request, me string) bool {
	return r.Event.PubKey == me || r.Event.Tags.FindWithValue("p", me) != nil
}

func rank(v task.View) int {
	switch {
	case taskRuns(v):
		return 0
	case v.State.Ended():
		return 2
	}
	return 1
}

func (c *Core) sendTask(ctx context.Context, p port.TaskParams) (port.EventID, error) {
	r, err := c.in(p.Room)
	if err != nil {
		return port.EventID{}, err
	}
	agent, err := publicKey(p.Agent)
	if err != nil {
		return port.EventID{}, err
	}
	if strings.TrimSpace(p.Text) == "" && strings.TrimSpace(p.Subject) == "" {
		return port.EventID{}, invalid("Say what is to be done.")
	}
	if err := checkText(p.Subject+p.Text, nil); err != nil {
		return port.EventID{}, err
	}
	event, err := task.BuildRequest(task.Draft{Room: r.ref.ID, Agent: agent, Subject: p.Subject, Text: p.Text, Root: p.Thread}, c.me(), c.now())
	if err != nil {
		return port.EventID{}, invalid("%v", err)
	}
	id, err := c.submit(ctx, act{event: *event, room: r.ref, relays: []string{r.ref.Relay}})
	if err == nil && p.Draft != "" {
		err = c.setDraft(ctx, port.Draft{Key: p.Draft})
	}
	return port.EventID{ID: id}, err
}

func (c *Core) cancelTask(ctx context.Context, p port.EventParams) error {
	c.mu.Lock()
	f := c.taskFold(p.ID)
	if f == nil || f.Request() == nil {
		c.mu.Unlock()
		return &port.Error{Code: port.CodeNotFound, Message: "This task is not loaded."}
	}
	view, ref, own, request := f.View(c.now(), c.identity.me), c.cards.tasks[p.ID], c.outbox[c.cards.own[p.ID]], f.Request()
	c.mu.Unlock()
	switch {
	case own != nil && c.deliveryOf(*own).State != port.Refused:
		return nil // asked for already
	case view.State.Ended():
		return invalid("It had finished before.")
	case !view.CanCancel:
		return invalid("Only who asked for a task can cancel it.")
	}
	c.mu.Lock()
	entry := c.outbox[p.ID]
	unsent := entry != nil && canDiscard(entry)
	c.mu.Unlock()
	if unsent {
		c.withdraw(ctx, p.ID)
		return nil
	}
	event := task.BuildCancel(request, c.now())
	_, err := c.submit(ctx, act{event: *event, room: ref, relays: []string{ref.Relay}})
	return err
}
