package task

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nbd-wtf/go-nostr"
)

// Draft is a task to be asked for.
type Draft struct {
	Room    string
	Agent   string // hex public key
	Subject string
	Text    string
	Root    string // the root of the thread it is asked in, "" for one of its own
}

// BuildRequest writes a task request as an unsigned event of author. The error
// says what to change.
func BuildRequest(d Draft, author string, now int64) (*nostr.Event, error) {
	if strings.TrimSpace(d.Text) == "" && strings.TrimSpace(d.Subject) == "" {
		return nil, errors.New("say what the task is first")
	}
	tags := nostr.Tags{{"h", d.Room}, {"p", d.Agent}}
	if d.Root != "" {
		tags = append(tags, nostr.Tag{"e", d.Root, "", "root"})
	}
	if d.Subject != "" {
		tags = append(tags, nostr.Tag{"subject", d.Subject})
	}
	ev := unsigned(KindRequest, d.Text, tags, author, now)
	if _, err := Parse(ev); err != nil {
		return nil, fmt.Errorf("this task cannot be sent: %w", err)
	}
	return ev, nil
}

// BuildCancel writes the requester's cancel (43005) as an unsigned event.
func BuildCancel(r *Request, now int64) *nostr.Event {
	tags := nostr.Tags{{"e", r.Event.ID}}
	if r.Agent != "" {
		tags = append(tags, nostr.Tag{"p", r.Agent})
	}
	tags = append(tags, nostr.Tag{"h", r.Room})
	return unsigned(KindCancel, "", tags, r.Event.PubKey, r.notBefore(now))
}

// BuildAccepted writes the agent's 43002 as an unsigned event.
func BuildAccepted(r *Request, now int64) *nostr.Event {
	return r.answer(KindAccepted, "", now)
}

// BuildProgress writes the agent's 43003 as an unsigned event.
func BuildProgress(r *Request, content string, now int64) *nostr.Event {
	return r.answer(KindProgress, content, now)
}

// BuildResult writes the agent's 43004 as an unsigned event. Full is the id of
// the thread message with the full text, or empty; files are the ids of the
// file messages.
func BuildResult(r *Request, content, full string, files []string, now int64) *nostr.Event {
	ev := r.answer(KindResult, content, now)
	if full != "" {
		ev.Tags = append(ev.Tags, nostr.Tag{"e", full})
	}
	for _, id := range files {
		ev.Tags = append(ev.Tags, nostr.Tag{"e", id})
	}
	return ev
}

// BuildError writes the agent's 43006 as an unsigned event.
func BuildError(r *Request, text string, now int64) *nostr.Event {
	return r.answer(KindError, text, now)
}

// answer writes an event of the agent with the tags that every answer carries:
// e with the request, p with the requester and h with the room.
func (r *Request) answer(kind int, content string, now int64) *nostr.Event {
	tags := nostr.Tags{{"e", r.Event.ID}, {"p", r.Event.PubKey}, {"h", r.Room}}
	return unsigned(kind, content, tags, r.Agent, r.notBefore(now))
}

// notBefore keeps an answer from being dated before its request when the clock
// here is slow.
func (r *Request) notBefore(now int64) int64 { return max(now, int64(r.Event.CreatedAt)) }

func unsigned(kind int, content string, tags nostr.Tags, author string, at int64) *nostr.Event {
	return &nostr.Event{
		Kind:      kind,
		Content:   content,
		Tags:      tags,
		PubKey:    author,
		CreatedAt: nostr.Timestamp(at),
	}
}
