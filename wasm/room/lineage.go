package room

import (
	"slices"

	"github.com/nbd-wtf/go-nostr"
)

// MaxParents is how many events one message is ordered behind. What it
// references beyond them does not hold it back.
const MaxParents = 16

// MaxRootHops is how far the root of a thread is looked for when a reply names
// another reply as its root.
const MaxRootHops = 16

// lineage is what a message says about the messages it belongs to. All ids are
// well formed and none is its own.
type lineage struct {
	root    string   // its thread's root as it names it
	reply   string   // the message it answers, when that is not the root
	parents []string // what it is a child of: never shown before these
}

// lineageOf reads the references of a message.
//
// Parents are what its `q`, its marked or NIP-22 `e`, and its `E` name. The
// reply of kinds 9, 11 and 43001 is the `e` marked reply (NIP-10), else the `q`
// (NIP-C7), else the `e` marked root, else the last `e` without a mark (NIP-10,
// positional). A 12 names its root in the `e` marked root, else in its first
// `e` without a mark; a 1111 in its `E`, else in its `e` (NIP-22). A 43001 and a
// native form stand in a thread when an `e` is marked root: that is no reply.
func lineageOf(e *nostr.Event) lineage {
	t := readTags(e)
	var l lineage
	switch e.Kind {
	case KindComment:
		l.root = first(t.upper, t.root, t.bare)
		l.reply = first(t.bare, t.reply, t.quote)
	case KindThreadReply:
		l.root = first(t.root, t.bare, t.reply)
		l.reply = first(t.reply, last(t.bare), t.quote)
	case KindTask:
		l.root = first(t.root)
		l.reply = first(t.reply, t.quote)
	case KindMessage:
		if isForm(e) && len(t.root) > 0 {
			l.root = t.root[0]
			l.reply = first(t.reply, t.quote)
			break
		}
		l.reply = first(t.reply, t.quote, t.root, last(t.bare))
	default:
		l.reply = first(t.reply, t.quote, t.root, last(t.bare))
	}
	if l.reply == l.root {
		l.reply = ""
	}
	l.parents = t.parents
	return l
}

// refTags are the references of an event by the way they are written.
type refTags struct {
	root, reply, bare, upper, quote []string
	parents                         []string
}

func readTags(e *nostr.Event) refTags {
	var t refTags
	for _, tag := range e.Tags {
		if len(tag) < 2 || !isHex32(tag[1]) || tag[1] == e.ID {
			continue
		}
		id, child := tag[1], true
		switch tag[0] {
		case "q":
			t.quote = append(t.quote, id)
		case "E":
			t.upper = append(t.upper, id)
		case "e":
			child = t.readE(tag, e.Kind == KindComment)
		default:
			continue
		}
		if child && len(t.parents) < MaxParents && !slices.Contains(t.parents, id) {
			t.parents = append(t.parents, id)
		}
	}
	return t
}

// readE sorts in one e tag and reports whether it makes the event a child. The
// fourth element of an e tag is a mark, except in a 1111, where it is a key.
func (t *refTags) readE(tag nostr.Tag, comment bool) bool {
	mark := ""
	if len(tag) > 3 {
		mark = tag[3]
	}
	switch {
	case mark == "root":
		t.root = append(t.root, tag[1])
	case mark == "reply":
		t.reply = append(t.reply, tag[1])
	case mark == "mention" && !comment:
		return false
	default:
		t.bare = append(t.bare, tag[1])
		return comment
	}
	return true
}

// first returns the first id of the first list that has any.
func first(lists ...[]string) string {
	for _, l := range lists {
		if len(l) > 0 {
			return l[0]
		}
	}
	return ""
}

func last(l []string) []string { return l[max(0, len(l)-1):] }

// names returns every event that a message is to hear about, once each.
func (l *lineage) names() []string {
	ids := l.parents
	for _, id := range []string{l.root, l.reply} {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(slices.Clip(ids), id)
		}
	}
	return ids
}

// answers returns the event that a 1111 is a direct comment on.
func (l *lineage) answers() string {
	if l.reply != "" {
		return l.reply
	}
	return l.root
}

// isForm reports whether an event is a native question form, valid or not
// (Tiny agent interactions).
func isForm(e *nostr.Event) bool {
	return e.Kind == KindMessage && slices.ContainsFunc(e.Tags, func(t nostr.Tag) bool {
		return len(t) >= 2 && t[0] == "tinyagent" && t[1] == "1"
	})
}

// asks reports whether an event is a request of either kind: what answers it
// and what it says are never edited, and `+` and `-` on it are answers.
func asks(e *nostr.Event) bool { return hasTag(e.Tags, "request") || isForm(e) }

// isCard reports whether an event is shown as a form or card of its own, which
// says where it stands: a native form, an older request, a task.
func isCard(e *nostr.Event) bool {
	if isForm(e) || e.Kind == KindTask {
		return true
	}
	switch e.Kind {
	case KindMessage, KindThread, KindThreadReply, KindComment:
		return !hasTag(e.Tags, "tinyagent") && slices.Contains([]string{"approve", "decide", "question"}, tagValue(e.Tags, "request"))
	}
	return false
}
