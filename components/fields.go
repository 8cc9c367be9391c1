package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// labelledArea is a place to write a longer text, with its name above it.
func labelledArea(name, label string, rows int) ui.UI {
	return ui.Div().Class("labelled").Body(
		ui.Label().For("field-"+name).Text(label),
		ui.Textarea().Class("field").Name(name).ID("field-"+name).Rows(rows).Dir("auto"),
	)
}

// choice is a list to choose one from, with its name above it. Each entry is a
// value and its label; no value is empty, since go-app leaves those out.
func choice(name, label, chosen string, list [][2]string, onChange ui.EventHandler) ui.UI {
	return ui.Div().Class("labelled").Body(
		ui.Label().For("field-"+name).Text(label),
		selection(name, chosen, list, onChange).ID("field-"+name),
	)
}

// selection is the list alone.
func selection(name, chosen string, list [][2]string, onChange ui.EventHandler) ui.HTMLSelect {
	options := make([]ui.UI, 0, len(list))
	for _, o := range list {
		option := ui.Option().Value(o[0]).Text(o[1])
		if chosen != "" {
			option = option.Selected(o[0] == chosen)
		}
		options = append(options, option)
	}
	s := ui.Select().Class("field").Name(name).Body(options...)
	if onChange != nil {
		s = s.OnChange(onChange)
	}
	return s
}

// findAll returns the elements below root that a selector names.
func findAll(root ui.Value, selector string) []ui.Value {
	if !ui.IsClient || root == nil || !root.Truthy() {
		return nil
	}
	found := root.Call("querySelectorAll", selector)
	list := make([]ui.Value, found.Length())
	for i := range list {
		list[i] = found.Index(i)
	}
	return list
}
