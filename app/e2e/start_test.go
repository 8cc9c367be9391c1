package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"parley/wasm/ask"
)

// linksNamed counts the links to be seen whose name holds a word, as a test by
// role finds them.
func linksNamed(word string) string {
	return `e2e.all("link").filter((a) => e2e.name(a).toLowerCase().includes(` + js(strings.ToLower(word)) + `)).length`
}

func TestTheStartShowsRoomsAgentsAndWhatWaits(t *testing.T) {
	for name, option := range map[string]func(*person){"phone": withFinger, "tablet": func(p *person) { p.size = tablet }, "desktop": func(*person) {}} {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			me, ben := newKey(t), newKey(t)
			ana := visit(t, s, "ana", "/", option).signIn(me).enter("lobby")
			post(t, s, me.profile(t, "Ana"), ben.profile(t, "Ben"), ben.message(t, now()-60, "See you in the Lobby"),
				ben.asks(t, ask.Draft{Text: "Tea or coffee?", Expires: now() + 3600}, me))
			ana.sees("See you in the Lobby")
			ana.open("/")
			ana.sees("Tea or coffee?")
			ana.sees("Everyone can read and write here")
			ana.sees("Shows what agents can do here")
			for _, word := range []string{"Lobby", "House agent", "Needs you", "Tasks", "Tea or coffee?"} {
				ana.wait("one link to "+word, linksNamed(word)+` === 1`)
			}
			ana.fits(t, "the start")
			ana.press("link", "Tea or coffee?")
			ana.sees("Decision record")
			ana.open("/")
			const lobby = `document.querySelector("a.item[href*='/rooms/lobby']")`
			ana.wait("the room", lobby)
			ana.clickAt(lobby)
			ana.has("textbox", "Message")
		})
	}
}

// TestWhatIsTypedAtTheStartStays although a question comes above it.
func TestWhatIsTypedAtTheStartStays(t *testing.T) {
	s := serve(t, "-no-agent")
	me, ben := newKey(t), newKey(t)
	ana := visit(t, s, "ana", "/").signIn(me).enter("lobby")
	ana.open("/")
	ana.sees("Nothing. Questions of agents and people come here.")
	ana.fill("Open a link or a code", "npub1")
	post(t, s, ben.profile(t, "Ben"), ben.asks(t, ask.Draft{Text: "Tea or coffee?"}, me))
	ana.sees("Tea or coffee?")
	ana.wait("the text and the focus", `document.activeElement === e2e.find("textbox", "Open a link or a code") && document.activeElement.value === "npub1"`)
}

// unseenFocus presses Tab through a page and gives what does not show that it
// has the focus: by an outline of its own, or, in the composer, by its frame.
func (p *person) unseenFocus() (unseen []string) {
	p.t.Helper()
	for range mostTabs {
		p.key("Tab")
		what := eval[string](p, `(() => {
			const e = document.activeElement;
			if (!e || e === document.body) return "";
			const frame = e.matches(".comp textarea") ? e.closest(".in") : e, style = getComputedStyle(frame);
			const shown = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 || style.boxShadow.includes("0px 0px 0px 1px");
			return shown && getComputedStyle(e).outlineStyle !== "none" ? "" : e.outerHTML.slice(0, 120);
		})()`)
		if what != "" {
			unseen = append(unseen, what)
		}
		if eval[bool](p, `document.activeElement?.matches(".tabs a:last-child, .send") ?? false`) {
			return unseen
		}
	}
	return unseen
}

func TestTheFocusIsSeenAlsoWhereColoursAreForced(t *testing.T) {
	s := serve(t)
	ana := visit(t, s, "ana", "/").signUp()
	for _, forced := range []string{"none", "active"} {
		ana.run(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: forced}}}))
		for path, text := range map[string]string{"/": "Lobby", "/rooms/lobby": "Lobby", "/settings": "Look and privacy"} {
			ana.open(path)
			ana.sees(text)
			ana.wait("the app", `document.querySelector("[data-connection=online]")`)
			if list := ana.unseenFocus(); len(list) > 0 {
				t.Errorf("%s, forced colours %s: the focus is not seen on %q", path, forced, list)
			}
		}
	}
	ana.enter("lobby").fill("Message", "seen")
	ana.wait("the frame of the composer to show it", `document.activeElement.matches("textarea") && getComputedStyle(document.activeElement.closest(".in")).outlineStyle === "solid"`)
}

func TestAPromptThatIsTooLongStaysAndSaysSo(t *testing.T) {
	for name, option := range map[string]func(*person){"phone": onPhone, "desktop": func(*person) {}} {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			ana := visit(t, s, "ana", "/", option).signUp().meet()
			long := strings.Repeat("word ", 24_000)
			eval[bool](ana, fmt.Sprintf(`(() => { const f = e2e.find("textbox", "Message"); f.focus(); f.value = %s; f.dispatchEvent(new InputEvent("input", { bubbles: true })); return true; })()`, js(long)))
			const hint = `document.querySelector(".meter")?.innerText.startsWith("The agent takes ")`
			ana.wait("the hint", hint)
			ana.key("Enter")
			ana.wait("the same in a line of its own", `document.querySelector(".toast")?.innerText.startsWith("The agent takes ")`)
			ana.wait("the words and the hint to stay", written+`.length === `+fmt.Sprint(len(long))+` && `+hint)
			ana.wait("the line to leave the composer free", `document.querySelector(".toast").getBoundingClientRect().bottom <= Math.min(...[...document.querySelectorAll(".comp, .prompt-options")].map((e) => e.getBoundingClientRect().top)) + 1`)
			ana.reload()
			ana.wait("the words and the hint, after a reload", written+`.length === `+fmt.Sprint(len(long))+` && `+hint)
		})
	}
}

func TestTheDeepestQuotesAndListsFitAPhone(t *testing.T) {
	s := serve(t, "-no-agent")
	ben := newKey(t)
	var list strings.Builder
	for i := range 20 {
		fmt.Fprintf(&list, "%s- level %d\n", strings.Repeat("  ", i), i)
	}
	post(t, s, ben.message(t, now()-60, strings.Repeat("> ", 40)+"Unanswerable"), ben.message(t, now()-50, list.String()))
	ana := visit(t, s, "ana", "/", withFinger).signUp().enter("lobby")
	ana.sees("Unanswerable")
	ana.sees("level 18 level 19")
	ana.fits(t, "deep quotes and lists")
	if over := eval[int](ana, `(() => { const log = document.querySelector("[role=log]"); return log.scrollWidth - log.clientWidth; })()`); over > 0 {
		t.Errorf("the log can be moved sideways by %d px", over)
	}
}

// TestADialogKeepsTheKeyThatBeginsASession from taking away what is written in it.
func TestADialogKeepsTheKeyThatBeginsASession(t *testing.T) {
	s := serve(t)
	ana := visit(t, s, "ana", "/").signUp().meet()
	ana.ask("help")
	ana.ends("done")
	before := eval[string](ana, "location.pathname")
	ana.press("button", "New room")
	ana.has("textbox", "Name")
	ana.fill("Name", "A room in the making")
	eval[bool](ana, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { code: "KeyO", key: "O", ctrlKey: true, shiftKey: true, bubbles: true, cancelable: true }))`)
	ana.wait("the dialog to stay", `e2e.find("textbox", "Name")?.value === "A room in the making" && location.pathname === `+js(before))
}
