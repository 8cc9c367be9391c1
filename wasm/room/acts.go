package room

import (
	"slices"

	"github.com/nbd-wtf/go-nostr"
)

// acts is what was done to events, by the event it was done to, so that it may
// arrive before it. Nothing here is judged on arrival: who may delete depends
// on the admins, which may change, and a deleted edit gives way to the one
// before it.
type acts struct {
	reactions map[string][]*node
	edits     map[string][]*node
	deletions map[claim]int // kind 5, counted by target and author
	removals  map[string]map[string]int
	puts      map[string][]*node // 9000 and 9001 by the person
}

// claim is an author's say about one target.
type claim struct{ target, author string }

func newActs() acts {
	return acts{
		reactions: map[string][]*node{},
		edits:     map[string][]*node{},
		deletions: map[claim]int{},
		removals:  map[string]map[string]int{},
		puts:      map[string][]*node{},
	}
}

func isAct(kind int) bool {
	switch kind {
	case KindDelete, KindReaction, KindEdit, KindModDelete, KindPutUser, KindRemoveUser:
		return true
	}
	return false
}

// linkAct takes an act in (by +1) or out (by -1).
func (f *Fold) linkAct(n *node, by int) {
	author := n.e.PubKey
	switch n.e.Kind {
	case KindReaction:
		enlist(f.acts.reactions, reactionTarget(n.e), n, by)
	case KindEdit:
		enlist(f.acts.edits, editTarget(n.e), n, by)
	case KindDelete:
		for _, id := range targets(n.e, "e") {
			f.acts.deletions[claim{id, author}] += by
		}
	case KindModDelete:
		for _, id := range targets(n.e, "e") {
			if f.acts.removals[id] == nil {
				f.acts.removals[id] = map[string]int{}
			}
			f.acts.removals[id][author] += by
		}
	case KindPutUser, KindRemoveUser:
		for _, pubkey := range targets(n.e, "p") {
			enlist(f.acts.puts, pubkey, n, by)
		}
		f.change.Meta = true
	}
	f.touchTargets(n)
}

func enlist(m map[string][]*node, target string, n *node, by int) {
	switch {
	case target == "":
	case by > 0:
		m[target] = append(m[target], n)
	default:
		if m[target] = without(m[target], n); len(m[target]) == 0 {
			delete(m, target)
		}
	}
}

// targets returns the well-formed values of all tags of a name, once each.
func targets(e *nostr.Event, name string) []string {
	var ids []string
	for _, t := range e.Tags {
		if len(t) >= 2 && t[0] == name && isHex32(t[1]) {
			ids = append(ids, t[1])
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// reactionTarget is the last `e` (NIP-25: "the target event id should be last
// of the e tags"), "" when there is none.
func reactionTarget(e *nostr.Event) string {
	for _, t := range slices.Backward(e.Tags) {
		if len(t) >= 2 && t[0] == "e" && isHex32(t[1]) {
			return t[1]
		}
	}
	return ""
}

// editTarget is the first `e` of a 40003, "" when there is none.
func editTarget(e *nostr.Event) string {
	for _, t := range e.Tags {
		if len(t) >= 2 && t[0] == "e" && isHex32(t[1]) {
			return t[1]
		}
	}
	return ""
}

// touchTargets notes that whatever an act was done to may look different.
func (f *Fold) touchTargets(act *node) {
	switch act.e.Kind {
	case KindReaction:
		f.change.message(reactionTarget(act.e))
	case KindEdit:
		if n := f.message(editTarget(act.e)); n != nil {
			f.touch(n)
		}
	case KindDelete, KindModDelete:
		for _, id := range targets(act.e, "e") {
			if n := f.events[id]; n != nil && (act.e.Kind == KindModDelete || n.e.PubKey == act.e.PubKey) {
				f.touch(n)
			}
		}
	}
}

// touch notes that an event may look different, or have come or gone: itself,
// the messages that quote it, or what it acts on.
func (f *Fold) touch(n *node) {
	switch {
	case n.isMessage():
		f.refresh(n)
		f.change.message(n.e.ID)
		for _, c := range f.children[n.e.ID] {
			if c.reply == n.e.ID {
				f.change.message(c.e.ID)
			}
		}
	case n.e.Kind == KindReaction, n.e.Kind == KindEdit:
		f.touchTargets(n)
	}
}

// deleted reports whether an event was deleted by its author (NIP-09, whatever
// the times: a request that names an id means that id) or by who may moderate
// the room now (NIP-29 kind 9005). Nothing deletes a deletion.
func (f *Fold) deleted(e *nostr.Event) bool { return f.takenBack(e) || f.removed(e) }

// takenBack reports whether an event's author deleted it.
func (f *Fold) takenBack(e *nostr.Event) bool {
	return e.Kind != KindDelete && e.Kind != KindModDelete && f.acts.deletions[claim{e.ID, e.PubKey}] > 0
}

// removed reports whether a moderator deleted an event.
func (f *Fold) removed(e *nostr.Event) bool {
	if e.Kind == KindDelete || e.Kind == KindModDelete {
		return false
	}
	for author, count := range f.acts.removals[e.ID] {
		if count > 0 && f.moderates(author) {
			return true
		}
	}
	return false
}

// hidden reports whether an event is neither shown nor counted. A question or
// task that its author takes back stays: its card says that it was withdrawn,
// to those who may be about to answer it.
func (f *Fold) hidden(e *nostr.Event) bool {
	return f.blocked[e.PubKey] || f.removed(e) || f.takenBack(e) && !isCard(e)
}

// Deleted reports whether an event is loaded and was deleted, by its author
// (NIP-09) or by an admin of the room (NIP-29 kind 9005).
func (f *Fold) Deleted(id string) bool {
	n := f.events[id]
	return n != nil && f.deleted(n.e)
}

// edit returns the newest edit that counts, by (created_at, id): of the author,
// not deleted, and of a message that can be edited. nil when there is none.
func (f *Fold) edit(n *node) *nostr.Event {
	edits := f.acts.edits[n.e.ID]
	if len(edits) == 0 || !f.editable(n) {
		return nil
	}
	var newest *nostr.Event
	for _, x := range edits {
		if x.e.PubKey == n.e.PubKey && !f.deleted(x.e) && (newest == nil || newer(x.e, newest)) {
			newest = x.e
		}
	}
	return newest
}

// newer compares by (created_at, id).
func newer(a, b *nostr.Event) bool {
	if a.CreatedAt != b.CreatedAt {
		return a.CreatedAt > b.CreatedAt
	}
	return a.ID > b.ID
}

// editable is false for question forms, older requests, answers to either, and
// tasks: a 40003 never applies to them.
func (f *Fold) editable(n *node) bool {
	switch {
	case n.e.Kind == KindTask || asks(n.e):
		return false
	case n.e.Kind == KindComment:
		for _, id := range []string{n.root, n.reply} {
			if p := f.message(id); p != nil && asks(p.e) {
				return false
			}
		}
	}
	return true
}
