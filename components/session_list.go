package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/run"
)

// SessionLine is one session in a list.
type SessionLine struct {
	Href   string // a path of the app
	Title  string
	When   string
	State  run.State // of its newest run
	Unread bool
	Here   bool
}

// SessionList is the sessions with an agent, newest first.
type SessionList struct {
	ui.Compo

	Lines []SessionLine
	Brief bool // beside a session: title and time only
}

// Render implements ui.Composer.
func (s *SessionList) Render() ui.UI {
	items := make([]ui.UI, 0, len(s.Lines))
	for _, l := range s.Lines {
		items = append(items, ui.Li().Body(s.line(l)))
	}
	return ui.Ul().Class("sessions").Aria("label", "Sessions").Body(items...)
}

func (s *SessionList) line(l SessionLine) ui.UI {
	title := l.Title
	if title == "" {
		title = "Still to be decrypted…"
	}
	a := link(l.Href).Class("session-line")
	if l.Here {
		a = a.Aria("current", "page").Class("on")
	}
	words := []ui.UI{ui.Span().Class("grow", "session-title").Dir("auto").Text(title)}
	if l.Unread {
		words = append(words, ui.Span().Class("count").Body(ui.Text("new"), ui.Span().Class("sr").Text(" answer")))
	}
	if word, class := lineState(l.State); word != "" && !s.Brief {
		words = append(words, ui.Span().Class("pill", class).Text(word))
	}
	return a.Body(append(words, ui.Span().Class("when").Text(l.When))...)
}

// lineState is a state worth a word in a list: one that is done is not.
func lineState(state run.State) (string, string) {
	switch state {
	case "", run.StateDone:
		return "", ""
	}
	return stateWords(&RunShown{View: run.View{State: state}})
}

// SessionSide is what stands beside a session: how it is answered, what it
// took, what the agent may do.
type SessionSide struct {
	ui.Compo

	Choice  PromptChoice
	Info    run.Info
	Named   bool
	Usage   *run.Usage
	Cost    *run.Price
	Note    string
	Earlier []SessionLine
}

// Render implements ui.Composer.
func (s *SessionSide) Render() ui.UI {
	parts := []ui.UI{ui.Section().Body(ui.H2().Text("This session"), ui.Dl().Class("kv").Body(factRows(s.facts())...))}
	if s.Note != "" {
		parts = append(parts, ui.P().Class("hint").Text(s.Note))
	}
	if s.Named && len(s.Info.ToolNames) > 0 {
		parts = append(parts, ui.Section().Body(ui.H2().Text("Tools it may use"), toolList(&s.Info)))
	}
	if len(s.Earlier) > 0 {
		parts = append(parts, ui.Section().Body(ui.H2().Text("Earlier sessions"), &SessionList{Lines: s.Earlier, Brief: true}))
	}
	return ui.Div().Class("details").Body(parts...)
}

func (s *SessionSide) facts() [][2]string {
	model := s.Choice.Model
	if model == "" {
		model = s.Info.DefaultModel
	}
	facts := [][2]string{{"Model", model}, {"Thinking", orDefault(s.Choice.Thinking)}, {"Hide metadata", ifElse(s.Choice.Hide, "on", "off")}}
	if s.Usage != nil {
		facts = append(facts, [2]string{"Used so far", Number(int(s.Usage.InputTokens+s.Usage.OutputTokens)) + " tokens"})
	}
	if s.Cost != nil {
		facts = append(facts, [2]string{"Estimate", About(s.Cost.Amount, s.Cost.Currency)})
	}
	return facts
}

// Find is one place where a search found its words.
type Find struct {
	Href  string
	Agent string
	When  string
	Text  string
}

// RunSearch searches one's own questions and the answers to them.
type RunSearch struct {
	ui.Compo

	Form  FormState
	Words string // that were searched for; "" before any search
	Finds []Find
}

// Render implements ui.Composer.
func (s *RunSearch) Render() ui.UI {
	parts := []ui.UI{ui.Form().Class("stack").Role("search").OnSubmit(s.onSubmit).Body(
		ui.Label().For("field-run-search").Class("search-label").Text("Search your questions and their answers"),
		ui.Div().Class("row", "search-row").Body(
			ui.Input().Class("field", "grow").Type("search").Name("run-search").ID("field-run-search").AutoComplete(false),
			submit("Search", s.Form.Busy)),
		s.Form.message(),
	)}
	switch {
	case s.Words == "":
	case len(s.Finds) == 0:
		parts = append(parts, ui.P().Class("empty").Role("status").Text("Nothing was found in this browser."))
	default:
		items := make([]ui.UI, 0, len(s.Finds))
		for _, f := range s.Finds {
			items = append(items, ui.Li().Body(link(f.Href).Class("session-line", "find").Body(
				ui.Span().Class("grow").Dir("auto").Text("…"+f.Text+"…"),
				ui.Span().Class("when").Body(ui.Bdi().Text(f.Agent), ui.Text(" · "+f.When)))))
		}
		parts = append(parts, ui.Ul().Class("sessions").Aria("label", "Found").Body(items...))
	}
	return ui.Section().Class("panel").Body(parts...)
}

func (s *RunSearch) onSubmit(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	ctx.NewActionWithValue(DoSearchRuns, valueOf(s.JSValue(), named("run-search")))
}
