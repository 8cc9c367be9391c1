package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/task"
)

// taskMarks puts what tests and user styles look for on a task's article.
func taskMarks(article ui.HTMLArticle, v *task.View) ui.HTMLArticle {
	return article.DataSet("task", v.ID).DataSet("state", string(v.State))
}

// TaskArticle is a task outside its room.
type TaskArticle struct {
	ui.Compo

	T    *Task
	Room string // name
	Path string // of the room
	Link string // nevent, to copy
}

// CompoID implements ui.DismountEnforcer.
func (a *TaskArticle) CompoID() string { return a.T.View.ID }

// Render implements ui.Composer.
func (a *TaskArticle) Render() ui.UI {
	v := &a.T.View
	who := a.T.People[v.Requester]
	if who.Name == "" {
		who.Name = shortKey(v.Requester)
	}
	article := taskMarks(ui.Article(), v).Role("article").Class("msg").TabIndex(-1).
		DataSet("event", v.ID).DataSet("kind", task.KindRequest).
		Aria("label", "Task of "+who.Name+", "+Moment(v.CreatedAt))
	if a.T.Delivery.State != "" {
		article = article.DataSet("status", a.T.Delivery.State)
	}
	return article.Body(
		Face(who),
		ui.Div().Class("body").Body(
			datedByline(who, v.CreatedAt), &TaskCard{T: a.T},
			ui.Div().Class("status", "ways").Body(
				link(a.Path).Class("textbtn").Body(ui.Text("In "), ui.Bdi().Text(a.Room)), copyLink(a.Link)),
		),
	)
}
