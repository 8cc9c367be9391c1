package e2e

import (
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/ask"
)

// requests builds an older request of a key to people in the lobby.
func (k key) requests(t testing.TB, kind string, text string, asked ...key) *nostr.Event {
	t.Helper()
	tags := []nostr.Tag{{"request", kind}}
	for _, a := range asked {
		tags = append(tags, nostr.Tag{"p", a.public})
	}
	return k.message(t, now(), text, tags...)
}

func (l *lobby) olderRequests(t *testing.T) {
	ana, ben := l.scene(t)
	approve := l.bot.requests(t, ask.RequestApprove, "May I restart it?", l.anaKey)
	decide := l.bot.requests(t, ask.RequestDecide, "Shall we move?", l.anaKey, l.benKey)
	question := l.bot.requests(t, ask.RequestQuestion, "What is its name?", l.anaKey)
	l.put(t, approve, decide, question)

	// A thumb up is no verdict.
	ben.pressOn(approve.ID, "button", "React")
	ben.press("button", "Thumbs up")
	ana.shows(approve.ID, "👍")
	ana.is(approve.ID, "open")
	if got := stored(t, l.s, nostr.Filter{Kinds: []int{nostr.KindReaction}, Tags: nostr.TagMap{"e": {approve.ID}}}); len(got) != 1 || got[0].Content != "👍" {
		t.Errorf("the reaction is %v", got)
	}

	ana.holds(approve.ID, "button", "Deny")
	ana.holds(approve.ID, "button", "Reply")
	ana.pressOn(approve.ID, "button", "Approve")
	ana.is(approve.ID, "answered")
	ana.shows(approve.ID, "You approved")
	ben.shows(approve.ID, "Ana approved")
	if ben.offers(approve.ID, "button", "Approve") {
		t.Error("who is not asked can approve")
	}

	// A mere reply settles it until a verdict comes.
	ana.pressOn(decide.ID, "button", "Reply")
	ana.writeOn(decide.ID, "Your reply", "Let me think")
	ana.pressOn(decide.ID, "button", "Send reply")
	ana.shows(decide.ID, "You replied")
	ben.shows(decide.ID, "Ana replied")
	ana.holds(decide.ID, "button", "Approve")
	ben.pressOn(decide.ID, "button", "Deny")
	ana.shows(decide.ID, "Ben denied")
	ben.shows(decide.ID, "You denied")

	if ana.offers(question.ID, "button", "Approve") || ana.offers(question.ID, "button", "Deny") {
		t.Error("a question can be approved")
	}
	ana.pressOn(question.ID, "button", "Reply")
	ana.writeOn(question.ID, "Your reply", "It is called Otto")
	ana.pressOn(question.ID, "button", "Send reply")
	ana.shows(question.ID, "You replied")
	ben.shows(question.ID, "It is called Otto")
	for id, want := range map[string]int{approve.ID: 2, decide.ID: 1, question.ID: 0} {
		if got := stored(t, l.s, nostr.Filter{Kinds: []int{nostr.KindReaction}, Tags: nostr.TagMap{"e": {id}}}); len(got) != want {
			t.Errorf("there are %d reactions, not %d", len(got), want)
		}
	}
}
