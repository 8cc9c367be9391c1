package components

import (
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// TaskDialog asks an agent for a task.
type TaskDialog struct {
	ui.Compo

	Agents []Candidate // those of the room first
	Form   FormState

	problem string
}

// OnMount implements ui.Mounter.
func (d *TaskDialog) OnMount(ctx ui.Context) { showDialog(ctx) }

// Render implements ui.Composer.
func (d *TaskDialog) Render() ui.UI {
	if len(d.Agents) == 0 {
		return dialogFrame("Ask for a task", d.onCancel,
			ui.P().Text("No agent is known here yet. Find one under Agents, or invite one into this room."),
			ui.Div().Class("row", "end").Body(ui.Button().Type("button").Class("btn", "main").Text("Close").OnClick(d.onCancel)))
	}
	list := make([][2]string, 0, len(d.Agents))
	for _, c := range d.Agents {
		name := c.Person.Name
		if !c.Here {
			name += " (not in this room)"
		}
		list = append(list, [2]string{c.Person.PubKey, name})
	}
	problem := d.Form
	if d.problem != "" {
		problem = FormState{Error: d.problem}
	}
	return dialogFrame("Ask for a task", d.onCancel, ui.Form().Class("stack").OnSubmit(d.onSubmit).Body(
		choice("task-agent", "Agent", "", list, nil),
		field("task-subject", "Subject", "text", "A few words that name the task."),
		labelledArea("task-text", "What is to be done", 4),
		problem.message(),
		ui.Div().Class("row", "end").Body(
			ui.Button().Type("button").Class("btn").Text("Cancel").OnClick(d.onCancel),
			submit("Ask for it", d.Form.Busy),
		),
	))
}

func (d *TaskDialog) onCancel(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	closeDialog(ctx)
}

func (d *TaskDialog) onSubmit(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	root := d.JSValue()
	draft := TaskDraft{
		Agent:   valueOf(root, named("task-agent")),
		Subject: strings.TrimSpace(valueOf(root, named("task-subject"))),
		Text:    valueOf(root, named("task-text")),
	}
	d.problem = ""
	if draft.Subject == "" && strings.TrimSpace(draft.Text) == "" {
		d.problem = "Say what is to be done."
		return
	}
	ctx.NewActionWithValue(DoTask, draft)
}
