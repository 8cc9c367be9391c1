package relay

import (
	"slices"
	"strings"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/relay/store"
)

// keyring is the public keys a client has proven to hold (NIP-42).
type keyring []string

func (k keyring) has(key string) bool { return slices.Contains(k, key) }

// view is what the right to read an event depends on.
type view struct {
	kind   int
	author string
	room   string // the h tag
	d      string // the d tag, of what tells of a room
	// addressees are the p tags; nil until they are asked for.
	addressees func() []string
}

func viewOf(ev *nostr.Event) view {
	return view{
		kind: ev.Kind, author: ev.PubKey, room: store.Room(ev), d: ev.Tags.GetD(),
		addressees: func() []string { return pTags(ev) },
	}
}

func viewOfRow(row store.Row) view {
	v := view{kind: row.Kind, author: row.PubKey, room: row.Room}
	if parts := strings.SplitN(row.Address, ":", 3); len(parts) == 3 {
		v.d = parts[2]
	}
	v.addressees = func() []string {
		ev := new(nostr.Event)
		if ev.UnmarshalJSON(row.Raw) != nil {
			return nil
		}
		return pTags(ev)
	}
	return v
}

func pTags(ev *nostr.Event) []string {
	var out []string
	for tag := range ev.Tags.FindAll("p") {
		out = append(out, tag[1])
	}
	return out
}

// mayRead is the one check that counts: it is made for every event and every
// client at the moment of delivery, stored or live. The caller holds rs.mu.
func (rs *rooms) mayRead(keys keyring, v view) bool {
	if personal(v.kind) && !concerns(keys, v) {
		return false
	}
	if roomMeta(v.kind) && v.author == rs.relayKey {
		return rs.maySeeMeta(keys, v)
	}
	if v.room == "" {
		return true
	}
	room := rs.byID[v.room]
	switch {
	case room == nil:
		return false
	case room.private && !room.anyMember(keys):
		return false
	case v.kind == kindInvite || v.kind == kindJoin: // they hold codes
		return keys.has(v.author) || room.anyAdmin(keys)
	}
	return true
}

// concerns: a wrap's author is a key made for it alone, so it is the
// addressee's only.
func concerns(keys keyring, v view) bool {
	if len(keys) == 0 {
		return false
	}
	if v.kind != kindWrap && keys.has(v.author) {
		return true
	}
	return slices.ContainsFunc(v.addressees(), keys.has)
}

// maySeeMeta: everybody may know that a private room is there and ask to join,
// but not who is in it; a hidden room is known to its members only.
func (rs *rooms) maySeeMeta(keys keyring, v view) bool {
	room := rs.byID[v.d]
	switch {
	case room == nil:
		return false
	case room.hidden, room.private && (v.kind == kindAdmins || v.kind == kindMembers):
		return room.anyMember(keys)
	}
	return true
}

// canRead is mayRead for one event.
func (r *Relay) canRead(keys keyring, v view) bool {
	r.rooms.mu.RLock()
	defer r.rooms.mu.RUnlock()
	return r.rooms.mayRead(keys, v)
}

// refuseFilters says why a client gets nothing at all for its filters, nil
// when it may get something. It is a courtesy, so that clients know to AUTH;
// what is delivered is decided by mayRead.
func (r *Relay) refuseFilters(keys keyring, filters nostr.Filters) error {
	var first error
	for _, f := range filters {
		err := r.refuseFilter(keys, f)
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

func (r *Relay) refuseFilter(keys keyring, f nostr.Filter) error {
	if len(f.Kinds) > 0 && len(keys) == 0 && !slices.ContainsFunc(f.Kinds, func(k int) bool { return !personal(k) }) {
		return refuse(authRequired, "these events go to their author and those they are addressed to: sign in first")
	}
	rooms := f.Tags["h"]
	if len(rooms) == 0 {
		return nil
	}
	r.rooms.mu.RLock()
	defer r.rooms.mu.RUnlock()
	for _, id := range rooms {
		room := r.rooms.byID[id]
		if room == nil || !room.private || room.anyMember(keys) {
			return nil
		}
	}
	if len(keys) == 0 {
		return refuse(authRequired, "only members can read this room: sign in first")
	}
	return refuse(restricted, "only members can read this room")
}
