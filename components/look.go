package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Look is the part of the settings about how this browser shows things.
type Look struct {
	ui.Compo

	Pictures bool // pictures of others are loaded without asking each time
}

// Render implements ui.Composer.
func (l *Look) Render() ui.UI {
	return ui.Section().Class("panel").Aria("labelledby", "look-title").Body(
		ui.H2().ID("look-title").Text("Look and privacy"),
		ui.Label().Class("tick").Body(
			ui.Input().Type("checkbox").Name("look-pictures").Checked(l.Pictures).
				Aria("labelledby", "tick-look-pictures").Aria("describedby", "hint-look-pictures").OnChange(l.onPictures),
			ui.Span().Body(
				ui.Span().ID("tick-look-pictures").Text("Load pictures"),
				ui.Small().Class("hint").ID("hint-look-pictures").Text("Pictures of people and in messages lie on hosts that their authors chose. Each host that is asked learns your network address and when you read. While this is off, you press “Show picture” for each, and people are a letter on a colour."),
			),
		),
		ui.P().Class("hint").Text("Light or dark, motion and contrast follow your system."),
	)
}

func (l *Look) onPictures(ctx ui.Context, _ ui.Event) {
	ctx.NewActionWithValue(DoPictures, ctx.JSSrc().Get("checked").Truthy())
}
