package components

import (
	"strings"
	"unicode/utf8"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/room"
	"parley/wasm/task"
)

// Task is a task with the names in it. It is never changed once given.
type Task struct {
	View     task.View
	People   map[string]room.Person // by hex key
	Me       string                 // hex key, "" when signed out
	Files    []room.File            // of the result, those that are loaded
	Refs     []room.Link
	Delivery Delivery // of my request or my cancel, while on its way
	Thread   string   // path of its conversation
	Merged   string   // path of the task that took this one over
	Replies  int
	Alone    bool // outside its room, so that nothing around it tells more
	Inside   bool // in its conversation
}

// TaskCard is a long task: where it stands, what it does, what came of it.
type TaskCard struct {
	ui.Compo

	T *Task

	open bool // the history can be seen
}

// longRequest is from how many code points on a request is folded away.
const longRequest = 400

// CompoID implements ui.DismountEnforcer.
func (c *TaskCard) CompoID() string { return c.T.View.ID }

// Render implements ui.Composer.
func (c *TaskCard) Render() ui.UI {
	v := &c.T.View
	title := v.Subject
	if title == "" {
		title = firstLine(v.Text)
	}
	var newest, outcome, history []ui.UI
	if v.Newest != nil {
		newest = append(newest, progress(v.Newest))
	}
	if v.Result != nil {
		outcome = append(outcome, c.result())
	}
	if v.Error != nil && v.State == task.Failed {
		outcome = append(outcome, failure(v.Error))
	}
	if v.ProgressCount+v.LogCount > 1 {
		history = append(history, c.history())
	}
	return ui.Div().Class("card", "task").Body(
		ui.Div().Class("row", "card-head").Body(ui.H3().Class("grow").Dir("auto").Text(title), taskPill(v)),
		c.request(), slot(newest...), slot(c.remarks()...), slot(outcome...), slot(history...), c.foot(),
	)
}

// request is what was asked of whom, beside the title.
func (c *TaskCard) request() ui.UI {
	v := &c.T.View
	words := []ui.UI{ui.Text("For "), ui.Bdi().Text(c.T.name(v.Agent))}
	if (v.State == task.Accepted || v.State == task.Running || v.State == task.Cancelling) && v.LastSign != 0 {
		words = append(words, ui.Span().Class("silence").Body(&Ticking{Kind: TickSilence, At: v.LastSign, Before: " · "}))
	}
	who := ui.P().Class("hint").Body(words...)
	text := strings.TrimSpace(v.Text)
	switch {
	case text == "" || v.Subject == "" && text == firstLine(text):
		return who
	case utf8.RuneCountInString(text) > longRequest:
		return ui.Div().Class("stack").Body(who, ui.Details().Class("fold").Body(
			ui.Summary().Text("What was asked"), &Markdown{Text: text, Links: c.T.Refs}))
	}
	return ui.Div().Class("stack").Body(who, &Markdown{Text: text, Links: c.T.Refs})
}

// taskPill is a task's state in words, with the time it has taken.
func taskPill(v *task.View) ui.UI {
	words, class := "Waiting", "wait"
	from, end := v.Started, int64(0)
	switch v.State {
	case task.Requested:
		from = v.FirstSeen
	case task.Accepted:
		words, class = "Accepted", "run"
	case task.Running:
		words, class = "Running", "run"
	case task.Cancelling:
		words, class = "Cancelling", "wait"
	case task.Done:
		words, class, end = "Done", "done", v.Ended
	case task.Failed:
		words, class, end = "Failed", "bad", v.Ended
	case task.Cancelled:
		words, class, end = "Cancelled", "", v.Ended
	default:
		words, class, from = "Not loaded", "", 0
	}
	if v.MergedInto != "" {
		words = "Merged"
	}
	pill := ui.Span().Class("pill", class)
	if from == 0 || v.State.Ended() && end < from {
		return pill.Text(words)
	}
	return pill.Body(ui.Text(words+" · "), &Ticking{Kind: TickElapsed, At: from, End: end})
}

// progress is what the agent did last: a line of its own, and its tool.
func progress(p *task.Progress) ui.UI {
	box := ui.Div().Class("prog").DataSet("progress", p.ID)
	if p.Tool == "" {
		return box.Body(ui.P().Dir("auto").Text(p.Text))
	}
	return box.Body(ui.P().Dir("auto").Text(p.Assistant), ui.Code().Dir("auto").Text(p.Tool))
}

// remarks are what else there is to say about where the task stands.
func (c *TaskCard) remarks() []ui.UI {
	v := &c.T.View
	var parts []ui.UI
	note := func(class, text string) {
		parts = append(parts, ui.P().Class(class).Dir("auto").Text(text))
	}
	if v.Reason != "" {
		note("problem", "Nobody can take this task: "+v.Reason)
	}
	if v.Withdrawn {
		note("note", "The request was deleted")
	}
	if v.Note != "" {
		note("note", v.Note)
	}
	if words := c.cancelWords(); words != "" {
		note("note", words)
	}
	if v.MergedInto != "" {
		parts = append(parts, ui.P().Body(link(c.T.Merged).Text("Merged into task "+shortKey(v.MergedInto))))
	}
	return parts
}

// cancelWords say honestly what became of a wish to cancel.
func (c *TaskCard) cancelWords() string {
	v := &c.T.View
	switch v.CancelWord {
	case task.WasCancelled:
		if v.CancelledBy != "" {
			return "Cancelled by " + c.T.name(v.CancelledBy)
		}
		return sentence(string(task.WasCancelled))
	case task.CancelAsked:
		words := sentence(string(task.CancelAsked))
		if d := c.T.Delivery.words(); d != "" {
			return words + ". " + d
		}
		return words + ", the agent has not stopped yet"
	case task.FinishedBefore:
		if c.T.Me == v.Requester {
			return sentence(string(task.FinishedBefore))
		}
		return "It had finished before the cancel arrived"
	}
	if n := len(v.CancelAsks); n > 0 && !v.State.Ended() {
		return c.T.Name(v.CancelAsks[n-1].By) + " asked to cancel"
	}
	return ""
}

// result is the first line of what the agent found, with the way to all of it.
func (c *TaskCard) result() ui.UI {
	v := &c.T.View
	parts := []ui.UI{ui.P().Class("result-line").Dir("auto").Text(v.Result.Line)}
	if v.Result.Full != "" {
		parts = append(parts, link(c.T.Thread+"#"+v.Result.Full).Text("Open full reply"))
	}
	if len(c.T.Files) > 0 {
		parts = append(parts, files(c.T.Files))
	} else if len(v.Result.Files) > 0 {
		parts = append(parts, c.fileLinks(v.Result.Files))
	}
	return ui.Div().Class("stack", "result").Body(append(parts, detail(v.Result.Detail)...)...)
}

// fileLinks lead to the messages that hold the files.
func (c *TaskCard) fileLinks(list []task.File) ui.UI {
	items := make([]ui.UI, 0, len(list))
	for i, f := range list {
		name := f.Name
		if name == "" {
			name = "File " + Number(i+1)
		}
		items = append(items, ui.Li().Body(
			link(c.T.Thread+"#"+f.ID).Class("file").Body(Icon("file"), ui.Span().Class("file-name").Dir("auto").Text(name))))
	}
	return ui.Ul().Class("files").Aria("label", "Files").Body(items...)
}

// failure is why a task failed, in the agent's words.
func failure(f *task.Failure) ui.UI {
	return ui.Div().Class("stack").Body(append([]ui.UI{
		ui.P().Class("problem", "written").Dir("auto").Text(f.Text),
	}, detail(f.Detail)...)...)
}

func (c *TaskCard) foot() ui.UI {
	v := &c.T.View
	label := "Open conversation"
	if c.T.Replies > 0 {
		label = Plural(c.T.Replies, "reply", "replies")
	}
	var row []ui.UI
	if !c.T.Inside {
		row = append(row, link(c.T.Thread).Class("textbtn").Text(label))
	}
	if words := c.T.Delivery.words(); words != "" && (c.T.Alone || c.cancelRefused()) && v.CancelWord != task.CancelAsked {
		row = append(row, ui.Span().Class("delivery", "hint").Dir("auto").Text(words))
	}
	if id := c.T.Delivery.ID; c.T.Alone && c.T.Delivery.State == "refused" && id != "" {
		row = append(row, ui.Button().Type("button").Class("textbtn").Text("Retry").
			OnClick(func(ctx ui.Context, _ ui.Event) { ctx.NewActionWithValue(DoRetry, id) }, ui.EventScope(id)))
	}
	if v.CanCancel {
		id := v.ID
		row = append(row, ui.Button().Type("button").Class("btn", "end").Text("Cancel task").
			OnClick(func(ctx ui.Context, _ ui.Event) {
				ctx.NewActionWithValue(DoDialog, DialogCall{Name: DialogCancelTask, ID: id})
			}, ui.EventScope(id)))
	}
	return ui.Div().Class("row", "card-foot").Body(row...)
}

// cancelRefused: a request that somebody took was not refused, so it is the
// cancel that was.
func (c *TaskCard) cancelRefused() bool {
	s := c.T.View.State
	return c.T.Delivery.State == "refused" && (s == task.Accepted || s == task.Running)
}

// name is what to call a key: "you" for the reader.
func (t *Task) name(key string) string {
	a := Ask{People: t.People, Me: t.Me}
	if key == "" {
		return "nobody"
	}
	return a.name(key)
}

// Name is name at the beginning of a sentence.
func (t *Task) Name(key string) string {
	if key == t.Me && key != "" {
		return "You"
	}
	return t.name(key)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
