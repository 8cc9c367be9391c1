package e2e

import (
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/room"
	"parley/wasm/task"
)

// wantsOf asks an agent for a task with the composer's dialog, and gives its id.
func (p *person) wantsOf(agent, subject, text string) string {
	p.t.Helper()
	p.press("button", "Ask for a task")
	p.wait("the agent to be offered", `e2e.find("combobox", "Agent")?.selectedOptions[0]?.textContent.startsWith(`+js(agent)+`)`)
	p.fill("Subject", subject)
	p.fill("What is to be done", text)
	p.press("button", "Ask for it")
	p.lacks("dialog", "Ask for a task")
	found := `[...document.querySelectorAll("article[data-task]")].findLast((a) => a.innerText.includes(` + js(subject) + `))`
	p.wait("the task "+subject, found)
	return eval[string](p, found+`.dataset.task`)
}

// told are the events of some kinds about a task that the relay has.
func told(t testing.TB, s *server, id string, kinds ...int) []*nostr.Event {
	t.Helper()
	return stored(t, s, nostr.Filter{Kinds: kinds, Tags: nostr.TagMap{"e": {id}}})
}

func TestTasksOfAnAgent(t *testing.T) {
	s := serve(t, "-no-agent")
	a := newAgent(t, s)
	anaKey, benKey := newKey(t), newKey(t)
	post(t, s, anaKey.profile(t, "Ana"), benKey.profile(t, "Ben"))
	ana := visit(t, s, "ana", "/").signIn(anaKey).finds(a).enter("lobby")
	ben := visit(t, s, "ben", "/").signIn(benKey).finds(a).enter("lobby")

	// Three in a row: the first at work, the others wait and are told so.
	long := ana.wantsOf("Agent", "A long task", "Count, please")
	ana.is(long, "running")
	ana.shows(long, "Counting from")
	second := ana.wantsOf("Agent", "Something small", "Whatever")
	third := ben.wantsOf("Agent", "Post a file", "With the visitors")
	for _, p := range []*person{ana, ben} {
		p.is(second, "requested")
		p.shows(second, "1 reply")
		p.is(third, "requested")
	}
	if n := len(told(t, s, second, task.KindAccepted)) + len(told(t, s, third, task.KindAccepted)); n != 0 {
		t.Error("a task is accepted before its turn")
	}

	// Cancelled before its start; the long one by somebody else's word.
	ana.pressOn(second, "button", "Cancel task")
	ana.press("button", "Cancel task")
	ana.is(second, "cancelled")
	ben.enter("lobby/threads/" + long)
	ben.say("!cancel")
	for _, p := range []*person{ana, ben} {
		p.is(long, "cancelled")
	}
	ana.shows(long, "Cancelled by Ben")
	ben.enter("lobby")
	ben.is(third, "done")
	if n := len(told(t, s, second, task.KindAccepted, task.KindResult, task.KindError)); n != 0 {
		t.Errorf("the agent told %d things about a task that was cancelled before its start", n)
	}
	if ends := told(t, s, long, task.KindResult, task.KindError); len(ends) != 1 || ends[0].Content != "Cancelled by "+benKey.public {
		t.Errorf("the long task has the ends %v", ends)
	}

	walk := ana.wantsOf("Agent", "A long walk", "")
	ana.is(walk, "running")
	ben.say("@Agent !cancel")
	ana.is(walk, "cancelled")
	ana.shows(walk, "Cancelled by Ben")
	ana.sees("@Agent !cancel")

	// The requester's cancel ends it on its own: the agent says nothing further.
	stroll := ana.wantsOf("Agent", "A long stroll", "")
	ana.is(stroll, "running")
	ana.pressOn(stroll, "button", "Cancel task")
	ana.press("button", "Cancel task")
	ana.is(stroll, "cancelled")
	ana.shows(stroll, "Cancelled by you")

	// The file is a message of its own, and can be had.
	ana.is(third, "done")
	ana.shows(third, "The file with the visitors")
	ana.wait("the file", card(third)+`.querySelector("a[href*='.csv'], .files a")`)
	href := eval[string](ana, card(third)+`.querySelector(".files a").href`)
	body, err := get(href)
	if err != nil || !strings.Contains(string(body), "Tuesday,17") {
		t.Errorf("%s holds %.60q, %v", href, body, err)
	}

	ana.asksInTheMiddle()
	if n := len(told(t, s, stroll, task.KindResult, task.KindError)); n != 0 {
		t.Errorf("the agent told %d ends of a task that its requester had cancelled", n)
	}
	failed := ana.wantsOf("Agent", "This must fail", "")
	ana.is(failed, "failed")
	ana.shows(failed, "not there")
	ana.handsOff(t, s)

	// Killed in the middle: the one at work ends truthfully, once; the one that
	// waited is done after all.
	middle := ana.wantsOf("Agent", "Another long task", "")
	ana.is(middle, "running")
	waiting := ben.wantsOf("Agent", "The next one", "")
	ben.shows(waiting, "1 reply")
	a.kill()
	a.start()
	for _, p := range []*person{ana, ben} {
		p.is(middle, "failed")
		p.shows(middle, "The agent was restarted while it worked on this task")
		p.is(waiting, "done")
	}
	if ends := told(t, s, middle, task.KindResult, task.KindError); len(ends) != 1 {
		t.Errorf("a task that was at work has %d ends", len(ends))
	}
	if n := len(told(t, s, third, task.KindAccepted)); n != 1 {
		t.Errorf("a finished task was accepted %d times", n)
	}

	ana.open("/tasks")
	ana.wait("ana's tasks, the newest first", `[...document.querySelectorAll("article[data-task]")].length === 8 && document.querySelector("article[data-task]").dataset.task === `+js(middle))
	ana.shows(long, "Cancelled by Ben")
	ana.press("link", "Running")
	ana.sees("No task here")
}

// asksInTheMiddle has a task that needs an answer.
func (p *person) asksInTheMiddle() {
	p.t.Helper()
	id := p.wantsOf("Agent", "Ask a question", "")
	q := p.asked("Shall I go on with the task?")
	p.choose(q, "go")
	p.writeOn(q, "Add details", "with care")
	p.pressOn(q, "button", "Answer")
	p.shows(q, "Picked up by Agent")
	p.is(id, "done")
	p.shows(id, "I went on, as you said")
}

// handsOff has a task that goes on in a thread of its own.
func (p *person) handsOff(t *testing.T, s *server) {
	t.Helper()
	id := p.wantsOf("Agent", "Hand off the garden", "")
	p.is(id, "done")
	p.shows(id, "This goes on in the thread")
	thread := `e2e.messages().find((m) => m.dataset.kind === "11" && m.innerText.includes("Hand off the garden"))`
	p.wait("the new thread", thread)
	root := eval[string](p, thread+`.dataset.event`)
	p.enter("lobby/threads/" + root)
	p.sees("I go on with this here")
	p.say("help")
	p.sees("I am an agent that follows a script")
	for _, e := range stored(t, s, nostr.Filter{Tags: nostr.TagMap{"e": {root}}}) {
		if e.Kind != room.KindThreadReply {
			t.Errorf("kind %d stands under the root of a handoff: %q", e.Kind, e.Content)
		}
	}
	p.enter("lobby")
}
