package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// slot holds what may be there or not, so that what follows keeps its place:
// go-app matches children by index, and would build it anew without what was
// typed, opened or focused in it.
func slot(parts ...ui.UI) ui.UI { return ui.Div().Class("slot").Body(parts...) }

// find returns the first element below root that a selector names. Its value
// is not truthy when there is none, and outside a browser.
func find(root ui.Value, selector string) ui.Value {
	if !ui.IsClient || root == nil || !root.Truthy() {
		return ui.Undefined()
	}
	return root.Call("querySelector", selector)
}

// focusOn moves the focus to the first element below root that a selector
// names, once what changed is drawn.
func focusOn(ctx ui.Context, selector string) {
	ctx.Defer(func(ctx ui.Context) {
		if element := find(ctx.JSSrc(), selector); element.Truthy() {
			element.Call("focus")
		}
	})
}

// valueOf is what stands in the field below root that a selector names.
func valueOf(root ui.Value, selector string) string {
	if element := find(root, selector); element.Truthy() {
		return element.Get("value").String()
	}
	return ""
}

// checked reports whether the box below root that a selector names is ticked.
func checked(root ui.Value, selector string) bool {
	element := find(root, selector)
	return element.Truthy() && element.Get("checked").Truthy()
}

// setValue writes into a field. go-app leaves empty values out, so a field is
// emptied here.
func setValue(field ui.Value, text string) {
	if ui.IsClient && field != nil && field.Truthy() {
		field.Set("value", text)
	}
}

// coarse reports whether the reader's main pointer is a finger.
func coarse() bool {
	return ui.IsClient && ui.Window().Call("matchMedia", "(pointer: coarse)").Get("matches").Truthy()
}
