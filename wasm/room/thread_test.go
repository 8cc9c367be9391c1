package room

import (
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func TestWhatStandsWhere(t *testing.T) {
	f := filled(
		msg(1, ana, 1, ""), ev(2, KindThread, ana, 2, ""), ev(3, KindTask, ana, 3, ""),
		ev(4, KindThreadReply, bob, 4, "", root(1)), ev(5, KindComment, bob, 5, "", up(2), e(2)),
		ev(6, KindThreadReply, bob, 6, "", root(3)), ev(7, KindTaskTaken, bob, 7, "", e(3)), ev(8, 1, bob, 8, ""))
	wantOrder(t, f, 1, 2, 3)
	wantThread(t, f, 1, 1, 4)
	wantThread(t, f, 2, 2, 5)
	wantThread(t, f, 3, 3, 6)
	for n := 1; n <= 3; n++ {
		if m := get(t, f, n); m.Replies != 1 {
			t.Errorf("%d has %d replies", n, m.Replies)
		}
	}
	if m := get(t, f, 6); m.Root != id(3) || m.ReplyTo != nil {
		t.Errorf("%+v", m)
	}
	if _, ok := f.Message(id(7), ""); ok || f.Event(id(8)) != nil {
		t.Error("kinds that a room does not know are no messages")
	}
}

func TestReplies(t *testing.T) {
	none := 0
	cases := []struct {
		name        string
		kind        int
		tags        nostr.Tags
		root, reply int
	}{
		{"a message that answers nothing", 9, nil, none, none},
		{"NIP-C7: a q", 9, nostr.Tags{q(2)}, none, 2},
		{"NIP-10: marked reply before root", 9, nostr.Tags{root(1), re(2)}, none, 2},
		{"NIP-10: a root alone", 9, nostr.Tags{root(1)}, none, 1},
		{"NIP-10: positional, the last is the reply", 9, nostr.Tags{e(1), e(3), e(2)}, none, 2},
		{"a q goes before a positional e", 9, nostr.Tags{e(1), q(2)}, none, 2},
		{"a mention is no reply", 9, nostr.Tags{{"e", id(1), "", "mention"}}, none, none},
		{"a q of an address is no reply", 9, nostr.Tags{{"q", "30023:" + id(1) + ":x"}}, none, none},
		{"thread reply: marked root", 12, nostr.Tags{root(1)}, 1, none},
		{"thread reply: root and reply", 12, nostr.Tags{root(1), re(2)}, 1, 2},
		{"thread reply: the reply is the root", 12, nostr.Tags{root(1), re(1)}, 1, none},
		{"thread reply: no mark", 12, nostr.Tags{e(1)}, 1, none},
		{"thread reply: positional", 12, nostr.Tags{e(1), e(2)}, 1, 2},
		{"thread reply: only a reply", 12, nostr.Tags{re(1)}, 1, none},
		{"thread reply: a quote", 12, nostr.Tags{root(1), q(2)}, 1, 2},
		{"NIP-22: both scopes are the root", 1111, nostr.Tags{up(1), e(1)}, 1, none},
		{"NIP-22: a reply to a comment", 1111, nostr.Tags{up(1), e(2)}, 1, 2},
		{"NIP-22: the fourth element is a key", 1111, nostr.Tags{up(1), {"e", id(2), "", bob}}, 1, 2},
		{"NIP-7D: only E", 1111, nostr.Tags{up(1)}, 1, none},
		{"a comment without E", 1111, nostr.Tags{e(1)}, 1, none},
		{"a comment on an address", 1111, nostr.Tags{{"A", "30023:" + ana + ":x"}}, none, none},
		{"a task in a thread", 43001, nostr.Tags{root(1)}, 1, none},
		{"a question in a thread", 9, nostr.Tags{root(1), {"tinyagent", "1"}}, 1, none},
		{"a question in a thread that answers somebody", 9, nostr.Tags{root(1), q(2), {"tinyagent", "1"}}, 1, 2},
		{"a question that quotes what it follows", 9, nostr.Tags{q(2), {"tinyagent", "1"}}, none, 2},
		{"tags of any length", 9, nostr.Tags{{}, {"e"}, {"q"}, {"e", ""}, nil, {"q", id(2)}}, none, 2},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := get(t, filled(ev(9, c.kind, ana, 1, "", c.tags...)), 9)
			reply := ""
			if m.ReplyTo != nil {
				if reply = m.ReplyTo.ID; !m.ReplyTo.Missing {
					t.Error("it is not loaded")
				}
			}
			if want := named(c.root); m.Root != want {
				t.Errorf("root %q, want %q", m.Root, want)
			}
			if want := named(c.reply); reply != want {
				t.Errorf("reply to %q, want %q", reply, want)
			}
		})
	}
}

func named(n int) string {
	if n == 0 {
		return ""
	}
	return id(n)
}

func TestOrphansAreKeptUntilTheirParentIsLoaded(t *testing.T) {
	f := filled(msg(2, bob, 2, "yes", q(1)), ev(3, KindThreadReply, bob, 3, "", root(1)))
	wantThread(t, f, 1, 3)
	if m := get(t, f, 2); !m.ReplyTo.Missing {
		t.Errorf("%+v", m.ReplyTo)
	}
	if got := numbers(f.Missing([]string{id(2), id(3), id(99)})); len(got) != 1 || got[0] != 1 {
		t.Errorf("missing %v", got)
	}
	f.TakeChanged()
	f.Add(msg(1, ana, 1, "well?"), 1)
	if got := numbers(f.TakeChanged().Messages); len(got) != 3 {
		t.Errorf("changed %v", got)
	}
	if m := get(t, f, 2); m.ReplyTo.Missing || m.ReplyTo.Text != "well?" || m.ReplyTo.Author.PubKey != ana {
		t.Errorf("%+v", m.ReplyTo)
	}
	wantThread(t, f, 1, 1, 3)
	if f.Missing([]string{id(2), id(3)}) != nil {
		t.Error("nothing is missing any more")
	}
}

func TestAQuestionAskedInAThreadStandsThereAndInTheTimeline(t *testing.T) {
	form := nostr.Tag{"tinyagent", "1"}
	check := func(t *testing.T, f *Fold) {
		wantOrder(t, f, 1, 2)
		wantThread(t, f, 1, 1, 2, 3, 5)
		wantThread(t, f, 2, 2)
		if m := get(t, f, 1); m.Replies != 2 {
			t.Errorf("%d replies: a question is none, what is said about it is one", m.Replies)
		}
		if m := get(t, f, 2); m.Root != id(1) || m.ReplyTo != nil {
			t.Errorf("%+v", m)
		}
	}
	both(t, "in a thread", check, msg(1, ana, 1, ""), msg(2, bob, 2, "?", root(1), form),
		ev(3, KindThreadReply, bob, 3, "", root(2)), ev(4, KindComment, ana, 4, "yes", up(2), e(2)),
		ev(5, KindThreadReply, bob, 5, "", root(1), re(2)))

	f := filled(msg(1, ana, 1, ""), msg(2, bob, 2, "?", root(1), form), ev(3, KindThreadReply, bob, 3, "", root(2)))
	f.Remove(id(2))
	wantThread(t, f, 1, 1)
	wantThread(t, f, 2, 3)
}

func TestAReplyThatNamesAReplyAsItsRootStandsInThatThread(t *testing.T) {
	check := func(t *testing.T, f *Fold) { wantThread(t, f, 1, 1, 2, 3, 4) }
	both(t, "followed", check, msg(1, ana, 1, ""), ev(2, KindThreadReply, bob, 2, "", root(1)),
		ev(3, KindComment, bob, 3, "", up(2), e(2)), ev(4, KindThreadReply, bob, 4, "", root(3)))

	f := filled(msg(1, ana, 1, ""), ev(2, KindThreadReply, bob, 2, "", root(1)), ev(3, KindThreadReply, bob, 3, "", root(2)))
	f.Remove(id(2))
	wantThread(t, f, 1, 1)
	wantThread(t, f, 2, 3)
}

func TestRootsAreFollowedSoFar(t *testing.T) {
	chain := func(length int) *Fold {
		f := New(here, relay, nil)
		for n := 2; n <= length; n++ {
			f.Add(ev(n, KindThreadReply, bob, int64(n), "", root(n-1)), int64(n))
			f.flush()
		}
		return f
	}
	if m := get(t, chain(MaxRootHops+2), MaxRootHops+2); m.Root != id(1) {
		t.Errorf("root %s after %d hops", m.Root, MaxRootHops)
	}
	if m := get(t, chain(MaxRootHops+3), MaxRootHops+3); m.Root != id(2) {
		t.Errorf("root %s after %d hops", m.Root, MaxRootHops+1)
	}
}

func TestAnswersStandOnTheFormsCardOnly(t *testing.T) {
	form := msg(1, bob, 1, "?", nostr.Tag{"request", "question"}, nostr.Tag{"tinyagent", "1"})
	older := msg(2, bob, 2, "?", nostr.Tag{"request", "question"})
	answer := func(n, to int) *nostr.Event { return ev(n, KindComment, ana, 10, "yes", up(to), e(to)) }
	both(t, "native", func(t *testing.T, f *Fold) {
		wantThread(t, f, 1, 1, 5, 6)
		if m := get(t, f, 1); m.Replies != 2 || !m.Request {
			t.Errorf("%+v", m)
		}
		if !f.IsAnswer(id(3)) || f.IsAnswer(id(5)) || f.IsAnswer(id(6)) || f.IsAnswer(id(99)) {
			t.Error("a direct comment on the form is an answer, nothing else")
		}
	}, form, answer(3, 1), ev(5, KindThreadReply, eve, 11, "talk", root(1)), ev(6, KindComment, eve, 12, "on the answer", up(1), e(3)))
	both(t, "older", func(t *testing.T, f *Fold) {
		wantThread(t, f, 2, 2, 4)
		if m := get(t, f, 2); m.Replies != 1 || f.IsAnswer(id(4)) {
			t.Errorf("%+v", m)
		}
	}, older, answer(4, 2))
}

func TestAFormOfAnotherVersionIsAMessageWithANote(t *testing.T) {
	f := filled(msg(1, bob, 1, "?", nostr.Tag{"request", "question"}, nostr.Tag{"tinyagent", "2"}))
	if m := get(t, f, 1); m.Note != NoteOtherVersion || m.Text != "?" {
		t.Errorf("%+v", m)
	}
}

func TestATaskInAThreadStandsInBoth(t *testing.T) {
	f := filled(ev(1, KindThread, ana, 1, ""), ev(2, KindTask, ana, 2, "", root(1)), ev(3, KindThreadReply, bob, 3, "", root(1), re(2)))
	wantOrder(t, f, 1, 2)
	wantThread(t, f, 1, 1, 2, 3)
	if m := get(t, f, 1); m.Replies != 1 {
		t.Errorf("a task is no reply: %d", m.Replies)
	}
}

func TestKindOfAThreadReply(t *testing.T) {
	f := filled(msg(1, ana, 1, ""), ev(2, KindThread, ana, 2, ""), ev(3, KindTask, ana, 3, ""),
		ev(4, KindThread, ana, 4, ""), ev(5, KindThreadReply, ana, 5, "", root(4)), ev(6, KindComment, ana, 6, "", up(2), e(2)))
	for n, want := range map[int]int{1: KindThreadReply, 2: KindComment, 3: KindThreadReply, 4: KindThreadReply, 99: KindComment} {
		if got := f.ThreadReplyKind(id(n)); got != want {
			t.Errorf("root %d: kind %d, want %d", n, got, want)
		}
	}
}
