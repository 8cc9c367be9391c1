package e2e

import (
	"slices"

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
