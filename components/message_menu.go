package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/ask"
	"parley/wasm/room"
)

// What can be open over a message.
const (
	openMenu  = "menu"
	openReact = "react"
)

// editable are the kinds whose words their author may change.
var editable = map[int]bool{9: true, 11: true, 12: true, 1111: true}

// actions are the buttons beside a message, and what they open. There are many
// of them on a page, so they are as light as they can be: every attribute of
// every element is a call into the browser.
func (m *Message) actions() ui.UI {
	parts := make([]ui.UI, 0, 5)
	if m.CanWrite {
		parts = append(parts, m.barButton("react", "React", m.open == openReact).OnClick(m.onReact, ui.EventScope(m.M.ID)))
		if m.canReply() {
			parts = append(parts, m.barButton("reply", "Reply", false).OnClick(m.post(DoReply), ui.EventScope(m.M.ID)))
		}
	}
	parts = append(parts, m.barButton("more", "More", m.open == openMenu).OnClick(m.onMenu, ui.EventScope(m.M.ID)))
	if m.open != "" {
		parts = append(parts, ui.Div().Class("backdrop").Aria("hidden", true).OnClick(m.onClose, ui.EventScope(m.M.ID)))
	}
	switch m.open {
	case openMenu:
		parts = append(parts, m.menu())
	case openReact:
		parts = append(parts, m.picker())
	}
	return ui.Div().Class("acts").Body(parts...)
}

// barButton is a button with a drawing. app.css shows its name under a pointer.
func (m *Message) barButton(icon, label string, open bool) ui.HTMLButton {
	b := ui.Button().Class("iconbtn drawn icon-"+icon).Aria("label", label)
	if open {
		b = b.Aria("expanded", true)
	}
	return b
}

// canReply: on an older request a reply is an answer, and stands in its card.
func (m *Message) canReply() bool { return m.Ask == nil || m.Ask.View.Form != ask.Older }

func (m *Message) over(class string) string {
	if m.up {
		return class + " up"
	}
	return class
}

func (m *Message) picker() ui.UI {
	faces := make([]ui.UI, 0, len(choices))
	for _, choice := range choices {
		faces = append(faces, ui.Button().Type("button").Class("face").
			Aria("label", choice.name).Title(choice.name).Text(choice.emoji).
			OnClick(func(ctx ui.Context, _ ui.Event) {
				m.close(ctx)
				ctx.NewActionWithValue(DoReact, Mark{ID: m.M.ID, Text: choice.emoji})
			}, ui.EventScope(m.M.ID, choice.emoji)))
	}
	return ui.Div().Class(m.over("picker")).Role("group").Aria("label", "Pick a reaction").Body(faces...)
}

func (m *Message) menu() ui.UI {
	var items []ui.UI
	if m.CanWrite { // a narrow bar leaves these two out
		items = append(items, m.item("react", "React", func(ctx ui.Context) { m.toggle(ctx, openReact, ".picker button") }))
		if m.canReply() {
			items = append(items, m.item("reply", "Reply", func(ctx ui.Context) { ctx.NewActionWithValue(DoReply, m.M.ID) }))
		}
	}
	if m.Thread != "" {
		items = append(items, m.item("thread", "Open thread", func(ctx ui.Context) {
			ctx.NewActionWithValue(DoGo, m.Thread)
		}))
	}
	items = append(items,
		m.item("link", "Copy link", func(ctx ui.Context) {
			ctx.NewActionWithValue(DoCopy, Copy{Text: "/" + m.Link, What: "Link"})
		}),
		m.item("copy", "Copy text", func(ctx ui.Context) {
			ctx.NewActionWithValue(DoCopy, Copy{Text: room.Plain(m.M.Text, m.M.Refs), What: "Text"})
		}),
	)
	if m.Own && m.CanWrite && editable[m.M.Kind] && !m.M.Request {
		items = append(items, m.item("edit", "Edit", func(ctx ui.Context) { ctx.NewActionWithValue(DoEdit, m.M.ID) }))
	}
	if m.CanDelete {
		items = append(items, m.item("delete", "Delete…", m.dialog(DialogDelete, m.M.ID)))
	}
	if !m.Own {
		items = append(items,
			m.item("report", "Report…", m.dialog(DialogReport, m.M.ID)),
			m.item("block", "Block…", m.dialog(DialogBlock, m.M.Author.PubKey)),
		)
	}
	return ui.Div().Class(m.over("menu")).Role("group").Aria("label", "More").Body(items...)
}

func (m *Message) dialog(name, id string) func(ui.Context) {
	return func(ctx ui.Context) { ctx.NewActionWithValue(DoDialog, DialogCall{Name: name, ID: id}) }
}

func (m *Message) item(icon, label string, act func(ui.Context)) ui.UI {
	return ui.Button().Type("button").Class("menuitem").Body(Icon(icon), ui.Span().Text(label)).
		OnClick(func(ctx ui.Context, _ ui.Event) {
			m.close(ctx)
			act(ctx)
		}, ui.EventScope(m.M.ID, label))
}

func (m *Message) post(action string) ui.EventHandler {
	return func(ctx ui.Context, _ ui.Event) { ctx.NewActionWithValue(action, m.M.ID) }
}

func (m *Message) onMenu(ctx ui.Context, e ui.Event)  { m.toggle(ctx, openMenu, ".menu button") }
func (m *Message) onReact(ctx ui.Context, e ui.Event) { m.toggle(ctx, openReact, ".picker button") }

func (m *Message) toggle(ctx ui.Context, what, first string) {
	if m.open == what {
		m.close(ctx)
		return
	}
	m.open = what
	m.up = inLowerHalf(ctx.JSSrc())
	root := m.JSValue()
	ctx.Defer(func(ui.Context) {
		if element := find(root, first); element.Truthy() {
			element.Call("focus")
		}
	})
}

func (m *Message) onClose(ctx ui.Context, _ ui.Event) { m.close(ctx) }

// close closes what is open and gives the focus back to what opened it.
func (m *Message) close(ctx ui.Context) {
	opener := ".acts > [aria-label=More]"
	if m.open == openReact {
		opener = ".acts > [aria-label=React]"
	}
	m.open = ""
	if element := find(m.JSValue(), opener); element.Truthy() {
		element.Call("focus")
	}
}

// onKey closes what is open. It hears only while something is.
func (m *Message) onKey(ctx ui.Context, e ui.Event) {
	if e.Get("key").String() != "Escape" {
		ctx.PreventUpdate()
		return
	}
	e.PreventDefault()
	e.Call("stopPropagation")
	m.close(ctx)
}

// inLowerHalf reports whether an element stands in the lower half of the
// window, so that what opens over it should open upwards.
func inLowerHalf(element ui.Value) bool {
	if !ui.IsClient || !element.Truthy() {
		return false
	}
	_, height := ui.Window().Size()
	return element.Call("getBoundingClientRect").Get("bottom").Float() > float64(height)/2
}
