package components

import (
	"strconv"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Attached is a file that goes with the next message.
type Attached struct {
	N       int
	Name    string
	Size    int64
	Busy    bool
	Problem string
}

// attachments are the files that go with the next message, and the way to
// choose some.
func (c *Composer) attachments() []ui.UI {
	if !c.Attach {
		return nil
	}
	parts := []ui.UI{ui.Input().Type("file").Multiple(true).ID(AttachID).Class("attach-input").TabIndex(-1).
		Aria("label", "Files").OnChange(c.onFiles)}
	if len(c.Files) == 0 {
		return parts
	}
	items := make([]ui.UI, 0, len(c.Files))
	for _, f := range c.Files {
		items = append(items, attached(f))
	}
	return append(parts, ui.Ul().Class("attached").Aria("label", "Attached files").Body(items...))
}

// AttachID is the id of the field that files are chosen with.
const AttachID = "attach-files"

func (c *Composer) onFiles(ctx ui.Context, _ ui.Event) { ctx.NewAction(DoFiles) }

func attached(f Attached) ui.UI {
	words := []ui.UI{Icon("file"), ui.Span().Class("file-name").Dir("auto").Text(f.Name)}
	switch {
	case f.Problem != "":
		words = append(words, ui.Span().Class("problem").Dir("auto").Text(f.Problem))
	case f.Busy:
		words = append(words, ui.Span().Class("file-size").Text("sending…"))
	default:
		words = append(words, ui.Span().Class("file-size").Text(bytesText(f.Size)))
	}
	n := f.N
	words = append(words, IconButton("close", "Remove "+f.Name).OnClick(func(ctx ui.Context, _ ui.Event) {
		ctx.NewActionWithValue(DoDetach, n)
	}, ui.EventScope(strconv.Itoa(n))))
	return ui.Li().Class("file").Body(words...)
}
