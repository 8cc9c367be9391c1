package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/run"
)

// status is the line above an answer that is being written, or under one that
// is over: where it stands, for how long, what it took, and the way to stop it,
// or what can be done now.
func (r *Run) status(s *RunShown, over bool) ui.UI {
	v := &s.View
	words, class := stateWords(s)
	pill := ui.Span().Class("pill", class)
	if v.Started != 0 && v.State != run.StateWaiting && (!v.State.Ended() || v.Ended >= v.Started) {
		pill = pill.Body(ui.Text(words+" · "), &Ticking{Kind: TickElapsed, At: v.Started, End: v.Ended})
	} else {
		pill = pill.Text(words)
	}
	row := []ui.UI{pill}
	if info := liveInfo(v); info != nil {
		row = append(row, info)
	}
	if v.Usage != nil {
		row = append(row, ui.Span().Class("hint").Text(usageWords(v)))
	}
	if v.State == run.StateIncomplete {
		row = append(row, r.button("Check again", DoCheck))
	}
	if s.Decrypt {
		row = append(row, r.button("Decrypt", DoDecrypt))
	}
	if s.CanStop {
		row = append(row, r.button("Stop", DoStop).Class("end"))
	}
	if over {
		row = append(row, r.ways(s))
	}
	return ui.Div().Class("row", "run-status").Body(row...)
}

// stateWords is a run's state for a person, and the colour of its pill.
func stateWords(s *RunShown) (words, class string) {
	v := &s.View
	switch v.State {
	case run.StateWaiting:
		return "Waiting to be sent", "wait"
	case run.StateSent:
		if s.Delivery.State == "stored" {
			return "Stored, not picked up yet", "wait"
		}
		return "Sent, not picked up yet", "wait"
	case run.StateThinking:
		return "Thinking", "run"
	case run.StateToolUse:
		if name := openTool(v); name != "" {
			return "Using " + name, "run"
		}
		return "Using a tool", "run"
	case run.StateStreaming:
		return "Writing", "run"
	case run.StateCancelling:
		return "Stopping", "wait"
	case run.StateDone:
		return "Done", "done"
	case run.StateFailed:
		return "Failed", "bad"
	case run.StateCancelled:
		return "Stopped", ""
	case run.StateIncomplete:
		return "Incomplete", "wait"
	}
	return "Not loaded", ""
}

// openTool is the tool that was called last and has not come back.
func openTool(v *run.View) string {
	for i := len(v.Tools) - 1; i >= 0; i-- {
		if v.Tools[i].Phase != run.PhaseResult {
			return v.Tools[i].Name
		}
	}
	return ""
}

// liveInfo is what the agent says about how far it is; nil for nothing.
func liveInfo(v *run.View) ui.UI {
	if v.State.Ended() || v.State == run.StateIncomplete || v.Info == "" && v.Progress == nil {
		return nil
	}
	parts := []ui.UI{ui.Span().Dir("auto").Text(v.Info)}
	if v.Progress != nil {
		parts = append(parts,
			ui.Progress().Class("bar").Max(100).Value(*v.Progress).Aria("label", "Progress"),
			ui.Span().Text(Number(*v.Progress)+" %"))
	}
	return ui.Span().Class("hint", "run-info").Body(parts...)
}

// usageWords says what an answer took: "412 tokens in, 188 out, about $0.01".
func usageWords(v *run.View) string {
	words := Plural(int(v.Usage.InputTokens), "token", "tokens") + " in, " + Number(int(v.Usage.OutputTokens)) + " out"
	if v.Cost != nil {
		words += ", " + About(v.Cost.Amount, v.Cost.Currency)
	}
	return words
}

func (r *Run) button(label, action string) ui.HTMLButton {
	id := r.ID
	return ui.Button().Type("button").Class("btn").Text(label).
		OnClick(func(ctx ui.Context, _ ui.Event) { ctx.NewActionWithValue(action, id) }, ui.EventScope(id, action))
}

// ways are what can be done once a run is over.
func (r *Run) ways(s *RunShown) ui.UI {
	v := &s.View
	var row []ui.UI
	if s.Retry && v.Question != "" {
		row = append(row, r.retry(v))
	}
	if v.Text != "" {
		row = append(row, r.textButton("Copy", func(ctx ui.Context) {
			ctx.NewActionWithValue(DoCopy, Copy{Text: r.Feed.shown.View.Text, What: "Answer"})
		}))
	}
	if v.Question != "" {
		row = append(row, r.textButton("Edit and ask again", func(ctx ui.Context) { ctx.NewActionWithValue(DoResend, r.ID) }))
	}
	row = append(row, r.textButton("Delete…", func(ctx ui.Context) {
		ctx.NewActionWithValue(DoDialog, DialogCall{Name: DialogDeleteRun, ID: r.ID})
	}))
	return ui.Div().Class("row", "run-ways").Body(row...)
}

func (r *Run) textButton(label string, act func(ui.Context)) ui.UI {
	return ui.Button().Type("button").Class("textbtn").Text(label).
		OnClick(func(ctx ui.Context, _ ui.Event) { act(ctx) }, ui.EventScope(r.ID, label))
}

// retry sends the same prompt as a new one, once the agent is ready for it.
func (r *Run) retry(v *run.View) ui.UI {
	wait := int64(0)
	if v.Error != nil {
		wait = v.Error.RetryAt - unixNow()
	}
	id := r.ID
	class := "btn"
	if v.State == run.StateDone {
		class = "textbtn"
	}
	button := ui.Button().Type("button").Class(class).Text("Retry").Disabled(wait > 0).
		OnClick(func(ctx ui.Context, _ ui.Event) { ctx.NewActionWithValue(DoAgain, Again{ID: id}) }, ui.EventScope(id, DoAgain))
	if wait <= 0 {
		return button
	}
	return ui.Span().Class("row").Body(button,
		ui.Span().Class("hint").Body(&Ticking{Kind: TickLeft, At: v.Error.RetryAt, Before: "in "}))
}
