package room

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func TestLongTextsAreCutWithANote(t *testing.T) {
	f := filled(msg(1, ana, 1, strings.Repeat("é", MaxText)), msg(2, ana, 1, strings.Repeat("é", MaxText+1)))
	if m := get(t, f, 1); len(m.Text) != 2*MaxText || m.Note != "" {
		t.Errorf("%d bytes, %q", len(m.Text), m.Note)
	}
	if m := get(t, f, 2); len(m.Text) != 2*MaxText || !strings.Contains(m.Note, "20000 characters are shown, 1 are not") {
		t.Errorf("%d bytes, %q", len(m.Text), m.Note)
	}
	if got := len(f.FullText(id(2))); got != 2*MaxText+2 || f.FullText(id(9)) != "" {
		t.Errorf("%d bytes", got)
	}
}

func TestQuotesAreTheFirst200CodePoints(t *testing.T) {
	f := filled(msg(1, ana, 1, strings.Repeat("é", QuoteText)), msg(2, ana, 2, strings.Repeat("é", QuoteText)+"x"),
		msg(3, bob, 3, "", q(1)), msg(4, bob, 4, "", q(2)))
	for _, n := range []int{3, 4} {
		if got := get(t, f, n).ReplyTo.Text; got != strings.Repeat("é", QuoteText) {
			t.Errorf("%d: %d bytes", n, len(got))
		}
	}
	f.Add(ev(5, KindEdit, ana, 9, "new", e(1)), 9)
	f.Add(ev(6, KindDelete, ana, 9, "", e(2)), 9)
	if got := get(t, f, 3).ReplyTo; got.Text != "new" || got.Missing || got.Deleted {
		t.Errorf("after the newest edit: %+v", got)
	}
	if got := get(t, f, 4).ReplyTo; got.Text != "" || got.Missing || !got.Deleted {
		t.Errorf("deleted: %+v", got)
	}
}

func TestTheReferenceThatOpensAReplyIsTheQuote(t *testing.T) {
	code := NEvent(id(1), "wss://x", "", -1)
	f := filled(msg(1, ana, 1, "hi"), msg(2, bob, 2, "nostr:"+code+"\nyes", q(1)), msg(3, bob, 3, "nostr:"+code+"\nyes"),
		msg(4, bob, 4, "yes nostr:"+code, q(1)))
	if m := get(t, f, 2); m.Text != "yes" || len(m.Refs) != 0 {
		t.Errorf("%+v", m)
	}
	if m := get(t, f, 3); m.Text != "nostr:"+code+"\nyes" || len(m.Refs) != 1 {
		t.Errorf("%+v", m)
	}
	if m := get(t, f, 4); m.Text != "yes nostr:"+code {
		t.Errorf("%+v", m)
	}
}

func TestSubjects(t *testing.T) {
	for _, c := range []struct {
		kind int
		tags nostr.Tags
		want string
	}{
		{KindThread, nostr.Tags{{"title", "GM"}, {"subject", "x"}}, "GM"},
		{KindThread, nostr.Tags{{"subject", "x"}}, "x"},
		{KindMessage, nostr.Tags{{"title", "GM"}, {"subject", "x"}}, "x"},
		{KindTask, nostr.Tags{{"subject", "a\nb\u202e"}}, "a b"},
		{KindTask, nostr.Tags{{"subject"}, {}}, ""},
		{KindTask, nostr.Tags{{"subject", strings.Repeat("s", MaxSubject+1)}}, strings.Repeat("s", MaxSubject) + "…"},
		{KindTask, nostr.Tags{{"subject", strings.Repeat("s", MaxSubject)}}, strings.Repeat("s", MaxSubject)},
	} {
		if got := get(t, filled(ev(1, c.kind, ana, 1, "", c.tags...)), 1).Subject; got != c.want {
			t.Errorf("%v: %q", c.tags, got)
		}
	}
}

func TestReferencesInTexts(t *testing.T) {
	npub, nevent, naddr := NPub(bob), NEvent(id(1), "", "", 9), NAddr(39000, relay, "room", "")
	text := "Hi nostr:" + npub + ", see (nostr:" + nevent + ") in nostr:" + naddr + "; again nostr:" + npub +
		" nostr:npub1nonsense nostr: nostr:nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"
	f := filled(evBare(9, KindProfile, bob, 1, `{"name":"Bob"}`), msg(1, ana, 1, text))
	want := []Link{{npub, "@Bob", "/" + npub}, {nevent, "a message", "/" + nevent}, {naddr, "a room", "/" + naddr}}
	if got := get(t, f, 1).Refs; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if got := Mentioned(text); !slices.Equal(got, []string{bob}) {
		t.Errorf("%v", got)
	}
	f.TakeChanged()
	f.Add(evBare(8, KindProfile, bob, 2, `{"name":"Robert"}`), 2)
	if got := f.TakeChanged().Messages; !slices.Contains(got, id(1)) || get(t, f, 1).Refs[0].Label != "@Robert" {
		t.Errorf("%v", got)
	}
}

func TestLabelsOfReferences(t *testing.T) {
	for code, want := range map[string]string{
		NEvent(id(1), "", "", KindThread): "a thread",
		NEvent(id(1), "", "", KindTask):   "a task",
		NEvent(id(1), "", "", -1):         "a message",
		NAddr(30023, ana, "x", ""):        "a page",
		NPub(ana):                         "@" + ShortNPub(ana),
	} {
		if got := NewProfiles().Links("nostr:" + code); len(got) != 1 || got[0].Label != want {
			t.Errorf("%s: %+v", code, got)
		}
	}
}

func TestOnlySoManyReferencesAreResolved(t *testing.T) {
	for _, c := range []struct{ in, out int }{{MaxRefs, MaxRefs}, {MaxRefs + 1, MaxRefs}} {
		var text strings.Builder
		for n := range c.in {
			text.WriteString("nostr:" + NPub(id(n)) + " ")
		}
		if got := len(NewProfiles().Links(text.String())); got != c.out {
			t.Errorf("%d of %d", got, c.in)
		}
	}
}

func TestFilesOfImeta(t *testing.T) {
	sum := strings.Repeat("ab", 32)
	f := filled(msg(1, ana, 1, "look\nhttps://x/a%20b.png\nat this\nhttps://x/other",
		nostr.Tag{"imeta", "url https://x/a%20b.png", "m IMAGE/PNG", "size 120", "x " + sum, "alt A view\u202e", "dim 1x1"},
		nostr.Tag{"imeta", "url https://x/a%20b.png", "m text/html"},
		nostr.Tag{"imeta", "url http://x/f", "name my file.pdf", "size -1", "x short", "m nonsense"},
		nostr.Tag{"imeta", "url javascript:alert(1)", "m image/png"}, nostr.Tag{"imeta"}, nostr.Tag{"imeta", "", "m"}))
	want := []File{
		{URL: "https://x/a%20b.png", Name: "a b.png", Type: "image/png", Size: 120, SHA256: sum, Alt: "A view"},
		{URL: "http://x/f", Name: "my file.pdf"},
	}
	m := get(t, f, 1)
	if !reflect.DeepEqual(m.Files, want) {
		t.Errorf("%+v", m.Files)
	}
	if m.Text != "look\nat this\nhttps://x/other" {
		t.Errorf("%q", m.Text)
	}
	for _, c := range []struct{ in, out int }{{MaxFiles, MaxFiles}, {MaxFiles + 1, MaxFiles}} {
		var tags nostr.Tags
		for n := range c.in {
			tags = append(tags, nostr.Tag{"imeta", "url https://x/" + id(n)})
		}
		if got := len(FilesOf(msg(1, ana, 1, "", tags...))); got != c.out {
			t.Errorf("%d of %d files", got, c.in)
		}
	}
}

func TestPeopleWhoAppear(t *testing.T) {
	f := filled(msg(1, ana, 1, ""), msg(2, bob, 2, "nostr:"+NPub(id(0xc0)), q(1)), ev(3, KindReaction, eve, 3, "+", e(2)))
	if got := f.People([]string{id(2), id(2), id(77)}); !slices.Equal(got, []string{ana, bob, id(0xc0), eve}) {
		t.Errorf("%v", numbers(got))
	}
}

func TestWhatIsOfTheRoom(t *testing.T) {
	f := New(here, relay, nil)
	for _, e := range []*nostr.Event{
		nil,
		evBare(1, 9, ana, 1, ""),
		evBare(1, 9, ana, 1, "", nostr.Tag{"h"}),
		evBare(1, 9, ana, 1, "", nostr.Tag{"h", "other"}),
		msg(1, ana, 1, "", nostr.Tag{"h", "other"}),
		evBare(1, 9, ana, 1, "", nostr.Tag{"h", here.ID, "x"}, nostr.Tag{"h", ""}),
		ev(1, 20002, ana, 1, "typing"),
		ev(1, 43002, ana, 1, ""),
		ev(1, 1, ana, 1, ""),
		{ID: "short", PubKey: ana, Kind: 9, Tags: nostr.Tags{{"h", here.ID}}},
		{ID: id(1), PubKey: "short", Kind: 9, Tags: nostr.Tags{{"h", here.ID}}},
	} {
		if f.Add(e, 1) {
			t.Errorf("%v is not of the room", e)
		}
	}
	if len(f.events) != 0 || f.Remove(id(1)) || f.Seen(id(1)) != 0 || f.Ref() != here {
		t.Error("nothing came in")
	}
	if !f.Add(msg(1, ana, 1, ""), 5) || f.Add(msg(1, ana, 1, ""), 5) || f.Seen(id(1)) != 5 {
		t.Error("once")
	}
}
