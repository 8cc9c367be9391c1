package e2e

import (
	"testing"

	"parley/wasm/ask"
)

// TestAnswersWhileTheRelayIsAway has a site of its own, so that pages load
// while the relay is down.
func TestAnswersWhileTheRelayIsAway(t *testing.T) {
	home := serve(t, "-no-agent")
	site := serve(t, "-relay", home.relay)
	anaKey, benKey, bot := newKey(t), newKey(t), newKey(t)
	mine := bot.asks(t, ask.Draft{Text: "Only ana is asked", Selection: ask.Single, Options: drinks, Freeform: true}, anaKey)
	both := bot.asks(t, ask.Draft{Text: "Both are asked"}, anaKey, benKey)
	post(t, home, bot.profile(t, "Robot"), benKey.profile(t, "Ben"), mine, both)
	ana := visit(t, site, "ana", "/").signIn(anaKey).enter("lobby")
	brief := bot.asks(t, ask.Draft{Text: "It will not wait", Expires: now() + 14}, anaKey)
	post(t, home, brief)
	for _, q := range []string{mine.ID, both.ID, brief.ID} {
		ana.is(q, "open")
	}

	home.kill()
	ana.wait("to be offline", `document.querySelector("[data-connection]").dataset.connection !== "online"`)
	ana.choose(mine.ID, "tea")
	ana.writeOn(mine.ID, "Add details", "from the train")
	ana.pressOn(mine.ID, "button", "Answer")
	ana.is(mine.ID, "sending")
	ana.choose(both.ID, "coffee")
	ana.pressOn(both.ID, "button", "Answer")
	ana.is(both.ID, "sending")
	ana.choose(brief.ID, "coffee")
	ana.pressOn(brief.ID, "button", "Answer")
	ana.is(brief.ID, "sending")
	ana.shows(mine.ID, "waiting for the relay")
	ana.reload()
	ana.is(mine.ID, "sending")
	ana.shows(mine.ID, "Your answer: Green tea")
	ana.shows(mine.ID, "from the train")

	// Meanwhile ben has answered, and one deadline passes.
	home.seed(benKey.answers(t, both, ask.Answer{Choices: []string{"tea"}}, now()))
	ana.is(brief.ID, "expired")
	home.start()
	ana.is(mine.ID, "answered")
	ana.shows(mine.ID, "You answered: Green tea")
	ana.is(both.ID, "answered")
	ana.shows(both.ID, "Ben answered: Green tea")
	ana.wait("what ana chose to stay", option(both.ID, "coffee")+`.checked`)
	ana.is(brief.ID, "expired")
	ana.wait("what ana chose to stay", option(brief.ID, "coffee")+`.checked`)
	ana.wait("the reason to be said", `document.body.innerText.includes("was not sent")`)
	until(t, "ana's answer on the relay", func() bool { return len(answersTo(t, home, mine.ID)) == 1 })
	if got := answersTo(t, home, both.ID); len(got) != 1 || got[0].PubKey != benKey.public {
		t.Errorf("the question that ben had answered has %d answers", len(got))
	}
	if got := answersTo(t, home, brief.ID); len(got) != 0 {
		t.Error("an answer left after the deadline")
	}
}
