package agent

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/room"
)

// spot is where the agent speaks in a room: under a message of the timeline, or
// in a thread.
type spot struct {
	ref    room.Ref
	root   *nostr.Event // of the thread; nil: the timeline
	parent *nostr.Event // what is replied to; nil: the root
	kind   int          // of replies in the thread; 0: 12
}

// follows is the message that something said here comes after.
func (s spot) follows() *nostr.Event {
	if s.parent != nil {
		return s.parent
	}
	return s.root
}

// spotOf is where to reply to a message: in its thread, under a thread's root,
// or beside it in the timeline.
func spotOf(ref room.Ref, ev *nostr.Event) spot {
	switch ev.Kind {
	case room.KindThread:
		return spot{ref: ref, root: ev}
	case room.KindThreadReply:
		if root := rootOf(ev); root != nil {
			return spot{ref: ref, root: root, parent: ev}
		}
	case room.KindComment:
		if root := scopeOf(ev); root != nil {
			return spot{ref, root, ev, room.KindComment}
		}
	}
	return spot{ref: ref, parent: ev}
}

// scopeOf is the root that a comment names (NIP-22), when that is a thread: other
// things have replies of kind 12, or answers.
func scopeOf(ev *nostr.Event) *nostr.Event {
	id, kind, author := ev.Tags.Find("E"), ev.Tags.Find("K"), ev.Tags.Find("P")
	if id == nil || author == nil || kind == nil || kind[1] != strconv.Itoa(room.KindThread) {
		return nil
	}
	return &nostr.Event{ID: id[1], PubKey: author[1], Kind: room.KindThread}
}

// rootOf is what a thread reply says of its root: id and, perhaps, author.
func rootOf(ev *nostr.Event) *nostr.Event {
	var first nostr.Tag
	for tag := range ev.Tags.FindAll("e") {
		if len(tag) > 3 && tag[3] == "root" {
			first = tag
			break
		}
		if first == nil {
			first = tag
		}
	}
	if first == nil {
		return nil
	}
	root := &nostr.Event{ID: first[1]}
	if len(first) > 4 {
		root.PubKey = first[4]
	}
	return root
}

// message is an unsigned message in a spot.
func (s spot) message(w room.Words, at int64) nostr.Event {
	switch {
	case s.root != nil:
		return room.BuildThreadReply(s.ref, cmp.Or(s.kind, room.KindThreadReply), s.root, s.parent, w, at)
	case s.parent != nil:
		return room.BuildReply(s.ref, s.parent, w, at)
	}
	return room.BuildMessage(s.ref, w, at)
}

// post signs a message for a room and publishes it at the room's relay.
func (a *Agent) post(ctx context.Context, ref room.Ref, ev *nostr.Event) error {
	if err := a.sign(ev); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, TerminalWait)
	defer cancel()
	if v := a.publish(ctx, []string{ref.Relay}, ev); !v.stored {
		return fmt.Errorf("posting in the room: %s", v.words)
	}
	return nil
}

// say posts words in a spot and gives the event.
func (a *Agent) say(ctx context.Context, s spot, w room.Words) (*nostr.Event, error) {
	ev := s.message(w, a.now())
	return &ev, a.post(ctx, s.ref, &ev)
}
