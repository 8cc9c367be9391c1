package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// RoomForm makes a room, or changes one.
type RoomForm struct {
	ui.Compo

	Edit   bool
	Room   RoomChange // how it is, when Edit
	Relays []string   // where a room can be made, the default first
	Form   FormState
}

// OnMount implements ui.Mounter.
func (r *RoomForm) OnMount(ctx ui.Context) {
	showDialog(ctx)
	setValue(find(r.JSValue(), named("room-name")), r.Room.Name)
	setValue(find(r.JSValue(), named("room-about")), r.Room.About)
}

// Render implements ui.Composer.
func (r *RoomForm) Render() ui.UI {
	title, label := "New room", "Create room"
	if r.Edit {
		title, label = "Edit room", "Save"
	}
	parts := []ui.UI{
		field("room-name", "Name", "text", ""),
		field("room-about", "About", "text", ""),
		tick("room-private", "Only members can read", "", r.Room.Private),
		tick("room-restricted", "Only members can write", "", r.Room.Restricted),
		tick("room-closed", "Joining needs an invitation", "", r.Room.Closed),
	}
	if !r.Edit && len(r.Relays) > 1 {
		parts = append(parts, r.relays())
	}
	parts = append(parts, r.Form.message(), ui.Div().Class("row", "end").Body(
		ui.Button().Type("button").Class("btn").Text("Cancel").OnClick(r.onCancel),
		submit(label, r.Form.Busy),
	))
	return dialogFrame(title, r.onCancel, ui.Form().Class("stack").OnSubmit(r.onSubmit).Body(parts...))
}

func (r *RoomForm) relays() ui.UI {
	options := make([]ui.UI, 0, len(r.Relays))
	for _, url := range r.Relays {
		options = append(options, ui.Option().Value(url).Text(url))
	}
	return ui.Div().Class("labelled").Body(
		ui.Label().For("field-room-relay").Text("Relay"),
		ui.Select().Class("field").Name("room-relay").ID("field-room-relay").Body(options...),
	)
}

func (r *RoomForm) onSubmit(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	root := r.JSValue()
	change := RoomChange{
		Relay:      valueOf(root, named("room-relay")),
		Name:       valueOf(root, named("room-name")),
		About:      valueOf(root, named("room-about")),
		Private:    checked(root, named("room-private")),
		Closed:     checked(root, named("room-closed")),
		Restricted: checked(root, named("room-restricted")),
	}
	if r.Edit {
		ctx.NewActionWithValue(DoEditRoom, change)
		return
	}
	ctx.NewActionWithValue(DoCreateRoom, change)
}

func (r *RoomForm) onCancel(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	closeDialog(ctx)
}
