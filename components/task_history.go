package components

import (
	"cmp"
	"slices"
	"strconv"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/task"
)

// history is everything that happened, oldest first. It is drawn only while it
// is open: a task may write a hundred lines a second.
func (c *TaskCard) history() ui.UI {
	v := &c.T.View
	parts := []ui.UI{ui.Summary().Text("History: " + Plural(v.ProgressCount+v.LogCount, "step", "steps"))}
	if c.open {
		parts = append(parts, ui.Ol().Body(c.steps()...))
	}
	return ui.Details().Class("fold", "history").Body(parts...).On("toggle", c.onToggle)
}

func (c *TaskCard) onToggle(ctx ui.Context, _ ui.Event) {
	c.open = ctx.JSSrc().Get("open").Truthy()
}

// step is one line of the history.
type step struct {
	at         int64
	id         string
	by, text   string
	tool, note string
}

func (c *TaskCard) steps() []ui.UI {
	v := &c.T.View
	var list []step
	for _, e := range v.Log {
		list = append(list, step{at: e.At, id: e.ID, by: c.T.Name(e.By), text: logWords(e), note: e.Note})
	}
	for _, p := range v.Progress {
		s := step{at: p.At, id: p.ID, text: p.Text}
		if p.Tool != "" {
			s.text, s.tool = p.Assistant, p.Tool
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
	items := make([]ui.UI, 0, len(list)+1)
	if n := v.ProgressCount - len(v.Progress); n > 0 {
		items = append(items, ui.Li().Class("hint").Text(Plural(n, "earlier step is", "earlier steps are")+" left out"))
	}
	last := int64(0)
	for _, s := range list {
		items = append(items, s.item(s.at/minute != last/minute))
		last = s.at
	}
	return items
}

// item draws a step, with its time where that is another minute than the one
// before: a hundred times cost the browser more than all the rest.
func (s step) item(timed bool) ui.UI {
	var head []ui.UI
	if timed {
		head = append(head, ui.Time().DateTime(ISOTime(s.at)).Title(FullTime(s.at)).Text(Moment(s.at)))
	}
	if s.by != "" {
		head = append(head, ui.B().Body(Name(s.by)))
	}
	parts := []ui.UI{}
	if len(head) > 0 {
		parts = append(parts, ui.Div().Class("row").Body(head...))
	}
	parts = append(parts, ui.P().Class("history-words").Dir("auto").Text(s.text))
	if s.tool != "" {
		parts = append(parts, ui.Code().Dir("auto").Text(s.tool))
	}
	if s.note != "" {
		parts = append(parts, ui.P().Class("hint").Text(sentence(s.note)))
	}
	return ui.Li().Body(parts...)
}

// logWords says what an event of a task's life was.
func logWords(e task.LogEntry) string {
	const most = 300
	words := map[int]string{
		task.KindRequest: "asked for this task", task.KindAccepted: "took it", task.KindResult: "finished",
		task.KindCancel: "cancelled it", task.KindError: "ended it", task.KindMessage: "asked to cancel", task.KindReply: "asked to cancel",
	}[e.Kind]
	if e.Text == "" || e.Kind == task.KindRequest || e.Kind == task.KindAccepted {
		return words
	}
	text := []rune(firstLine(e.Text))
	if len(text) > most {
		text = append(text[:most], '…')
	}
	return words + ": " + string(text)
}

// detail is what some agents say beside the words, in JSON.
func detail(d *task.Detail) []ui.UI {
	if d == nil {
		return nil
	}
	facts := [][2]string{{"Reason", d.Reason}, {"Code", d.Code}}
	if d.ExitCode != nil {
		facts = append(facts, [2]string{"Exit code", strconv.Itoa(*d.ExitCode)})
	}
	var rows, parts []ui.UI
	for _, f := range facts {
		if f[1] != "" {
			rows = append(rows, ui.Dt().Text(f[0]), ui.Dd().Dir("auto").Text(f[1]))
		}
	}
	if len(rows) > 0 {
		parts = append(parts, ui.Dl().Class("kv").Body(rows...))
	}
	if len(d.Artifacts) > 0 {
		parts = append(parts, artifacts(d.Artifacts))
	}
	return parts
}

func artifacts(list []task.Artifact) ui.UI {
	items := make([]ui.UI, 0, len(list))
	for _, a := range list {
		name := a.Name
		if name == "" {
			name = a.URI
		}
		words := []ui.UI{Icon("file"), ui.Span().Class("file-name").Dir("auto").Text(name)}
		if href, ok := safeHref(a.URI); ok {
			items = append(items, ui.Li().Body(link(href).Class("file").Body(words...)))
		} else {
			items = append(items, ui.Li().Body(ui.Span().Class("file").Body(words...)))
		}
	}
	return ui.Ul().Class("files").Aria("label", "Files").Body(items...)
}
