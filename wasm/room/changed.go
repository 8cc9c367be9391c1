package room

import (
	"maps"
	"slices"
	"strings"
)

// Changes is what may look different since the last TakeChanged.
type Changes struct {
	Messages []string // ids whose Message may have changed, come or gone, sorted; some may not be loaded
	Timeline bool     // messages came into, left or moved in the timeline
	Threads  []string // roots of threads that messages came into, left or moved in, sorted
	Meta     bool     // Meta, members or their names
}

// changes gathers what a Changes will say.
type changes struct {
	Changes
	messages map[string]bool
	threads  map[string]bool
	people   int // how much of the profiles' log was read
}

func newChanges(people int) changes {
	return changes{messages: map[string]bool{}, threads: map[string]bool{}, people: people}
}

func (c *changes) message(id string) {
	if id != "" {
		c.messages[id] = true
	}
}

// thread notes a change of a thread, and of its root, which counts it.
func (c *changes) thread(root string) {
	c.threads[root] = true
	c.message(root)
}

// TakeChanged returns and forgets what may have changed: also through edits,
// reactions, deletions, quoted messages and profiles.
func (f *Fold) TakeChanged() Changes {
	f.flush()
	f.hearOfPeople()
	taken := f.change.Changes
	taken.Messages = slices.Sorted(maps.Keys(f.change.messages))
	taken.Threads = slices.Sorted(maps.Keys(f.change.threads))
	f.change = newChanges(f.change.people)
	return taken
}

// hearOfPeople notes every message that shows somebody whose profile changed.
// It takes as long as they wrote messages, and as there are messages that name
// anybody in their text, and answers to those.
func (f *Fold) hearOfPeople() {
	changed := map[string]bool{}
	if heard := f.change.people - f.people.begin; heard >= 0 {
		for _, pubkey := range f.people.log[heard:] {
			changed[pubkey] = true
		}
	} else { // what it missed is forgotten
		f.change.Meta = true
		for pubkey := range f.authors {
			changed[pubkey] = true
		}
	}
	f.change.people = f.people.changes()
	for pubkey := range changed {
		f.change.Meta = f.change.Meta || f.IsMember(pubkey)
		for _, n := range f.authors[pubkey] {
			f.touch(n)
		}
	}
	if len(changed) > 0 {
		for id := range f.citing {
			f.change.message(id)
			for _, n := range f.children[id] {
				f.change.message(n.e.ID) // it may quote those names
			}
		}
	}
}

// index notes who wrote an event, and which message has references in its text,
// for hearOfPeople. by is +1 when it comes and -1 when it goes.
func (f *Fold) index(n *node, by int) {
	enlist(f.authors, n.e.PubKey, n, by)
	id := n.e.ID
	if n.e.Kind == KindEdit {
		id = editTarget(n.e)
	} else if !n.isMessage() {
		return
	}
	if strings.Contains(n.e.Content, nostrScheme) {
		if f.citing[id] += by; f.citing[id] == 0 {
			delete(f.citing, id)
		}
	}
}
