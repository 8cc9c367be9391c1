package room

import (
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// both checks a rule with events in order of time and in reverse.
func both(t *testing.T, name string, check func(t *testing.T, f *Fold), events ...*nostr.Event) {
	t.Run(name, func(t *testing.T) { check(t, filled(events...)) })
	t.Run(name+", in reverse", func(t *testing.T) {
		f := New(here, relay, nil)
		for i := range events {
			e := events[len(events)-1-i]
			f.Add(e, int64(e.CreatedAt))
			f.flush()
		}
		check(t, f)
	})
}

func TestDeletions(t *testing.T) {
	m := msg(1, ana, 100, "hello")
	gone := func(want bool) func(*testing.T, *Fold) {
		return func(t *testing.T, f *Fold) {
			if _, shown := f.Message(id(1), ""); shown == want || f.Deleted(id(1)) != want {
				t.Errorf("deleted %v, want %v", !shown, want)
			}
			if got := len(order(f)); (got == 0) != want {
				t.Errorf("%d in the timeline", got)
			}
		}
	}
	admins := state(50, KindAdmins, relay, 10, nostr.Tag{"p", bob, "moderator"})
	del := func(kind int, author string, tags ...nostr.Tag) *nostr.Event {
		return ev(9, kind, author, 101, "", tags...)
	}
	both(t, "the author deletes (NIP-09)", gone(true), m, del(KindDelete, ana, e(1)))
	both(t, "also with an earlier created_at", gone(true), m, ev(9, KindDelete, ana, 50, "", e(1)))
	both(t, "also without an h tag", gone(true), m, evBare(9, KindDelete, ana, 101, "", e(1)))
	both(t, "also among many", gone(true), m, del(KindDelete, ana, e(7), nostr.Tag{"e"}, e(1), e(1)))
	both(t, "another person does not", gone(false), m, del(KindDelete, eve, e(1)))
	both(t, "an a tag does not", gone(false), m, del(KindDelete, ana, nostr.Tag{"a", id(1)}))
	both(t, "a deletion cannot be deleted", gone(true), m, del(KindDelete, ana, e(1)), ev(10, KindDelete, ana, 102, "", e(9)))
	both(t, "an admin removes (NIP-29)", gone(true), admins, m, del(KindModDelete, bob, e(1)))
	both(t, "the relay removes", gone(true), m, del(KindModDelete, relay, e(1)))
	both(t, "nobody else removes", gone(false), admins, m, del(KindModDelete, eve, e(1)))
	both(t, "while the admins are unknown nobody removes", gone(false), m, del(KindModDelete, bob, e(1)))
	both(t, "one who is no admin any more does not", gone(false), admins, m, del(KindModDelete, bob, e(1)),
		state(51, KindAdmins, relay, 200, nostr.Tag{"p", eve, "x"}))
	both(t, "admins that the relay did not sign do not count", gone(false), m, del(KindModDelete, eve, e(1)),
		state(51, KindAdmins, eve, 200, nostr.Tag{"p", eve}))
}

func TestNobodyModeratesWhileTheRelaysKeyIsUnknown(t *testing.T) {
	f := New(here, "", nil)
	f.Add(msg(1, ana, 1, ""), 1)
	f.Add(ev(2, KindModDelete, bob, 2, "", e(1)), 2)
	f.Add(state(3, KindAdmins, relay, 3, nostr.Tag{"p", bob}), 3)
	if f.Deleted(id(1)) || !f.IsAdmin(bob) {
		t.Error("an admin by an unknown key is shown, without power")
	}
	f.TakeChanged()
	f.SetRelayKey(relay)
	if !f.Deleted(id(1)) || len(order(f)) != 0 || len(f.TakeChanged().Messages) == 0 {
		t.Error("once the key is known the deletion counts")
	}
}

func TestWhatStaysWhenItsAuthorDeletesIt(t *testing.T) {
	form, older, version := nostr.Tag{"tinyagent", "1"}, nostr.Tag{"request", "approve"}, nostr.Tag{"tinyagent", "2"}
	for _, c := range []struct {
		what  string
		e     *nostr.Event
		stays bool
	}{
		{"a question form", msg(1, ana, 1, "", form, nostr.Tag{"request", "question"}), true},
		{"an older request", msg(1, ana, 1, "", older), true},
		{"an older request in a thread's root", ev(1, KindThread, ana, 1, "", older), true},
		{"a task", ev(1, KindTask, ana, 1, ""), true},
		{"a form of another version", msg(1, ana, 1, "", version, older), false},
		{"an unknown request", msg(1, ana, 1, "", nostr.Tag{"request", "sing"}), false},
		{"a message", msg(1, ana, 1, ""), false},
	} {
		both(t, c.what, func(t *testing.T, f *Fold) {
			if _, shown := f.Message(id(1), ""); shown != c.stays || len(order(f)) == 1 != c.stays || !f.Deleted(id(1)) {
				t.Errorf("shown %v, want %v", shown, c.stays)
			}
		}, c.e, ev(2, KindDelete, ana, 2, "", e(1)))
	}
	wantOrder(t, filled(msg(1, ana, 1, "", form), ev(2, KindModDelete, relay, 2, "", e(1))))
}

func TestAWithdrawnDeletionBringsTheMessageBack(t *testing.T) {
	f := filled(msg(1, ana, 1, ""), ev(2, KindDelete, ana, 2, "", e(1)))
	f.Remove(id(2))
	wantOrder(t, f, 1)
}

func TestEdits(t *testing.T) {
	edit := func(n int, author string, at int64, text string, target int) *nostr.Event {
		return ev(n, KindEdit, author, at, text, e(target))
	}
	says := func(text string, edited bool) func(*testing.T, *Fold) {
		return func(t *testing.T, f *Fold) {
			if m := get(t, f, 1); m.Text != text || m.Edited != edited {
				t.Errorf("%q, edited %v", m.Text, m.Edited)
			}
		}
	}
	m := msg(1, ana, 100, "old")
	both(t, "content replaces", says("new", true), m, edit(2, ana, 101, "new", 1))
	both(t, "only the author's count", says("old", false), m, edit(2, eve, 101, "new", 1))
	both(t, "the newest counts", says("newest", true), m, edit(3, ana, 101, "new", 1), edit(2, ana, 102, "newest", 1))
	both(t, "then the highest id", says("high", true), m, edit(2, ana, 101, "low", 1), edit(3, ana, 101, "high", 1))
	both(t, "a deleted edit gives way", says("new", true), m,
		edit(2, ana, 101, "new", 1), edit(3, ana, 102, "newest", 1), ev(4, KindDelete, ana, 103, "", e(3)))
	both(t, "an edit needs h", says("old", false), m, evBare(2, KindEdit, ana, 101, "new", e(1)))

	request := nostr.Tag{"request", "approve"}
	both(t, "never to older requests", says("old", false), msg(1, ana, 1, "old", request), edit(2, ana, 2, "new", 1))
	both(t, "never to forms", says("old", false), msg(1, ana, 1, "old", nostr.Tag{"tinyagent", "1"}), edit(2, ana, 2, "new", 1))
	both(t, "never to tasks", says("old", false), ev(1, KindTask, ana, 1, "old"), edit(2, ana, 2, "new", 1))
	both(t, "never to answers", says("old", false),
		msg(5, bob, 1, "", request), ev(1, KindComment, ana, 2, "old", up(5), e(5)), edit(2, ana, 3, "new", 1))
	both(t, "to other comments", says("new", true),
		msg(5, bob, 1, ""), ev(1, KindComment, ana, 2, "old", up(5), e(5)), edit(2, ana, 3, "new", 1))
	both(t, "to thread replies", says("new", true), ev(1, KindThreadReply, ana, 2, "old", root(5)), edit(2, ana, 3, "new", 1))
}

func TestReactions(t *testing.T) {
	react := func(n int, author string, content string, tags ...nostr.Tag) *nostr.Event {
		return ev(n, KindReaction, author, int64(100+n), content, tags...)
	}
	// shown is content, number of people and my own reaction's number.
	type shown struct {
		content string
		people  int
		mine    int
	}
	is := func(want ...shown) func(*testing.T, *Fold) {
		return func(t *testing.T, f *Fold) {
			m := get(t, f, 1)
			if len(m.Reactions) != len(want) {
				t.Fatalf("%+v, want %+v", m.Reactions, want)
			}
			for i, w := range want {
				r := m.Reactions[i]
				mine := ""
				if w.mine > 0 {
					mine = id(w.mine)
				}
				if r.Content != w.content || len(r.People) != w.people || r.Mine != mine {
					t.Errorf("%+v, want %+v", r, w)
				}
			}
		}
	}
	m := msg(1, ana, 100, "")
	both(t, "plus and the empty reaction are a like", is(shown{"👍", 2, 0}), m, react(2, bob, "+", e(1)), react(3, eve, "", e(1)))
	both(t, "minus is a dislike", is(shown{"👎", 1, 0}), m, react(2, bob, "-", e(1)))
	both(t, "people are counted, not deliveries", is(shown{"👍", 1, 0}), m, react(2, bob, "+", e(1)), react(3, bob, "+", e(1)))
	both(t, "one person may say several things", is(shown{"🎉", 1, 0}, shown{"👍", 1, 0}), m, react(2, bob, "🎉", e(1)), react(3, bob, "+", e(1)))
	both(t, "mine can be taken back", is(shown{"👍", 2, 3}), m, react(2, bob, "+", e(1)), react(3, ana, "+", e(1)))
	both(t, "a deleted one does not count", is(), m, react(2, bob, "+", e(1)), ev(3, KindDelete, bob, 110, "", e(2)))
	both(t, "the target is the last e", is(shown{"👍", 1, 0}), m, react(2, bob, "+", e(9), e(1)))
	both(t, "and not the first", is(), m, react(2, bob, "+", e(1), e(9)))
	both(t, "a custom emoji by its shortcode", is(shown{":soapbox:", 1, 0}), m, react(2, bob, ":soapbox:", e(1), nostr.Tag{"emoji", "soapbox", "https://x/y.png"}))
	both(t, "h may be missing", is(shown{"👍", 1, 0}), m, evBare(2, KindReaction, bob, 1, "+", e(1)))
	both(t, "but not of another room", is(), m, evBare(2, KindReaction, bob, 1, "+", e(1), nostr.Tag{"h", "other"}))
	both(t, "at most so long", is(shown{strings.Repeat("é", MaxReaction), 1, 0}), m,
		react(4, bob, strings.Repeat("x", 5*MaxReaction), e(1)),
		react(2, bob, strings.Repeat("é", MaxReaction), e(1)), react(3, bob, strings.Repeat("é", MaxReaction+1), e(1)))
	both(t, "an invisible one is none", is(), m, react(2, bob, "\u202e\u200b", e(1)))
	both(t, "on a request plus and minus are answers", is(shown{"🎉", 1, 0}), msg(1, ana, 100, "", nostr.Tag{"request", "decide"}),
		react(2, bob, "+", e(1)), react(3, bob, "-", e(1)), react(4, bob, "🎉", e(1)))
}

func TestSameReactions(t *testing.T) {
	react := func(n int, author, content string) *nostr.Event {
		return ev(n, KindReaction, author, 5, content, e(1))
	}
	f := filled(msg(1, ana, 1, ""), react(2, ana, "+"), react(3, ana, ""), react(4, bob, "+"), react(5, ana, "🎉"),
		react(6, ana, "+"), ev(7, KindDelete, ana, 9, "", e(6)))
	if got := numbers(f.SameReactions(id(3))); len(got) != 2 || got[0] != 2 || got[1] != 3 {
		t.Errorf("%v", got)
	}
	if f.SameReactions(id(6)) != nil || f.SameReactions(id(1)) != nil {
		t.Error("deleted, or no reaction")
	}
}

func TestBlockedPeopleAreNeitherListedNorCounted(t *testing.T) {
	f := filled(msg(1, ana, 1, ""), msg(2, eve, 2, "x"), msg(3, ana, 3, "", q(2)),
		ev(4, KindReaction, eve, 4, "+", e(1)), ev(5, KindThreadReply, eve, 5, "", root(1)))
	f.SetBlocked([]string{eve})
	wantOrder(t, f, 1, 3)
	if m := get(t, f, 1); m.Replies != 0 || len(m.Reactions) != 0 {
		t.Errorf("%+v", m)
	}
	if m := get(t, f, 3); !m.ReplyTo.Deleted || m.ReplyTo.Text != "" {
		t.Errorf("%+v", m.ReplyTo)
	}
	f.SetBlocked(nil)
	wantOrder(t, f, 1, 2, 3)
}
