// Package room folds a room's events (NIP-29) into what a reader sees: an
// ordered timeline, threads, members, reading positions. It also builds the
// events that a room is written with and the filters it is read with. It is
// pure: time comes in as an argument, and nothing here connects or waits.
package room

import (
	"slices"

	"github.com/nbd-wtf/go-nostr"
)

// Fold is one room's state: a pure function of the set of (event, earliest
// seen) that was added, of the relay's key and of the blocked keys. Neither the
// order of the calls nor repetition matters. It is not safe for concurrent use.
type Fold struct {
	ref      Ref
	relayKey string
	people   *Profiles
	blocked  map[string]bool

	events   map[string]*node   // by id: messages and what acts on them
	children map[string][]*node // messages by each event that they name
	authors  map[string][]*node // events by who wrote them
	citing   map[string]int     // messages that reference something in their text
	pending  []*node            // messages without a place, or whose key changed
	timeline list
	threads  map[string]*thread // by root

	acts   acts
	state  roomState
	change changes
}

// node is one event of the room. Everything after seen is for messages only.
type node struct {
	e    *nostr.Event
	seen int64 // unix seconds
	lineage
	place      place  // nil while pending for the first time
	cycle      string // name of the cycle of references it is in, else ""
	inTimeline bool
	inThread   string // the root of the thread it is listed in, else ""
}

func (n *node) key() Key { return KeyOf(n.e, n.seen) }

func (n *node) isMessage() bool { return InTimeline(n.e.Kind) || InThread(n.e.Kind) }

// New returns an empty room. relayKey is the hex key that signs the relay's
// 39000 to 39003 (NIP-11 "self"), "" while unknown: then anybody's metadata is
// shown, and nobody has an admin's power to delete. people may be shared by all
// rooms of an account; nil makes one of its own.
func New(ref Ref, relayKey string, people *Profiles) *Fold {
	if people == nil {
		people = NewProfiles()
	}
	return &Fold{
		ref:      ref,
		relayKey: relayKey,
		people:   people,
		events:   map[string]*node{},
		children: map[string][]*node{},
		authors:  map[string][]*node{},
		citing:   map[string]int{},
		threads:  map[string]*thread{},
		acts:     newActs(),
		state:    newRoomState(),
		change:   newChanges(people.changes()),
	}
}

// Ref returns the room's name.
func (f *Fold) Ref() Ref { return f.ref }

// Add takes in a verified event that first arrived at seen (unix seconds). It
// is false when nothing changed: known with the same or an earlier seen, of
// another room, or of a kind that a room does not know. The fold keeps the
// pointer; the event must not be changed afterwards.
//
// An event is of this room when it has an `h` tag and every `h` names the room.
// Metadata (39000 to 39003) names it in `d`. Deletions and reactions may lack
// `h`, as they act on an id only.
func (f *Fold) Add(e *nostr.Event, seen int64) bool {
	if e == nil || !isHex32(e.ID) || !isHex32(e.PubKey) {
		return false
	}
	if e.Kind == KindProfile {
		return f.people.Add(e)
	}
	if isState(e.Kind) {
		return f.addState(e)
	}
	if n := f.events[e.ID]; n != nil {
		return f.seeEarlier(n, seen)
	}
	if !f.belongs(e) {
		return false
	}
	n := &node{e: e, seen: seen}
	if !n.isMessage() && !isAct(e.Kind) {
		return false
	}
	f.events[e.ID] = n
	f.index(n, +1)
	if n.isMessage() {
		f.linkMessage(n)
	} else {
		f.linkAct(n, +1)
	}
	return true
}

func (f *Fold) belongs(e *nostr.Event) bool {
	found := e.Kind == KindDelete || e.Kind == KindReaction
	for _, t := range e.Tags {
		if len(t) == 0 || t[0] != "h" {
			continue
		}
		if len(t) < 2 || t[1] != f.ref.ID {
			return false
		}
		found = true
	}
	return found
}

func (f *Fold) seeEarlier(n *node, seen int64) bool {
	if seen >= n.seen {
		return false
	}
	n.seen = seen
	if n.isMessage() {
		f.pending = append(f.pending, n)
		f.change.message(n.e.ID)
	} else {
		f.touchTargets(n)
	}
	return true
}

// Remove takes out an event that was withdrawn from the outbox before it was
// sent. It is false when the event is not there.
func (f *Fold) Remove(id string) bool {
	n := f.events[id]
	if n == nil {
		return false
	}
	f.flush()
	delete(f.events, id)
	f.index(n, -1)
	if n.isMessage() {
		f.unlinkMessage(n)
	} else {
		f.linkAct(n, -1)
	}
	return true
}

// linkMessage makes a new message known to those that name it.
func (f *Fold) linkMessage(n *node) {
	n.lineage = lineageOf(n.e)
	for _, id := range n.names() {
		f.children[id] = append(f.children[id], n)
	}
	f.pending = append(f.pending, n)
	f.change.message(n.e.ID)
	f.hearOf(n)
}

func (f *Fold) unlinkMessage(n *node) {
	f.unlist(n)
	f.change.message(n.e.ID)
	for _, id := range n.names() {
		f.children[id] = without(f.children[id], n)
		if len(f.children[id]) == 0 {
			delete(f.children, id)
		}
	}
	f.hearOf(n)
	f.openCycle(n)
	for _, c := range f.children[n.e.ID] {
		f.pending = append(f.pending, c)
	}
}

// hearOf tells the children of a message that it came or went: a quote may be
// filled, a comment may prove to be an answer, a thread may have its root.
func (f *Fold) hearOf(n *node) {
	for _, c := range f.children[n.e.ID] {
		f.refreshThread(c, MaxRootHops)
	}
}

// Event returns an event of the room by its id, nil when it is not loaded.
func (f *Fold) Event(id string) *nostr.Event {
	if n := f.events[id]; n != nil {
		return n.e
	}
	return nil
}

// Wrote reports whether somebody wrote anything that is loaded.
func (f *Fold) Wrote(pubkey string) bool { return len(f.authors[pubkey]) > 0 }

// Seen returns when an event first arrived (unix seconds), 0 when not loaded.
func (f *Fold) Seen(id string) int64 {
	if n := f.events[id]; n != nil {
		return n.seen
	}
	return 0
}

// message returns a loaded message, nil for anything else.
func (f *Fold) message(id string) *node {
	if n := f.events[id]; n != nil && n.isMessage() {
		return n
	}
	return nil
}

// SetBlocked replaces the set of hex keys whose messages and reactions are
// neither listed nor counted.
func (f *Fold) SetBlocked(keys []string) {
	old := f.blocked
	f.blocked = map[string]bool{}
	for _, k := range keys {
		f.blocked[k] = true
	}
	for _, set := range []map[string]bool{old, f.blocked} {
		for key := range set {
			if old[key] == f.blocked[key] {
				continue
			}
			for _, n := range f.authors[key] {
				f.touch(n)
			}
		}
	}
}

func without(nodes []*node, n *node) []*node {
	return slices.DeleteFunc(nodes, func(x *node) bool { return x == n })
}
