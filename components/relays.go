package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Relay is one relay and how it stands.
type Relay struct {
	URL   string
	State string // online, connecting or offline
	Why   string
	Auth  string // always, ask or never
	Mine  bool   // in the person's own list
}

// Relays is the part of the settings about relays.
type Relays struct {
	ui.Compo

	List []Relay
	Add  FormState
	// Change is how the newest change to a relay of the list went.
	Change FormState
}

// OnUpdate implements ui.Updater: a relay that was added leaves the field.
func (r *Relays) OnUpdate(ui.Context) {
	if r.Add.Done != "" {
		setValue(find(r.JSValue(), named("relay")), "")
	}
}

// Render implements ui.Composer.
func (r *Relays) Render() ui.UI {
	var mine, others []ui.UI
	for _, relay := range r.List {
		if relay.Mine {
			mine = append(mine, r.line(relay))
		} else {
			others = append(others, r.line(relay))
		}
	}
	parts := []ui.UI{
		ui.H2().ID("relays-title").Text("Relays"),
		ui.P().Class("sub").Text("AI sessions and your profile go to these. A room lives on one relay of its own."),
	}
	if len(mine) > 0 {
		parts = append(parts, ui.Ul().Class("lines").Aria("label", "Your relays").Body(mine...))
	} else {
		parts = append(parts, ui.P().Class("empty").Text("No relay yet."))
	}
	parts = append(parts, r.Change.message(), ui.Form().Class("stack").OnSubmit(r.onAdd).Body(
		field("relay", "Relay address", "text", "wss://relay.example"),
		r.Add.message(),
		ui.Div().Class("row").Body(submit("Add relay", r.Add.Busy)),
	))
	if len(others) > 0 {
		parts = append(parts,
			ui.H3().Text("Relays of rooms you opened"),
			ui.Ul().Class("lines").Aria("label", "Other relays").Body(others...),
		)
	}
	return ui.Section().Class("panel").Aria("labelledby", "relays-title").Body(parts...)
}

func (r *Relays) line(relay Relay) ui.UI {
	words := relay.State
	if relay.Why != "" {
		words += ": " + relay.Why
	}
	url := relay.URL
	parts := []ui.UI{
		ui.Div().Class("grow").Body(
			ui.Code().Dir("ltr").Text(url),
			ui.Span().Class("sub", "conn-line").Body(
				ui.Span().Class("dot", relay.State).Aria("hidden", true),
				ui.Span().Dir("auto").Text(words),
			),
		),
		ui.Select().Class("field", "short").Aria("label", "Sign in to "+url).
			OnChange(r.onAuth(url), ui.EventScope(url)).Body(
			authOption("always", "Sign in when asked", relay.Auth),
			authOption("ask", "Ask me first", relay.Auth),
			authOption("never", "Never sign in", relay.Auth),
		),
	}
	if relay.Mine {
		parts = append(parts, IconButton("delete", "Remove "+url).OnClick(func(ctx ui.Context, _ ui.Event) {
			ctx.NewActionWithValue(DoRemoveRelay, RelayChange{URL: url})
		}, ui.EventScope(url)))
	}
	return ui.Li().Class("line").Body(parts...)
}

func authOption(value, label, chosen string) ui.UI {
	return ui.Option().Value(value).Text(label).Selected(value == chosen)
}

func (r *Relays) onAuth(url string) ui.EventHandler {
	return func(ctx ui.Context, _ ui.Event) {
		ctx.NewActionWithValue(DoRelayAuth, RelayChange{URL: url, Auth: ctx.JSSrc().Get("value").String()})
	}
}

func (r *Relays) onAdd(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	ctx.NewActionWithValue(DoAddRelay, RelayChange{URL: valueOf(r.JSValue(), named("relay"))})
}
