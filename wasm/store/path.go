package store

import (
	"slices"
	"strconv"

	"github.com/nbd-wtf/go-nostr"
)

// Limits on what one event, however hostile, may cost the index. Tags past
// them are kept with the event but not found by a query.
const (
	// MaxTagKeys is how many single-letter tag values of an event are indexed.
	MaxTagKeys = 500
	// MaxRooms is how many h tags of an event count as its rooms.
	MaxRooms = 8
	// MaxPaths is how many combinations of kinds and authors (or values) are
	// looked up one by one; past it kinds are filtered afterwards.
	MaxPaths = 1000
)

// Kinds that a relay signs about a room carry its id in d, not h (NIP-29).
const (
	firstRoomKind = 39000
	lastRoomKind  = 39009
)

// A path names one way to find an event: everything under one path is kept
// newest first. Both stores index by the same paths, so both plan alike.

const everything = "*"

func kindPath(kind int) string      { return "k" + strconv.Itoa(kind) }
func authorPath(key string) string  { return "a" + key }
func tagPath(name, v string) string { return "t" + name + "\x00" + v }
func roomPath(room RoomRef) string  { return "r" + room.Relay + "\x00" + room.ID }
func withKind(path string, kind int) string {
	return path + "\x00" + strconv.Itoa(kind)
}

// paths gives every path of a record, each once.
func paths(r Record) []string {
	ev := r.Event
	all := []string{everything, kindPath(ev.Kind), authorPath(ev.PubKey), withKind(authorPath(ev.PubKey), ev.Kind)}
	for _, t := range indexedTags(ev) {
		path := tagPath(t.name, t.value)
		all = append(all, path)
		// What waits for a person is asked for by kind, among many mentions.
		if kindedTag(t.name) {
			all = append(all, withKind(path, ev.Kind))
		}
	}
	return append(all, roomPaths(r)...)
}

// roomPaths gives the paths that grow when an event comes from another relay.
func roomPaths(r Record) []string {
	var all []string
	for _, id := range roomIDs(r.Event) {
		for _, url := range r.Relays {
			path := roomPath(RoomRef{url, id})
			all = append(all, path, withKind(path, r.Event.Kind))
		}
	}
	return all
}

func kindedTag(name string) bool { return name == "p" }

type tagKey struct{ name, value string }

// indexedTags gives the distinct single-letter tags by their first value
// (NIP-01: only the first value is indexed).
func indexedTags(ev *nostr.Event) []tagKey {
	var keys []tagKey
	known := map[tagKey]bool{}
	for _, tag := range ev.Tags {
		if len(tag) < 2 || len(tag[0]) != 1 || len(keys) == MaxTagKeys {
			continue
		}
		key := tagKey{tag[0], tag[1]}
		if !known[key] {
			known[key] = true
			keys = append(keys, key)
		}
	}
	return keys
}

// roomIDs gives the distinct rooms an event says it belongs to.
func roomIDs(ev *nostr.Event) []string {
	name := "h"
	if ev.Kind >= firstRoomKind && ev.Kind <= lastRoomKind {
		name = "d"
	}
	var ids []string
	for _, tag := range ev.Tags {
		if len(tag) >= 2 && tag[0] == name && len(ids) < MaxRooms && !slices.Contains(ids, tag[1]) {
			ids = append(ids, tag[1])
		}
	}
	return ids
}

// plan gives the fewest paths that together hold every match of a query
// without IDs. What they hold besides is filtered by matches.
func plan(q Query) []string {
	var base []string
	kinded := true
	switch {
	case q.Room != nil:
		base = []string{roomPath(*q.Room)}
	case len(q.Values) > 0:
		for _, v := range distinct(q.Values) {
			base = append(base, tagPath(q.Tag, v))
		}
		kinded = kindedTag(q.Tag)
	case len(q.Authors) > 0:
		for _, a := range distinct(q.Authors) {
			base = append(base, authorPath(a))
		}
	case len(q.Kinds) > 0:
		for _, k := range distinct(q.Kinds) {
			base = append(base, kindPath(k))
		}
		return base
	default:
		return []string{everything}
	}
	kinds := distinct(q.Kinds)
	if !kinded || len(kinds) == 0 || len(kinds)*len(base) > MaxPaths {
		return base
	}
	var all []string
	for _, path := range base {
		for _, k := range kinds {
			all = append(all, withKind(path, k))
		}
	}
	return all
}

// matches tells whether a record answers a query, its place in the order
// (Since, Until, Before) included and Limit left out.
func matches(q Query, r Record) bool {
	ev := r.Event
	at := int64(ev.CreatedAt)
	switch {
	case len(q.IDs) > 0 && !slices.Contains(q.IDs, ev.ID),
		len(q.Authors) > 0 && !slices.Contains(q.Authors, ev.PubKey),
		len(q.Kinds) > 0 && !slices.Contains(q.Kinds, ev.Kind),
		q.Since != 0 && at < q.Since,
		q.Until != 0 && at > q.Until,
		q.Before != nil && !after(at, ev.ID, *q.Before):
		return false
	}
	if q.Room != nil && !(slices.Contains(r.Relays, q.Room.Relay) && slices.Contains(roomIDs(ev), q.Room.ID)) {
		return false
	}
	return len(q.Values) == 0 || slices.ContainsFunc(indexedTags(ev), func(t tagKey) bool {
		return t.name == q.Tag && slices.Contains(q.Values, t.value)
	})
}

// after tells whether an event comes after a place, newest first.
func after(createdAt int64, id string, c Cursor) bool {
	return createdAt < c.CreatedAt || (createdAt == c.CreatedAt && id > c.ID)
}

func distinct[T int | string](list []T) []T {
	known := make(map[T]bool, len(list))
	var out []T
	for _, v := range list {
		if !known[v] {
			known[v] = true
			out = append(out, v)
		}
	}
	return out
}
