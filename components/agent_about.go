package components

import (
	"slices"
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/room"
	"parley/wasm/run"
)

// AgentAbout says who an agent is and what it can do.
type AgentAbout struct {
	ui.Compo

	Agent  room.Person
	NPub   string
	Info   run.Info
	Named  bool // the agent has said what it can do
	Relays []string
	Talked bool // there are sessions: it is known for them
}

// Render implements ui.Composer.
func (a *AgentAbout) Render() ui.UI {
	words := []ui.UI{ui.B().Body(Name(a.Agent.Name)), ui.Code().Class("npub").Dir("ltr").Text(a.NPub)}
	parts := []ui.UI{ui.Div().Class("me-card").Body(
		Face(a.Agent), ui.Div().Class("grow").Body(words...))}
	if a.Agent.About != "" {
		parts = append(parts, &Markdown{Text: a.Agent.About})
	}
	parts = append(parts, ui.Dl().Class("kv").Body(a.facts()...))
	if len(a.Info.ToolNames) > 0 {
		parts = append(parts, ui.H3().Text("Tools it may use"), toolList(&a.Info))
	}
	parts = append(parts, ui.Div().Class("row").Body(
		ui.Button().Type("button").Class("btn").Text("Copy public key").OnClick(a.onCopy),
		ui.Button().Type("button").Class("btn").Text("Forget this agent").OnClick(a.onForget),
	))
	return ui.Section().Class("panel").Aria("label", "About this agent").Body(parts...)
}

func (a *AgentAbout) facts() []ui.UI {
	if !a.Named {
		return factRows([][2]string{
			{"What it can do", "It has not said. It is spoken to as the specification has it: streaming, no tools."},
			{"Encryption", "end to end"}, {"Relays", a.relays()},
		})
	}
	i := &a.Info
	facts := [][2]string{
		{"Models", strings.Join(i.SupportedModels, ", ")},
		{"Default model", i.DefaultModel},
		{"Answers", ifElse(i.SupportsStreaming, "word by word", "all at once")},
		{"Encryption", encryptionWords(i)},
		{"Price", priceWords(i.Pricing)},
	}
	if i.MaxPromptBytes > 0 {
		facts = append(facts, [2]string{"Longest question", bytesText(i.MaxPromptBytes)})
	}
	if i.MaxContextTokens > 0 {
		facts = append(facts, [2]string{"Remembers", Number(int(i.MaxContextTokens)) + " tokens"})
	}
	return factRows(append(facts, [2]string{"Relays", a.relays()}))
}

func (a *AgentAbout) relays() string {
	hosts := make([]string, 0, len(a.Relays))
	for _, url := range a.Relays {
		hosts = append(hosts, host(url))
	}
	return strings.Join(hosts, ", ")
}

// factRows are names with their values; those without a value are left out.
func factRows(facts [][2]string) []ui.UI {
	var rows []ui.UI
	for _, f := range facts {
		if f[1] != "" {
			rows = append(rows, ui.Dt().Text(f[0]), ui.Dd().Dir("auto").Text(f[1]))
		}
	}
	return rows
}

func ifElse(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}

// priceWords writes prices for 1,000 tokens.
func priceWords(p *run.Pricing) string {
	if p == nil {
		return ""
	}
	return About(p.Per1kPromptTokens, p.Currency) + " in and " +
		Money(p.Per1kOutputTokens, p.Currency) + " out for 1,000 tokens"
}

// toolList names an agent's tools with what they are for.
func toolList(i *run.Info) ui.UI {
	items := make([]ui.UI, 0, len(i.ToolNames))
	for _, name := range i.ToolNames {
		schema := i.ToolSchemas[name]
		words := []ui.UI{ui.Code().Dir("auto").Text(name)}
		if schema.RequiresApproval {
			words = append(words, ui.Span().Class("tag").Text("needs approval"))
		}
		parts := []ui.UI{ui.Span().Class("row").Body(words...)}
		if schema.Description != "" {
			parts = append(parts, ui.Small().Class("hint").Dir("auto").Text(schema.Description))
		}
		items = append(items, ui.Li().Body(parts...))
	}
	return ui.Ul().Class("tools-list").Aria("label", "Tools").Body(items...)
}

func (a *AgentAbout) onCopy(ctx ui.Context, _ ui.Event) {
	ctx.NewActionWithValue(DoCopy, Copy{Text: a.NPub, What: "Public key"})
}

func (a *AgentAbout) onForget(ctx ui.Context, _ ui.Event) {
	ctx.NewActionWithValue(DoForgetAgent, a.Agent.PubKey)
}

// encryptionWords says how an agent can be spoken to.
func encryptionWords(i *run.Info) string {
	switch {
	case !slices.Contains(i.Encryption, run.Encryption):
		return "only " + strings.Join(i.Encryption, ", ") + ", which is not supported here"
	case i.SupportsNIP59:
		return "end to end, metadata can be hidden"
	}
	return "end to end"
}
