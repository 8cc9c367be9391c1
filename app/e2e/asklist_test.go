package e2e

import (
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/ask"
)

// needsYou is the number beside "Needs you" in the navigation, "" for none.
const needsYou = `(document.querySelector(".rail .needs .count")?.textContent ?? "")`

// listed is the ids of the questions of a list, from top to bottom.
const listed = `[...document.querySelectorAll(".prose > .cards article[data-ask]")].map((a) => a.dataset.ask)`

func TestWhatWaitsForMe(t *testing.T) {
	s := serve(t, "-no-agent")
	anaKey, benKey, bot, far := newKey(t), newKey(t), newKey(t), newKey(t)
	post(t, s, bot.profile(t, "Robot"), benKey.profile(t, "Ben"))
	ana := visit(t, s, "ana", "/").signIn(anaKey).enter("lobby")
	ana.say("Hello")
	ana.stands("Hello", "stored")

	// A room that is none of ana's, with a stranger in it.
	post(t, s, far.event(t, 9007, now(), "", nostr.Tag{"h", "elsewhere"}))
	soon := bot.asks(t, ask.Draft{Text: "The soonest", Expires: now() + 600}, anaKey, benKey)
	late := bot.asks(t, ask.Draft{Text: "The latest", Expires: now() + 6000}, anaKey)
	never := bot.asks(t, ask.Draft{Text: "Whenever you like"}, anaKey)
	short := bot.asks(t, ask.Draft{Text: "Too short a time", Expires: now() + 1}, anaKey)
	others := bot.asks(t, ask.Draft{Text: "Not for ana"}, benKey)
	strange, err := ask.BuildRequest(ask.Draft{Room: "elsewhere", Text: "Do you know me?", Asked: []string{anaKey.public}, Selection: ask.Text}, far.public, now())
	stranger := far.sign(t, strange, err)
	post(t, s, never, late, soon, others, stranger)
	if refusal := publish(t, s, short); refusal != "" && !strings.Contains(refusal, "expire") {
		t.Fatal(refusal)
	}

	ana.wait("three to be counted", needsYou+` === "3"`)
	ana.wait("the title to count them", `document.title.startsWith("(3)")`)
	ana.open("/asks")
	ana.wait("the soonest to be first", `JSON.stringify(`+listed+`) === `+js(`["`+soon.ID+`","`+late.ID+`","`+never.ID+`"]`))
	if eval[bool](ana, `document.querySelector("main").innerText.includes("Not for ana")`) {
		t.Error("a question to others waits for ana")
	}
	ana.wait("strangers to stand apart", `document.querySelector("section[aria-label='From strangers']")?.innerText.includes("Do you know me?")`)

	// Put away, and brought back.
	ana.pressOn(late.ID, "button", "Dismiss")
	ana.wait("two to be counted", needsYou+` === "2"`)
	ana.press("button", "Undo")
	ana.wait("three to be counted", needsYou+` === "3"`)

	// Answered elsewhere while ana writes in another one: hers stays in place.
	ana.choose(never.ID, "coffee")
	post(t, s, benKey.answers(t, soon, ask.Answer{Choices: []string{"tea"}}, now()))
	ana.wait("two to be counted", needsYou+` === "2"`)
	ana.pressOn(never.ID, "button", "Answer")
	ana.wait("the answer to be stored", needsYou+` === "1" && !`+card(never.ID))
	ana.press("link", "Answered")
	ana.shows(never.ID, "You answered: Coffee")
	ana.shows(soon.ID, "Ben answered: Green tea")
	ana.press("link", "Expired")
	ana.is(short.ID, "expired")
	ana.shows(short.ID, "Too short a time")

	// Each leads to its room and to its record.
	ana.press("link", "Open")
	ana.pressOn(late.ID, "link", "Open in Lobby")
	ana.wait("the thread of the question", `location.pathname.startsWith("/rooms/lobby/threads/")`)
	ana.is(late.ID, "open")
	ana.open("/asks")
	ana.pressOn(late.ID, "link", "Decision record")
	ana.sees("Nobody has answered.")
	ana.mustHear(t, `document.querySelector("main")`, heard{"heading", "Question", ""}, heard{"heading", "Decision record", ""}, heard{"heading", "Options", ""}, heard{"heading", "Answers", ""})
}
