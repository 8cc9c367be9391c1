package relay

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func TestJoin(t *testing.T) {
	h := newHall(t)
	h.room("open", "restricted")
	h.room("closed", "closed")
	h.do(h.bob, restricted, 9, "open")
	h.do(h.bob, "", kindJoin, "open")
	h.do(h.bob, "", 9, "open")
	h.do(h.bob, duplicate, kindJoin, "open")
	added := h.c.ask("q", obj{"kinds": []int{kindPutUser}, "#p": []string{h.bob.key}})
	if len(added) != 1 || added[0].PubKey != h.PubKey() {
		t.Errorf("the relay's own 9000: %v", added)
	}
	h.do(h.bob, restricted, kindJoin, "closed")
	h.do(h.bob, restricted, kindJoin, "closed", nostr.Tag{"code", "guess"})
	h.do(h.ann, restricted, kindInvite, "closed", nostr.Tag{"code", "abc"})
	h.do(h.admin, invalid, kindInvite, "closed")
	h.do(h.admin, "", kindInvite, "closed", nostr.Tag{"code", "abc"})
	h.do(h.bob, "", kindJoin, "closed", nostr.Tag{"code", "abc"})
	if !slices.Contains(h.members("closed"), h.bob.key) {
		t.Error("a code did not let in")
	}
}

// TestInvitationsEnd: by their expiration, and when they are deleted.
func TestInvitationsEnd(t *testing.T) {
	clock := newClock()
	place := openPlace(t, func(c *Config) { c.Clock = clock.now })
	h := &hall{t, place, place.dial(t), newPerson(t, 1), newPerson(t, 2), newPerson(t, 3), newPerson(t, 4)}
	h.room("r", "closed")
	soon := nostr.Tag{"expiration", itoa(clock.now().Unix() + 60)}
	h.do(h.admin, "", kindInvite, "r", nostr.Tag{"code", "short"}, soon)
	taken := h.do(h.admin, "", kindInvite, "r", nostr.Tag{"code", "taken back"})
	h.do(h.admin, "", kindDeleteEvent, "r", nostr.Tag{"e", taken.ID})
	h.do(h.bob, restricted, kindJoin, "r", nostr.Tag{"code", "taken back"})
	clock.pass(61)
	h.do(h.bob, restricted, kindJoin, "r", nostr.Tag{"code", "short"})
	clock.pass(-30)
	h.do(h.bob, "", kindJoin, "r", nostr.Tag{"code", "short"})
	h.do(h.admin, invalid, kindPutUser, "r", p(h.bob), soon)
}

func TestLeave(t *testing.T) {
	h := newHall(t)
	h.room("r", "restricted")
	h.do(h.ann, "", kindLeave, "r")
	h.do(h.ann, restricted, 9, "r")
	h.do(h.ann, duplicate, kindLeave, "r")
	if slices.Contains(h.members("r"), h.ann.key) {
		t.Error("who left is still a member")
	}
	h.do(h.ann, "", kindJoin, "r") // leaving is no bar
	h.do(h.owner, restricted, kindLeave, "r")
	h.do(h.owner, "", kindPutUser, "r", p(h.ann, roleOwner))
	h.do(h.owner, "", kindLeave, "r")
}

// TestRemove: who an admin removed may not write and comes back only by the
// hand of an admin.
func TestRemove(t *testing.T) {
	h := newHall(t)
	h.room("r")
	h.do(h.ann, restricted, kindRemoveUser, "r", p(h.bob))
	h.do(h.admin, "", kindRemoveUser, "r", p(h.ann), p(h.bob)) // bob is no member: a bar
	h.do(h.ann, blocked, 9, "r")
	h.do(h.bob, blocked, 9, "r")
	h.do(h.ann, restricted, kindJoin, "r")
	h.do(h.admin, "", kindInvite, "r", nostr.Tag{"code", "back"})
	h.do(h.ann, "", kindJoin, "r", nostr.Tag{"code", "back"})
	h.do(h.ann, "", 9, "r")
	h.do(h.admin, "", kindPutUser, "r", p(h.bob))
	h.do(h.bob, "", 9, "r")
}

// TestRanks: who may do what to whom.
func TestRanks(t *testing.T) {
	h := newHall(t)
	h.room("r")
	other := newPerson(t, 9)
	h.do(h.owner, "", kindPutUser, "r", p(other, roleAdmin))
	for _, kind := range []int{kindPutUser, kindRemoveUser} {
		h.do(h.admin, restricted, kind, "r", p(h.owner))
		h.do(h.admin, restricted, kind, "r", p(other))
		h.do(h.owner, restricted, kind, "r", p(h.owner))
		h.do(h.admin, invalid, kind, "r")
		h.do(h.admin, invalid, kind, "r", nostr.Tag{"p", "x"})
		h.do(h.bob, restricted, kind, "r", p(h.bob, roleAdmin))
	}
	h.do(h.admin, restricted, kindPutUser, "r", p(h.admin, roleOwner))
	h.do(h.admin, "", kindPutUser, "r", p(h.ann, roleAdmin))
	h.do(h.owner, "", kindPutUser, "r", p(h.ann, "poet")) // no admin any more
	h.do(h.ann, restricted, kindPutUser, "r", p(h.bob))
	h.do(h.admin, "", kindPutUser, "r", p(h.admin)) // gives it up
	h.do(h.admin, restricted, kindPutUser, "r", p(h.bob))
	want := nostr.Tags{{"d", "r"}, p(h.owner, roleOwner), p(other, roleAdmin)}
	slices.SortFunc(want[1:], func(a, b nostr.Tag) int { return strings.Compare(a[1], b[1]) })
	if got := h.meta(kindAdmins, "r"); !sameTags(got, want) {
		t.Errorf("admins: %v", got)
	}
	h.do(other, restricted, kindDeleteRoom, "r")
}

// TestFullRoom: a room has so many members and no more, however they come.
func TestFullRoom(t *testing.T) {
	h := newHall(t)
	h.room("r") // three
	var crowd nostr.Tags
	for n := range MaxMembers - 4 {
		crowd = append(crowd, nostr.Tag{"p", randomKey(n)})
	}
	h.do(h.owner, "", kindPutUser, "r", crowd...)
	h.do(h.owner, restricted, kindPutUser, "r", p(h.bob), nostr.Tag{"p", randomKey(MaxMembers)})
	h.do(h.bob, "", kindJoin, "r")
	h.do(newPerson(t, 9), restricted, kindJoin, "r")
	h.do(h.owner, "", kindPutUser, "r", p(h.ann, roleAdmin)) // a member already
	h.do(h.bob, "", kindLeave, "r")
	h.do(newPerson(t, 9), "", kindJoin, "r")
}

// randomKey looks like a key; nobody holds it.
func randomKey(n int) string { return fmt.Sprintf("%064x", n) }

// TestChangesAmongDeliveries: people come and go while others write and read;
// in the end the room is what the last of their acts made it.
func TestChangesAmongDeliveries(t *testing.T) {
	h := newHall(t)
	h.room("r", "private")
	tag := nostr.Tag{"h", "r"}
	var all sync.WaitGroup
	for n := range 4 {
		who, c, writer := newPerson(t, byte(20+n)), h.place.dial(t), h.place.dial(t)
		c.signIn(h.place, who)
		var acts, words []*nostr.Event
		for i := range 10 {
			kind := kindJoin
			if i%2 == 1 {
				kind = kindLeave
			}
			acts = append(acts, who.sign(t, kind, fmt.Sprint(i), tag))
			words = append(words, h.ann.sign(t, 9, fmt.Sprint(n, i), tag))
		}
		all.Add(2)
		go func() { // ends with the last act
			defer all.Done()
			for i, ev := range acts {
				c.send(msgEvent, ev)
				if got, ok := c.wait(func(got heard) bool { return got.label == msgOK && got.id == ev.ID }); !ok || !got.ok {
					t.Errorf("act %d: %+v", i, got)
					return
				}
				c.send(msgReq, "r", obj{"#h": []string{"r"}})
			}
		}()
		go func() { // ends with the last word
			defer all.Done()
			for _, ev := range words {
				writer.send(msgEvent, ev)
			}
			for range words {
				if got, ok := writer.wait(func(got heard) bool { return got.label == msgOK }); !ok || !got.ok {
					t.Errorf("%+v", got)
					return
				}
			}
		}()
	}
	all.Wait()
	want := []string{h.owner.key, h.admin.key, h.ann.key}
	if got := h.members("r"); !sameSet(got, want) {
		t.Errorf("members: %v, want %v", got, want)
	}
}
