package room

import (
	"reflect"
	"slices"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// sent makes a built event one that was signed by somebody.
func sent(n int, author string, e nostr.Event) *nostr.Event {
	e.ID, e.PubKey = id(n), author
	return &e
}

func TestBuiltMessagesFold(t *testing.T) {
	first := sent(1, ana, BuildMessage(here, Words{Text: "hello"}, 1))
	thread := sent(2, ana, BuildThread(here, Words{Text: "body", Subject: "GM"}, 2))
	reply := sent(3, bob, BuildReply(here, first, Words{Text: "yes"}, 3))
	twelve := sent(4, bob, BuildThreadReply(here, KindThreadReply, first, nil, Words{Text: "a"}, 4))
	nested := sent(5, eve, BuildThreadReply(here, KindThreadReply, first, twelve, Words{Text: "b"}, 5))
	comment := sent(6, bob, BuildThreadReply(here, KindComment, thread, thread, Words{Text: "c"}, 6))
	deeper := sent(7, eve, BuildThreadReply(here, KindComment, thread, comment, Words{Text: "d"}, 7))
	like := sent(8, bob, BuildReaction(here, first, "🎉", 8))
	edit := sent(9, ana, BuildEdit(here, first, "hello!", 9))
	f := filled(first, thread, reply, twelve, nested, comment, deeper, like, edit)
	wantOrder(t, f, 1, 2, 3)
	wantThread(t, f, 1, 1, 4, 5)
	wantThread(t, f, 2, 2, 6, 7)
	if m := get(t, f, 1); m.Text != "hello!" || m.Replies != 2 || len(m.Reactions) != 1 {
		t.Errorf("%+v", m)
	}
	if m := get(t, f, 2); m.Subject != "GM" || m.Text != "body" {
		t.Errorf("%+v", m)
	}
	for n, to := range map[int]int{3: 1, 5: 4, 7: 6} {
		if m := get(t, f, n); m.ReplyTo == nil || m.ReplyTo.ID != id(to) {
			t.Errorf("%d: %+v", n, m.ReplyTo)
		}
	}
	if m := get(t, f, 4); m.ReplyTo != nil {
		t.Errorf("a reply to the root has no quote: %+v", m.ReplyTo)
	}
	f.Add(sent(10, ana, BuildDelete(here, []*nostr.Event{first, edit}, "", 10)), 10)
	f.Add(sent(11, relay, BuildModDelete(here, thread.ID, "spam", 11)), 11)
	wantOrder(t, f, 3)
}

func TestBuiltTags(t *testing.T) {
	h := nostr.Tag{"h", "room"}
	target := msg(1, bob, 1, "")
	other := ev(2, KindComment, eve, 1, "")
	thread := ev(3, KindThread, ana, 1, "")
	current := state(4, KindMeta, relay, 1, nostr.Tag{"name", "old"}, nostr.Tag{"closed"}, nostr.Tag{"parent", "up"}, nostr.Tag{})
	w := Words{Text: "x"}
	for name, c := range map[string]struct {
		got  nostr.Event
		kind int
		tags nostr.Tags
	}{
		"message":           {BuildMessage(here, w, 5), 9, nostr.Tags{h}},
		"reply":             {BuildReply(here, target, w, 5), 9, nostr.Tags{h, {"q", id(1), here.Relay, bob}, {"p", bob}}},
		"thread":            {BuildThread(here, Words{Subject: "s"}, 5), 11, nostr.Tags{h, {"title", "s"}, {"subject", "s"}}},
		"12":                {BuildThreadReply(here, 12, target, nil, w, 5), 12, nostr.Tags{h, {"e", id(1), here.Relay, "root", bob}, {"p", bob}}},
		"1111":              {BuildThreadReply(here, 1111, thread, other, w, 5), 1111, nostr.Tags{h, {"E", id(3), here.Relay, ana}, {"K", "11"}, {"P", ana}, {"e", id(2), here.Relay, eve}, {"k", "1111"}, {"p", eve}}},
		"reaction":          {BuildReaction(here, target, "+", 5), 7, nostr.Tags{h, {"e", id(1), here.Relay, bob}, {"p", bob}, {"k", "9"}}},
		"edit":              {BuildEdit(here, target, "x", 5), 40003, nostr.Tags{h, {"e", id(1)}}},
		"delete":            {BuildDelete(here, []*nostr.Event{target, other, target}, "", 5), 5, nostr.Tags{h, {"e", id(1)}, {"e", id(2)}, {"e", id(1)}, {"k", "9"}, {"k", "1111"}}},
		"report":            {BuildReport(here, target, "spam", "", 5), 1984, nostr.Tags{h, {"e", id(1), "spam"}, {"p", bob, "spam"}}},
		"report of no type": {BuildReport(here, target, "dull", "", 5), 1984, nostr.Tags{h, {"e", id(1), "other"}, {"p", bob, "other"}}},
		"create":            {BuildCreateRoom(here, 5), 9007, nostr.Tags{h}},
		"metadata":          {BuildEditMeta(here, Settings{Name: "n", About: "a", Private: true}, current, 5), 9002, nostr.Tags{h, {"name", "n"}, {"about", "a"}, {"private"}, {"parent", "up"}}},
		"first metadata":    {BuildEditMeta(here, Settings{Name: "n", Closed: true, Restricted: true}, nil, 5), 9002, nostr.Tags{h, {"name", "n"}, {"closed"}, {"restricted"}}},
		"delete room":       {BuildDeleteRoom(here, 5), 9008, nostr.Tags{h}},
		"put":               {BuildPutUser(here, bob, []string{"king"}, 5), 9000, nostr.Tags{h, {"p", bob, "king"}}},
		"remove":            {BuildRemoveUser(here, bob, 5), 9001, nostr.Tags{h, {"p", bob}}},
		"moderate":          {BuildModDelete(here, id(1), "", 5), 9005, nostr.Tags{h, {"e", id(1)}}},
		"invite":            {BuildInvite(here, "abc", 5), 9009, nostr.Tags{h, {"code", "abc"}}},
		"join":              {BuildJoin(here, "abc", "", 5), 9021, nostr.Tags{h, {"code", "abc"}}},
		"join openly":       {BuildJoin(here, "", "hi", 5), 9021, nostr.Tags{h}},
		"leave":             {BuildLeave(here, 5), 9022, nostr.Tags{h}},
	} {
		if c.got.Kind != c.kind || c.got.CreatedAt != 5 || !reflect.DeepEqual(c.got.Tags, c.tags) {
			t.Errorf("%s: %d %v, want %v", name, c.got.Kind, c.got.Tags, c.tags)
		}
	}
}

func TestMentionsAndFilesOfBuiltMessages(t *testing.T) {
	e := BuildReply(here, msg(1, bob, 1, ""), Words{
		Text:  "@" + NPub(ana) + " and nostr:" + NPub(bob),
		Files: []File{{URL: "https://x/a", Name: "a b", Type: "image/png", Size: 3, SHA256: id(7), Alt: "view"}, {URL: "https://x/b"}},
	}, 1)
	if want := "nostr:" + NPub(ana) + " and nostr:" + NPub(bob) + "\nhttps://x/a\nhttps://x/b"; e.Content != want {
		t.Errorf("%q", e.Content)
	}
	want := nostr.Tags{{"h", "room"}, {"q", id(1), here.Relay, bob}, {"p", bob}, {"p", ana},
		{"imeta", "url https://x/a", "m image/png", "x " + id(7), "name a b", "alt view", "size 3"}, {"imeta", "url https://x/b"}}
	if !reflect.DeepEqual(e.Tags, want) {
		t.Errorf("%v", e.Tags)
	}
	m := get(t, filled(sent(2, ana, e)), 2)
	if m.Text != "nostr:"+NPub(ana)+" and nostr:"+NPub(bob) || len(m.Files) != 2 || m.Files[0].Alt != "view" {
		t.Errorf("%+v", m)
	}
	if e := BuildMessage(here, Words{Files: []File{{URL: "https://x/a"}}}, 1); e.Content != "https://x/a" {
		t.Errorf("%q", e.Content)
	}
}

func TestBareCodesBecomeReferences(t *testing.T) {
	n := NPub(ana)
	for in, want := range map[string]string{
		n:                         "nostr:" + n,
		"hi @" + n + "!":          "hi nostr:" + n + "!",
		"(" + n + ")":             "(nostr:" + n + ")",
		"nostr:" + n:              "nostr:" + n,
		"https://x.org/" + n:      "https://x.org/" + n,
		n + "@x.org":              n + "@x.org",
		"x" + n:                   "x" + n,
		"`" + n + "` " + n:        "`" + n + "` nostr:" + n,
		"```\n" + n + "\n`" + n:   "```\n" + n + "\n`" + n,
		n[:20]:                    n[:20],
		"":                        "",
		"@":                       "@",
		"héé " + n + " née":       "héé nostr:" + n + " née",
		"nsec1vl029 nothing nevr": "nsec1vl029 nothing nevr",
	} {
		if got := linkCodes(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestFilters(t *testing.T) {
	message, reply, like := msg(1, ana, 100, ""), ev(2, KindThreadReply, ana, 100, "", root(1)), ev(3, KindReaction, ana, 100, "+", e(1))
	comment := ev(4, KindComment, ana, 100, "", up(1), e(9))
	task, taken := ev(5, KindTask, ana, 100, ""), ev(6, KindTaskTaken, ana, 100, "", e(5))
	put := ev(7, KindPutUser, relay, 100, "", nostr.Tag{"p", ana})
	meta, profile := state(8, KindMeta, relay, 100), evBare(9, KindProfile, ana, 100, "{}")
	foreign := evBare(10, 9, ana, 100, "", nostr.Tag{"h", "other"})
	homeless := evBare(11, KindDelete, ana, 100, "", e(1))
	all := []*nostr.Event{message, reply, like, comment, task, taken, put, meta, profile, foreign, homeless}
	for name, c := range map[string]struct {
		filters nostr.Filters
		want    []int
	}{
		"first":           {FirstFilters(here, 50), []int{1, 2, 3, 4, 5, 6, 7}},
		"arriving":        {nostr.Filters{ArrivingFilter([]string{"other", here.ID})}, []int{1, 2, 3, 4, 5, 6, 7, 10}},
		"missed":          {nostr.Filters{MissedFilter([]string{here.ID}, 100)}, []int{1, 2, 3, 4, 5, 6, 7}},
		"missed, later":   {nostr.Filters{MissedFilter([]string{here.ID}, 101)}, nil},
		"late":            {LateFilters(here, 50), []int{1, 2, 4, 5}},
		"older":           {OlderFilters(here, 100, 50), []int{1, 5}},
		"older than that": {OlderFilters(here, 99, 50), nil},
		"around":          {AroundFilters(here, []string{id(1)}), []int{2, 3, 4}},
		"a thread":        {ThreadFilters(here, id(1), 50), []int{1, 2, 3, 4}},
		"state":           {nostr.Filters{StateFilter([]string{"other", here.ID}, relay)}, []int{8}},
		"state by whom":   {nostr.Filters{StateFilter([]string{here.ID}, bob)}, nil},
		"state by any":    {nostr.Filters{StateFilter([]string{here.ID}, "")}, []int{8}},
		"mine":            {nostr.Filters{MineFilter([]string{here.ID}, ana)}, []int{7}},
		"deletions":       {DeletionFilters([]string{id(1)}), []int{11}},
		"deletions by":    {nostr.Filters{DeletionsBy([]string{ana})}, []int{11}},
		"profiles":        {ProfileFilters([]string{bob, ana}), []int{9}},
		"ids":             {IDFilters([]string{id(2)}), []int{2}},
		"rooms":           {RoomsFilters(10), []int{8}},
	} {
		var got []int
		for _, e := range all {
			if c.filters.Match(e) {
				got = append(got, numbers([]string{e.ID})...)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	ids := slices.Repeat([]string{id(1)}, MaxFilterIDs+1)
	if len(IDFilters(ids[:MaxFilterIDs])) != 1 || len(IDFilters(ids)) != 2 || len(ProfileFilters(ids)) != 2 || len(AroundFilters(here, ids)) != 4 || len(DeletionFilters(ids)) != 2 {
		t.Error("too many for one filter are spread over several")
	}
	if IDFilters(nil) != nil || AroundFilters(here, nil) != nil || DeletionFilters(nil) != nil {
		t.Error("nothing asks for nothing")
	}
}
