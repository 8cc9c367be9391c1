package room

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nbd-wtf/go-nostr"
)

// Limits on what is shown of a message, in code points.
const (
	MaxText    = 20_000 // FullText has the rest
	MaxSubject = 200
	QuoteText  = 200
)

// NoteOtherVersion is shown under a question form of another version.
const NoteOtherVersion = "This is a question in a form that this app does not know."

// Message returns an event as a reader with the key me ("" for nobody) sees it.
// It is false for events that are not loaded, deleted, blocked, or no message.
func (f *Fold) Message(id, me string) (Message, bool) {
	n := f.message(id)
	if n == nil || f.hidden(n.e) {
		return Message{}, false
	}
	f.flush()
	m := Message{
		ID:         id,
		Kind:       n.e.Kind,
		Author:     f.people.Person(n.e.PubKey),
		At:         n.key().At,
		CreatedAt:  int64(n.e.CreatedAt),
		ClockAhead: n.clockAhead(),
		Subject:    subjectOf(n.e),
		Edited:     f.edit(n) != nil,
		ReplyTo:    f.quote(n.reply),
		Reactions:  f.reactions(n, me),
		Replies:    f.replies(id),
		Files:      FilesOf(n.e),
		Request:    asks(n.e),
	}
	m.Root = f.threadOf(n)
	left := 0
	m.Text, left = cutRunes(f.text(n), MaxText)
	if left > 0 {
		m.Note = fmt.Sprintf("This message is very long: its first %d characters are shown, %d are not.", MaxText, left)
	} else if n.e.Kind == KindMessage && hasTag(n.e.Tags, "tinyagent") && !isForm(n.e) {
		m.Note = NoteOtherVersion
	}
	m.Refs = f.people.Links(m.Text)
	return m, true
}

// FullText is the whole text of a message after its newest edit, however long,
// "" when it is not to be shown.
func (f *Fold) FullText(id string) string {
	if n := f.message(id); n != nil && !f.hidden(n.e) {
		return f.text(n)
	}
	return ""
}

// text is what a message says: its newest edit, without the reference that it
// opens with when that names what it replies to (NIP-C7), and without lines
// that are only the address of one of its files (NIP-92): both are shown apart.
func (f *Fold) text(n *node) string {
	text := n.e.Content
	if edit := f.edit(n); edit != nil {
		text = edit.Content
	}
	if code, found := strings.CutPrefix(text, nostrScheme); found && n.reply != "" {
		code = leadingCode(code)
		if c, err := DecodeCode(code); err == nil && c.ID == n.reply {
			text = strings.TrimLeft(text[len(nostrScheme)+len(code):], " \n")
		}
	}
	return withoutFiles(text, FilesOf(n.e))
}

// subjectOf is the title of a thread (NIP-7D) or the subject of a message
// (NIP-14).
func subjectOf(e *nostr.Event) string {
	names := []string{"subject", "title"}
	if e.Kind == KindThread {
		names = []string{"title", "subject"}
	}
	for _, name := range names {
		if s := cleanLine(tagValue(e.Tags, name), MaxSubject); s != "" {
			return s
		}
	}
	return ""
}

// quote shows the message that another one answers, nil when it answers none.
func (f *Fold) quote(id string) *Quote {
	if id == "" {
		return nil
	}
	n := f.message(id)
	switch {
	case n == nil:
		return &Quote{ID: id, Missing: true}
	case f.hidden(n.e):
		return &Quote{ID: id, Deleted: true}
	}
	text, _ := cutRunes(f.text(n), 10*QuoteText) // a reference is longer than its name
	text, _ = cutRunes(Plain(text, f.people.Links(text)), QuoteText)
	if text == "" {
		text = subjectOf(n.e)
	}
	return &Quote{ID: id, Author: f.people.Person(n.e.PubKey), Text: text}
}

// MaxReaction is the longest reaction, in code points, that is shown: an emoji
// of many parts, or the name of a custom one (NIP-30).
const MaxReaction = 40

// reactions counts distinct people for each thing they said (NIP-25). On a
// request `+` and `-` are answers, and are left to it. Reactions stand in the
// order in which each was first given.
func (f *Fold) reactions(n *node, me string) []Reaction {
	given := slices.Clone(f.acts.reactions[n.e.ID])
	given = slices.DeleteFunc(given, func(r *node) bool {
		return f.hidden(r.e) || shownReaction(r.e) == "" || asks(n.e) && (r.e.Content == "+" || r.e.Content == "-")
	})
	slices.SortFunc(given, func(a, b *node) int { return a.key().Compare(b.key()) })
	var list []Reaction
	index := map[string]int{}
	known := map[[2]string]bool{}
	for _, r := range given {
		content := shownReaction(r.e)
		at, ok := index[content]
		if !ok {
			at = len(list)
			index[content] = at
			list = append(list, Reaction{Content: content})
		}
		if r.e.PubKey == me {
			list[at].Mine = r.e.ID
		}
		if who := [2]string{content, r.e.PubKey}; !known[who] {
			known[who] = true
			list[at].People = append(list[at].People, f.people.Person(r.e.PubKey))
		}
	}
	return list
}

// shownReaction is what a reaction says: `+` and the empty one are a thumb up,
// `-` a thumb down (NIP-25), a custom emoji is its :shortcode: (NIP-30). It is
// "" for what is no reaction: invisible, or longer than MaxReaction.
func shownReaction(e *nostr.Event) string {
	switch e.Content {
	case "+", "":
		return "👍"
	case "-":
		return "👎"
	}
	if len(e.Content) > 4*MaxReaction {
		return ""
	}
	s := cleanEmoji(e.Content)
	if _, left := cutRunes(s, MaxReaction); left > 0 {
		return ""
	}
	return s
}

// SameReactions returns the ids of all reactions that say the same as this one:
// same person, same message, same thing. Taking one back takes back all. The
// ids are sorted; there are none when id is no reaction that counts.
func (f *Fold) SameReactions(id string) []string {
	r := f.events[id]
	if r == nil || r.e.Kind != KindReaction || f.deleted(r.e) {
		return nil
	}
	var ids []string
	for _, o := range f.acts.reactions[reactionTarget(r.e)] {
		if o.e.PubKey == r.e.PubKey && shownReaction(o.e) == shownReaction(r.e) && !f.deleted(o.e) {
			ids = append(ids, o.e.ID)
		}
	}
	slices.SortFunc(ids, cmp.Compare[string])
	return ids
}

// People returns the hex keys of everybody who appears in these messages:
// authors, quoted, reacting and mentioned people. Sorted.
func (f *Fold) People(ids []string) []string {
	var keys []string
	for _, id := range ids {
		n := f.message(id)
		if n == nil || f.hidden(n.e) {
			continue
		}
		keys = append(keys, n.e.PubKey)
		if q := f.message(n.reply); q != nil && !f.hidden(q.e) {
			keys = append(keys, q.e.PubKey)
		}
		for _, r := range f.reactions(n, "") {
			for _, person := range r.People {
				keys = append(keys, person.PubKey)
			}
		}
		keys = append(keys, Mentioned(f.text(n))...)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
