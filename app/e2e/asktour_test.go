package e2e

import "testing"

// TestTheTourOfAnAgentGoesOnAfterACrash answers every kind of question that the
// scripted agent can ask, one of them while the agent is down.
func TestTheTourOfAnAgentGoesOnAfterACrash(t *testing.T) {
	s := serve(t, "-no-agent")
	a := newAgent(t, s)
	anaKey := newKey(t)
	ana := visit(t, s, "ana", "/").signIn(anaKey).enter("lobby")
	ana.say("@Agent tour")
	takes := func(id, outcome string) {
		t.Helper()
		ana.is(id, "answered")
		ana.shows(id, "You answered"+outcome)
		ana.shows(id, "Picked up by Agent")
		ana.shows(id, "1 reply")
	}

	single := ana.asked("1 of 6")
	ana.choose(single, "tea")
	ana.pressOn(single, "button", "Answer")
	takes(single, ": Tea")

	multiple := ana.asked("2 of 6")
	ana.choose(multiple, "fri", "mon")
	ana.pressOn(multiple, "button", "Answer")
	takes(multiple, ": Monday, Friday")

	text := ana.asked("3 of 6")
	a.kill()
	ana.writeOn(text, "Your answer", "The Hatch")
	ana.pressOn(text, "button", "Answer")
	ana.is(text, "answered")
	ana.shows(text, "Stored")
	ana.hides(text, "Picked up")
	a.start()
	takes(text, "")
	ana.shows(text, "The Hatch")

	details := ana.asked("4 of 6")
	ana.choose(details, "badly")
	ana.writeOn(details, "Add details", "It rained")
	ana.pressOn(details, "button", "Answer")
	takes(details, ": Badly")

	approval := ana.asked("5 of 6")
	look := func(id string) string {
		return eval[string](ana, card(id)+`.querySelector(".card-head .kind").innerText + getComputedStyle(`+card(id)+`.querySelector(".card")).borderTopColor`)
	}
	ana.choose(approval, "approve")
	ana.pressOn(approval, "button", "Answer")
	takes(approval, ": Approve")
	confirmation := ana.asked("6 of 6")
	looks := map[string]bool{look(single): true, look(approval): true, look(confirmation): true}
	if len(looks) != 3 {
		t.Errorf("questions, approvals and confirmations look like %v", looks)
	}
	ana.choose(confirmation, "yes")
	ana.pressOn(confirmation, "button", "Answer")
	takes(confirmation, ": Yes, end it")

	// What the agent did with an answer stands in the thread of its question.
	ana.pressOn(approval, "link", "1 reply")
	ana.sees("I water the plants.")
	ana.is(approval, "answered")
	if n := eval[int](ana, `e2e.messages().length`); n != 2 {
		t.Errorf("the thread has %d entries: an answer stands in its form only", n)
	}
}
