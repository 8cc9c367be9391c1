package app

import (
	"slices"
	"strings"
	"testing"

	"parley/components"
	"parley/wasm/room"
)

func TestWhomAQueryMeans(t *testing.T) {
	key := func(n byte) string { return strings.Repeat(string([]byte{'0', n}), 32) }
	var list []components.Candidate
	for i, name := range []string{"Maria Ana", "Ana", "Bob", "anabel", "Änne Öz"} {
		list = append(list, components.Candidate{Person: room.Person{PubKey: key(byte('1' + i)), Name: name}})
	}
	npub := room.NPub(key('3'))
	for query, want := range map[string][]string{
		"":         {"Maria Ana", "Ana", "Bob", "anabel", "Änne Öz"},
		"an":       {"Ana", "anabel", "Maria Ana"},
		"ANA":      {"Ana", "anabel", "Maria Ana"},
		"maria a":  {"Maria Ana"},
		"äN":       {"Änne Öz"},
		"öz":       {"Änne Öz"},
		npub[:12]:  {"Bob"},
		"npub1":    nil,
		"nobody":   nil,
		"ana says": nil,
	} {
		var got []string
		for _, c := range found(list, query) {
			got = append(got, c.Person.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q means %q, want %q", query, got, want)
		}
	}
	var many []components.Candidate
	for range components.MaxFound + 1 {
		many = append(many, list[1])
	}
	if n := len(found(many[1:], "a")); n != components.MaxFound {
		t.Errorf("%d are offered of as many as there may be", n)
	}
	if n := len(found(many, "a")); n != components.MaxFound {
		t.Errorf("%d are offered of more than there may be", n)
	}
}

func TestWhoIsNamedIsWhoWasChosen(t *testing.T) {
	w := writing{}
	ana, other := room.Person{PubKey: strings.Repeat("01", 32), Name: "Ana"}, room.Person{PubKey: strings.Repeat("02", 32), Name: "Ana"}
	w.name(other)
	w.name(ana)
	if got, want := room.LinkNames("@Ana!", w.named), "nostr:"+room.NPub(ana.PubKey)+"!"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	code := room.NPub(other.PubKey)
	if shown := w.readable("nostr:"+code+" hi", []room.Link{{Code: code, Label: "@Ana"}}); shown != "@Ana hi" {
		t.Errorf("%q", shown)
	}
	if got, want := room.LinkNames("@Ana hi", w.named), "nostr:"+code+" hi"; got != want {
		t.Errorf("an edit leads to %q, want %q", got, want)
	}
}
