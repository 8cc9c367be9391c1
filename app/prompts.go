package app

import (
	"encoding/json"

	"parley/components"
	"parley/wasm/port"
	"parley/wasm/run"
)

// nearSize is from which share of the largest prompt on its size is shown, in
// tenths.
const nearSize = 8

// maxEscape is how many bytes one byte of text takes in JSON at most, and
// promptFrame what a prompt takes besides: below both there is no need to
// measure.
const (
	maxEscape   = 6
	promptFrame = 1024
)

// info is what is known of the agent that the page is about.
func (sh *shell) info() (info run.Info, named bool) {
	switch {
	case sh.s.route.Page == Session && sh.s.session != nil && sh.s.session.known:
		return sh.s.session.head.Info, sh.s.session.head.HasInfo
	case sh.s.agent != nil:
		return sh.s.agent.Info, sh.s.agent.HasInfo
	}
	return run.DefaultInfo(""), false
}

func (sh *shell) choice() components.PromptChoice {
	info, _ := sh.info()
	return sh.s.prompts.at(sh.s.route.Path(), sh.s.session, &info)
}

func (sh *shell) setChoice(change func(*components.PromptChoice)) {
	c := sh.choice()
	change(&c)
	sh.s.prompts.set(sh.s.route.Path(), c)
}

// typed keeps what stands in the composer. It reports whether anything that is
// drawn has changed.
func (sh *shell) typed(v components.Words) bool {
	sh.drafts.typed(v.Key, v.Text)
	if sh.s.route.Page != Session && sh.s.route.Page != Agent {
		return false
	}
	return sh.measure(v.Text)
}

// measure says what a prompt would take, as far as the agent gives hints. It
// reports whether that reads otherwise than before.
func (sh *shell) measure(text string) bool {
	info, _ := sh.info()
	meter := meterOf(&info, sh.me(), sh.choice(), text)
	changed := meter != sh.s.prompts.meter
	sh.s.prompts.meter = meter
	return changed
}

func meterOf(info *run.Info, me string, c components.PromptChoice, text string) (m components.Meter) {
	if text == "" {
		return m
	}
	if price := info.EstimatePrompt(text); price != nil {
		m.Price = components.About(price.Amount, price.Currency)
	}
	if limit := info.MaxPromptBytes; limit > 0 && (int64(len(text))*maxEscape+promptFrame)*10 > limit*nearSize {
		draft, err := run.NewPrompt(run.Question{Client: me, Message: text, Model: c.Model, Thinking: c.Thinking}, *info, 0)
		if fault, ok := err.(*run.Fault); ok {
			m.Problem = fault.Sentence()
		} else if int64(len(draft.Plain))*10 > limit*nearSize {
			m.Size = components.Number(len(draft.Plain)) + " of " + components.Number(int(limit)) + " bytes"
		}
	}
	return m
}

// sendPrompt asks the agent that the page is about. Without a session it
// begins one and goes there.
func (sh *shell) sendPrompt(words components.Words) {
	c := sh.choice()
	sh.prompt(port.PromptParams{
		Agent: sh.s.route.NPub, Session: sh.s.route.Session, Text: words.Text,
		Model: c.Model, Thinking: c.Thinking, Hide: c.Hide, Draft: words.Key,
	}, func(err *port.Error) {
		sh.fill(words.Text, false)
		sh.say(err.Message, true)
	})
}

func (sh *shell) prompt(params port.PromptParams, failed func(*port.Error)) {
	sh.drafts.sent(params.Draft)
	from := sh.s.route
	sh.s.prompts.meter = components.Meter{}
	sh.sessionToEnd()
	answered := func() {}
	if me := sh.s.app.Me; me != nil && me.Signer != "local" {
		answered = sh.s.prompts.asking(params.Text)
	}
	sh.link.Call(port.SendPrompt, params, func(value json.RawMessage, err *port.Error) {
		answered()
		var sent port.PromptSent
		switch {
		case err != nil:
			failed(err)
		case json.Unmarshal(value, &sent) != nil || sent.Session == "":
			sh.say("The question was sent, but its session is not known. It stands in the list.", true)
		case sh.s.route == from && from.Page == Agent:
			to := Route{Page: Session, NPub: from.NPub, Session: sent.Session}
			sh.s.prompts.set(to.Path(), components.PromptChoice{Model: params.Model, Thinking: params.Thinking, Hide: params.Hide})
			sh.navigate(to.Path())
		}
	})
}

// again sends a former prompt once more, as a new one.
func (sh *shell) again(v components.Again) {
	r := sh.s.session.shown(v.ID)
	if r == nil || r.View.Question == "" {
		return
	}
	params := port.PromptParams{
		Agent: sh.s.route.NPub, Session: sh.s.route.Session, Text: r.View.Question,
		Model: r.View.Model, Thinking: r.View.ThinkingMode, Hide: r.View.Wrapped,
	}
	if v.Model != "" {
		params.Model = v.Model
		sh.setChoice(func(c *components.PromptChoice) { c.Model = v.Model })
	}
	sh.prompt(params, func(err *port.Error) { sh.say(err.Message, true) })
}

// resend puts the words of a former prompt into the composer.
func (sh *shell) resend(id string) {
	if r := sh.s.session.shown(id); r != nil {
		sh.fill(r.View.Question, true)
	}
}
