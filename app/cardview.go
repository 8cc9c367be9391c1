package app

import (
	"parley/components"
	"parley/wasm/port"
)

// askOf is a question as a form shows it; nil for none.
func askOf(item *port.AskItem, me string) *components.Ask {
	if item == nil {
		return nil
	}
	return &components.Ask{
		View: item.View, People: item.People, Me: me, Refs: item.Refs,
		Delivery: deliveryOf(item.Delivery), Draft: item.Draft,
	}
}

// taskOf is a task as a card shows it; nil for none.
func taskOf(item *port.TaskItem, me string) *components.Task {
	if item == nil {
		return nil
	}
	t := &components.Task{
		View: item.View, People: item.People, Me: me, Files: item.Files, Delivery: deliveryOf(item.Delivery),
		Thread: Route{Page: Thread, Room: item.Room, ID: item.View.Root}.Path(),
	}
	if item.View.MergedInto != "" {
		t.Merged = Route{Page: Thread, Room: item.Room, ID: item.View.MergedInto}.Path()
	}
	return t
}

// taskIn is a task in a log, where its message says more about it.
func taskIn(r *row) *components.Task {
	t := taskOf(r.item.Task, r.me)
	if t != nil {
		t.Refs, t.Replies, t.Inside = r.item.Message.Refs, r.item.Message.Replies, r.path == ""
	}
	return t
}

// me is my public key, "" when signed out.
func (sh *shell) me() string {
	if sh.s.app.Me == nil {
		return ""
	}
	return sh.s.app.Me.Person.PubKey
}

// callMe names the reader to the log that is open: cards say "you".
func (sh *shell) callMe() {
	t, me := sh.s.main, sh.me()
	if t == nil || t.me == me {
		return
	}
	t.me = me
	t.layOut()
}
