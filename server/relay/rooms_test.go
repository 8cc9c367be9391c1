package relay

import (
	"slices"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// hall is a relay with people, for tests of rooms.
type hall struct {
	t *testing.T
	*place
	c                      *client
	owner, admin, ann, bob person
}

func newHall(t *testing.T) *hall {
	p := openPlace(t, nil)
	return &hall{t, p, p.dial(t), newPerson(t, 1), newPerson(t, 2), newPerson(t, 3), newPerson(t, 4)}
}

// do is somebody's event in a room, and whether it must be taken: "" or the
// prefix of its refusal.
func (h *hall) do(who person, want string, kind int, room string, tags ...nostr.Tag) *nostr.Event {
	h.t.Helper()
	ev := who.sign(h.t, kind, randomID(int(serial.Add(1))), append(nostr.Tags{{"h", room}}, tags...)...)
	if want == "" {
		h.c.accept(ev)
	} else {
		h.c.refuse(want, ev)
	}
	return ev
}

// room makes a room with an owner, an admin, and ann as a member.
func (h *hall) room(id string, flags ...string) {
	h.t.Helper()
	tags := nostr.Tags{{"name", id}}
	for _, f := range flags {
		tags = append(tags, nostr.Tag{f})
	}
	h.do(h.owner, "", kindCreateRoom, id)
	h.do(h.owner, "", kindEditMeta, id, tags...)
	h.do(h.owner, "", kindPutUser, id, nostr.Tag{"p", h.admin.key, roleAdmin}, nostr.Tag{"p", h.ann.key})
}

// meta is what the relay says of a room in one of its kinds.
func (h *hall) meta(kind int, room string) nostr.Tags {
	h.t.Helper()
	all := h.place.dial(h.t)
	for _, who := range []person{h.owner, h.admin, h.ann} {
		all.signIn(h.place, who)
	}
	got := all.ask("meta", obj{"kinds": []int{kind}, "#d": []string{room}})
	all.ws.Close()
	if len(got) != 1 {
		return nil
	}
	if got[0].PubKey != h.PubKey() {
		h.t.Errorf("kind %d is not signed by the relay", kind)
	}
	return got[0].Tags
}

func (h *hall) members(room string) []string {
	var keys []string
	for tag := range h.meta(kindMembers, room).FindAll("p") {
		keys = append(keys, tag[1])
	}
	return keys
}

func p(who person, roles ...string) nostr.Tag { return append(nostr.Tag{"p", who.key}, roles...) }

// TestLobby: a fresh start makes a room where anybody may write.
func TestLobby(t *testing.T) {
	h := newHall(t)
	meta := h.meta(kindMeta, lobbyID)
	if meta.Find("name")[1] != "Lobby" || meta.Find("about") == nil || len(meta) != 3 {
		t.Errorf("got %v", meta)
	}
	h.do(h.ann, "", 9, lobbyID)
	h.do(h.ann, restricted, kindEditMeta, lobbyID, nostr.Tag{"name", "Mine"})
	h.do(h.ann, blocked, kindCreateRoom, lobbyID)
	h.do(h.ann, "", kindJoin, lobbyID)
	if got := h.members(lobbyID); !slices.Equal(got, []string{h.ann.key}) {
		t.Errorf("members: %v", got)
	}
}

// TestAdminsOfTheLobby: those of the configuration.
func TestAdminsOfTheLobby(t *testing.T) {
	ann := newPerson(t, 3)
	p := openPlace(t, func(c *Config) { c.Admins = []string{ann.key} })
	c := p.dial(t)
	msg := newPerson(t, 4).sign(t, 9, "spam", nostr.Tag{"h", lobbyID})
	c.accept(msg, ann.sign(t, kindDeleteEvent, "", nostr.Tag{"h", lobbyID}, nostr.Tag{"e", msg.ID}))
	if _, err := Open(Config{Dir: t.TempDir(), URL: p.config.URL, Admins: []string{"npub1"}}); err == nil {
		t.Error("an admin who is no key was taken")
	}
}

func TestCreateRoom(t *testing.T) {
	h := newHall(t)
	h.do(h.ann, blocked, 9, "r")
	h.do(h.owner, "", kindCreateRoom, "r")
	if got := h.meta(kindAdmins, "r"); !sameTags(got, nostr.Tags{{"d", "r"}, p(h.owner, roleOwner)}) {
		t.Errorf("admins: %v", got)
	}
	if got := h.meta(kindMembers, "r"); !sameTags(got, nostr.Tags{{"d", "r"}, p(h.owner)}) {
		t.Errorf("members: %v", got)
	}
	if got := h.meta(kindRoles, "r"); len(got) != 3 {
		t.Errorf("roles: %v", got)
	}
	h.do(h.ann, blocked, kindCreateRoom, "r")
	h.do(h.ann, "", 9, "r")
	h.do(h.ann, "", kindCreateRoom, strings.Repeat("i", MaxRoomID))
	h.do(h.ann, invalid, kindCreateRoom, strings.Repeat("i", MaxRoomID+1))
	h.do(h.ann, invalid, kindCreateRoom, "x", nostr.Tag{"name", strings.Repeat("n", MaxRoomName+1)})
	h.do(h.ann, "", kindCreateRoom, "x", nostr.Tag{"name", strings.Repeat("n", MaxRoomName)}, nostr.Tag{"private"})
	again := h.do(h.ann, "", kindCreateRoom, "y")
	if ok := h.c.publish(again); !ok.ok || !strings.HasPrefix(ok.words, duplicate) {
		t.Errorf("the same event again: %+v", ok)
	}
	odd := `a/b c"'ü%`
	h.do(h.ann, "", kindCreateRoom, odd)
	if h.meta(kindMeta, odd) == nil {
		t.Error("a room with an odd id has no metadata")
	}
}

// TestEditMeta: a 9002 carries all of the metadata.
func TestEditMeta(t *testing.T) {
	h := newHall(t)
	h.room("r")
	edit := func(tags ...nostr.Tag) nostr.Tags {
		h.do(h.admin, "", kindEditMeta, "r", tags...)
		return h.meta(kindMeta, "r")
	}
	d := nostr.Tag{"d", "r"}
	for i, test := range []struct{ in, out nostr.Tags }{
		{nostr.Tags{{"name", "A"}, {"about", "b"}, {"picture", "c"}, {"banner", "d"}, {"private"}, {"closed"}, {"restricted"}, {"hidden"}, {"supported_kinds", "9", "11"}},
			nostr.Tags{d, {"name", "A"}, {"about", "b"}, {"picture", "c"}, {"banner", "d"}, {"private"}, {"closed"}, {"restricted"}, {"hidden"}, {"supported_kinds", "9", "11"}}},
		{nostr.Tags{{"about", "e"}, {"private"}, {"open"}}, nostr.Tags{d, {"name", "A"}, {"about", "e"}, {"private"}}},
		{nostr.Tags{{"name", "B"}, {"public"}}, nostr.Tags{d, {"name", "B"}}},
		{nostr.Tags{{"name"}, {"supported_kinds"}}, nostr.Tags{d, {"name", "B"}, {"supported_kinds"}}},
		{nil, nostr.Tags{d, {"name", "B"}}},
	} {
		if got := edit(test.in...); !sameTags(got, test.out) {
			t.Errorf("edit %d: %v, want %v", i, got, test.out)
		}
	}
	h.do(h.ann, restricted, kindEditMeta, "r", nostr.Tag{"name", "C"})
	h.do(h.admin, blocked, kindEditMeta, "r", nostr.Tag{"parent", lobbyID})
	h.do(h.admin, invalid, kindEditMeta, "r", nostr.Tag{"about", strings.Repeat("a", MaxRoomAbout+1)})
	h.do(h.admin, "", kindEditMeta, "r", nostr.Tag{"about", strings.Repeat("a", MaxRoomAbout)})
	h.do(h.admin, blocked, kindEditMeta, "none")
}

func TestSupportedKinds(t *testing.T) {
	h := newHall(t)
	h.room("r")
	h.do(h.owner, "", kindEditMeta, "r", nostr.Tag{"supported_kinds", "9"})
	msg := h.do(h.ann, "", 9, "r")
	h.do(h.ann, blocked, 11, "r")
	h.do(h.ann, "", kindDelete, "r", nostr.Tag{"e", msg.ID})
}

// TestWhoMayWrite: restricted and private rooms take what members write, others
// everybody's.
func TestWhoMayWrite(t *testing.T) {
	for flag, want := range map[string]string{"open": "", "closed": "", "restricted": restricted, "private": restricted, "hidden": blocked} {
		t.Run(flag, func(t *testing.T) {
			h := newHall(t)
			h.room("r", flag)
			for _, kind := range []int{1, 9, 11, 12, 1111, 7, 20001, 30023, 40003} {
				h.do(h.ann, "", kind, "r")
				h.do(h.bob, want, kind, "r")
			}
		})
	}
}

// TestRoomKinds: these need a room.
func TestRoomKinds(t *testing.T) {
	h := newHall(t)
	for _, kind := range append(slices.Clone(roomKinds), 9000, 9002, 9005, 9021, 9022) {
		h.c.refuse(invalid, h.ann.sign(t, kind, ""))
		h.do(h.ann, blocked, kind, "none")
	}
	for _, kind := range []int{1, 5, 7, 1111} {
		h.c.accept(h.ann.sign(t, kind, randomID(kind)))
	}
	for _, kind := range []int{39000, 39001, 39002, 39003, 39005} {
		h.c.refuse(blocked, h.ann.sign(t, kind, "", nostr.Tag{"d", lobbyID}))
	}
}

// TestDeleteEvent: admins delete what is in their room; it stays away.
func TestDeleteEvent(t *testing.T) {
	h := newHall(t)
	h.room("r")
	h.room("other")
	msg, elsewhere, outside := h.do(h.ann, "", 9, "r"), h.do(h.ann, "", 9, "other"), h.ann.sign(t, 1, "outside")
	h.c.accept(outside)
	h.do(h.ann, restricted, kindDeleteEvent, "r", nostr.Tag{"e", msg.ID})
	h.do(h.admin, invalid, kindDeleteEvent, "r")
	h.do(h.admin, invalid, kindDeleteEvent, "r", nostr.Tag{"e", "x"})
	h.do(h.admin, blocked, kindDeleteEvent, "r", nostr.Tag{"e", elsewhere.ID})
	h.do(h.admin, blocked, kindDeleteEvent, "r", nostr.Tag{"e", outside.ID})
	made := h.c.ask("q", obj{"kinds": []int{kindCreateRoom}, "#h": []string{"r"}})
	h.do(h.admin, blocked, kindDeleteEvent, "r", nostr.Tag{"e", made[0].ID})
	del := h.do(h.admin, "", kindDeleteEvent, "r", nostr.Tag{"e", msg.ID})
	if got := idsOf(h.c.ask("q", obj{"ids": []string{msg.ID, del.ID}})); !slices.Equal(got, []string{del.ID}) {
		t.Errorf("got %v", got)
	}
	h.c.refuse(blocked, msg)
	late := h.ann.sign(t, 9, "late", nostr.Tag{"h", "r"})
	h.do(h.admin, "", kindDeleteEvent, "r", nostr.Tag{"e", late.ID})
	h.c.refuse(blocked, late)
}

// TestModerationIsNotWithdrawn: a kind 5 does not undo what made a room.
func TestModerationIsNotWithdrawn(t *testing.T) {
	h := newHall(t)
	h.room("r", "private")
	for _, ev := range h.placeEvents("r") {
		h.c.accept(h.owner.sign(t, kindDelete, "", nostr.Tag{"e", ev}))
	}
	if got := len(h.placeEvents("r")); got != 3 {
		t.Errorf("%d of 3 are left", got)
	}
}

func (h *hall) placeEvents(room string) []string {
	c := h.place.dial(h.t)
	c.signIn(h.place, h.owner)
	return idsOf(c.ask("q", obj{"#h": []string{room}, "kinds": []int{9000, 9002, 9007}}))
}

func TestDeleteRoom(t *testing.T) {
	h := newHall(t)
	h.room("r")
	h.room("other")
	msg, article := h.do(h.ann, "", 9, "r"), h.do(h.ann, "", 30023, "r", nostr.Tag{"d", "x"})
	kept := h.do(h.ann, "", 9, "other")
	watcher := h.place.dial(t)
	watcher.ask("live", obj{"#h": []string{"r"}, "limit": 0})
	h.do(h.admin, restricted, kindDeleteRoom, "r")
	end := h.do(h.owner, "", kindDeleteRoom, "r")
	watcher.want(func(got heard) bool { return got.ev != nil && got.ev.ID == end.ID })
	if got := idsOf(h.c.ask("q", obj{"ids": []string{msg.ID, article.ID, kept.ID}})); !slices.Equal(got, []string{kept.ID}) {
		t.Errorf("left: %v", got)
	}
	for _, kind := range []int{kindMeta, kindAdmins, kindMembers, kindRoles} {
		if h.meta(kind, "r") != nil {
			t.Errorf("kind %d is left", kind)
		}
	}
	h.do(h.owner, blocked, 9, "r")
	h.do(h.owner, blocked, kindJoin, "r")
	h.do(h.bob, blocked, kindCreateRoom, "r")
}

// TestTimelineReferences: `previous` names events of this relay, present or
// deleted: "Relays are expected to reject any events that contain timeline
// references to events not found in their own database."
func TestTimelineReferences(t *testing.T) {
	h := newHall(t)
	h.room("r")
	h.room("other")
	msg, other := h.do(h.ann, "", 9, "r"), h.do(h.ann, "", 9, "other")
	h.do(h.ann, "", 9, "r", nostr.Tag{"previous"}, nostr.Tag{"previous", msg.ID[:8]})
	h.do(h.ann, "", 9, "r", nostr.Tag{"previous", msg.ID[:8], other.ID[:8]})
	h.do(h.ann, blocked, 9, "r", nostr.Tag{"previous", msg.ID[:8], randomID(9)[:8]})
	h.do(h.ann, blocked, 9, "r", nostr.Tag{"previous", "x"})
	h.do(h.ann, "", kindDelete, "r", nostr.Tag{"e", msg.ID})
	h.do(h.ann, "", 9, "r", nostr.Tag{"previous", msg.ID[:8]})
	many := append(nostr.Tag{"previous"}, slices.Repeat([]string{msg.ID[:8]}, MaxPrevious)...)
	h.do(h.ann, "", 9, "r", many)
	h.do(h.ann, invalid, 9, "r", append(many, msg.ID[:8]))
}

// TestPipelinedRoom: all about a new room may be sent without waiting.
func TestPipelinedRoom(t *testing.T) {
	h := newHall(t)
	tag := nostr.Tag{"h", "r"}
	evs := []*nostr.Event{
		h.owner.sign(t, kindCreateRoom, "", tag), h.owner.sign(t, kindEditMeta, "", tag, nostr.Tag{"restricted"}),
		h.owner.sign(t, kindPutUser, "", tag, p(h.ann)), h.ann.sign(t, 9, "hello", tag),
	}
	for _, ev := range evs {
		h.c.send(msgEvent, ev)
	}
	for _, ev := range evs {
		if got := h.c.want(func(got heard) bool { return got.label == msgOK }); !got.ok || got.id != ev.ID {
			t.Errorf("kind %d: %+v", ev.Kind, got)
		}
	}
}

// TestMetaMovesOn: each change is newer than the last, within one second, too.
func TestMetaMovesOn(t *testing.T) {
	h := newHall(t)
	h.room("r")
	watcher := h.place.dial(t)
	watcher.ask("live", obj{"kinds": []int{kindMeta}, "#d": []string{"r"}, "limit": 0})
	var last nostr.Timestamp
	for i := range 5 {
		name := itoa(int64(i))
		h.do(h.owner, "", kindEditMeta, "r", nostr.Tag{"name", name})
		got := watcher.want(func(got heard) bool { return got.label == msgEvent })
		if got.ev.CreatedAt <= last || got.ev.Tags.Find("name")[1] != name {
			t.Errorf("change %d: %v", i, got.ev)
		}
		last = got.ev.CreatedAt
	}
}
