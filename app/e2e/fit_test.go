package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/ask"
)

// withFinger makes a phone of which the main pointer is a finger.
func withFinger(p *person) {
	p.size = phone
	p.prepare = func() {
		p.run(command[emulation.SetTouchEmulationEnabledParams, cdp.Empty](emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}))
	}
}

// lowTargets gives the controls of a page that are too low for a finger: under
// 44 px, words within a text aside.
const lowTargets = `[...document.querySelectorAll("button,a[href],input,select,textarea,summary")].filter((e) => e.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && !e.closest(".md,.sr,.quote,.react") && !e.matches(".quote")).map((e) => [e, (e.closest("label") ?? e).getBoundingClientRect()]).filter(([e, box]) => box.width > 1 && box.height < 43.5 && !(e.closest(".joined > .acts"))).map(([e, box]) => e.outerHTML.slice(0, 120) + " " + Math.round(box.height))`

func TestLongNamesAndFilesFitAndTargetsSuitAFinger(t *testing.T) {
	s := serve(t, "-no-agent")
	me, ben, rtl := newKey(t), newKey(t), newKey(t)
	name := strings.Repeat("Maximiliane-Theodora ", 3)
	file := "url https://files.example/" + strings.Repeat("a-very-long-name-", 8) + ".pdf"
	q := ben.asks(t, ask.Draft{Subject: "Ship?", Text: "It is ready.", Freeform: true}, me)
	post(t, s, me.profile(t, "Ana"), ben.profile(t, name), rtl.profile(t, "عبد الرحمن بن محمد 👩‍🚀"),
		ben.message(t, now()-30, "A file", nostr.Tag{"imeta", file, "m application/pdf", "size 1234"}),
		rtl.message(t, now()-20, "مرحبا بالعالم"), q, me.wants(t, ben, "A task", "Please", ""))
	for _, size := range []struct {
		name   string
		option func(*person)
	}{{"phone", withFinger}, {"tablet", func(p *person) { p.size = tablet }}, {"desktop", func(p *person) {}}} {
		t.Run(size.name, func(t *testing.T) {
			ana := visit(t, s, "ana", "/", size.option).signIn(me)
			for path, text := range map[string]string{
				"/": "Lobby", "/rooms/lobby": "A file", "/asks": "Ship?", "/asks/" + q.ID: "Decision record", "/tasks": "A task", "/settings": "Look and privacy", "/agents": "Find an agent",
			} {
				ana.open(path)
				ana.wait("the app", `document.querySelector("[data-connection=online]")`)
				ana.sees(text)
				ana.fits(t, path)
				if low := eval[[]string](ana, lowTargets); ana.size == phone && len(low) > 0 {
					t.Errorf("%s: too low for a finger: %q", path, low)
				}
			}
			ana.open("/rooms/lobby")
			ana.sees("A file")
			if ana.size != desktop {
				ana.press("button", "Details")
				ana.sees("Wrote here lately")
				ana.fits(t, "the details")
			}
		})
	}
}

func TestOnATouchScreenEnterMakesALine(t *testing.T) {
	s := serve(t, "-no-agent")
	ana := visit(t, s, "ana", "/", withFinger).signUp().enter("lobby")
	ana.fill("Message", "one")
	ana.key("Enter")
	ana.insert("two")
	ana.wait("two lines, not sent", `document.querySelector("textarea").value === "one\ntwo" && !e2e.messages().length`)
	ana.press("button", "Send")
	ana.wait("the message", `e2e.messages().length === 1 && document.activeElement.matches("textarea")`)
}

func TestARefusedMessageSaysWhyAndIsSentAgain(t *testing.T) {
	home := serve(t, "-no-agent")
	between := newTap(t, home.relay)
	site := serve(t, "-relay", between.url)
	ana := visit(t, site, "ana", "/").signUp().enter("lobby")
	between.refuse(9, "restricted: only on Sundays")
	ana.say("Hello?")
	ana.stands("Hello?", "refused")
	ana.sees("Refused. The relay allows this only for some: “only on Sundays”")
	ana.misses("restricted:")
	between.refuse(9, "")
	ana.press("button", "Retry")
	ana.stands("Hello?", "stored")
	ana.wait("one message", `e2e.messages().length === 1`)
}

func TestARoomOnAnotherRelayCanBeOpenedAfterAll(t *testing.T) {
	home, away := serve(t, "-no-agent"), serve(t, "-no-agent")
	ben := newKey(t)
	post(t, away, ben.message(t, now()-60, "Over here"))
	ana := visit(t, home, "ana", "/").signUp()
	ana.open("/rooms/lobby?relay=" + away.relay)
	ana.press("button", "Not now")
	ana.sees("This room is not opened")
	ana.lacks("textbox", "Message")
	ana.press("button", "Open "+away.relay)
	ana.sees("Over here")
	ana.has("textbox", "Message")
}

func TestARoomThatNobodyKnowsSaysSo(t *testing.T) {
	s := serve(t, "-no-agent")
	ana := visit(t, s, "ana", "/").signUp()
	ana.open("/rooms/nowhere")
	ana.sees("The relay tells nothing of this room")
}
