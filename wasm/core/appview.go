package core

import (
	"cmp"
	"slices"

	"parley/wasm/port"
	"parley/wasm/room"
)

func compare(a, b string) int { return cmp.Compare(a, b) }

// appView is what every page shows. mu is held.
func (c *Core) appView() port.AppView {
	me, all := c.identities()
	v := port.AppView{
		Me: me, Accounts: all, Connection: c.connection(), Relays: c.relayViews(),
		Rooms: c.roomItems(), Agents: c.agentItems(), Dialogs: slices.Clone(c.relays.dialogs),
		WebCrypto: c.Secure, Blocked: c.blockedPeople(), Look: c.look, Remote: c.remoteWait(),
	}
	for _, n := range c.notices {
		if n.Text != "" {
			v.Notices = append(v.Notices, n)
		}
	}
	v.NeedsYou, v.Running = c.counts()
	if me != nil {
		c.want("", []string{me.Person.PubKey})
	}
	return v
}

// roomItems is the list of rooms, the one with the newest message first.
func (c *Core) roomItems() []port.RoomItem {
	items := []port.RoomItem{}
	for ref, r := range c.rooms {
		if !r.listed {
			continue
		}
		c.shareChanges(r)
		items = append(items, c.roomItem(ref, r))
	}
	slices.SortFunc(items, func(a, b port.RoomItem) int {
		if a.At != b.At {
			return cmp.Compare(b.At, a.At)
		}
		if a.Name != b.Name {
			return cmp.Compare(a.Name, b.Name)
		}
		return cmp.Compare(a.Ref.Relay, b.Ref.Relay)
	})
	return items
}

func (c *Core) roomItem(ref room.Ref, r *roomState) port.RoomItem {
	meta := r.fold.Meta()
	item := port.RoomItem{
		Ref: ref, Name: meta.Name, About: oneLine(meta.About), Picture: meta.Picture, Member: r.fold.IsMember(c.identity.me),
	}
	if last, ok := r.fold.Last(); ok {
		who := last.Author.Name
		if last.Author.PubKey == c.identity.me {
			who = "You"
		}
		item.Last, item.At = who+": "+firstLine(last), last.At
		c.want(ref.Relay, []string{last.Author.PubKey})
	}
	unread := r.fold.Unread(r.saved.Mark, c.identity.me)
	item.Unread, item.Loud = unread.Count, unread.Loud
	return item
}

// MaxLine is the longest line of a list, in code points.
const MaxLine = 120

// firstLine is a message in one line.
func firstLine(m room.Message) string {
	text := room.Plain(m.Text, m.Refs)
	if m.Subject != "" {
		text = m.Subject
	}
	if text == "" && len(m.Files) > 0 {
		return "a file"
	}
	return oneLine(text)
}

func oneLine(text string) string {
	out := make([]rune, 0, MaxLine)
	for _, r := range text {
		if r == '\n' || r == '\r' || r == '\t' {
			r = ' '
		}
		if r == ' ' && (len(out) == 0 || out[len(out)-1] == ' ') {
			continue
		}
		if len(out) == MaxLine {
			out[MaxLine-1] = '…'
			break
		}
		out = append(out, r)
	}
	return string(out)
}
