package agent

import (
	"slices"
	"strings"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/relay"
	"parley/wasm/room"
	"parley/wasm/run"
	"parley/wasm/task"
)

// roomKinds are what the agent reads in rooms.
var roomKinds = []int{room.KindMessage, room.KindThread, room.KindThreadReply, room.KindComment, room.KindTask, room.KindTaskCancel}

// roomRoute says who takes up events of a kind; nil: nobody.
func (a *Agent) roomRoute(kind int) func(in relay.Incoming, stored bool) {
	switch kind {
	case room.KindMessage, room.KindThread, room.KindThreadReply:
		return a.heard
	case room.KindComment:
		return func(in relay.Incoming, stored bool) {
			a.answerCame(in.Event)
			a.heard(in, stored)
		}
	case room.KindTask:
		return a.taskCame
	case room.KindTaskCancel:
		return func(in relay.Incoming, _ bool) { a.taskCancelled(in.Event) }
	case room.KindMembers:
		return func(in relay.Incoming, _ bool) { a.added(in) }
	case room.KindRemoveUser:
		return a.removed
	}
	return nil
}

// ownRooms are the rooms to watch from the start: those of the configuration,
// and those where a question waits or a task is unfinished.
func (a *Agent) ownRooms() []room.Ref {
	var refs []room.Ref
	add := func(ref room.Ref) {
		if ref.ID != "" && a.home(ref.Relay) != nil && !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	for _, ref := range a.configuredRooms() {
		add(ref)
	}
	a.journal.look(func(s *state) {
		for _, q := range s.questions {
			add(room.Ref{Relay: q.Relay, ID: q.Room})
		}
		for _, t := range s.tasks {
			if t.end == nil {
				add(room.Ref{Relay: t.task.Relay, ID: t.task.Room})
			}
		}
	})
	return refs
}

// configuredRooms are the rooms the agent was told to watch.
func (a *Agent) configuredRooms() []room.Ref {
	var refs []room.Ref
	for _, r := range a.config.Rooms {
		url, err := relay.Normalize(r.Relay)
		if err != nil { // it names none
			url = a.homes[0].URL
		}
		refs = append(refs, room.Ref{Relay: url, ID: r.ID})
	}
	return refs
}

// watch reads a room from before the last stop on; tasks that nobody has taken
// from further back, since the relay is asked about each before it runs.
func (a *Agent) watch(ref room.Ref, initial bool) {
	a.mu.Lock()
	known := a.rooms[ref]
	a.rooms[ref] = true
	a.mu.Unlock()
	if known {
		return
	}
	from := a.reading - run.StartGrace
	a.subscribe(ref.Relay, subRoom+ref.ID, initial, func(since int64) []nostr.Filter {
		inRoom := nostr.Filter{Kinds: slices.Clone(roomKinds), Tags: nostr.TagMap{"h": {ref.ID}}}
		tasks := nostr.Filter{Kinds: []int{task.KindRequest, task.KindCancel}, Tags: nostr.TagMap{"h": {ref.ID}, "p": {a.keys.PubKey}}}
		return []nostr.Filter{later(inRoom, max(since, from)), later(tasks, max(since, a.began-int64(MaxAway.Seconds())))}
	})
}

// shutOut notes that a relay does not let the agent read a room, so that it is
// read again once the agent is let in.
func (a *Agent) shutOut(url, name string) {
	if id, ok := strings.CutPrefix(name, subRoom); ok {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.rooms, room.Ref{Relay: url, ID: id})
	}
}

// leave reads a room no more.
func (a *Agent) leave(ref room.Ref) {
	a.mu.Lock()
	delete(a.rooms, ref)
	delete(a.backlog, subscription{ref.Relay, subRoom + ref.ID})
	a.mu.Unlock()
	a.pool.Unsubscribe(ref.Relay, subRoom+ref.ID)
}

// watches says whether a room is read.
func (a *Agent) watches(ref room.Ref) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.rooms[ref]
}

// memberFilters ask which rooms the agent is a member of, and from which it is
// removed.
func memberFilters(me string) []nostr.Filter {
	return []nostr.Filter{
		{Kinds: []int{room.KindMembers}, Tags: nostr.TagMap{"p": {me}}},
		{Kinds: []int{room.KindRemoveUser}, Tags: nostr.TagMap{"p": {me}}},
	}
}

// added watches a room whose relay lists the agent as a member. Only the relay
// itself can say so.
func (a *Agent) added(in relay.Incoming) {
	h := a.home(in.Relay)
	id := in.Event.Tags.GetD()
	if h == nil || id == "" || in.Event.Tags.FindWithValue("p", a.keys.PubKey) == nil {
		return
	}
	a.wg.Go(func() { // the relay may not have said yet who it is
		if h.key(a.work) != in.Event.PubKey {
			a.log.Debug("a list of members by somebody else than the relay", "relay", in.Relay, "room", id)
			return
		}
		a.watch(room.Ref{Relay: h.URL, ID: id}, false)
	})
}

// removed stops watching a room from which the agent was removed, unless it was
// told to watch it. An old removal says nothing: it may have been added since.
func (a *Agent) removed(in relay.Incoming, stored bool) {
	ref := room.Ref{Relay: in.Relay, ID: roomOf(in.Event)}
	if stored || in.Event.Tags.FindWithValue("p", a.keys.PubKey) == nil || slices.Contains(a.ownRooms(), ref) {
		return
	}
	if a.watches(ref) {
		a.log.Info("the agent was removed from a room", "relay", ref.Relay, "room", ref.ID)
		a.leave(ref)
	}
}

// roomOf is the room that an event names.
func roomOf(ev *nostr.Event) string {
	if h := ev.Tags.Find("h"); h != nil {
		return h[1]
	}
	return ""
}
