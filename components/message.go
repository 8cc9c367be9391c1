package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/room"
)

// Message is one message of a room or thread. M is never changed once given: a
// new version comes as a new pointer.
type Message struct {
	ui.Compo

	M         *room.Message
	Own       bool
	Delivery  Delivery
	Joined    bool // follows one of the same author, so the name is left out
	CanDelete bool
	CanWrite  bool   // react, reply, edit
	Link      string // nevent, to copy
	Thread    string // path of the thread under this message; empty inside a thread
	Ask       *Ask   // the message is a question: drawn as its form
	Task      *Task  // the message asks for a task: drawn as its card

	open string // what is open over the message: "", "menu" or "react"
	up   bool   // open it upwards
}

// CompoID implements ui.DismountEnforcer: what is open belongs to one message.
func (m *Message) CompoID() string { return m.M.ID }

// Render implements ui.Composer.
func (m *Message) Render() ui.UI {
	class := []string{"msg"}
	if m.Joined {
		class = append(class, "joined")
	}
	if m.open != "" {
		class = append(class, "busy")
	}
	article := ui.Article().Role("article").Class(class...).
		DataSet("event", m.M.ID).DataSet("kind", m.M.Kind).
		Aria("label", m.M.Author.Name+", "+Clock(m.M.At))
	if m.open != "" {
		article = article.OnKeyDown(m.onKey)
	}
	if m.Delivery.State != "" {
		article = article.DataSet("status", m.Delivery.State)
	}
	if m.Ask != nil {
		article = askMarks(article, &m.Ask.View)
	}
	if m.Task != nil {
		article = taskMarks(article, &m.Task.View)
	}
	return article.Body(m.gutter(), m.body(), m.actions())
}

func (m *Message) gutter() ui.UI {
	if m.Joined {
		return ui.Span().Class("gutter-time").Aria("hidden", true).Text(Clock(m.M.At))
	}
	return Face(m.M.Author)
}

func (m *Message) body() ui.UI {
	parts := []ui.UI{}
	if !m.Joined {
		parts = append(parts, Byline(m.M.Author, m.M.At))
	}
	if m.M.ReplyTo != nil {
		parts = append(parts, quote(m.M.ReplyTo))
	}
	parts = append(parts, m.content()...)
	if len(m.M.Files) > 0 {
		parts = append(parts, files(m.M.Files))
	}
	if m.M.Note != "" {
		parts = append(parts, ui.P().Class("note").Text(m.M.Note))
	}
	if len(m.M.Reactions) > 0 {
		parts = append(parts, reactions(m.M, m.CanWrite))
	}
	return ui.Div().Class("body").Body(append(parts, m.footer()...)...)
}

// content is what the message says: a form and a card have words of their own.
func (m *Message) content() []ui.UI {
	switch {
	case m.Ask != nil:
		return []ui.UI{&AskForm{A: m.Ask}}
	case m.Task != nil:
		return []ui.UI{&TaskCard{T: m.Task}}
	}
	var parts []ui.UI
	if m.M.Subject != "" {
		parts = append(parts, ui.H3().Class("subject").Dir("auto").Text(m.M.Subject))
	}
	if m.M.Text != "" {
		parts = append(parts, &Markdown{Text: m.M.Text, Links: m.M.Refs})
	}
	return parts
}

// Byline names who wrote something, and when.
func Byline(who room.Person, at int64) ui.UI {
	words := []ui.UI{ui.Bdi().Class("name").Text(who.Name)}
	if who.Agent != "" {
		words = append(words, ui.Span().Class("tag").Dir("auto").Text(who.Agent))
	}
	return ui.Div().Class("who").Body(append(words, timestamp(at))...)
}

func (m *Message) footer() []ui.UI {
	var parts []ui.UI
	if m.M.ClockAhead {
		parts = append(parts, ui.Span().Class("warn").Title("Written "+FullTime(m.M.CreatedAt)+" by the author's clock").Text("clock ahead"))
	}
	if m.M.Edited {
		parts = append(parts, ui.Span().Text("edited"))
	}
	if m.M.Replies > 0 && m.Thread != "" && m.Task == nil { // a card leads there itself
		parts = append(parts, link(m.Thread).Class("replies").Text(Plural(m.M.Replies, "reply", "replies")))
	} else if m.M.Root != "" && m.Thread != "" && m.Task == nil {
		parts = append(parts, link(m.Thread+"#"+m.M.ID).Class("replies").Text("In a thread"))
	}
	if words := m.Delivery.words(); words != "" {
		parts = append(parts, ui.Span().Class("delivery").Dir("auto").Text(words))
	}
	switch {
	case m.Delivery.State == "refused" || m.Delivery.Act == "retry":
		parts = append(parts, m.button("Retry", DoRetry))
	case m.Delivery.Act == "reconnect":
		parts = append(parts, m.button("Reconnect", DoReconnect))
	}
	if m.Delivery.Drop && m.Delivery.State != "" {
		parts = append(parts, m.button("Take back", DoDiscard))
	}
	if len(parts) == 0 {
		return nil
	}
	return []ui.UI{ui.Div().Class("status").Body(parts...)}
}

// button is a button that acts on this message.
func (m *Message) button(label, action string) ui.UI {
	id := m.M.ID
	return ui.Button().Type("button").Class("textbtn").Text(label).
		OnClick(func(ctx ui.Context, _ ui.Event) { ctx.NewActionWithValue(action, id) }, ui.EventScope(id, action))
}
