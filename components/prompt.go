package components

import (
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/run"
)

// PromptChoice is how the next prompt is to be answered. Empty is as the agent
// likes.
type PromptChoice struct {
	Model    string
	Thinking string
	Hide     bool // hide metadata (NIP-59)
}

// PromptOptions stands above the composer of an AI session: only what the
// agent offers.
type PromptOptions struct {
	ui.Compo

	Info   run.Info
	Named  bool // the agent has said what it can do
	Choice PromptChoice
	Meter  Meter
	Asked  []string // questions that wait for a signer outside
}

// maxAsked is how much of a question that waits for a signer is shown, in
// bytes.
const maxAsked = 80

// Meter is what the prompt that is being written would take. It is a hint.
type Meter struct {
	Price   string // "about $0.0002"
	Size    string // "60,012 of 65,535 bytes", once that is near
	Problem string // why it cannot be sent as it is
}

// asItLikes is the value that leaves a choice to the agent: go-app leaves empty
// values out.
const asItLikes = "default"

var thinkingLevels = [][2]string{
	{asItLikes, "Default"}, {run.ThinkLow, "Low"}, {run.ThinkMedium, "Medium"}, {run.ThinkHigh, "High"}, {run.ThinkMax, "Max"},
}

// Render implements ui.Composer.
func (p *PromptOptions) Render() ui.UI {
	var parts []ui.UI
	if p.Named && len(p.Info.SupportedModels) > 0 {
		parts = append(parts, labelledSelect("Model", "model", orDefault(p.Choice.Model), p.models(), p.onModel))
	}
	if p.Named {
		parts = append(parts, labelledSelect("Thinking", "thinking", orDefault(p.Choice.Thinking), thinkingLevels, p.onThinking))
	}
	if p.Info.SupportsNIP59 {
		parts = append(parts, ui.Label().Class("tick", "inline").
			Title("Relays then see neither you nor what kind of message this is (NIP-59)").Body(
			ui.Input().Type("checkbox").Name("hide").Checked(p.Choice.Hide).OnChange(p.onHide),
			ui.Span().Text("Hide metadata")))
	}
	parts = append(parts, ui.Span().Class("hint", "meter").Body(p.meter()...))
	if len(p.Asked) > 0 {
		parts = append(parts, ui.Span().Class("hint", "asked").Role("status").Dir("auto").Text(askedLine(p.Asked)))
	}
	return ui.Div().Class("prompt-options").Role("group").Aria("label", "How to answer").Body(parts...)
}

// askedLine says what waits for the signer: the newest question, and how many
// there are.
func askedLine(asked []string) string {
	words := clip(strings.Join(strings.Fields(asked[len(asked)-1]), " "), maxAsked)
	line := "Waiting for your signer: “" + words + "”"
	if n := len(asked) - 1; n > 0 {
		line += " and " + Plural(n, "other question", "other questions")
	}
	return line
}

func (p *PromptOptions) meter() []ui.UI {
	var parts []ui.UI
	if p.Meter.Problem != "" {
		return []ui.UI{ui.Span().Class("problem").Dir("auto").Text(p.Meter.Problem)}
	}
	if p.Meter.Size != "" {
		parts = append(parts, ui.Span().Text(p.Meter.Size))
	}
	if p.Meter.Price != "" {
		parts = append(parts, ui.Span().Title("A hint, from the prices that the agent names, before its answer").Text(p.Meter.Price+" so far, a hint"))
	}
	return parts
}

func (p *PromptOptions) models() [][2]string {
	name := "Default"
	if p.Info.DefaultModel != "" {
		name = "Default (" + p.Info.DefaultModel + ")"
	}
	list := [][2]string{{asItLikes, name}}
	for _, model := range p.Info.SupportedModels {
		list = append(list, [2]string{model, model})
	}
	return list
}

func labelledSelect(label, name, chosen string, list [][2]string, onChange ui.EventHandler) ui.UI {
	return ui.Label().Class("inline").Body(
		ui.Span().Text(label), selection(name, chosen, list, onChange).Class("short").Aria("label", label))
}

func orDefault(value string) string {
	if value == "" {
		return asItLikes
	}
	return value
}

func notDefault(value string) string {
	if value == asItLikes {
		return ""
	}
	return value
}

func (p *PromptOptions) onModel(ctx ui.Context, _ ui.Event) {
	ctx.NewActionWithValue(DoModel, notDefault(ctx.JSSrc().Get("value").String()))
}

func (p *PromptOptions) onThinking(ctx ui.Context, _ ui.Event) {
	ctx.NewActionWithValue(DoThinking, notDefault(ctx.JSSrc().Get("value").String()))
}

func (p *PromptOptions) onHide(ctx ui.Context, _ ui.Event) {
	ctx.NewActionWithValue(DoHide, ctx.JSSrc().Get("checked").Truthy())
}
