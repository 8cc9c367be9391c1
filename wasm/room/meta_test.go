package room

import (
	"reflect"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func TestMetadataIsTheNewestThenTheLowestID(t *testing.T) {
	name := func(n int, author string, at int64, name string) *nostr.Event {
		return state(n, KindMeta, author, at, nostr.Tag{"name", name})
	}
	is := func(want string, known bool) func(*testing.T, *Fold) {
		return func(t *testing.T, f *Fold) {
			if m := f.Meta(); m.Name != want || m.Known != known || m.Ref != here {
				t.Errorf("%+v", m)
			}
		}
	}
	both(t, "newest", is("new", true), name(1, relay, 10, "old"), name(2, relay, 11, "new"))
	both(t, "lowest id", is("low", true), name(2, relay, 10, "high"), name(1, relay, 10, "low"))
	both(t, "only the relay's own", is("real", true), name(1, relay, 10, "real"), name(2, eve, 99, "fake"))
	both(t, "without any the id is the name", is("room", false), name(2, eve, 99, "fake"))
	both(t, "of this room", is("room", false), evBare(1, KindMeta, relay, 1, "", nostr.Tag{"d", "other"}, nostr.Tag{"name", "x"}))
	both(t, "an empty name", is("room", true), name(1, relay, 1, " \u202e "))

	f := New(here, "", nil)
	f.Add(name(1, relay, 10, "real"), 1)
	f.Add(name(2, eve, 99, "fake"), 1)
	is("fake", true)(t, f)
	f.SetRelayKey(relay)
	is("real", true)(t, f)
}

func TestMetadataFields(t *testing.T) {
	f := filled(
		state(1, KindMeta, relay, 1, nostr.Tag{"name", strings.Repeat("n", MaxRoomName)}, nostr.Tag{"about", "a\nb"},
			nostr.Tag{"picture", "javascript:alert(1)"}, nostr.Tag{"private"}, nostr.Tag{"restricted"}, nostr.Tag{}),
		state(2, KindAdmins, relay, 1, nostr.Tag{"p", bob, "king", "\u200b"}, nostr.Tag{"p", "nonsense", "x"}),
		state(3, KindMembers, relay, 1, nostr.Tag{"p", ana}, nostr.Tag{"p", eve}, nostr.Tag{"p"}),
		evBare(4, KindProfile, eve, 1, `{"name":"Aaron"}`), evBare(5, KindProfile, ana, 1, `{"name":"Zoe"}`))
	m := f.Meta()
	if m.Name != strings.Repeat("n", MaxRoomName) || m.About != "a\nb" || m.Picture != "" || !m.Private || m.Closed || !m.Restricted {
		t.Errorf("%+v", m)
	}
	var keys []string
	for _, member := range m.Members {
		keys = append(keys, member.Person.PubKey)
	}
	if !reflect.DeepEqual(keys, []string{bob, eve, ana}) || !reflect.DeepEqual(m.Members[0].Roles, []string{"king"}) {
		t.Errorf("admins first, then by name: %+v", m.Members)
	}
	if !f.IsAdmin(bob) || f.IsAdmin(ana) || len(f.Admins()) != 1 || len(f.Members()) != 3 {
		t.Error("admins and members")
	}
	f.Add(state(9, KindMeta, relay, 2, nostr.Tag{"name", strings.Repeat("n", MaxRoomName+1)}, nostr.Tag{"picture", "https://x/y"}), 1)
	if m := f.Meta(); m.Name != strings.Repeat("n", MaxRoomName)+"…" || m.Private || m.Picture != "https://x/y" {
		t.Errorf("%+v", m)
	}
	if f.State(KindMeta).ID != id(9) || f.State(KindRoles) != nil {
		t.Error("the event that counts")
	}
}

func TestMembership(t *testing.T) {
	list := state(50, KindMembers, relay, 100, nostr.Tag{"p", ana})
	put := func(n, kind int, author string, at int64) *nostr.Event {
		return ev(n, kind, author, at, "", nostr.Tag{"p", ana})
	}
	is := func(want bool) func(*testing.T, *Fold) {
		return func(t *testing.T, f *Fold) {
			if f.IsMember(ana) != want || (len(f.Members()) > 0) != want || (len(f.Meta().Members) > 0) != want {
				t.Errorf("member %v, want %v", f.IsMember(ana), want)
			}
		}
	}
	both(t, "nothing is known", is(false), msg(1, ana, 1, ""))
	both(t, "listed", is(true), list)
	both(t, "an admin is a member", is(true), state(51, KindAdmins, relay, 100, nostr.Tag{"p", ana, "x"}))
	both(t, "the list may be missing: the newest 9000", is(true), put(1, KindRemoveUser, relay, 5), put(2, KindPutUser, relay, 6))
	both(t, "the newest 9001", is(false), put(1, KindPutUser, relay, 5), put(2, KindRemoveUser, relay, 6))
	both(t, "removed after the list", is(false), list, put(1, KindRemoveUser, relay, 101))
	both(t, "the list comes after the removal", is(true), list, put(1, KindRemoveUser, relay, 100))
	both(t, "only by those who may", is(false), put(1, KindPutUser, eve, 5))
	both(t, "an admin may", is(true), put(1, KindPutUser, bob, 5), state(51, KindAdmins, relay, 100, nostr.Tag{"p", bob, "x"}),
		state(52, KindAdmins, relay, 99))
}
