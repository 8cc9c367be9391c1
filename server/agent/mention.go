package agent

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/relay"
	"parley/wasm/room"
	"parley/wasm/task"
)

// MaxMentionAge is how long after it was written a message that mentions the
// agent is still answered, in seconds. A conversation has moved on by then.
const MaxMentionAge = 15 * 60

// heard takes a message of a room.
func (a *Agent) heard(in relay.Incoming, _ bool) {
	ev := in.Event
	ref := room.Ref{Relay: in.Relay, ID: roomOf(ev)}
	switch {
	case ev.PubKey == a.keys.PubKey:
		return
	case task.IsCancelMessage(ev):
		a.cancelSaid(ref, ev)
		return
	case ev.Kind == room.KindComment && scopeOf(ev) == nil:
		return // an answer, or a comment on no thread
	case !a.mentioned(ev) && !a.ownThread(ev), ev.Tags.Find("request") != nil:
		return // questions are for people
	case a.work.Err() != nil:
		return
	}
	message := a.withoutMention(ev.Content)
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	reason := ""
	switch {
	case a.journal.took(ev.ID):
		return
	case int64(ev.CreatedAt) < now-MaxMentionAge:
		reason = "it is old"
	case !a.allowed(ev.PubKey):
		reason = "its author may not use the agent"
	case a.talks[ev.PubKey] >= a.limits.MaxActive:
		reason = "its author waits for other answers"
	case a.tooMuch(ev.PubKey) > 0:
		reason = "too much is asked"
	}
	if reason != "" {
		a.log.Info("a mention stays unanswered", "id", ev.ID, "from", ev.PubKey, "because", reason)
		return
	}
	if err := a.journal.add(entry{Op: opSeen, At: now, ID: ev.ID}); err != nil {
		a.log.Error("a mention stays unanswered", "id", ev.ID, "err", err)
		return
	}
	a.converse(&chat{a: a, spot: spotOf(ref, ev), id: ev.ID, sender: ev.PubKey,
		message: message, maybe: int64(ev.CreatedAt) < a.began})
}

// allowed says whether a person may use the agent.
func (a *Agent) allowed(pubkey string) bool {
	return pubkey != a.keys.PubKey && !a.policy.Block[pubkey] && (a.policy.AllowAll || a.policy.Allow[pubkey])
}

// mentioned says whether a message names the agent: in a p tag, by its npub, or
// as @name.
func (a *Agent) mentioned(ev *nostr.Event) bool {
	if ev.Tags.FindWithValue("p", a.keys.PubKey) != nil || slices.Contains(room.Mentioned(ev.Content), a.keys.PubKey) ||
		strings.Contains(ev.Content, room.NPub(a.keys.PubKey)) {
		return true
	}
	return slices.ContainsFunc(a.calledNames(), func(name string) bool {
		from, _ := named(ev.Content, name)
		return from >= 0
	})
}

// ownThread says whether a message stands in a thread that the agent opened to
// hand something over.
func (a *Agent) ownThread(ev *nostr.Event) bool {
	root := rootOf(ev)
	return ev.Kind == room.KindThreadReply && root != nil && a.journal.opened(root.ID)
}

// named finds @name in a text, in any case and as words of its own, and says
// from where to where it goes; -1 when it is not there.
func named(text, name string) (from, to int) {
	lower, want := strings.ToLower(text), "@"+strings.ToLower(name)
	if len(lower) != len(text) {
		lower = text // letters whose lower case is longer
	}
	for at := 0; ; {
		i := strings.Index(lower[at:], want)
		if i < 0 {
			return -1, -1
		}
		from, to = at+i, at+i+len(want)
		before, _ := utf8.DecodeLastRuneInString(text[:from])
		after, _ := utf8.DecodeRuneInString(text[to:])
		if (from == 0 || !wordly(before)) && (to == len(text) || !wordly(after)) {
			return from, to
		}
		at = to
	}
}

func wordly(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// withoutMention is what a message says to the agent: the text without the
// mention that it begins with.
func (a *Agent) withoutMention(text string) string {
	text = strings.TrimSpace(text)
	for _, name := range a.calledNames() {
		if from, to := named(text, name); from == 0 {
			return strings.TrimLeft(text[to:], " \t\n,:;")
		}
	}
	word, rest, _ := strings.Cut(text, " ")
	code := strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(word, "@"), "nostr:"), ",:;")
	if c, err := room.DecodeCode(code); err == nil && c.PubKey == a.keys.PubKey && c.ID == "" {
		return strings.TrimSpace(rest)
	}
	return text
}

// calledNames are what people call the agent.
func (a *Agent) calledNames() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.names)
}

// isBot says whether somebody calls itself a bot (NIP-24), so that two agents do
// not talk to each other for ever.
func (a *Agent) isBot(url, pubkey string) bool {
	if a.policy.Allow[pubkey] {
		return false // it was invited by name
	}
	events, err := a.fetch(a.work, url, nostr.Filter{Kinds: []int{room.KindProfile}, Authors: []string{pubkey}})
	if err != nil || len(events) == 0 {
		return false
	}
	var profile struct {
		Bot bool `json:"bot"`
	}
	return json.Unmarshal([]byte(events[0].Content), &profile) == nil && profile.Bot
}
