package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/room"
	"parley/wasm/task"
)

// wants builds a key's task for an agent in the lobby, in the thread of a root
// or, when that is "", in one of its own.
func (k key) wants(t testing.TB, agent key, subject, text, root string) *nostr.Event {
	t.Helper()
	e, err := task.BuildRequest(task.Draft{Room: "lobby", Agent: agent.public, Subject: subject, Text: text, Root: root}, k.public, now())
	return k.sign(t, e, err)
}

// works is a task as its agent answers it.
func works(t testing.TB, request *nostr.Event) *task.Request {
	t.Helper()
	r, err := task.Parse(request)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// signed signs what the lobby's robot has built.
func (l *lobby) signed(t testing.TB, e *nostr.Event) *nostr.Event { return l.bot.sign(t, e, nil) }

// says is a message of a key in a task's thread.
func (k key) says(t testing.TB, request *nostr.Event, text string) *nostr.Event {
	t.Helper()
	e := room.BuildThreadReply(room.Ref{ID: "lobby"}, room.KindThreadReply, request, nil, room.Words{Text: text}, now())
	return k.sign(t, &e, nil)
}

func TestTasksBetweenTwoBrowsers(t *testing.T) {
	l := newLobby(t)
	t.Run("the life of a task", l.lifeOfATask)
	t.Run("cancelled by its requester", l.cancelled)
	t.Run("cancelled by a word", l.cancelledByWord)
	t.Run("cancelled too late", l.cancelledTooLate)
	t.Run("other ends", l.otherEnds)
	t.Run("thread with two cards", l.twoCards)
	t.Run("a flood of progress", l.flood)
	t.Run("on a phone", l.taskOnAPhone)
}

func (l *lobby) lifeOfATask(t *testing.T) {
	ana, ben := l.scene(t)
	q := l.anaKey.wants(t, l.bot, "Count the birds", "All of them, **please**.", "")
	r := works(t, q)
	l.put(t, q)
	ana.is(q.ID, "requested")
	ana.shows(q.ID, "Count the birds")
	ana.shows(q.ID, "For Robot")
	ana.holds(q.ID, "button", "Cancel task")
	post(t, l.s, l.signed(t, task.BuildAccepted(r, now())))
	ana.is(q.ID, "accepted")
	ben.is(q.ID, "accepted")
	if ben.offers(q.ID, "button", "Cancel task") {
		t.Error("an onlooker can cancel")
	}
	post(t, l.s, l.signed(t, task.BuildProgress(r, "Looking up\ncalculator 1 + 1", now())))
	ben.is(q.ID, "running")
	ben.wait("what the agent and its tool do", card(q.ID)+`.querySelector("[data-progress] p").innerText === "Looking up" && `+card(q.ID)+`.querySelector("[data-progress] code").innerText === "calculator 1 + 1"`)
	ana.wait("the time it takes", card(q.ID)+`.innerText.match(/Running ·\s+\d+\s+s/)`)
	full := l.bot.says(t, q, "There are seven.\n\nThree of them are finches, and they were the loudest.")
	post(t, l.s, full, l.signed(t, task.BuildResult(r, "There are seven.", full.ID, nil, now())))
	for _, p := range []*person{ana, ben} {
		p.is(q.ID, "done")
		p.shows(q.ID, "There are seven.")
		p.shows(q.ID, "Looking up")
		p.shows(q.ID, "1 reply")
		p.hides(q.ID, "finches")
		if p.offers(q.ID, "button", "Cancel task") {
			t.Errorf("%s can cancel a task that is done", p.name)
		}
	}

	// The same card after a reload, and for one who comes late.
	text := func(p *person) string {
		p.shows(q.ID, "For Robot")
		p.pressOn(q.ID, "button", "History: 3 steps")
		p.shows(q.ID, "finished: There are seven.")
		return eval[string](p, card(q.ID)+`.querySelector(".card").innerText`)
	}
	before := text(ben)
	ben.reload()
	ben.is(q.ID, "done")
	if after := text(ben); after != before {
		t.Errorf("after a reload the card says\n%s\nnot\n%s", after, before)
	}
	cleo := visit(t, l.s, "cleo", "/rooms/lobby")
	cleo.is(q.ID, "done")
	cleo.shows(q.ID, "Ana")
	if after := text(cleo); after != before {
		t.Errorf("for a late joiner the card says\n%s\nnot\n%s", after, before)
	}

	ana.pressOn(q.ID, "link", "Open full reply")
	ana.sees("finches")
	ana.is(q.ID, "done")
	ana.wait("the full reply to be gone to", `document.querySelector('[data-event="`+full.ID+`"]').getBoundingClientRect().top < innerHeight`)
	ana.mustHear(t, card(q.ID), heard{"article", eval[string](ana, card(q.ID)+`.getAttribute("aria-label")`), ""}, heard{"heading", "Count the birds", ""}, heard{"DisclosureTriangle", "History: 3 steps", ""})
	ana.enter("lobby")
}

func (l *lobby) cancelled(t *testing.T) {
	ana, ben := l.scene(t)
	q := l.anaKey.wants(t, l.bot, "Wait for me", "", "")
	l.put(t, q)
	post(t, l.s, l.signed(t, task.BuildAccepted(works(t, q), now())))
	ana.is(q.ID, "accepted")
	ana.pressOn(q.ID, "button", "Cancel task")
	ana.press("button", "Keep running")
	ana.lacks("dialog", "Cancel this task?")
	ana.is(q.ID, "accepted")
	ana.pressOn(q.ID, "button", "Cancel task")
	ana.has("dialog", "Cancel this task?")
	ana.press("button", "Cancel task")
	ana.is(q.ID, "cancelled")
	ana.shows(q.ID, "Cancelled by you")
	ben.is(q.ID, "cancelled")
	ben.shows(q.ID, "Cancelled by Ana")
	if got := stored(t, l.s, nostr.Filter{Kinds: []int{task.KindCancel}, Tags: nostr.TagMap{"e": {q.ID}}}); len(got) != 1 {
		t.Errorf("there are %d cancels", len(got))
	}
	if words := publish(t, l.s, l.benKey.event(t, task.KindCancel, now(), "", nostr.Tag{"e", q.ID}, nostr.Tag{"h", "lobby"})); !strings.Contains(words, "only the person who asked for the task can cancel it") {
		t.Errorf("of somebody else's cancel the relay says %q", words)
	}
}

func (l *lobby) cancelledByWord(t *testing.T) {
	ana, ben := l.scene(t)
	q := l.anaKey.wants(t, l.bot, "Go on for ever", "", "")
	r := works(t, q)
	l.put(t, q)
	post(t, l.s, l.signed(t, task.BuildAccepted(r, now())))
	post(t, l.s, l.benKey.says(t, q, "!cancel"))
	ana.shows(q.ID, "Ben asked to cancel")
	ana.is(q.ID, "accepted")
	post(t, l.s, l.signed(t, task.BuildError(r, "Cancelled by "+l.benKey.public, now())))
	ana.is(q.ID, "cancelled")
	ana.shows(q.ID, "Cancelled by Ben")
	ben.shows(q.ID, "Cancelled by you")
	ana.wait("it to be no error", `!`+card(q.ID)+`.querySelector(".problem,.pill.bad")`)

	// The requester's own word counts until newer progress says otherwise.
	again := l.anaKey.wants(t, l.bot, "Go on a while", "", "")
	r = works(t, again)
	l.put(t, again)
	post(t, l.s, l.signed(t, task.BuildAccepted(r, now())), l.anaKey.says(t, again, "!cancel"))
	ben.is(again.ID, "cancelling")
	ben.shows(again.ID, "Cancel asked")
	post(t, l.s, l.signed(t, task.BuildProgress(r, "I go on", now()+2)))
	ben.is(again.ID, "running")
	post(t, l.s, l.signed(t, task.BuildError(r, "Cancelled", now()+3)))
	ben.is(again.ID, "cancelled")
}

func (l *lobby) cancelledTooLate(t *testing.T) {
	ana, ben := l.scene(t)
	q := l.anaKey.wants(t, l.bot, "Too quick", "", "")
	r := works(t, q)
	l.put(t, q)
	post(t, l.s, l.signed(t, task.BuildAccepted(r, now())))
	ana.is(q.ID, "accepted")
	l.s.kill()
	ana.wait("to be offline", `document.querySelector("[data-connection]").dataset.connection !== "online"`)
	ana.pressOn(q.ID, "button", "Cancel task")
	ana.press("button", "Cancel task")
	ana.is(q.ID, "cancelling")
	ana.shows(q.ID, "Cancel asked")
	l.s.seed(l.signed(t, task.BuildResult(r, "It is done already.", "", nil, now())))
	l.s.start()
	ana.is(q.ID, "done")
	ana.shows(q.ID, "It had finished before your cancel arrived")
	ana.shows(q.ID, "It is done already.")
	ben.shows(q.ID, "It had finished before the cancel arrived")
}

func (l *lobby) otherEnds(t *testing.T) {
	ana, ben := l.scene(t)
	ana.enter("lobby") // at its end, where the window follows
	ben.enter("lobby")
	failed := l.anaKey.wants(t, l.bot, "It cannot work", "", "")
	merged := l.anaKey.wants(t, l.bot, "The same again", "", "")
	buzz := l.anaKey.wants(t, l.bot, "In another dialect", "", "")
	quiet := l.anaKey.wants(t, l.bot, "A quiet one", "", "")
	quiet.CreatedAt -= 1000 // it waited in an outbox
	quiet = l.anaKey.sign(t, quiet, nil)
	l.put(t, quiet, failed, merged, buzz)
	accepted := task.BuildAccepted(works(t, quiet), now()-4*60)
	post(t, l.s,
		l.signed(t, accepted),
		l.signed(t, task.BuildError(works(t, failed), "The disk is full", now())),
		l.signed(t, task.BuildError(works(t, merged), "Merged into task "+failed.ID, now())),
		l.signed(t, task.BuildResult(works(t, buzz), `{"schema":1,"summary":"All green","state":"done","exit_code":0,"artifacts":[{"name":"report.html","uri":"https://example.org/report.html"}]}`, "", nil, now())))
	if words := publish(t, l.s, l.signed(t, task.BuildResult(works(t, failed), "No, wait", "", nil, now()))); !strings.Contains(words, "the task has ended already") {
		t.Errorf("of a second end the relay says %q", words)
	}
	if words := publish(t, l.s, l.benKey.sign(t, task.BuildProgress(works(t, quiet), "I help", now()), nil)); !strings.Contains(words, "only the agent") {
		t.Errorf("of somebody else's progress the relay says %q", words)
	}
	for _, p := range []*person{ana, ben} {
		p.is(failed.ID, "failed")
		p.shows(failed.ID, "The disk is full")
		p.is(merged.ID, "cancelled")
		p.shows(merged.ID, "Merged into task "+failed.ID[:8])
		p.wait("a merged task to be no error", `!`+card(merged.ID)+`.querySelector(".problem,.pill.bad")`)
		p.is(buzz.ID, "done")
		p.shows(buzz.ID, "All green")
		p.hides(buzz.ID, "schema")
		p.has("link", "report.html")
		p.shows(quiet.ID, "no sign of life for 4 min")
	}
}

func (l *lobby) twoCards(t *testing.T) {
	ana, ben := l.scene(t)
	ben.enter("lobby")
	root := l.benKey.message(t, now(), "Let us see about the garden")
	post(t, l.s, root)
	first := l.anaKey.wants(t, l.bot, "Water it", "", root.ID)
	second := l.anaKey.wants(t, l.bot, "Weed it", "", root.ID)
	l.put(t, first, second)
	r := works(t, first)
	post(t, l.s, l.signed(t, task.BuildAccepted(r, now())), l.signed(t, task.BuildAccepted(works(t, second), now())))
	words := room.BuildThreadReply(room.Ref{ID: "lobby"}, room.KindThreadReply, root, first, room.Words{Text: "It had rained before."}, now()+1)
	reply := l.signed(t, &words)
	post(t, l.s, reply, l.signed(t, task.BuildResult(r, "It had rained before.", reply.ID, nil, now()+1)))
	ana.is(first.ID, "done")
	ana.is(second.ID, "accepted")
	ana.enter("lobby/threads/" + root.ID)
	ana.sees("Let us see about the garden")
	ana.is(first.ID, "done")
	ana.is(second.ID, "accepted")
	ana.wait("root, cards and reply once each", `e2e.messages().map((m) => m.dataset.event).sort().join() === `+js(strings.Join(sorted(root.ID, first.ID, second.ID, reply.ID), ",")))
	ana.say("Thank you both")
	ana.stands("Thank you both", "stored")
	post(t, l.s, l.signed(t, task.BuildError(works(t, second), "The spade is gone", now()+1)))
	ana.is(second.ID, "failed")
	ana.is(first.ID, "done")
	got := stored(t, l.s, nostr.Filter{Kinds: []int{room.KindThreadReply}, Authors: []string{l.anaKey.public}, Tags: nostr.TagMap{"e": {root.ID}}})
	if len(got) != 1 {
		t.Errorf("ana's reply is not of kind 12 under the root: %v", got)
	}
	ben.is(second.ID, "failed")
	ana.enter("lobby")
}

// floodOf is how many lines of progress come at once.
const floodOf = 300

func (l *lobby) flood(t *testing.T) {
	ana, _ := l.scene(t)
	q := l.anaKey.wants(t, l.bot, "Talk a lot", "", "")
	r := works(t, q)
	l.put(t, q)
	events := []*nostr.Event{l.signed(t, task.BuildAccepted(r, now()))}
	for i := range floodOf {
		events = append(events, l.signed(t, task.BuildProgress(r, fmt.Sprintf("line %d of many", i), now()+int64(i)/100)))
	}
	newest := events[len(events)-1]
	for _, e := range events { // within a second the id decides
		if e.CreatedAt > newest.CreatedAt || e.CreatedAt == newest.CreatedAt && e.ID > newest.ID {
			newest = e
		}
	}
	eval[bool](ana, `(window.drawn = 0, new MutationObserver((list) => { if (list.some((m) => m.target.nodeType === 1 ? m.target.closest("[data-progress]") : m.target.parentElement?.closest("[data-progress]"))) window.drawn++; }).observe(document.querySelector("#log"), { subtree: true, childList: true, characterData: true }), true)`)
	post(t, l.s, events...)
	ana.shows(q.ID, newest.Content)
	ana.shows(q.ID, "History: 301 steps")
	if drawn := eval[int](ana, `window.drawn`); drawn > floodOf/3 {
		t.Errorf("%d lines of progress were drawn in %d steps", floodOf, drawn)
	}
	ana.pressOn(q.ID, "button", "History: 301 steps")
	ana.shows(q.ID, "200 earlier steps are left out")
	post(t, l.s, l.signed(t, task.BuildResult(r, "I have said it all.", "", nil, now()+floodOf/100+1)))
	ana.is(q.ID, "done")
}

func (l *lobby) taskOnAPhone(t *testing.T) {
	q := l.anaKey.wants(t, l.bot, strings.Repeat("Unbreakable", 30), strings.Repeat("verylongword", 60)+"\n\n"+strings.Repeat("words ", 100), "")
	r := works(t, q)
	post(t, l.s, q, l.signed(t, task.BuildAccepted(r, now())),
		l.signed(t, task.BuildProgress(r, strings.Repeat("w", 200)+"\n"+strings.Repeat("/a/path", 28), now())))
	phone := visit(t, l.s, "ana's phone", "/", onPhone).signIn(l.anaKey).enter("lobby")
	phone.meets(q.ID)
	phone.is(q.ID, "running")
	phone.fits(t, "a task at work")
	phone.pressOn(q.ID, "button", "Cancel task")
	phone.has("button", "Keep running")
	phone.fits(t, "the dialog")
	phone.press("button", "Keep running")
	file := l.bot.says(t, q, strings.Repeat("file", 100))
	post(t, l.s, file, l.signed(t, task.BuildResult(r, strings.Repeat("result", 33)+"\nPosted "+strings.Repeat("name", 40)+".txt", file.ID, []string{file.ID}, now()+1)))
	phone.is(q.ID, "done")
	phone.fits(t, "a task with its result")
	phone.open("/tasks")
	phone.meets(q.ID)
	phone.fits(t, "the list of tasks")
}
