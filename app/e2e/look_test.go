package e2e

import (
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// TestPicturesLoadOnlyWhereTheyAreAllowed uses an address that nobody has: what
// counts is whether the browser would ask.
func TestPicturesLoadOnlyWhereTheyAreAllowed(t *testing.T) {
	s := serve(t, "-no-agent")
	ben := newKey(t)
	post(t, s, ben.event(t, 0, now(), `{"name":"Ben","picture":"https://pictures.invalid/ben.png"}`),
		ben.message(t, now()-60, "Look: ![a chart](https://pictures.invalid/chart.png)", nostr.Tag{"alt", "x"}))
	ana := visit(t, s, "ana", "/").signUp().enter("lobby")
	ana.sees("Look:")
	ana.has("button", "Show picture")
	const loaded = `document.querySelectorAll("[role=log] img, .side img").length`
	ana.wait("no picture", loaded+` === 0`)

	ana.open("/settings")
	ana.press("checkbox", "Load pictures")
	ana.wait("the choice", `e2e.find("checkbox", "Load pictures").checked`)
	ana.open("/rooms/lobby")
	ana.wait("the face and the chart", `document.querySelector(".msg .av img")?.src === "https://pictures.invalid/ben.png" && [...document.querySelectorAll("[role=log] img")].every((i) => i.referrerPolicy === "no-referrer")`)
	ana.wait("the letter where there is no picture", `document.querySelector(".msg .av").innerText === "B"`)
	ana.wait("words where there is no picture", `e2e.text("This picture could not be loaded")`)

	ana.open("/settings")
	ana.press("checkbox", "Load pictures")
	ana.open("/rooms/lobby")
	ana.has("button", "Show picture")
	ana.wait("no picture", loaded+` === 0`)
}

func TestWhatIsEasilyRegrettedCanBeUndone(t *testing.T) {
	s := serve(t, "-no-agent")
	ben := newKey(t)
	post(t, s, ben.profile(t, "Ben"), ben.message(t, now()-60, "Something rude"))
	ana := visit(t, s, "ana", "/").signUp().enter("lobby")
	ana.reads("Something rude")
	ana.inMessage("Something rude", "Block")
	ana.confirm("Block")
	ana.wait("nothing of it to be seen", `!e2e.messages().length`)
	ana.press("button", "Undo")
	ana.reads("Something rude")
	ana.lacks("button", "Undo")

	ana.inMessage("Something rude", "Block")
	ana.confirm("Block")
	ana.wait("nothing of it to be seen", `!e2e.messages().length`)
	ana.open("/settings")
	ana.wait("Ben by name", `document.querySelector("section[aria-labelledby=blocked-title]")?.innerText.includes("Ben")`)
	ana.press("button", "Unblock")
	ana.misses("Blocked")

	relay := s.relay
	ana.press("button", "Remove "+relay)
	ana.lacks("button", "Remove "+relay)
	ana.press("button", "Undo")
	ana.has("button", "Remove "+relay)
}
