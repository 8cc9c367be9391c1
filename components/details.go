package components

import (
	"slices"
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/room"
)

// maxListed is how many people of a room are listed at once.
const maxListed = 200

// Details is the side of a room: what it is and who is in it.
type Details struct {
	ui.Compo

	Meta      room.Meta
	Agents    []string      // public keys of members that are agents
	Seen      []room.Person // who wrote what is loaded, newest first, where the relay names no members
	Me        string
	Listed    bool // in my list of rooms
	Member    bool
	Admin     bool
	SignedIn  bool
	Joining   string
	Share     string // path of the room, with its relay
	Invite    string // path of an invitation that was just made
	InviteWay FormState
	Adding    FormState
}

// CompoID implements ui.DismountEnforcer.
func (d *Details) CompoID() string { return d.Meta.Ref.Relay + " " + d.Meta.Ref.ID }

// OnUpdate implements ui.Updater.
func (d *Details) OnUpdate(ui.Context) {
	if d.Adding.Done != "" {
		setValue(find(d.JSValue(), named("member")), "")
	}
}

// Render implements ui.Composer.
func (d *Details) Render() ui.UI {
	parts := []ui.UI{d.about(), d.people()}
	if d.Admin {
		parts = append(parts, d.admin())
	}
	return ui.Div().Class("details").Body(append(parts, d.actions())...)
}

func (d *Details) about() ui.UI {
	parts := []ui.UI{ui.H2().Text("About")}
	if d.Meta.About != "" {
		parts = append(parts, &Markdown{Text: d.Meta.About})
	}
	facts := [][2]string{{"Relay", host(d.Meta.Ref.Relay)}}
	if d.Meta.Private {
		facts = append(facts, [2]string{"Reading", "members only"})
	}
	if d.Meta.Restricted {
		facts = append(facts, [2]string{"Writing", "members only"})
	}
	if d.Meta.Closed {
		facts = append(facts, [2]string{"Joining", "by invitation"})
	}
	var list []ui.UI
	for _, f := range facts {
		list = append(list, ui.Dt().Text(f[0]), ui.Dd().Dir("auto").Text(f[1]))
	}
	parts = append(parts, ui.Dl().Class("kv").Body(list...))
	return ui.Section().Body(parts...)
}

func (d *Details) people() ui.UI {
	parts := []ui.UI{ui.H2().Text("People")}
	if len(d.Meta.Members) == 0 {
		return ui.Section().Body(append(parts, d.seen()...)...)
	}
	agents := map[string]bool{}
	for _, key := range d.Agents {
		agents[key] = true
	}
	items := make([]ui.UI, 0, len(d.Meta.Members))
	for i, m := range d.Meta.Members {
		if i == maxListed {
			items = append(items, ui.Li().Class("empty").Text("and "+Plural(len(d.Meta.Members)-maxListed, "other", "others")))
			break
		}
		items = append(items, d.member(m, agents[m.Person.PubKey]))
	}
	return ui.Section().Body(append(parts, ui.Ul().Class("people").Aria("label", "People").Body(items...))...)
}

// seen is what can be said about the people of a room without members.
func (d *Details) seen() []ui.UI {
	text := "The relay keeps to itself who the members are."
	if !d.Meta.Private && !d.Meta.Restricted {
		text = "This room is open: whoever finds it can read and write, and nobody needs to be a member."
	}
	parts := []ui.UI{ui.P().Class("sub").Text(text)}
	if len(d.Seen) == 0 {
		return parts
	}
	items := make([]ui.UI, 0, len(d.Seen))
	for i, p := range d.Seen {
		if i == maxListed {
			break
		}
		items = append(items, d.member(room.Member{Person: p}, slices.Contains(d.Agents, p.PubKey)))
	}
	return append(parts, ui.H3().Text("Wrote here lately"),
		ui.Ul().Class("people").Aria("label", "Wrote here lately").Body(items...))
}

func (d *Details) member(m room.Member, agent bool) ui.UI {
	words := strings.Join(m.Roles, ", ")
	if words == "" && (agent || m.Person.Agent != "") {
		words = "agent"
	}
	parts := []ui.UI{
		Face(m.Person, "sm"),
		ui.Span().Class("grow").Body(Name(m.Person.Name)),
		ui.Small().Text(words),
	}
	if d.Admin && len(d.Meta.Members) > 0 && m.Person.PubKey != d.Me {
		key := m.Person.PubKey
		parts = append(parts, IconButton("close", "Remove "+m.Person.Name).OnClick(func(ctx ui.Context, _ ui.Event) {
			ctx.NewActionWithValue(DoRemoveMember, key)
		}, ui.EventScope(key)))
	}
	return ui.Li().Class("p").Title(m.Person.About).Body(parts...)
}

func (d *Details) admin() ui.UI {
	parts := []ui.UI{
		ui.H2().Text("For admins"),
		ui.Form().Class("stack").OnSubmit(d.onAdd).Body(
			field("member", "Add a person", "text", "An npub or 64 hex digits."),
			d.Adding.message(),
			ui.Div().Class("row").Body(submit("Add", d.Adding.Busy)),
		),
		d.InviteWay.message(),
		ui.Div().Class("row").Body(
			ui.Button().Type("button").Class("btn").Text("Invite").Disabled(d.InviteWay.Busy).OnClick(d.onInvite),
			ui.Button().Type("button").Class("btn").Text("Edit room").OnClick(d.onEdit),
		),
	}
	if d.Invite != "" {
		parts = append(parts, ui.Div().Class("row").Body(
			ui.Code().Class("grow", "npub").Dir("ltr").Text(d.Invite),
			ui.Button().Type("button").Class("btn").Text("Copy invitation").OnClick(d.onCopyInvite),
		))
	}
	return ui.Section().Body(parts...)
}

func (d *Details) actions() ui.UI {
	row := []ui.UI{ui.Button().Type("button").Class("btn").Text("Copy room link").OnClick(d.onShare)}
	switch {
	case d.Joining != "":
		row = append(row, ui.P().Class("sub").Dir("auto").Text(d.Joining))
	case d.SignedIn && !d.Member && !d.Listed:
		row = append(row, ui.Button().Type("button").Class("btn").Text("Join room").OnClick(d.onJoin))
	case d.Listed || d.Member:
		row = append(row, ui.Button().Type("button").Class("btn").Text("Leave room").OnClick(d.onLeave))
	}
	return ui.Div().Class("row").Body(row...)
}

func (d *Details) onAdd(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	ctx.NewActionWithValue(DoAddMember, valueOf(d.JSValue(), named("member")))
}

func (d *Details) onInvite(ctx ui.Context, _ ui.Event) { ctx.NewAction(DoInvite) }
func (d *Details) onJoin(ctx ui.Context, _ ui.Event)   { ctx.NewAction(DoJoin) }

func (d *Details) onEdit(ctx ui.Context, _ ui.Event) {
	ctx.NewActionWithValue(DoDialog, DialogCall{Name: DialogEditRoom})
}

func (d *Details) onLeave(ctx ui.Context, _ ui.Event) {
	ctx.NewActionWithValue(DoDialog, DialogCall{Name: DialogLeave})
}

func (d *Details) onShare(ctx ui.Context, _ ui.Event) {
	ctx.NewActionWithValue(DoCopy, Copy{Text: d.Share, What: "Room link"})
}

func (d *Details) onCopyInvite(ctx ui.Context, _ ui.Event) {
	ctx.NewActionWithValue(DoCopy, Copy{Text: d.Invite, What: "Invitation"})
}
