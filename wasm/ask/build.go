package ask

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nbd-wtf/go-nostr"
)

// Draft is a native form to be written.
type Draft struct {
	Room        string
	Root        string // the root of the thread it is asked in, "" for the room
	Text        string // the question
	Subject     string
	Asked       []string // hex public keys
	Mention     []string // those to notify; only asked keys are ever notified
	Interaction Interaction
	Selection   Selection
	Options     []Option // an option without an id gets one
	Freeform    bool
	Expires     int64 // answering deadline, 0 for none
}

// BuildRequest writes a native form as an unsigned event of author. The error
// says what to change.
func BuildRequest(d Draft, author string, now int64) (*nostr.Event, error) {
	if strings.TrimSpace(d.Text) == "" {
		return nil, errors.New("write the question first")
	}
	if d.Interaction == "" {
		d.Interaction = Question
	}
	tags := nostr.Tags{{"h", d.Room}}
	if d.Root != "" {
		tags = append(tags, nostr.Tag{"e", d.Root, "", "root"})
	}
	for _, key := range d.Asked {
		tags = append(tags, nostr.Tag{"p", key})
	}
	for _, key := range d.Mention {
		tags = append(tags, nostr.Tag{"mention", key})
	}
	tags = append(tags,
		nostr.Tag{"request", RequestQuestion},
		nostr.Tag{"tinyagent", version},
		nostr.Tag{"interaction", string(d.Interaction)},
		nostr.Tag{"selection", string(d.Selection)})
	for i, o := range d.Options {
		if o.ID == "" {
			o.ID = "o" + strconv.Itoa(i+1)
		}
		tags = append(tags, nostr.Tag{"option", o.ID, o.Label})
	}
	if d.Freeform {
		tags = append(tags, nostr.Tag{"freeform", "true"})
	}
	if d.Subject != "" {
		tags = append(tags, nostr.Tag{"subject", d.Subject})
	}
	if d.Expires != 0 {
		tags = append(tags, nostr.Tag{"expiration", strconv.FormatInt(d.Expires, 10)})
	}
	ev := unsigned(KindMessage, d.Text, tags, author, now)
	if _, err := Parse(ev); err != nil {
		return nil, fmt.Errorf("this question cannot be sent: %w", err)
	}
	return ev, nil
}

// BuildAnswer writes an answer to a native form as an unsigned event of me.
// Relay is the room's relay, as a hint, or empty. It is dated now, but never
// before the question, so that a slow clock here does not void the answer.
func BuildAnswer(r *Request, a Answer, me, relay string, now int64) (*nostr.Event, error) {
	if r.Form != Native {
		return nil, errors.New("this is an older request: approve, deny or reply")
	}
	content, err := WriteAnswer(r, a)
	if err != nil {
		return nil, err
	}
	ev := unsigned(KindComment, content, r.commentTags(relay), me, r.notBefore(now))
	if _, fault := ValidateAnswer(r, ev); fault != nil {
		return nil, fmt.Errorf("this answer would not count: %w", fault)
	}
	return ev, nil
}

// BuildReaction writes the approval or denial of an older request (NIP-25) as
// an unsigned event of me.
func BuildReaction(r *Request, approve bool, me, relay string, now int64) (*nostr.Event, error) {
	if r.Form != Older || r.Request == RequestQuestion {
		return nil, errors.New("this request is not one to approve or deny")
	}
	content := "-"
	if approve {
		content = "+"
	}
	tags := nostr.Tags{
		{"e", r.Event.ID, relay, r.Event.PubKey},
		{"p", r.Event.PubKey},
		{"k", strconv.Itoa(r.Event.Kind)},
	}
	return r.finish(KindReaction, content, tags, me, now)
}

// BuildReply writes a reply to an older request (NIP-22) as an unsigned event
// of me.
func BuildReply(r *Request, text, me, relay string, now int64) (*nostr.Event, error) {
	if r.Form != Older {
		return nil, errors.New("this question has a form: answer that")
	}
	return r.finish(KindComment, text, r.commentTags(relay), me, now)
}

// BuildWithdrawal writes the deletion (NIP-09) of a request or of an answer to
// one as an unsigned event of the target's author.
func BuildWithdrawal(target *nostr.Event, now int64) *nostr.Event {
	tags := nostr.Tags{{"e", target.ID}, {"k", strconv.Itoa(target.Kind)}}
	if room := first(target.Tags, "h"); room != "" {
		tags = append(tags, nostr.Tag{"h", room})
	}
	return unsigned(KindDeletion, "", tags, target.PubKey, now)
}

// finish finishes a reaction or reply and makes sure that it counts.
func (r *Request) finish(kind int, content string, tags nostr.Tags, me string, now int64) (*nostr.Event, error) {
	if r.Room != "" && first(tags, "h") == "" {
		tags = append(tags, nostr.Tag{"h", r.Room})
	}
	ev := unsigned(kind, content, tags, me, r.notBefore(now))
	if _, fault := r.judge(ev, r.act(ev)); fault != nil {
		return nil, fmt.Errorf("this answer would not count: %w", fault)
	}
	return ev, nil
}

// commentTags are the NIP-22 tags of a comment on the request. The root is the
// request itself, unless it is a comment: then it has a root of its own.
func (r *Request) commentTags(relay string) nostr.Tags {
	id, kind, author := r.Event.ID, strconv.Itoa(r.Event.Kind), r.Event.PubKey
	tags := nostr.Tags{{"E", id, relay, author}, {"K", kind}, {"P", author}}
	if r.Event.Kind == KindComment {
		if root := rootTags(r.Event.Tags); root != nil {
			tags = root
		}
	}
	tags = append(tags,
		nostr.Tag{"e", id, relay, author}, nostr.Tag{"k", kind}, nostr.Tag{"p", author})
	if r.Room != "" {
		tags = append(tags, nostr.Tag{"h", r.Room})
	}
	return tags
}

// rootTags copies a comment's root scope (E, A or I with K and P), or returns
// nil when it has none.
func rootTags(tags nostr.Tags) nostr.Tags {
	var out nostr.Tags
	scoped := false
	for _, t := range tags {
		switch {
		case len(t) < 2:
		case t[0] == "E" || t[0] == "A" || t[0] == "I":
			scoped = true
			out = append(out, slices.Clone(t))
		case t[0] == "K" || t[0] == "P":
			out = append(out, slices.Clone(t))
		}
	}
	if !scoped {
		return nil
	}
	return out
}

func (r *Request) notBefore(now int64) int64 {
	return max(now, int64(r.Event.CreatedAt))
}

func unsigned(kind int, content string, tags nostr.Tags, author string, at int64) *nostr.Event {
	return &nostr.Event{
		Kind:      kind,
		Content:   content,
		Tags:      tags,
		PubKey:    author,
		CreatedAt: nostr.Timestamp(at),
	}
}
