package room

import (
	"cmp"
	"maps"
	"slices"

	"github.com/nbd-wtf/go-nostr"
)

// Limits on what a room says of itself, in code points.
const (
	MaxRoomName  = 100
	MaxRoomAbout = 2000
	MaxRole      = 40
)

// roomState is what the relay says of the room: addressable events, so of each
// kind and author the newest, then the lowest id (NIP-01).
type roomState struct {
	newest map[stateKey]*nostr.Event
	admins map[string][]string // roles by key, of the 39001 that counts
	listed map[string]bool     // the 39002 that counts
}

type stateKey struct {
	kind   int
	author string
}

func newRoomState() roomState { return roomState{newest: map[stateKey]*nostr.Event{}} }

func isState(kind int) bool { return kind >= KindMeta && kind <= KindRoles }

func (f *Fold) addState(e *nostr.Event) bool {
	if tagValue(e.Tags, "d") != f.ref.ID || f.relayKey != "" && e.PubKey != f.relayKey {
		return false
	}
	key := stateKey{e.Kind, e.PubKey}
	if old := f.state.newest[key]; old != nil && !replaces(e, old) {
		return false
	}
	f.state.newest[key] = e
	f.readState()
	return true
}

// replaces reports whether a replaceable event takes the place of another: the
// newer one does, then the one with the lower id (NIP-01).
func replaces(e, old *nostr.Event) bool {
	if e.CreatedAt != old.CreatedAt {
		return e.CreatedAt > old.CreatedAt
	}
	return e.ID < old.ID
}

// SetRelayKey makes the relay's key known after the fact (NIP-11 "self"). From
// then on only what that key signed counts.
func (f *Fold) SetRelayKey(key string) {
	if key != f.relayKey {
		f.relayKey = key
		f.readState()
	}
}

// State returns the metadata event of a kind (39000 to 39003) that counts, nil
// when there is none.
func (f *Fold) State(kind int) *nostr.Event {
	var best *nostr.Event
	for key, e := range f.state.newest {
		if key.kind != kind || f.relayKey != "" && key.author != f.relayKey {
			continue
		}
		if best == nil || replaces(e, best) {
			best = e
		}
	}
	return best
}

// readState takes over new metadata, and judges the admins' deletions again.
func (f *Fold) readState() {
	f.state.admins, f.state.listed = map[string][]string{}, map[string]bool{}
	if e := f.State(KindAdmins); e != nil {
		for _, t := range e.Tags {
			if len(t) >= 2 && t[0] == "p" && isHex32(t[1]) {
				f.state.admins[t[1]] = append(f.state.admins[t[1]], roles(t[2:])...)
			}
		}
	}
	if e := f.State(KindMembers); e != nil {
		for _, pubkey := range targets(e, "p") {
			f.state.listed[pubkey] = true
		}
	}
	f.change.Meta = true
	for id := range f.acts.removals {
		if n := f.events[id]; n != nil {
			f.touch(n)
		}
	}
}

func roles(names []string) []string {
	var clean []string
	for _, name := range names {
		if name = cleanLine(name, MaxRole); name != "" {
			clean = append(clean, name)
		}
	}
	return clean
}

// moderates reports whether a key may delete what others wrote: the relay's
// own, and those whom its newest 39001 names. Nobody while the relay's key is
// not known, since then anybody may have signed the 39001.
func (f *Fold) moderates(pubkey string) bool {
	return f.relayKey != "" && (pubkey == f.relayKey || f.IsAdmin(pubkey))
}

// IsAdmin reports whether the newest 39001 names a key.
func (f *Fold) IsAdmin(pubkey string) bool {
	_, ok := f.state.admins[pubkey]
	return ok
}

// IsMember reports whether a key is a member as far as is known. The 39002 may
// be partial or missing (NIP-29), so it is read together with the newest 9000
// or 9001 of the key by the relay or an admin: a 9000 makes a member; a 9001
// ends what it is newer than.
func (f *Fold) IsMember(pubkey string) bool {
	if f.IsAdmin(pubkey) {
		return true
	}
	put := f.newestPut(pubkey)
	if !f.state.listed[pubkey] {
		return put != nil && put.Kind == KindPutUser
	}
	return put == nil || put.Kind == KindPutUser || put.CreatedAt <= f.State(KindMembers).CreatedAt
}

func (f *Fold) newestPut(pubkey string) *nostr.Event {
	var newest *nostr.Event
	for _, n := range f.acts.puts[pubkey] {
		if f.moderates(n.e.PubKey) && (newest == nil || newer(n.e, newest)) {
			newest = n.e
		}
	}
	return newest
}

// Members returns the hex keys of the room's members, sorted.
func (f *Fold) Members() []string {
	keys := slices.Collect(maps.Keys(f.state.admins))
	keys = slices.AppendSeq(keys, maps.Keys(f.state.listed))
	keys = slices.AppendSeq(keys, maps.Keys(f.acts.puts))
	keys = slices.DeleteFunc(keys, func(k string) bool { return !f.IsMember(k) })
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Admins returns the hex keys of the room's admins, sorted.
func (f *Fold) Admins() []string { return slices.Sorted(maps.Keys(f.state.admins)) }

// Meta returns what the relay says of the room. Members are admins first, then
// by name, then by key.
func (f *Fold) Meta() Meta {
	m := Meta{Ref: f.ref}
	if e := f.State(KindMeta); e != nil {
		m.Known = true
		m.Name = cleanLine(tagValue(e.Tags, "name"), MaxRoomName)
		m.About = cleanText(tagValue(e.Tags, "about"), MaxRoomAbout)
		m.Picture = cleanURL(tagValue(e.Tags, "picture"))
		m.Private = hasTag(e.Tags, "private")
		m.Closed = hasTag(e.Tags, "closed")
		m.Restricted = hasTag(e.Tags, "restricted")
	}
	if m.Name == "" {
		m.Name = cleanLine(f.ref.ID, MaxRoomName)
	}
	for _, pubkey := range f.Members() {
		m.Members = append(m.Members, Member{Person: f.people.Person(pubkey), Roles: f.state.admins[pubkey]})
	}
	slices.SortStableFunc(m.Members, func(a, b Member) int {
		return cmp.Or(
			-cmp.Compare(btoi(f.IsAdmin(a.Person.PubKey)), btoi(f.IsAdmin(b.Person.PubKey))),
			cmp.Compare(a.Person.Name, b.Person.Name),
		)
	})
	return m
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
