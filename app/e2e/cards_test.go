package e2e

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// signIn takes on a key that the test holds too.
func (p *person) signIn(k key) *person {
	p.t.Helper()
	p.open("/settings")
	p.press("button", "Import a key")
	p.fill("Secret key", k.nsec())
	p.press("button", "Import")
	p.has("button", "Sign out")
	return p
}

// on lends a person to a part of a test.
func (p *person) on(t *testing.T) *person {
	before := p.t
	p.t = t
	t.Cleanup(func() {
		p.onFailure()
		p.t = before
	})
	return p
}

// card is the article of a question or a task, in JavaScript.
func card(id string) string {
	return fmt.Sprintf(`document.querySelector('article[data-ask="%[1]s"],article[data-task="%[1]s"]')`, id)
}

// control is a control of a card by its role and name, in JavaScript.
func control(id, role, name string) string {
	return fmt.Sprintf(`e2e.find(%s, %s)`, js(role, name), card(id))
}

// option is what chooses an option of a form, in JavaScript.
func option(id, value string) string {
	return card(id) + `.querySelector('fieldset input[value=` + js(value) + `]')`
}

// meets goes to the newest messages of a log until a card is there.
func (p *person) meets(id string) {
	p.t.Helper()
	p.wait("the card to come", card(id)+` || (document.querySelector("button.latest")?.click(), false)`)
}

// is waits until a card has a state.
func (p *person) is(id, state string) {
	p.t.Helper()
	p.wait("the card to be "+state, card(id)+`?.dataset.state === `+js(state))
}

// shows waits until a card says something.
func (p *person) shows(id, text string) {
	p.t.Helper()
	p.wait("the card to say "+text, card(id)+`?.innerText.includes(`+js(text)+`)`)
}

// hides waits until a card does not say something.
func (p *person) hides(id, text string) {
	p.t.Helper()
	p.wait("the card not to say "+text, card(id)+` && !`+card(id)+`.innerText.includes(`+js(text)+`)`)
}

// holds waits until a card has a control that can be used.
func (p *person) holds(id, role, name string) {
	p.t.Helper()
	p.wait(role+" "+name+" in the card", `(() => { const c = `+control(id, role, name)+`; return c && !c.disabled })()`)
}

// offers tells whether a card has a control.
func (p *person) offers(id, role, name string) bool {
	p.t.Helper()
	return eval[bool](p, "!!"+control(id, role, name))
}

// pressOn presses a control of a card once it can be used.
func (p *person) pressOn(id, role, name string) {
	p.t.Helper()
	p.holds(id, role, name)
	p.click(control(id, role, name))
}

// aim brings a control to where nothing lies over it, and gives its middle.
func (p *person) aim(element string) [2]float64 {
	p.t.Helper()
	eval[bool](p, "("+element+`.scrollIntoView({ block: "center" }), true)`)
	return eval[[2]float64](p, "e2e.still(() => "+element+")")
}

// click clicks on a control that it has aimed at.
func (p *person) click(element string) {
	p.t.Helper()
	at := p.aim(element)
	p.run(chromedp.MouseClickXY(at[0], at[1]))
}

// choose clicks on an option of a form.
func (p *person) choose(id string, values ...string) {
	p.t.Helper()
	for _, value := range values {
		p.wait("option "+value, option(id, value)+` && !`+option(id, value)+`.disabled`)
		p.click(option(id, value) + `.closest("label")`)
		p.wait("option "+value+" to be chosen", option(id, value)+`.checked`)
	}
}

// writeOn types into a text field of a card, at its end.
func (p *person) writeOn(id, name, text string) {
	p.t.Helper()
	p.holds(id, "textbox", name)
	eval[bool](p, `(() => { const f = `+control(id, "textbox", name)+`; f.scrollIntoView({ block: "center" }); f.focus(); f.setSelectionRange(f.value.length, f.value.length); return true })()`)
	p.run(command(input.InsertText, input.InsertTextParams{Text: text}))
}

// typed is what stands in a card's text field, in JavaScript.
func typed(id string) string { return card(id) + `?.querySelector("textarea")?.value` }

func sorted(list ...string) []string {
	slices.Sort(list)
	return list
}
