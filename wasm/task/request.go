package task

import (
	"errors"
	"slices"
	"strings"

	"github.com/nbd-wtf/go-nostr"
)

// The event kinds of a task, and of the messages that may ask to cancel one.
const (
	KindRequest  = 43001
	KindAccepted = 43002
	KindProgress = 43003
	KindResult   = 43004
	KindCancel   = 43005
	KindError    = 43006

	KindDeletion = 5  // NIP-09
	KindMessage  = 9  // a room's message
	KindReply    = 12 // a thread's reply
)

// Request is a parsed task request (kind 43001).
type Request struct {
	Event   *nostr.Event
	Room    string // the h tag
	Agent   string // the first p tag, "" when that is no public key
	Subject string
	Text    string
	Root    string // the thread's root: the marked root, else the request's own id
	Detail  *Detail

	// Invalid says what is wrong with the request, empty when nothing is.
	// Such a request is shown, but nobody can take it.
	Invalid string
}

// ErrNotRequest is what [Parse] returns for an event of another kind.
var ErrNotRequest = errors.New("this event is not a task")

// Parse reads a task request. For an event of another kind the error is
// [ErrNotRequest] and the request nil; for a request that nobody can take the
// error says why, and the request holds what could be read.
func Parse(ev *nostr.Event) (*Request, error) {
	if ev == nil || ev.Kind != KindRequest {
		return nil, ErrNotRequest
	}
	r := &Request{
		Event:   ev,
		Room:    first(ev.Tags, "h"),
		Subject: first(ev.Tags, "subject"),
		Root:    marked(ev.Tags, "root"),
	}
	r.Text, r.Detail = readContent(ev.Content)
	if key := first(ev.Tags, "p"); isHex64(key) {
		r.Agent = key
	}
	if r.Root == "" {
		r.Root = ev.ID
	}
	var err error
	switch {
	case r.Agent == "":
		err = errors.New("it names no agent (p tag)")
	case r.Room == "":
		err = errors.New("it names no room (h tag)")
	}
	if err != nil {
		r.Invalid = err.Error()
	}
	return r, err
}

// mayWrite says whether the author of an event is the one who may write its
// kind for this task: the agent what it does, the requester the cancel.
func (r *Request) mayWrite(ev *nostr.Event) bool {
	if ev.Kind == KindCancel {
		return ev.PubKey == r.Event.PubKey
	}
	return isAnswer(ev.Kind) && r.Agent != "" && ev.PubKey == r.Agent
}

// isAnswer says whether a kind is one the agent answers with.
func isAnswer(kind int) bool {
	return kind == KindAccepted || kind == KindProgress || kind == KindResult || kind == KindError
}

func isTerminal(kind int) bool {
	return kind == KindResult || kind == KindCancel || kind == KindError
}

// answers says whether an event of the task kinds is about the request with an
// id. The request is named by an e tag marked "reply" or by the first unmarked
// one; a result's further e tags name messages. An e tag marked "root" alone
// names the thread, and the request only when the request is that root and
// nothing else in the event can be it.
func answers(ev *nostr.Event, id string) bool {
	reply, unmarked := marked(ev.Tags, "reply"), firstUnmarked(ev.Tags)
	if id == reply || id == unmarked {
		return true
	}
	return id == marked(ev.Tags, "root") && reply == "" && (unmarked == "" || ev.Kind == KindResult)
}

// Names returns the ids of the requests that an event of kinds 43002 to 43006
// may be about, for routing: one in all but odd cases.
func Names(ev *nostr.Event) []string {
	var out []string
	for _, id := range []string{marked(ev.Tags, "reply"), firstUnmarked(ev.Tags), marked(ev.Tags, "root")} {
		if id != "" && answers(ev, id) && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// cancelWord is what a message says to have a running task stopped.
const cancelWord = "!cancel"

// IsCancelMessage says whether an event is a message (kind 9 or 12) that asks
// to cancel: !cancel as a word of its own after leading mentions.
func IsCancelMessage(ev *nostr.Event) bool {
	if ev == nil || ev.Kind != KindMessage && ev.Kind != KindReply {
		return false
	}
	for word := range strings.FieldsSeq(ev.Content) {
		if !isMention(word) {
			return word == cancelWord
		}
	}
	return false
}

func isMention(word string) bool {
	if strings.HasPrefix(word, "@") {
		return len(word) > 1
	}
	word = strings.TrimPrefix(word, "nostr:")
	return strings.HasPrefix(word, "npub1") || strings.HasPrefix(word, "nprofile1")
}

// concerns says whether a !cancel message may be about this task. In the
// task's thread it is unless it begins with a mention and names only others:
// the p tags of a bare !cancel are those that every reply has. In the room it
// must name the agent, and then it is about the tasks the agent is at, which
// only the fold knows.
func (r *Request) concerns(ev *nostr.Event) bool {
	if room := first(ev.Tags, "h"); room != r.Room {
		return false
	}
	named, some := false, false
	for _, key := range values(ev.Tags, "p") {
		some = true
		named = named || r.Agent != "" && key == r.Agent
	}
	if ev.Kind == KindMessage {
		return named
	}
	return threadOf(ev) == r.Root && (named || !some || !mentionsFirst(ev.Content))
}

// mentionsFirst says whether a text begins with a mention.
func mentionsFirst(text string) bool {
	for word := range strings.FieldsSeq(text) {
		return isMention(word)
	}
	return false
}

// threadOf returns the root of the thread that a kind 12 message stands in.
func threadOf(ev *nostr.Event) string {
	if root := marked(ev.Tags, "root"); root != "" {
		return root
	}
	return first(ev.Tags, "e")
}
