package e2e

import (
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// signUp makes a key without a passphrase, in the settings.
func (p *person) signUp() *person {
	p.t.Helper()
	p.open("/settings")
	p.press("button", "Create a key")
	p.press("button", "Create")
	p.has("button", "Save backup")
	return p
}

// callMyself sets the profile's name.
func (p *person) callMyself(name string) {
	p.t.Helper()
	p.open("/settings")
	p.press("button", "Profile")
	p.fill("Name", name)
	p.press("button", "Save profile")
	p.sees(name)
}

// enter opens a room of the default relay and waits for its composer.
func (p *person) enter(id string) *person {
	p.t.Helper()
	p.open("/rooms/" + id)
	p.has("textbox", "Message")
	return p
}

// say writes a message with the composer and sends it by key.
func (p *person) say(text string) {
	p.t.Helper()
	p.fill("Message", text)
	p.run(chromedp.KeyEvent(kb.Enter))
}

// texts are the messages of the log, from top to bottom.
func (p *person) texts() []string {
	p.t.Helper()
	return eval[[]string](p, `e2e.messages().map((m) => m.querySelector(".md")?.innerText.trim() ?? "")`)
}

// reads waits until the log holds exactly these messages, in order.
func (p *person) reads(texts ...string) {
	p.t.Helper()
	p.wait("the log to be "+js(texts), `JSON.stringify(e2e.messages().map((m) => m.querySelector(".md")?.innerText.trim() ?? "")) === JSON.stringify(`+js(texts)+`)`)
}

// stands waits until the message with a text has a status.
func (p *person) stands(text, status string) {
	p.t.Helper()
	p.wait("the message "+text+" to be "+status, `e2e.messages().some((m) => m.dataset.status === `+js(status)+` && m.innerText.includes(`+js(text)+`))`)
}

func contains(list []string, text string) bool { return slices.Contains(list, text) }

// wheel turns the mouse wheel over the middle of the log, in CSS pixels: up
// when negative.
func (p *person) wheel(pixels float64) {
	p.t.Helper()
	at := eval[[2]float64](p, `e2e.middle(e2e.find("log", "Messages"))`)
	p.run(command(input.DispatchMouseEvent, input.DispatchMouseEventParams{
		Type: "mouseWheel", X: at[0], Y: at[1], DeltaY: pixels, DeltaX: 0.01, // the protocol wants both, and leaves out zeros
	}))
}

// scrollUp turns the wheel up until something older, or the beginning, stands
// at the log's top. The wheel turns again and again, as a finger does: a turn
// while older messages come in may only bring back where the reader was.
func (p *person) scrollUp() {
	p.t.Helper()
	before := eval[string](p, `e2e.messages()[0].dataset.event`)
	older := `e2e.messages()[0].dataset.event !== ` + js(before) + ` || e2e.text("This is where it begins")`
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		p.wheel(-20_000)
		if p.within(time.Second, older) {
			return
		}
	}
	p.t.Fatalf("%s turned the wheel up in vain", p.name)
}

// key presses one key, or one with Shift held.
func (p *person) key(name string) {
	p.t.Helper()
	keys := map[string]string{"Enter": kb.Enter, "Tab": kb.Tab, "Escape": kb.Escape, "ArrowDown": kb.ArrowDown, "ArrowUp": kb.ArrowUp, "Space": " "}
	if name, ok := strings.CutPrefix(name, "Shift+"); ok {
		p.run(chromedp.KeyEvent(keys[name], chromedp.KeyModifiers(chromedp.ModifierShift)))
		return
	}
	p.run(chromedp.KeyEvent(keys[name]))
}

// insert types into what has the focus.
func (p *person) insert(text string) {
	p.t.Helper()
	p.run(command(input.InsertText, input.InsertTextParams{Text: text}))
}

// mostTabs is how many presses of Tab a test makes to get anywhere.
const mostTabs = 60

// tabTo presses Tab until what has the focus is what is looked for.
func (p *person) tabTo(what, script string) {
	p.t.Helper()
	for range mostTabs {
		if eval[bool](p, "!!document.activeElement && "+script) {
			return
		}
		p.key("Tab")
	}
	p.t.Fatalf("%s: %d times Tab do not lead to %s", p.name, mostTabs, what)
}
