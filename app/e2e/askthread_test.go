package e2e

import "testing"

func TestAQuestionAskedInAThreadStandsInIt(t *testing.T) {
	s := serve(t, "-no-agent")
	ana, ben := newKey(t), newKey(t)
	root := ben.message(t, now()-60, "Lunch at noon")
	post(t, s, ben.profile(t, "Ben"), ana.profile(t, "Ana"), root)
	thread := "/rooms/lobby/threads/" + root.ID
	a := visit(t, s, "ana", "/").signIn(ana)
	b := visit(t, s, "ben", "/").signIn(ben)
	a.open(thread)
	b.open(thread)
	a.sees("Lunch at noon")
	a.press("button", "Ask a question")
	a.fill("Question", "Where do we meet?")
	a.clickAt(`e2e.find("checkbox", "Ben")`)
	a.fill("Option 1", "At the door")
	a.fill("Option 2", "At the table")
	a.press("button", "Ask")

	const form = `e2e.messages().find((m) => m.dataset.ask && m.innerText.includes("Where do we meet?"))`
	b.wait("the question in the thread", form)
	id := eval[string](b, form+`.dataset.ask`)
	b.choose(id, "o2")
	b.pressOn(id, "button", "Answer")
	a.shows(id, "Ben answered: At the table")

	// In the room it stands too, and leads back into the thread.
	b.open("/rooms/lobby")
	b.is(id, "answered")
	b.pressOn(id, "link", "In a thread")
	b.wait("the thread", `location.pathname === `+js(thread))
	b.is(id, "answered")
	b.open("/asks?filter=answered")
	b.pressOn(id, "link", "Open in Lobby")
	b.wait("the thread", `location.pathname === `+js(thread))
	b.is(id, "answered")
}
