package relay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// secretRoom is a private room with an owner and a member, and events in it.
type secretRoom struct {
	place         *place
	owner, member person
	writer        *client // the owner's connection
	events        []*nostr.Event
}

const secretID = "secret"

func newSecretRoom(t *testing.T) *secretRoom {
	s := &secretRoom{place: openPlace(t, nil), owner: newPerson(t, 1), member: newPerson(t, 2)}
	s.writer = s.place.dial(t)
	h := nostr.Tag{"h", secretID}
	s.writer.accept(
		s.owner.sign(t, kindCreateRoom, "", h, nostr.Tag{"private"}),
		s.owner.sign(t, kindEditMeta, "", h, nostr.Tag{"name", "Secret"}, nostr.Tag{"private"}, nostr.Tag{"closed"}),
		s.owner.sign(t, kindPutUser, "", h, nostr.Tag{"p", s.member.key}),
	)
	s.write(t)
	return s
}

// write puts one event of each sort into the room.
func (s *secretRoom) write(t *testing.T) {
	h := nostr.Tag{"h", secretID}
	root := s.owner.sign(t, 9, fmt.Sprint("secret ", serial.Add(1)), h, nostr.Tag{"t", "topic"}, nostr.Tag{"p", s.member.key})
	events := []*nostr.Event{
		root,
		s.owner.sign(t, 7, "+", h, nostr.Tag{"e", root.ID}),
		s.member.sign(t, 1111, "a reply", h, nostr.Tag{"E", root.ID}, nostr.Tag{"e", root.ID}),
		s.owner.sign(t, 30023, root.ID, h, nostr.Tag{"d", root.ID}, nostr.Tag{"t", "topic"}),
		s.owner.sign(t, 20002, root.ID, h),
		s.owner.sign(t, kindInvite, "", h, nostr.Tag{"code", "c" + root.ID[:8]}),
	}
	s.writer.accept(events...)
	s.events = append(s.events, events...)
}

// shapes are the ways to ask for what is in the room, by name.
func (s *secretRoom) shapes() map[string]any {
	ids := idsOf(s.events) // the first names the article
	return map[string]any{
		"everything": obj{},
		"the room":   obj{"#h": []string{secretID}},
		"ids":        obj{"ids": ids},
		"authors":    obj{"authors": []string{s.owner.key, s.member.key}},
		"kinds":      obj{"kinds": []int{7, 9, 1111, 9000, 9002, 9009, 20002, 30023, 39001, 39002}},
		"p":          obj{"#p": []string{s.member.key}},
		"e":          obj{"#e": ids},
		"topic":      obj{"#t": []string{"topic"}},
		"d":          obj{"#d": []string{ids[0]}},
		"since":      obj{"since": 1},
		"limit 0":    obj{"limit": 0},
		"rooms":      obj{"#h": []string{secretID, lobbyID}},
		"limit":      obj{"limit": 500},
	}
}

// secret says whether an event tells what only members may know.
func secret(ev *nostr.Event) bool {
	return ev.Tags.FindWithValue("h", secretID) != nil ||
		(ev.Kind == kindAdmins || ev.Kind == kindMembers) && ev.Tags.GetD() == secretID
}

// TestPrivateRoomsNeverLeak: an outsider gets nothing of a private room, by no
// filter, neither what is stored nor what comes live, before and after AUTH.
func TestPrivateRoomsNeverLeak(t *testing.T) {
	s := newSecretRoom(t)
	outsiders := map[string]*client{"not signed in": s.place.dial(t), "signed in": s.place.dial(t)}
	outsiders["signed in"].signIn(s.place, newPerson(t, 3))
	insider := s.place.dial(t)
	insider.signIn(s.place, s.member)
	for shape, filter := range s.shapes() {
		for _, c := range outsiders {
			c.closed(shape, filter) // EOSE or CLOSED
		}
		insider.closed(shape, filter)
	}
	s.write(t) // live
	for who, c := range outsiders {
		c.sync()
		for shape := range s.shapes() {
			for _, ev := range c.drain(shape) {
				if secret(ev) {
					t.Errorf("%s, asking for %s, got kind %d", who, shape, ev.Kind)
				}
			}
		}
		for shape, filter := range s.shapes() {
			c.send(msgCount, "n", filter)
			h := c.want(func(h heard) bool { return h.id == "n" })
			if shape == "the room" && h.label != msgClosed {
				t.Errorf("%s, counting %s: %+v", who, shape, h)
			}
			if visible := map[string]int{"ids": 0, "authors": 0, "p": 0, "e": 0, "topic": 0, "d": 0}; h.label == msgCount {
				if want, ok := visible[shape]; ok && h.count != want {
					t.Errorf("%s, counting %s: %d", who, shape, h.count)
				}
			}
		}
	}
	insider.sync()
	for shape := range s.shapes() {
		found := false
		for _, ev := range insider.drain(shape) {
			found = found || secret(ev)
			if ev.Kind == kindInvite {
				t.Errorf("a member who is no admin, asking for %s, got an invitation's code", shape)
			}
		}
		if !found {
			t.Errorf("a member, asking for %s, got nothing of the room", shape)
		}
	}
}

func TestTwoRoomsAreRefused(t *testing.T) {
	s := newSecretRoom(t)
	watcher := s.place.dial(t)
	watcher.ask("all", obj{})
	for _, tags := range []nostr.Tags{
		{{"h", secretID}, {"h", lobbyID}}, {{"h", lobbyID}, {"h", secretID}}, {{"h", lobbyID}, {"h", lobbyID}},
	} {
		for _, kind := range []int{1, 9, 20002, kindPutUser} {
			s.writer.refuse(invalid, s.owner.sign(t, kind, "both", tags...))
		}
	}
	watcher.sync()
	if got := watcher.drain("all"); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

// TestRemovedMembersGetNoMore: with subscriptions open, and after they have
// asked again.
func TestRemovedMembersGetNoMore(t *testing.T) {
	for name, remove := range map[string]func(*secretRoom) *nostr.Event{
		"removed": func(s *secretRoom) *nostr.Event {
			return s.owner.sign(t, kindRemoveUser, "", nostr.Tag{"h", secretID}, nostr.Tag{"p", s.member.key})
		},
		"left": func(s *secretRoom) *nostr.Event {
			return s.member.sign(t, kindLeave, "", nostr.Tag{"h", secretID})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSecretRoom(t)
			c := s.place.dial(t)
			c.signIn(s.place, s.member)
			for shape, filter := range s.shapes() {
				c.closed(shape, filter)
			}
			s.writer.accept(remove(s))
			c.want(func(h heard) bool { // the last news: that it is over
				return h.label == msgEvent && h.id == "everything" && h.ev.Kind == kindRemoveUser
			})
			c.sync()
			for shape := range s.shapes() {
				c.drain(shape)
			}
			h := nostr.Tag{"h", secretID}
			s.writer.accept(s.owner.sign(t, 9, "later", h, nostr.Tag{"p", s.member.key}, nostr.Tag{"t", "topic"}), s.owner.sign(t, 20002, "", h))
			c.sync()
			for shape := range s.shapes() {
				for _, ev := range c.drain(shape) {
					if secret(ev) {
						t.Errorf("asking for %s, got kind %d", shape, ev.Kind)
					}
				}
			}
			if words := c.closed("again", obj{"#h": []string{secretID}}); !strings.HasPrefix(words, restricted) {
				t.Errorf("asking again: %q", words)
			}
		})
	}
}

// TestRoomMadePrivate: what was public is not, from then on.
func TestRoomMadePrivate(t *testing.T) {
	p := openPlace(t, nil)
	owner, c, outsider := newPerson(t, 1), p.dial(t), p.dial(t)
	h := nostr.Tag{"h", "r"}
	c.accept(owner.sign(t, kindCreateRoom, "", h), owner.sign(t, 9, "public", h))
	if got := outsider.ask("all", obj{"#h": []string{"r"}, "kinds": []int{9}}); len(got) != 1 {
		t.Fatalf("a public room shows %d messages", len(got))
	}
	c.accept(owner.sign(t, kindEditMeta, "", h, nostr.Tag{"name", "x"}, nostr.Tag{"private"}), owner.sign(t, 9, "private", h))
	outsider.sync()
	if got := outsider.drain("all"); len(got) > 0 {
		t.Errorf("live: %v", got)
	}
	if got := outsider.ask("ids", obj{"authors": []string{owner.key}}); len(got) > 0 {
		t.Errorf("stored: %v", got)
	}
	c.accept(owner.sign(t, kindEditMeta, "", h, nostr.Tag{"name", "x"}))
	if got := outsider.ask("all", obj{"#h": []string{"r"}, "kinds": []int{9}}); len(got) != 2 {
		t.Errorf("public again: %d messages", len(got))
	}
}

// TestMetadataOfPrivateAndHiddenRooms: anybody may know that a private room is
// there, not who is in it; a hidden one only its members know.
func TestMetadataOfPrivateAndHiddenRooms(t *testing.T) {
	s := newSecretRoom(t)
	h := nostr.Tag{"h", "hidden"}
	s.writer.accept(s.owner.sign(t, kindCreateRoom, "", h, nostr.Tag{"name", "Hidden"}, nostr.Tag{"hidden"}))
	outsider, member := s.place.dial(t), s.place.dial(t)
	member.signIn(s.place, s.owner)
	kinds := func(c *client, room string) string {
		var out []string
		for _, ev := range c.ask("meta", obj{"kinds": []int{39000, 39001, 39002, 39003}, "#d": []string{room}}) {
			out = append(out, string('0'+rune(ev.Kind-39000)))
		}
		return strings.Join(out, "")
	}
	for _, test := range []struct {
		who  *client
		room string
		want int
	}{{outsider, lobbyID, 4}, {outsider, secretID, 2}, {member, secretID, 4}, {outsider, "hidden", 0}, {member, "hidden", 4}} {
		if got := kinds(test.who, test.room); len(got) != test.want {
			t.Errorf("room %s: got 3900x of %q, want %d", test.room, got, test.want)
		}
	}
	s.writer.refuse(blocked, newPerson(t, 9).sign(t, 9, "is anybody here?", h))
}

// TestTooMuchHidden: an answer that consists of what is not the asker's ends.
func TestTooMuchHidden(t *testing.T) {
	p := openPlace(t, func(c *Config) { c.Limits.Hidden = 20 })
	ann, bob, c := newPerson(t, 1), newPerson(t, 2), p.dial(t)
	c.signIn(p, bob)
	for i := range 21 {
		if i == 20 {
			if words := c.closed("a", obj{"authors": []string{ann.key}}); words != "" {
				t.Errorf("up to the limit: %s", words)
			}
		}
		c.accept(ann.signAt(t, int64(i), 25802, "", nostr.Tag{"p", ann.key}))
	}
	for _, label := range []string{msgReq, msgCount} {
		c.send(label, "a", obj{"authors": []string{ann.key}})
		h := c.want(func(h heard) bool { return h.label == msgClosed && h.id == "a" })
		if !strings.HasPrefix(h.words, restricted) {
			t.Errorf("%s over the limit: %q", label, h.words)
		}
	}
}
