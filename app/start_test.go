package app

import (
	"fmt"
	"strings"
	"testing"

	"parley/wasm/ask"
	"parley/wasm/port"
	"parley/wasm/room"
)

// startView is signed in, with a room and an agent of which something is known.
func startView() port.AppView {
	v := signedIn()
	v.Rooms[0].About, v.Rooms[0].Last, v.Rooms[0].At = "Where all begin", "Ana: see you in the Lobby", 60
	v.Agents = []port.AgentItem{{Person: room.Person{PubKey: strings.Repeat("ab", 32), Name: "Robot", About: "Does as it is told"}, NPub: "npub1robot"}}
	return v
}

func TestTheStartPageHoldsRoomsAgentsAndWhatWaits(t *testing.T) {
	p := openPage(t, Route{Page: Start})
	p.want("Loading…")
	p.shows(port.AppName, startView())
	p.want("Where all begin", "Ana: see you in the Lobby", "Does as it is told", "Waits for you", "Mark all as read", "New room")

	questions := port.AsksView{Filter: "open"}
	for i := range maxWaiting + 1 {
		asker := strings.Repeat("cd", 32)
		questions.Items = append(questions.Items, port.AskItem{
			View: ask.View{ID: idOf(i), Asker: asker, Text: fmt.Sprintf("Question\nnumber %d", i)}, Room: lobby, RoomName: "Lobby",
			People: port.People{asker: {PubKey: asker, Name: "Ben"}},
		})
	}
	questions.Items[1].Dismissed = true
	v := startView()
	v.NeedsYou = maxWaiting
	p.shows(port.AppName, v)
	p.shows(port.AsksName, questions)
	p.want("Question number 0", "Question number 3", `href="/asks/`+idOf(3)+`"`)
	p.absent("Question number 1", "more question")

	questions.Items[1].Dismissed = false
	v.NeedsYou, v.Running = maxWaiting+1, 2
	p.shows(port.AppName, v)
	p.shows(port.AsksName, questions)
	p.want("Question number 1", "Show 1 more question", "2 tasks of yours are running.")
	p.absent("Question number 3")

	p.shows(port.AsksName, port.AsksView{Filter: "open"})
	p.want("Nothing. Questions of agents and people come here.")
}

// TestALinkToARoomIsNamedByTheRoomAlone: else a room is found by what is said in
// another one.
func TestALinkToARoomIsNamedByTheRoomAlone(t *testing.T) {
	for _, route := range []Route{{Page: Start}, {Page: Settings}} {
		p := openPage(t, route)
		v := startView()
		v.Rooms = append(v.Rooms, port.RoomItem{Ref: room.Ref{Relay: lobby.Relay, ID: "b"}, Name: "Backstage"})
		p.shows(port.AppName, v)
		p.want(`aria-labelledby="room-0-name room-0-unread"`, `aria-describedby="room-0-more room-0-when"`, `aria-labelledby="room-1-name"`)
		for _, id := range []string{"room-0-name", "room-0-unread", "room-0-more", "room-0-when", "room-1-name", "agent-0-name"} {
			if n := strings.Count(p.html(), `id="`+id+`"`); n != 1 {
				t.Errorf("%s: %d elements are %s", route.Page, n, id)
			}
		}
		p.absent("room-1-more", "room-1-when")
	}
}
