package app

import (
	"net/url"
	"strings"
	"testing"

	"parley/wasm/room"
)

func TestParseRoute(t *testing.T) {
	lobby := room.Ref{Relay: "wss://relay.example", ID: "lobby"}
	tests := []struct {
		name, path string
		want       Route
	}{
		{"the start", "/", Route{Page: Start}},
		{"a room with its relay", "/rooms/lobby?relay=wss%3A%2F%2Frelay.example", Route{Page: Room, Room: lobby}},
		{"a room of the default relay", "/rooms/lobby", Route{Page: Room, Room: room.Ref{ID: "lobby"}}},
		{"an invitation", "/rooms/lobby?invite=abc&relay=wss%3A%2F%2Frelay.example", Route{Page: Room, Room: lobby, Invite: "abc"}},
		{"ids are path-escaped", "/rooms/a%2Fb%20c", Route{Page: Room, Room: room.Ref{ID: "a/b c"}}},
		{"a thread", "/rooms/lobby/threads/ab12?relay=wss%3A%2F%2Frelay.example", Route{Page: Thread, Room: lobby, ID: "ab12"}},
		{"agents", "/agents", Route{Page: Agents}},
		{"an agent", "/agents/npub1xyz", Route{Page: Agent, NPub: "npub1xyz"}},
		{"an AI session", "/agents/npub1xyz/session:00", Route{Page: Session, NPub: "npub1xyz", Session: "session:00"}},
		{"what waits", "/asks", Route{Page: Asks}},
		{"what was answered", "/asks?filter=answered", Route{Page: Asks, Filter: "answered"}},
		{"a decision record", "/asks/ab12", Route{Page: Ask, ID: "ab12"}},
		{"tasks", "/tasks?filter=all", Route{Page: Tasks, Filter: "all"}},
		{"settings", "/settings", Route{Page: Settings}},
		{"a slash at the end", "/settings/", Route{Page: Settings}},
		{"a person", "/npub1xyz", Route{Page: Code, Code: "npub1xyz"}},
		{"an event", "/nevent1xyz", Route{Page: Code, Code: "nevent1xyz"}},
		{"an address", "/naddr1xyz", Route{Page: Code, Code: "naddr1xyz"}},
		{"a secret key is no page", "/nsec1xyz", Route{Page: Missing}},
		{"rooms without an id", "/rooms", Route{Page: Missing}},
		{"an empty part", "/rooms//threads/x", Route{Page: Missing}},
		{"a broken escape", "/rooms/%zz", Route{Page: Missing}},
		{"more than there is", "/settings/keys", Route{Page: Missing}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path, query, _ := strings.Cut(tt.path, "?")
			if got := ParseRoute(path, query); got != tt.want {
				t.Errorf("ParseRoute(%q) = %+v, want %+v", tt.path, got, tt.want)
			}
		})
	}
}

func TestPathIsReadBack(t *testing.T) {
	routes := []Route{
		{Page: Start}, {Page: Agents}, {Page: Asks}, {Page: Tasks, Filter: "all"}, {Page: Settings},
		{Page: Room, Room: room.Ref{Relay: "wss://a.example/path?x=1", ID: "a/b?c#d é"}, Invite: "x&y"},
		{Page: Thread, Room: room.Ref{Relay: "wss://a.example", ID: "b"}, ID: "00ff"},
		{Page: Session, NPub: "npub1x", Session: "session:a/b"},
		{Page: Ask, ID: "00ff"}, {Page: Code, Code: "nevent1x"},
	}
	for _, want := range routes {
		u, err := url.Parse(want.Path())
		if err != nil {
			t.Fatalf("%+v: %v", want, err)
		}
		if got := ParseRoute(u.EscapedPath(), u.RawQuery); got != want {
			t.Errorf("%s was read as %+v, want %+v", want.Path(), got, want)
		}
	}
}
