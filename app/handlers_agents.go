package app

import (
	"encoding/json"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/components"
	"parley/wasm/port"
)

// agentHandlers is handlers for what agents' pages and sessions can post.
func (sh *shell) agentHandlers() map[string]ui.ActionHandler {
	return map[string]ui.ActionHandler{
		components.DoType: func(ctx ui.Context, a ui.Action) {
			if v, ok := a.Value.(components.Words); !ok || !sh.typed(v) {
				ctx.PreventUpdate()
			}
		},
		components.DoFindAgent:   with(func(text string) { sh.findAgent(text) }),
		components.DoForgetAgent: with(func(key string) { sh.forgetAgent(key) }),
		components.DoSearchRuns:  with(func(text string) { sh.searchRuns(text) }),
		components.DoNewSession:  plain(sh.beginSession),
		components.DoModel:       with(func(v string) { sh.setChoice(func(c *components.PromptChoice) { c.Model = v }) }),
		components.DoThinking:    with(func(v string) { sh.setChoice(func(c *components.PromptChoice) { c.Thinking = v }) }),
		components.DoHide:        with(func(v bool) { sh.setChoice(func(c *components.PromptChoice) { c.Hide = v }) }),

		components.DoStop:      with(func(id string) { sh.call(port.StopRun, port.EventID{ID: id}) }),
		components.DoCheck:     with(func(id string) { sh.checkRun(id) }),
		components.DoDecrypt:   with(func(string) { sh.call(port.Decrypt, nil) }),
		components.DoAgain:     with(func(v components.Again) { sh.again(v) }),
		components.DoResend:    with(func(id string) { sh.resend(id) }),
		components.DoDeleteRun: with(func(id string) { sh.call(port.DeleteRun, port.EventID{ID: id}) }),
	}
}

// findAgent looks an agent up and opens its page.
func (sh *shell) findAgent(text string) {
	sh.submit(components.DoFindAgent, port.FindAgent, port.Search{Text: text}, "", func(value json.RawMessage) {
		var found port.PubKey
		if json.Unmarshal(value, &found) == nil && found.PubKey != "" {
			sh.navigate(Route{Page: Agent, NPub: sh.npub(found.PubKey)}.Path())
		}
	})
}

// npub is how a page names a key: an agent's npub where that is known. The
// core reads both.
func (sh *shell) npub(key string) string {
	for _, a := range sh.s.app.Agents {
		if a.Person.PubKey == key {
			return a.NPub
		}
	}
	return key
}

func (sh *shell) forgetAgent(key string) {
	sh.link.Call(port.ForgetAgent, port.PubKey{PubKey: key}, func(_ json.RawMessage, err *port.Error) {
		if err != nil {
			sh.say(err.Message, true)
			return
		}
		sh.navigate("/agents")
	})
}

func (sh *shell) searchRuns(text string) {
	sh.submit(components.DoSearchRuns, port.SearchRuns, port.Search{Text: text}, "", func(value json.RawMessage) {
		var results port.SearchResults
		if json.Unmarshal(value, &results) == nil {
			sh.s.prompts.find, sh.s.prompts.finds = text, results.Hits
		}
	})
}

// beginSession goes to where the first prompt of a session is written.
func (sh *shell) beginSession() {
	if sh.s.route.Page == Session {
		sh.navigate(Route{Page: Agent, NPub: sh.s.route.NPub}.Path())
	}
	sh.drawn(focusComposer)
}

// checkRun asks the relays again what an agent has answered.
func (sh *shell) checkRun(id string) {
	sh.link.Call(port.CheckRun, port.EventID{ID: id}, func(_ json.RawMessage, err *port.Error) {
		if err != nil {
			sh.say(err.Message, true)
			return
		}
		if r := sh.s.session.shown(id); r != nil && !r.View.State.Ended() {
			sh.say("The relays have nothing new.", false)
		}
	})
}
