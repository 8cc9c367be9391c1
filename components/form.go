package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// FormState says how a form stands that was sent to the core.
type FormState struct {
	Busy  bool
	Error string // what is wrong and what to do
	Done  string // what was reached, in words
}

// message is the line under a form that says how it stands.
func (f FormState) message() ui.UI {
	switch {
	case f.Error != "":
		return ui.P().Class("problem").Role("alert").Dir("auto").Text(f.Error)
	case f.Done != "":
		return ui.P().Class("done").Role("status").Text(f.Done)
	}
	return ui.Text("")
}

// field is a line to type in, with its name above it. Kind is the input's type.
func field(name, label, kind, hint string) ui.UI {
	input := ui.Input().Class("field").Type(kind).Name(name).ID("field-"+name).
		AutoComplete(false).Spellcheck(false).Attr("autocapitalize", "none")
	if kind == "password" {
		input.Role("textbox") // it has none by itself, and is found as one
	}
	parts := []ui.UI{ui.Label().For("field-" + name).Text(label), input}
	if hint != "" {
		input.Aria("describedby", "hint-"+name)
		parts = append(parts, ui.Small().ID("hint-"+name).Class("hint").Text(hint))
	}
	return ui.Div().Class("labelled").Body(parts...)
}

// tick is a box to tick.
func tick(name, label, hint string, on bool) ui.UI {
	box := ui.Input().Type("checkbox").Name(name).Checked(on)
	words := ui.Span().ID("tick-" + name).Text(label)
	parts := []ui.UI{words}
	if hint != "" {
		// The hint describes the box; it is no part of its name.
		box = box.Aria("labelledby", "tick-"+name).Aria("describedby", "hint-"+name)
		parts = append(parts, ui.Small().Class("hint").ID("hint-"+name).Text(hint))
	}
	return ui.Label().Class("tick").Body(box, ui.Span().Body(parts...))
}

// named is the selector of a field.
func named(name string) string { return "[name=" + name + "]" }

// submit is the button that sends a form.
func submit(label string, busy bool) ui.HTMLButton {
	return ui.Button().Type("submit").Class("btn", "main").Disabled(busy).Text(label)
}
