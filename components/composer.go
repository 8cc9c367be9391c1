package components

import (
	"strconv"
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// MaxPaste is the most that can be pasted into the composer, in UTF-16 units:
// more than that makes a page hang, and no reader wants it as a message.
const MaxPaste = 100_000

// Tool is a button of the composer for more than words.
type Tool struct {
	Icon   string
	Label  string
	Action string
}

// Composer is where a message is written. Its text lives in the page's field,
// not here: go-app cannot empty a field, and nothing else needs each letter.
type Composer struct {
	ui.Compo

	Place  string // where it stands; another place has a field of its own
	Key    string // of the draft
	Draft  string // put in once, into an empty field
	Hint   string // "Message Lobby"
	Over   string // what a message will be other than a new one: "Reply to Ana", "Edit your message"
	Fill   string // put in when Filled has changed
	Filled int
	// Replace says that Fill takes the place of what stands there; otherwise it
	// is put before it.
	Replace bool
	LastOwn string // id of my last message, to edit with the up key
	Tools   []Tool
	Attach  bool // files can be attached
	Files   []Attached
	Who     Finder // whom an @ can name; nil for nobody
	Known   int    // it changes when Who may find others

	drafted bool
	filled  int
	mention mention
}

// CompoID implements ui.DismountEnforcer.
func (c *Composer) CompoID() string { return c.Place }

// OnMount implements ui.Mounter.
func (c *Composer) OnMount(ctx ui.Context) {
	c.filled = c.Filled
	c.putDraft()
	if !coarse() {
		focusOn(ctx, "textarea")
	}
}

// OnUpdate implements ui.Updater.
func (c *Composer) OnUpdate(ctx ui.Context) {
	c.putDraft()
	c.lookAgain()
	if c.Filled == c.filled {
		return
	}
	c.filled = c.Filled
	text := c.Fill
	if field := c.field(); field.Truthy() && !c.Replace && field.Get("value").String() != "" {
		text = strings.TrimRight(text+"\n"+field.Get("value").String(), "\n")
	}
	c.write(text)
	focusOn(ctx, "textarea")
	if c.Over == "" { // else it is an edit, which is no draft
		ctx.NewActionWithValue(DoType, Words{Key: c.Key, Text: text})
	}
}

func (c *Composer) putDraft() {
	if c.drafted || c.Draft == "" {
		return
	}
	c.drafted = true
	if field := c.field(); field.Truthy() && field.Get("value").String() == "" {
		c.write(c.Draft)
	}
}

// Render implements ui.Composer.
func (c *Composer) Render() ui.UI {
	// What may stand above the field has a place of its own: go-app matches
	// children by index, and would build the field anew, without its text.
	var above []ui.UI
	if c.Over != "" {
		above = append(above, ui.Div().Class("comp-over").Body(
			ui.Span().Dir("auto").Text(c.Over),
			ui.Button().Type("button").Class("textbtn").Text("Cancel").OnClick(c.onCancel),
		))
	}
	above = append(above, c.attachments()...)
	field := ui.Textarea().Aria("label", "Message").Placeholder(c.Hint).Rows(1).Dir("auto").
		Attr("enterkeyhint", "send").Attr("autocomplete", "off").
		OnInput(c.onInput).OnKeyDown(c.onKey).OnKeyPress(c.onKeyPress).OnPaste(c.onPaste).
		OnClick(c.onCaret).OnBlur(c.onBlur)
	row := []ui.UI{c.controls(field)}
	for i, tool := range c.Tools {
		row = append(row, IconButton(tool.Icon, tool.Label).OnClick(func(ctx ui.Context, _ ui.Event) {
			ctx.NewAction(tool.Action)
		}, ui.EventScope(i, tool.Action)))
	}
	send := ui.Button().Type("button").Class("send").Aria("label", "Send").Title("Send").
		Body(Icon("send")).OnClick(c.onSend)
	class := "comp-row"
	if len(c.Tools) > 0 {
		class = "comp-row with-tools"
	}
	return ui.Div().Class("comp").Body(ui.Div().Class("in").Body(
		ui.Div().Class("comp-above").Body(above...),
		ui.Div().Class(class).Body(append(row, send)...),
		c.mentions(),
	))
}

func (c *Composer) field() ui.Value { return find(c.JSValue(), "textarea") }

// write puts a text into the field and fits the field to it.
func (c *Composer) write(text string) {
	setValue(c.field(), text)
	c.grow()
}

// grow fits the field to its text. app.css sets how far it goes.
func (c *Composer) grow() {
	field := c.field()
	if !field.Truthy() {
		return
	}
	style := field.Get("style")
	style.Set("height", "auto")
	style.Set("height", strconv.Itoa(field.Get("scrollHeight").Int()+2)+"px")
}

func (c *Composer) onInput(ctx ui.Context, _ ui.Event) {
	if !c.look() {
		ctx.PreventUpdate()
	}
	c.grow()
	ctx.NewActionWithValue(DoType, Words{Key: c.Key, Text: valueOf(c.JSValue(), "textarea")})
}

// onCaret looks where the caret was put.
func (c *Composer) onCaret(ctx ui.Context, _ ui.Event) {
	if !c.look() {
		ctx.PreventUpdate()
	}
}

func (c *Composer) onBlur(ctx ui.Context, _ ui.Event) {
	if !c.mention.open() {
		ctx.PreventUpdate()
		return
	}
	c.mention.close()
}

func (c *Composer) onKey(ctx ui.Context, e ui.Event) {
	c.mention.took = false
	if c.onMentionKey(ctx, e) {
		return
	}
	switch e.Get("key").String() {
	case "ArrowLeft", "ArrowRight", "Home", "End":
		if c.mention.open() { // the caret leaves the name
			c.mention.close()
			return
		}
	}
	ctx.PreventUpdate()
	switch e.Get("key").String() {
	case "Enter":
		if sends(e) {
			e.PreventDefault()
			c.send(ctx)
		}
	case "Escape":
		if c.Over != "" {
			e.PreventDefault()
			c.cancel(ctx)
		}
	case "ArrowUp":
		if c.LastOwn != "" && c.Over == "" && valueOf(c.JSValue(), "textarea") == "" {
			e.PreventDefault()
			ctx.NewActionWithValue(DoEdit, c.LastOwn)
		}
	}
}

// onKeyPress keeps the line end of an Enter that sent out of the field, where a
// key press comes although its key down was prevented.
func (c *Composer) onKeyPress(ctx ui.Context, e ui.Event) {
	ctx.PreventUpdate()
	if e.Get("key").String() == "Enter" && (sends(e) || c.mention.took) {
		e.PreventDefault()
	}
}

// sends reports whether an Enter sends: not with Shift, not while an input
// method composes (Safari says so only by the old key code), and not on a touch
// screen, where it makes a line.
func sends(e ui.Event) bool {
	const composing = 229
	return !e.Get("shiftKey").Truthy() && !e.Get("isComposing").Truthy() &&
		e.Get("keyCode").Int() != composing && !coarse()
}

func (c *Composer) onSend(ctx ui.Context, _ ui.Event) {
	c.send(ctx)
	if field := c.field(); field.Truthy() {
		field.Call("focus") // the keyboard of a phone stays
	}
}

func (c *Composer) send(ctx ui.Context) {
	text := valueOf(c.JSValue(), "textarea")
	if strings.TrimSpace(text) == "" && len(c.Files) == 0 {
		return
	}
	c.write("")
	c.mention.close()
	ctx.NewActionWithValue(DoSend, Words{Key: c.Key, Text: text})
}

func (c *Composer) onCancel(ctx ui.Context, _ ui.Event) { c.cancel(ctx) }

// cancel gives up a reply or an edit. The words of a reply stay.
func (c *Composer) cancel(ctx ui.Context) {
	ctx.NewAction(DoCancel)
	focusOn(ctx, "textarea")
}

// onPaste refuses what is too large. It stays in the clipboard, so nothing is
// lost.
func (c *Composer) onPaste(ctx ui.Context, e ui.Event) {
	ctx.PreventUpdate()
	board := e.Get("clipboardData")
	if !board.Truthy() {
		return
	}
	text := ui.Window().Get("Object").Invoke(board.Call("getData", "text/plain"))
	field := c.field()
	if !field.Truthy() {
		return
	}
	length := text.Get("length").Int() + ui.Window().Get("Object").Invoke(field.Get("value")).Get("length").Int()
	if length > MaxPaste {
		e.PreventDefault()
		ctx.NewActionWithValue(DoTooBig, length)
	}
}
