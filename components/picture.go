package components

import (
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Picture is a picture from an event. It is fetched only when the reader asks
// or has said that pictures may be: the host that has it learns who looks.
type Picture struct {
	ui.Compo

	Source string
	Alt    string

	shown  bool
	failed bool
}

// CompoID implements ui.DismountEnforcer: a picture that was shown says nothing
// about another one in its place.
func (p *Picture) CompoID() string { return p.Source }

// Render implements ui.Composer.
func (p *Picture) Render() ui.UI {
	if !p.shown && !(LoadPictures && strings.HasPrefix(p.Source, "https://")) {
		return ui.Span().Class("picture").Body(
			ui.Button().Type("button").Class("btn").Text("Show picture").OnClick(p.onShow),
			ui.Span().Class("picture-alt").Dir("auto").Body(ui.Text(p.Alt+" ("+host(p.Source)+")")),
		)
	}
	if p.failed {
		return ui.Span().Class("picture").Body(
			ui.Span().Class("picture-alt").Dir("auto").Text("This picture could not be loaded. "),
			link(p.Source).Text("Open it in a new tab"),
		)
	}
	return ui.Span().Class("picture", "shown").Body(
		link(p.Source).Body(
			ui.Img().Src(p.Source).Alt(p.Alt).Attr("referrerpolicy", "no-referrer").
				Attr("decoding", "async").Attr("loading", "lazy").On("error", p.onFail),
		),
	)
}

func (p *Picture) onShow(ctx ui.Context, _ ui.Event) { p.shown = true }

func (p *Picture) onFail(ctx ui.Context, _ ui.Event) { p.failed = true }
