package components

import (
	"strings"
	"testing"

	"parley/wasm/room"
)

func TestAnOpenRoomSaysThatItIsOpenAndWhoWrote(t *testing.T) {
	ref := room.Ref{Relay: "wss://relay.example", ID: "lobby"}
	ana := room.Person{PubKey: "aa", Name: "Ana"}
	tests := []struct {
		name    string
		details Details
		with    []string
		without []string
	}{
		{"open", Details{Meta: room.Meta{Ref: ref, Known: true}, Seen: []room.Person{ana}, Admin: true, Me: "me"},
			[]string{"This room is open", "Wrote here lately", "Ana"}, []string{"names no members", "Remove Ana"}},
		{"open and empty", Details{Meta: room.Meta{Ref: ref, Known: true}}, []string{"This room is open"}, []string{"lately"}},
		{"members are not told", Details{Meta: room.Meta{Ref: ref, Private: true}}, []string{"keeps to itself"}, []string{"open"}},
		{"with members", Details{Meta: room.Meta{Ref: ref, Members: []room.Member{{Person: ana}}}, Seen: []room.Person{ana}},
			[]string{"Ana"}, []string{"open", "lately"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := draw(t, &tt.details)
			said := words(d.root) + strings.Join(d.buttons(), " ")
			for _, want := range tt.with {
				if !strings.Contains(said, want) {
					t.Errorf("%q is not in %q", want, said)
				}
			}
			for _, not := range tt.without {
				if strings.Contains(said, not) {
					t.Errorf("%q is in %q", not, said)
				}
			}
		})
	}
}

func TestACardOutsideItsRoomOffersItsLink(t *testing.T) {
	if names := draw(t, &AskArticle{A: sampleAsk(nil), Room: "Lobby", Path: "/t", Link: "nevent1x"}).buttons(); !has(names, "Copy link") {
		t.Errorf("a question offers %v", names)
	}
	if names := draw(t, &TaskArticle{T: sampleTask(nil), Room: "Lobby", Path: "/r", Link: "nevent1x"}).buttons(); !has(names, "Copy link") {
		t.Errorf("a task offers %v", names)
	}
}

func TestATaskThatWasRefusedCanBeSentAgainFromTheList(t *testing.T) {
	a := sampleTask(nil)
	a.Alone, a.Delivery = true, Delivery{ID: "t1", State: "refused", Reason: "blocked: no"}
	d := draw(t, &TaskCard{T: a})
	if !has(d.buttons(), "Retry") {
		t.Errorf("it offers %v", d.buttons())
	}
	if said := words(d.root); !strings.Contains(said, "Refused. The relay does not allow this: “no”") {
		t.Errorf("it says %q", said)
	}
}
