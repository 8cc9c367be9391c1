package e2e

import (
	"strconv"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/ask"
)

func (l *lobby) rolesAndKeyboard(t *testing.T) {
	_, ben := l.scene(t)
	days := []ask.Option{{ID: "mon", Label: "Monday"}, {ID: "fri", Label: "Friday"}}
	single := l.bot.asks(t, ask.Draft{Text: "Which one?", Selection: ask.Single, Options: drinks, Freeform: true}, l.benKey)
	multiple := l.bot.asks(t, ask.Draft{Text: "All that suit you", Subject: "Days", Selection: ask.Multiple, Options: days}, l.benKey)
	text := l.bot.asks(t, ask.Draft{Text: "In your own words?", Selection: ask.Text}, l.benKey)
	approval := l.bot.asks(t, ask.Draft{Text: "May I?", Interaction: ask.Approval, Selection: ask.Single, Options: drinks}, l.benKey)
	l.put(t, single, multiple, text, approval)

	ben.mustHear(t, card(single.ID)+`.querySelector("form")`,
		heard{"group", "Which one?", ""}, heard{"radio", "Green tea", ""}, heard{"radio", "Coffee", ""},
		heard{"textbox", "Add details", ""}, heard{"button", "Answer", "Choose an option or add details"})
	ben.mustHear(t, card(multiple.ID)+`.querySelector("form")`,
		heard{"group", "Days", "All that suit you"}, heard{"checkbox", "Monday", ""}, heard{"checkbox", "Friday", ""},
		heard{"button", "Answer", "Choose an option first"})
	ben.mustHear(t, card(text.ID)+`.querySelector("form")`,
		heard{"group", "In your own words?", ""}, heard{"textbox", "Your answer", ""}, heard{"button", "Answer", "Write an answer first"})
	ben.shows(approval.ID, "Approval")
	for _, q := range []*nostr.Event{single, multiple, text, approval} {
		if got := ben.hears(card(q.ID), "article"); len(got) != 1 || !strings.HasPrefix(got[0].Name, "Robot") {
			t.Errorf("the question is read out as %q", got)
		}
	}
	ben.wait("the log to be silent", `e2e.find("log", "Messages").getAttribute("aria-live") === "off" && document.querySelectorAll("[aria-live=polite]").length === 1`)
	ben.wait("the new questions to be announced", `document.querySelector("[aria-live=polite]").textContent.match(/Robot|new messages/)`)

	// By keyboard alone: to the form, the second option, some words, off.
	eval[bool](ben, `(`+card(single.ID)+`.focus(), true)`)
	ben.tabTo("the first option", `document.activeElement === `+option(single.ID, "tea"))
	ben.key("ArrowDown")
	ben.wait("the second option to be chosen", option(single.ID, "coffee")+`.checked && document.activeElement === `+option(single.ID, "coffee"))
	ben.key("Tab")
	ben.insert("with milk")
	ben.tabTo("the button", `document.activeElement === `+control(single.ID, "button", "Answer"))
	ben.wait("the focus to be seen", `document.activeElement.matches(":focus-visible") && getComputedStyle(document.activeElement).outlineStyle !== "none"`)
	ben.key("Enter")
	ben.is(single.ID, "answered")
	ben.shows(single.ID, "You answered: Coffee")
	ben.shows(single.ID, "with milk")
	ben.tabTo("a day", `document.activeElement === `+option(multiple.ID, "mon"))
	ben.key("Space")
	ben.wait("the day to be chosen", option(multiple.ID, "mon")+`.checked`)
	ben.tabTo("the button", `document.activeElement === `+control(multiple.ID, "button", "Answer"))
	ben.key("Enter")
	ben.shows(multiple.ID, "You answered: Monday")
}

// longOptions are as many and as long as they may be: words, one word, and
// text from right to left.
func longOptions() []ask.Option {
	kinds := []string{strings.Repeat("many words ", 20), strings.Repeat("oneword", 30), strings.Repeat("מילים רבות ", 20), strings.Repeat("W", 210)}
	list := make([]ask.Option, ask.MaxOptions)
	for i := range list {
		list[i] = ask.Option{ID: "option-" + strconv.Itoa(i), Label: string([]rune(strconv.Itoa(i) + " " + kinds[i%len(kinds)])[:ask.MaxOptionLabel])}
	}
	return list
}

func (l *lobby) twelveLongOptionsOnAPhone(t *testing.T) {
	phone := visit(t, l.s, "ana's phone", "/", onPhone).signIn(l.anaKey).enter("lobby")
	options := longOptions()
	q := l.bot.asks(t, ask.Draft{Text: strings.Repeat("Verylongquestion", 20), Selection: ask.Multiple, Options: options, Freeform: true, Expires: now() + 3000}, l.anaKey)
	post(t, l.s, q)
	phone.meets(q.ID)
	phone.wait("all options", card(q.ID)+`.querySelectorAll("input[type=checkbox]").length === 12`)
	phone.fits(t, "a question with twelve long options")
	if cut := eval[int](phone, `[...`+card(q.ID)+`.querySelectorAll("label.opt")].filter((el) => el.scrollWidth > el.clientWidth + 1 || getComputedStyle(el).textOverflow === "ellipsis").length`); cut > 0 {
		t.Errorf("%d options are cut", cut)
	}
	phone.choose(q.ID, options[11].ID, options[0].ID)
	phone.writeOn(q.ID, "Add details", strings.Repeat("unbreakable", 40))
	phone.fits(t, "a long text in its field")
	phone.pressOn(q.ID, "button", "Answer")
	phone.is(q.ID, "answered")
	phone.shows(q.ID, options[11].Label)
	phone.fits(t, "an answered question")
	phone.open("/asks?filter=answered")
	phone.meets(q.ID)
	phone.fits(t, "the list of questions")
	phone.open("/asks/" + q.ID)
	phone.sees("This one settled it")
	phone.fits(t, "a decision record")
}

func (l *lobby) askedByAPerson(t *testing.T) {
	ana, ben := l.scene(t)
	ben.say("I am here")
	ana.sees("I am here")
	ana.press("button", "Ask a question")
	ana.has("dialog", "Ask a question")
	ana.press("button", "Ask")
	ana.sees("Write the question first.")
	ana.fill("Question", "Shall we meet?")
	ana.fill("Title", "Meeting")
	ana.press("button", "Ask")
	ana.sees("Choose who is asked.")
	ana.press("checkbox", "Ben")
	ana.press("button", "Ask")
	ana.sees("Write at least two options")
	ana.fill("Option 1", "Today")
	ana.fill("Option 2", "Tomorrow")
	ana.press("button", "Add an option")
	ana.fill("Option 3", "Never")
	ana.press("button", "Ask")
	ana.lacks("dialog", "Ask a question")
	ben.wait("the question", `[...document.querySelectorAll("article[data-ask]")].some((a) => a.innerText.includes("Shall we meet?"))`)
	id := eval[string](ben, `[...document.querySelectorAll("article[data-ask]")].find((a) => a.innerText.includes("Shall we meet?")).dataset.ask`)
	ana.is(id, "open")
	ana.shows(id, "You are not among the people asked")
	ana.wait("the own question to be stored", card(id)+`.dataset.status === "stored"`)
	sent := stored(t, l.s, nostr.Filter{IDs: []string{id}})[0]
	r, err := ask.Parse(sent)
	if err != nil || r.Subject != "Meeting" || len(r.Options) != 3 || len(r.Mentioned) != 1 || r.Mentioned[0] != l.benKey.public {
		t.Errorf("the question is %+v, %v", r, err)
	}
	ben.choose(id, r.Options[2].ID)
	ben.pressOn(id, "button", "Answer")
	ana.shows(id, "Ben answered: Never")
}
