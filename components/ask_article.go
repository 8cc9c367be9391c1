package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/ask"
	"parley/wasm/room"
)

// askMarks puts what tests and user styles look for on a question's article.
func askMarks(article ui.HTMLArticle, v *ask.View) ui.HTMLArticle {
	return article.DataSet("ask", v.ID).DataSet("state", string(v.State)).DataSet("answerable", v.Answerable)
}

// AskArticle is a question outside its room.
type AskArticle struct {
	ui.Compo

	A         *Ask
	Room      string // name
	Path      string // of its thread
	Link      string // nevent, to copy
	Dismissed bool
	Stranger  bool // its author is unknown: it is not counted
	Alone     bool // on a page of its own: nothing leads there, nothing puts it away
}

// CompoID implements ui.DismountEnforcer.
func (a *AskArticle) CompoID() string { return a.A.View.ID }

// Render implements ui.Composer.
func (a *AskArticle) Render() ui.UI {
	v := &a.A.View
	asker := a.A.People[v.Asker]
	if asker.Name == "" {
		asker.Name = shortKey(v.Asker)
	}
	article := askMarks(ui.Article(), v).Role("article").Class("msg").TabIndex(-1).
		DataSet("event", v.ID).DataSet("kind", v.Kind).
		Aria("label", "Question from "+asker.Name+", "+Moment(v.CreatedAt))
	if a.A.Delivery.State != "" {
		article = article.DataSet("status", a.A.Delivery.State)
	}
	return article.Body(
		Face(asker),
		ui.Div().Class("body").Body(datedByline(asker, v.CreatedAt), &AskForm{A: a.A}, a.ways()),
	)
}

// ways lead from the question to its room and its record, and put it away.
func (a *AskArticle) ways() ui.UI {
	id := a.A.View.ID
	parts := []ui.UI{link(a.Path).Class("textbtn").Body(ui.Text("Open in "), ui.Bdi().Text(a.Room))}
	if !a.Alone {
		parts = append(parts, link("/asks/"+id).Class("textbtn").Text("Decision record"))
	}
	if a.Link != "" {
		parts = append(parts, copyLink(a.Link))
	}
	switch {
	case a.Dismissed:
		parts = append(parts, a.button("Bring back", DoRestore))
	case !a.Alone && a.A.View.State == ask.Open:
		parts = append(parts, a.button("Dismiss", DoPutAway))
	}
	if a.Stranger {
		parts = append(parts, ui.Button().Type("button").Class("textbtn").Text("Block…").
			OnClick(func(ctx ui.Context, _ ui.Event) {
				ctx.NewActionWithValue(DoDialog, DialogCall{Name: DialogBlock, ID: a.A.View.Asker})
			}, ui.EventScope(id)))
	}
	return ui.Div().Class("status", "ways").Body(parts...)
}

func (a *AskArticle) button(label, action string) ui.UI {
	id := a.A.View.ID
	return ui.Button().Type("button").Class("textbtn").Text(label).
		OnClick(func(ctx ui.Context, _ ui.Event) { ctx.NewActionWithValue(action, id) }, ui.EventScope(id, action))
}

// datedByline is Byline outside a room, where no day stands above.
func datedByline(who room.Person, at int64) ui.UI {
	words := []ui.UI{ui.B().Body(Name(who.Name))}
	if who.Agent != "" {
		words = append(words, ui.Span().Class("tag").Dir("auto").Text(who.Agent))
	}
	return ui.Div().Class("who").Body(append(words, ui.Time().DateTime(ISOTime(at)).Title(FullTime(at)).Text(Moment(at)))...)
}
