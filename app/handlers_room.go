package app

import (
	"encoding/json"
	"net/url"
	"strings"

	"parley/components"
	"parley/wasm/port"
	"parley/wasm/room"
)

// room is the room that is open, with its relay once it is known.
func (sh *shell) room() room.Ref {
	if t := sh.s.main; t != nil && t.info != nil {
		return t.info.Meta.Ref
	}
	return sh.s.route.Room
}

func (sh *shell) createRoom(v components.RoomChange) {
	params := port.RoomParams{
		Ref: room.Ref{Relay: v.Relay}, Name: v.Name, About: v.About,
		Private: v.Private, Closed: v.Closed, Restricted: v.Restricted,
	}
	sh.submit(components.DoCreateRoom, port.CreateRoom, params, "", func(value json.RawMessage) {
		var ref room.Ref
		sh.openDialog(components.DialogCall{})
		if json.Unmarshal(value, &ref) == nil && ref.ID != "" {
			sh.navigate(Route{Page: Room, Room: ref}.Path())
		}
	})
}

func (sh *shell) editRoom(v components.RoomChange) {
	params := port.RoomParams{
		Ref: sh.room(), Name: v.Name, About: v.About,
		Private: v.Private, Closed: v.Closed, Restricted: v.Restricted,
	}
	sh.submit(components.DoEditRoom, port.EditRoom, params, "", func(json.RawMessage) {
		sh.openDialog(components.DialogCall{})
	})
}

func (sh *shell) join() {
	sh.submit(components.DoJoin, port.JoinRoom, port.JoinParams{Room: sh.room(), Invite: sh.s.route.Invite}, "", nil)
}

func (sh *shell) leaveRoom() {
	sh.link.Call(port.LeaveRoom, sh.room(), func(_ json.RawMessage, err *port.Error) {
		if err != nil {
			sh.say(err.Message, true)
			return
		}
		sh.navigate("/")
	})
}

func (sh *shell) invite() {
	sh.submit(components.DoInvite, port.Invite, sh.room(), "", func(value json.RawMessage) {
		var code port.InviteCode
		if json.Unmarshal(value, &code) == nil {
			sh.s.invite = code.Path
		}
	})
}

func (sh *shell) addMember(key string) {
	sh.submit(components.DoAddMember, port.AddMember, port.MemberParams{Room: sh.room(), PubKey: strings.TrimSpace(key)}, "Added", nil)
}

// removeMember takes somebody out of the room that is open. Who is brought
// back has the same role again.
func (sh *shell) removeMember(key string) {
	back := port.MemberParams{Room: sh.room(), PubKey: key}
	name := ""
	for _, m := range sh.meta().Members {
		if m.Person.PubKey == key {
			name = m.Person.Name
			if len(m.Roles) > 0 {
				back.Role = m.Roles[0]
			}
		}
	}
	sh.link.Call(port.RemoveMember, port.MemberParams{Room: back.Room, PubKey: key}, func(_ json.RawMessage, err *port.Error) {
		if err != nil {
			sh.say(err.Message, true)
			return
		}
		sh.tell(name+" is removed from the room.", doAddBack, back)
	})
}

// doAddBack takes back that a member was removed: port.MemberParams.
const doAddBack = "add_back"

// find opens what somebody was sent: an address of this app, or a code.
func (sh *shell) find(text string) {
	text = strings.TrimSpace(text)
	if path, ok := pathOf(text, origin()); ok {
		sh.navigate(path)
		return
	}
	sh.submit(components.DoFind, port.Resolve, port.Search{Text: text}, "", func(value json.RawMessage) {
		var place port.Place
		if json.Unmarshal(value, &place) == nil && place.Path != "" {
			sh.navigate(place.Path)
		}
	})
}

// pathOf is the path of the app that a text is: an address of this origin, or a
// code with or without "nostr:".
func pathOf(text, origin string) (string, bool) {
	if rest, ok := strings.CutPrefix(text, "nostr:"); ok {
		text = rest
	}
	if isCode(text) {
		return Route{Page: Code, Code: text}.Path(), true
	}
	u, err := url.Parse(text)
	if err != nil || origin == "" || u.Scheme+"://"+u.Host != origin {
		return "", false
	}
	path, ok := strings.CutPrefix(u.EscapedPath(), components.Base)
	if r := ParseRoute(path, u.RawQuery); ok && r.Page != Missing {
		return r.Path(), true
	}
	return "", false
}
