package components

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/run"
)

// Limits of what a tool row shows, in bytes.
const (
	maxToolLine = 80     // of the arguments beside the name
	maxToolText = 20_000 // of arguments and output when it is open
)

// ToolRow is one call of a tool: closed at first, and everything in it mere
// text.
type ToolRow struct {
	ui.Compo

	T    run.ToolView
	Over bool // the run has ended: nothing more comes

	open bool
}

// CompoID implements ui.DismountEnforcer.
func (r *ToolRow) CompoID() string { return r.T.Key }

// Render implements ui.Composer.
func (r *ToolRow) Render() ui.UI {
	t := &r.T
	head := []ui.UI{ui.Code().Dir("auto").Text(t.Name)}
	line := argumentLine(t.Arguments)
	if line == "" {
		line = clip(oneLine(t.Text), maxToolLine)
	}
	head = append(head, ui.Span().Class("tool-args").Dir("auto").Text(line))
	if !t.Advertised {
		head = append(head, ui.Span().Class("tag", "warn").Title("The agent does not say that it has this tool").Text("not advertised"))
	}
	if t.RequiresApproval {
		head = append(head, ui.Span().Class("tag").Text("needs approval"))
	}
	words, class := r.state()
	parts := []ui.UI{ui.Summary().Body(append(head, ui.Span().Class("tool-end", class).Text(words))...)}
	if r.open {
		parts = append(parts, ui.Div().Class("tool-body").Body(r.inside()...))
	}
	return ui.Details().Class("tool").DataSet("tool", t.Name).DataSet("phase", t.Phase).
		On("toggle", r.onToggle).Body(parts...)
}

func (r *ToolRow) onToggle(ctx ui.Context, _ ui.Event) { r.open = ctx.JSSrc().Get("open").Truthy() }

// state says how a call stands: "0.12 s · done".
func (r *ToolRow) state() (words, class string) {
	t := &r.T
	switch {
	case t.Phase != run.PhaseResult && r.Over:
		words = "no result"
	case t.Phase != run.PhaseResult:
		return "running…", "run"
	case t.Success != nil && !*t.Success:
		words, class = "failed", "bad"
	default:
		words = "done"
	}
	if t.DurationMS != nil {
		words = milliseconds(*t.DurationMS) + " · " + words
	}
	return words, class
}

func (r *ToolRow) inside() []ui.UI {
	t := &r.T
	var parts []ui.UI
	add := func(label, text string) {
		if text != "" {
			parts = append(parts, ui.Div().Class("labelled").Body(
				ui.Span().Class("hint").Text(label), ui.Pre().Dir("auto").TabIndex(0).Text(clip(text, maxToolText))))
		}
	}
	add("Says", t.Text)
	add("Arguments", indented(t.Arguments))
	if t.OutputText != "" {
		add("Output", t.OutputText)
	} else {
		add("Output", indented(t.Output))
	}
	if len(parts) == 0 {
		parts = append(parts, ui.P().Class("hint").Text("Nothing more was said."))
	}
	return parts
}

// argumentLine writes a call's arguments in a line: the values of a small
// object, else the JSON.
func argumentLine(raw string) string {
	var fields map[string]json.RawMessage
	if raw == "" || json.Unmarshal([]byte(raw), &fields) != nil {
		return clip(oneLine(raw), maxToolLine)
	}
	if len(fields) == 0 {
		return ""
	}
	if len(fields) > 1 {
		return clip(oneLine(raw), maxToolLine)
	}
	for _, value := range fields {
		var text string
		if json.Unmarshal(value, &text) == nil {
			return clip(oneLine(text), maxToolLine)
		}
		return clip(oneLine(string(value)), maxToolLine)
	}
	return ""
}

func indented(raw string) string {
	var value any
	if raw == "" || json.Unmarshal([]byte(raw), &value) != nil {
		return raw
	}
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return raw
	}
	return string(text)
}

// milliseconds writes a short length of time: "0.12 s".
func milliseconds(ms int64) string {
	switch {
	case ms < 0:
		return "0 s"
	case ms < 10_000:
		hundredths := (ms + 5) / 10
		return Decimal(float64(hundredths)/100, 2) + " s"
	}
	return Lasting(ms / 1000)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// clip cuts a text to so many bytes, on a whole code point.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}
