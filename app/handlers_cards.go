package app

import (
	"encoding/json"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/components"
	"parley/wasm/port"
)

// cardHandlers is handlers for what forms, cards and files can post.
func (sh *shell) cardHandlers() map[string]ui.ActionHandler {
	return map[string]ui.ActionHandler{
		components.DoAnswer:   quietly(func(v components.AnswerAct) { sh.answer(v) }),
		components.DoTakeBack: with(func(id string) { sh.call(port.Discard, port.EventID{ID: id}) }),
		components.DoPutAway:  with(func(id string) { sh.putAway(id) }),
		components.DoRestore:  with(func(id string) { sh.bringBack(id) }),
		components.DoAskOpen:  plain(func() { sh.openCardDialog(components.DialogAsk, components.DoAsk) }),
		components.DoAsk:      with(func(v components.AskDraft) { sh.ask(v) }),
		components.DoExport:   plain(sh.export),

		components.DoTaskOpen:   plain(func() { sh.openCardDialog(components.DialogTask, components.DoTask) }),
		components.DoTask:       with(func(v components.TaskDraft) { sh.askTask(v) }),
		components.DoCancelTask: with(func(id string) { sh.call(port.CancelTask, port.EventParams{ID: id}) }),

		components.DoAttach: quietlyPlain(chooseFiles),
		components.DoFiles:  plain(sh.attach),
		components.DoDetach: with(func(n int) { sh.detach(n) }),
	}
}

// quietlyPlain is plain for what changes nothing that is drawn.
func quietlyPlain(f func()) ui.ActionHandler {
	return func(ctx ui.Context, _ ui.Action) {
		ctx.PreventUpdate()
		f()
	}
}

// answer sends an answer. What was typed is kept first: the core forgets it
// once a relay has the answer.
func (sh *shell) answer(v components.AnswerAct) {
	sh.drafts.flush()
	params := port.AnswerParams{ID: v.ID, Choices: v.Choices, Text: v.Text, Verdict: v.Verdict}
	sh.link.Call(port.AnswerAsk, params, func(_ json.RawMessage, err *port.Error) {
		if err != nil {
			v.Result(err.Message)
			return
		}
		sh.s.asked.answered(v.ID)
		v.Result("")
	})
}

func (sh *shell) openCardDialog(name, form string) {
	sh.s.setForm(form, components.FormState{})
	sh.openDialog(components.DialogCall{Name: name})
}

// ask puts a question to people of the room, or in the thread, that is open.
func (sh *shell) ask(v components.AskDraft) {
	params := port.AskParams{
		Room: sh.room(), Subject: v.Subject, Text: v.Text, People: v.People, Notify: v.Notify,
		Selection: v.Selection, Options: v.Options, Freeform: v.Freeform, Minutes: v.Minutes,
	}
	if sh.s.route.Page == Thread {
		params.Thread = sh.s.route.ID
	}
	sh.submit(components.DoAsk, port.SendAsk, params, "", func(json.RawMessage) {
		sh.openDialog(components.DialogCall{})
		sh.toLatest()
	})
}

// askTask asks an agent for a task, in the thread that is open or in the room.
func (sh *shell) askTask(v components.TaskDraft) {
	params := port.TaskParams{Room: sh.room(), Agent: v.Agent, Subject: v.Subject, Text: v.Text}
	if sh.s.route.Page == Thread {
		params.Thread = sh.s.route.ID
	}
	sh.submit(components.DoTask, port.SendTask, params, "", func(json.RawMessage) {
		sh.openDialog(components.DialogCall{})
		sh.toLatest()
	})
}

// putAway takes a question off the list of what waits.
func (sh *shell) putAway(id string) {
	sh.s.asked.put = id
	sh.call(port.DismissAsk, port.EventParams{ID: id})
}

func (sh *shell) bringBack(id string) {
	if sh.s.asked.put == id {
		sh.s.asked.put = ""
	}
	sh.call(port.RestoreAsk, port.EventParams{ID: id})
}

// export saves the signed events of the decision record that is shown, as
// `parley verify` reads them.
func (sh *shell) export() {
	record := sh.s.ask
	if record == nil || len(record.Export) == 0 {
		return
	}
	download("question-"+record.Item.View.ID[:min(8, len(record.Item.View.ID))]+".json", string(record.Export)+"\n")
}

// cardDialog draws a dialog of forms, cards or runs; nil for another one.
func (sh *shell) cardDialog(call components.DialogCall) ui.UI {
	switch call.Name {
	case components.DialogAsk:
		return &components.AskDialog{
			People: sh.peopleHere(), Inside: sh.s.route.Page == Thread, Form: sh.s.form(components.DoAsk),
		}
	case components.DialogTask:
		return &components.TaskDialog{Agents: sh.agentsHere(), Form: sh.s.form(components.DoTask)}
	case components.DialogCancelTask:
		return &components.Confirm{
			Title: "Cancel this task?", Text: "The agent is asked to stop. What it has done until then stays done.",
			Yes: "Cancel task", No: "Keep running", Action: components.DoCancelTask, Value: call.ID,
		}
	case components.DialogDeleteRun:
		return &components.Confirm{
			Title: "Delete this question and its answer?", Text: "They are deleted in this browser only. Relays and other devices may keep them.",
			Yes: "Delete here", No: "Keep", Action: components.DoDeleteRun, Value: call.ID,
		}
	}
	return nil
}
