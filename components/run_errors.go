package components

import (
	"strconv"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/room"
	"parley/wasm/run"
)

// errorWords says for each code of the NIP what happened, and what to do.
var errorWords = map[run.Code][2]string{
	run.UnsupportedEncryption:    {"The agent cannot read this encryption", "It may be older or newer than this app. Ask its owner."},
	run.UnsupportedModel:         {"The agent does not have this model", "Choose another one, or leave the choice to the agent."},
	run.UnsupportedSchemaVersion: {"The agent speaks another version of its tools", "Reload this page and ask again; if that does not help, ask its owner."},
	run.RateLimit:                {"Too many questions in a short time", "Wait a little, then retry."},
	run.Unauthorized:             {"The agent does not answer you", "It answers only people on its list. Ask its owner to add your public key, which stands in the settings."},
	run.BlockedSender:            {"The agent has blocked you", "Only its owner can change that."},
	run.ModelUnavailable:         {"The model cannot be reached", "Try again later, or choose another model."},
	run.SessionLimit:             {"This session has become too long", "Begin a new session."},
	run.ParseError:               {"The agent's answer could not be read", "Retry; if it happens again, tell its owner."},
	run.EmptyResponse:            {"The agent had nothing to say", "Ask in other words."},
	run.ToolError:                {"A tool of the agent failed", "Retry, or ask without that tool."},
	run.InvalidSchema:            {"The agent's answer breaks the rules", "Retry; if it happens again, tell its owner."},
	run.UnsupportedFeature:       {"The agent cannot do this", "Ask for something else, or another agent."},
	run.InvalidSequence:          {"Pieces of the answer contradict each other", "Retry."},
	run.InternalError:            {"The agent had a fault", "Retry; if it happens again, tell its owner."},
	run.Cancelled:                {"Stopped", ""},
}

// askedWords are for codes that mean something else when the agent itself sends
// them: it is our question then that was at fault.
var askedWords = map[run.Code][2]string{
	run.ParseError:      {"The agent could not read the question", "Retry; if it happens again, tell its owner."},
	run.InvalidSchema:   {"The agent refused the form of the question", "Change it as the agent says, and ask again."},
	run.InvalidSequence: {"The agent lost the order of its answer", "Retry."},
}

// wordsOf says what happened, and what to do.
func wordsOf(e *run.ErrorView) [2]string {
	if words, ok := askedWords[e.Code]; ok && !e.Broken {
		return words
	}
	if words, ok := errorWords[e.Code]; ok {
		return words
	}
	return errorWords[run.InvalidSchema]
}

// maxModels is how many other models are offered at once.
const maxModels = 8

// failure is why a run failed; nil when it did not.
func (r *Run) failure(v *run.View) ui.UI {
	switch {
	case v.Refused != "":
		return ui.Div().Class("run-error").Body(
			ui.P().Class("problem").Text("No relay took this question"),
			ui.P().Dir("auto").Text(room.Refusal(v.Refused)))
	case v.Error == nil:
		return nil
	case v.State == run.StateCancelled:
		return ui.P().Class("note").DataSet("run-error", string(v.Error.Code)).Dir("auto").Text(stopWords(v))
	}
	e := v.Error
	words := wordsOf(e)
	parts := []ui.UI{
		ui.P().Class("problem").Body(ui.Text(words[0]+" "), ui.Code().Class("code-name").Text(string(e.Code))),
	}
	if e.Message != "" {
		parts = append(parts, ui.P().Class("written").Dir("auto").Text(e.Message))
	}
	parts = append(parts, ui.P().Class("hint").Text(r.advice(e, words[1])))
	if e.Code == run.UnsupportedModel && v.Question != "" {
		parts = append(parts, r.otherModels(v.Model))
	}
	if details := errorDetails(e); details != nil {
		parts = append(parts, details)
	}
	return ui.Div().Class("run-error").Role("group").Aria("label", "Failure").
		DataSet("run-error", string(e.Code)).Body(parts...)
}

// advice is what to do, with the name of whom to ask where that is known.
func (r *Run) advice(e *run.ErrorView, words string) string {
	if (e.Code == run.Unauthorized || e.Code == run.BlockedSender) && r.Agent.Agent != "" && r.Agent.Agent != "agent" {
		words += " This is an " + r.Agent.Agent + "."
	}
	return words
}

// stopWords says who stopped a run.
func stopWords(v *run.View) string {
	words := "The answer was stopped."
	switch v.CancelReason {
	case "user_cancel":
		words = "You stopped it."
	case "timeout":
		words = "You stopped it after it had fallen silent."
	case "policy":
		words = "It was stopped by a rule."
	}
	if v.Error.Message != "" {
		words += " The agent says: " + v.Error.Message
	}
	return words
}

// otherModels offers the models that the agent has.
func (r *Run) otherModels(but string) ui.UI {
	var row []ui.UI
	for _, model := range r.Models {
		if model == but || len(row) == maxModels {
			continue
		}
		row = append(row, ui.Button().Type("button").Class("btn").Body(ui.Text("Try "), ui.Bdi().Text(model)).
			OnClick(func(ctx ui.Context, _ ui.Event) {
				ctx.NewActionWithValue(DoAgain, Again{ID: r.ID, Model: model})
			}, ui.EventScope(r.ID, model)))
	}
	return ui.Div().Class("row").Body(row...)
}

// errorDetails is what the agent sent beside the words, for those who want to
// know.
func errorDetails(e *run.ErrorView) ui.UI {
	var parts []ui.UI
	if e.Details != "" {
		parts = append(parts, ui.Pre().Dir("auto").TabIndex(0).Text(clip(indented(e.Details), maxToolText)))
	}
	label := "Details"
	if e.Broken {
		label = "What the agent sent"
		parts = append(parts, ui.Pre().Dir("auto").TabIndex(0).Text(clip(e.Raw, maxToolText)))
	}
	if len(parts) == 0 {
		return nil
	}
	return ui.Details().Class("tool").Body(ui.Summary().Text(label), ui.Div().Class("tool-body").Body(parts...))
}

// noteWords says what a person should know about a run.
var noteWords = map[run.Note]string{
	run.NoteLateWinner:   "A later answer of the agent has replaced the one that was shown before.",
	run.NoteNotHidden:    "You hid the metadata, but part of this answer came openly: relays can see that you two talk.",
	run.NotePlainRumour:  "A part of this was not encrypted a second time inside its wrap.",
	run.NoteNotListening: "The agent is not listening at the moment. Retry when it is back.",
	run.NoteNoPrompt:     "The question that this answers is not here.",
	run.NoteUnreadable:   "Some messages of the agent could not be decrypted.",
	run.NoteToolsCut:     "There were more tool calls than are shown.",
}

// remarks are what else there is to say about an answer.
func (r *Run) remarks(v *run.View) []ui.UI {
	var parts []ui.UI
	note := func(text string) { parts = append(parts, ui.P().Class("note").Text(text)) }
	if v.Degraded {
		note("Streaming is degraded: pieces of this answer are missing" + ifGaps(v) + ".")
	}
	if v.State == run.StateIncomplete {
		note("The agent has fallen silent. What came so far is kept.")
	}
	if v.Sealed > 0 {
		note(Plural(v.Sealed, "message is", "messages are") + " still to be decrypted.")
	}
	for _, n := range v.Notes {
		if words := noteWords[n]; words != "" && n != run.NoteNoPrompt {
			note(words)
		}
	}
	if v.Faults > 0 {
		parts = append(parts, diagnostics(v))
	}
	return parts
}

// ifGaps says where, when the text has gaps that can be shown.
func ifGaps(v *run.View) string {
	if len(v.Gaps) == 0 {
		return ""
	}
	return ", marked (…)"
}

// diagnostics are faults in the agent's messages, for its developer.
func diagnostics(v *run.View) ui.UI {
	items := make([]ui.UI, 0, len(v.Diagnostics)+1)
	for _, d := range v.Diagnostics {
		words := string(d.Code) + ", kind " + strconv.Itoa(d.Kind) + ", event " + shortKey(d.Event) + ": "
		if d.Field != "" {
			words += d.Field + ": "
		}
		items = append(items, ui.Li().Dir("auto").Text(words+d.Text))
	}
	if n := v.Faults - len(v.Diagnostics); n > 0 {
		items = append(items, ui.Li().Text("and "+Number(n)+" more"))
	}
	return ui.Details().Class("tool").Body(
		ui.Summary().Text("For developers: "+Plural(v.Faults, "fault", "faults")),
		ui.Ul().Class("tool-body", "faults").Body(items...))
}
