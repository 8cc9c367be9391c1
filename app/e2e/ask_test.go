package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/ask"
)

// drinks are the options of most questions here.
var drinks = []ask.Option{{ID: "tea", Label: "Green tea"}, {ID: "coffee", Label: "Coffee"}}

// asks builds a question of a key to people in the lobby, open from now on.
func (k key) asks(t testing.TB, d ask.Draft, asked ...key) *nostr.Event {
	t.Helper()
	d.Room = "lobby"
	for _, a := range asked {
		d.Asked = append(d.Asked, a.public)
	}
	if d.Selection == "" {
		d.Selection, d.Options = ask.Single, drinks
	}
	e, err := ask.BuildRequest(d, k.public, now())
	return k.sign(t, e, err)
}

// answers builds a key's answer to a question.
func (k key) answers(t testing.TB, request *nostr.Event, a ask.Answer, at int64) *nostr.Event {
	t.Helper()
	r, err := ask.Parse(request)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ask.BuildAnswer(r, a, k.public, "", at)
	return k.sign(t, e, err)
}

// answersTo are the answers to a question that the relay has.
func answersTo(t testing.TB, s *server, id string) []*nostr.Event {
	t.Helper()
	return stored(t, s, nostr.Filter{Kinds: []int{ask.KindComment}, Tags: nostr.TagMap{"e": {id}}})
}

// lobby is a server without an agent, two people in its room whose keys the
// test holds too, and a robot that the test speaks for.
type lobby struct {
	s                   *server
	ana, ben            *person
	anaKey, benKey, bot key
}

func newLobby(t *testing.T) *lobby {
	t.Helper()
	l := &lobby{s: serve(t, "-no-agent"), anaKey: newKey(t), benKey: newKey(t), bot: newKey(t)}
	post(t, l.s, l.bot.profile(t, "Robot"), l.anaKey.profile(t, "Ana"), l.benKey.profile(t, "Ben"))
	l.ana = visit(t, l.s, "ana", "/").signIn(l.anaKey).enter("lobby")
	l.ben = visit(t, l.s, "ben", "/").signIn(l.benKey).enter("lobby")
	return l
}

// scene lends the two people to a part of the test.
func (l *lobby) scene(t *testing.T) (ana, ben *person) { return l.ana.on(t), l.ben.on(t) }

// put publishes questions or tasks that both people are to see.
func (l *lobby) put(t *testing.T, events ...*nostr.Event) {
	t.Helper()
	post(t, l.s, events...)
	for _, e := range events {
		l.ana.meets(e.ID)
		l.ben.meets(e.ID)
	}
}

func TestQuestionsBetweenTwoBrowsers(t *testing.T) {
	l := newLobby(t)
	t.Run("asked and not asked", l.askedAndNotAsked)
	t.Run("answered elsewhere while typing", l.answeredElsewhere)
	t.Run("expires while typing", l.expiresWhileTyping)
	t.Run("withdrawn", l.withdrawn)
	t.Run("two answers in a row", l.twoAnswers)
	t.Run("limits of an answer", l.limits)
	t.Run("older requests", l.olderRequests)
	t.Run("roles and keyboard", l.rolesAndKeyboard)
	t.Run("asked by a person", l.askedByAPerson)
	t.Run("twelve long options on a phone", l.twelveLongOptionsOnAPhone)
}

func (l *lobby) askedAndNotAsked(t *testing.T) {
	ana, ben := l.scene(t)
	q := l.bot.asks(t, ask.Draft{Text: "What do you drink?"}, l.anaKey)
	l.put(t, q)

	ben.is(q.ID, "open")
	ben.shows(q.ID, "What do you drink?")
	ben.shows(q.ID, "You are not among the people asked")
	ben.shows(q.ID, "Asked: Ana")
	ben.wait("it not to be answerable", card(q.ID)+`.dataset.answerable === "false"`)
	if ben.offers(q.ID, "button", "Answer") {
		t.Error("who is not asked can press Answer")
	}
	ben.wait("the options to be disabled", card(q.ID)+`.querySelectorAll("input:disabled").length === 2`)

	ana.is(q.ID, "open")
	ana.shows(q.ID, "Robot")
	ana.shows(q.ID, "Asked: you")
	ana.shows(q.ID, "no deadline")
	if n := eval[int](ana, card(q.ID)+`.querySelectorAll("fieldset > legend, fieldset input[type=radio]:not(:checked)").length`); n != 3 {
		t.Errorf("legend and options that nobody chose are %d, not 3", n)
	}
	ana.shows(q.ID, "Choose an option first")
	ana.wait("Answer to be disabled", control(q.ID, "button", "Answer")+`.disabled`)
	ana.choose(q.ID, "tea")
	ana.hides(q.ID, "Choose an option first")
	ana.holds(q.ID, "button", "Answer")
	at := ana.aim(control(q.ID, "button", "Answer"))
	ana.run(chromedp.MouseClickXY(at[0], at[1]), chromedp.MouseClickXY(at[0], at[1], chromedp.ClickCount(2)))
	ana.is(q.ID, "answered")
	ana.shows(q.ID, "You answered: Green tea")
	ana.shows(q.ID, "Stored")
	ben.is(q.ID, "answered")
	ben.shows(q.ID, "Ana answered: Green tea")
	got := answersTo(t, l.s, q.ID)
	if len(got) != 1 || got[0].Content != "tea" {
		t.Fatalf("after a double click the relay has %v", got)
	}

	post(t, l.s, l.bot.event(t, nostr.KindReaction, now(), "👍", nostr.Tag{"e", got[0].ID}, nostr.Tag{"p", l.anaKey.public}, nostr.Tag{"h", "lobby"}))
	ana.shows(q.ID, "Picked up by Robot")
	ben.shows(q.ID, "Picked up by Robot")
	ana.reload()
	ana.is(q.ID, "answered")
	ana.shows(q.ID, "Picked up by Robot")
}

func (l *lobby) answeredElsewhere(t *testing.T) {
	ana, ben := l.scene(t)
	q := l.bot.asks(t, ask.Draft{Text: "Who fetches it?", Selection: ask.Single, Options: drinks, Freeform: true}, l.anaKey, l.benKey)
	l.put(t, q)
	ben.choose(q.ID, "coffee")
	ben.writeOn(q.ID, "Add details", "half a sentence")
	ana.choose(q.ID, "tea")
	ana.writeOn(q.ID, "Add details", "black, please")
	ana.pressOn(q.ID, "button", "Answer")
	ben.is(q.ID, "answered")
	ben.shows(q.ID, "Ana answered: Green tea")
	ben.shows(q.ID, "black, please")
	ben.wait("what was typed to stay readable", typed(q.ID)+` === "half a sentence" && `+card(q.ID)+`.querySelector("textarea").disabled`)
	ben.wait("what was chosen to stay", option(q.ID, "coffee")+`.checked && `+option(q.ID, "coffee")+`.disabled`)
	if ben.offers(q.ID, "button", "Answer") {
		t.Error("a settled question can be answered")
	}
	if got := answersTo(t, l.s, q.ID); len(got) != 1 || got[0].Content != `{"choices":["tea"],"text":"black, please"}` {
		t.Errorf("the relay has %v", got)
	}
}

// answerWithin is how long, in seconds, the question is open that expires
// while somebody types.
const answerWithin = 8

func (l *lobby) expiresWhileTyping(t *testing.T) {
	ana, ben := l.scene(t)
	q := l.bot.asks(t, ask.Draft{Text: "Quick, a word!", Selection: ask.Text, Expires: now() + answerWithin}, l.anaKey)
	l.put(t, q)
	ana.writeOn(q.ID, "Your answer", "I was just about to")
	ana.wait("a countdown in seconds", card(q.ID)+`.innerText.match(/Waits for you ·\s+\d+\s+s/)`)
	ana.holds(q.ID, "button", "Answer")
	ana.is(q.ID, "expired")
	ana.shows(q.ID, "was open until")
	ana.wait("what was typed to stay readable", typed(q.ID)+` === "I was just about to" && `+card(q.ID)+`.querySelector("textarea").disabled`)
	if ana.offers(q.ID, "button", "Answer") {
		t.Error("an expired question can be answered")
	}
	late := l.anaKey.answers(t, q, ask.Answer{Text: "late"}, int64(q.CreatedAt))
	if words := publish(t, l.s, late); !strings.Contains(words, "the time to answer has passed") {
		t.Errorf("of a late answer that is dated back the relay says %q", words)
	}
	cleo := visit(t, l.s, "cleo", "/rooms/lobby")
	for _, p := range []*person{ben, cleo} {
		p.is(q.ID, "expired")
		p.shows(q.ID, "Quick, a word!")
		p.shows(q.ID, "was open until")
		if eval[bool](p, `[...`+card(q.ID)+`.querySelectorAll("input,textarea,button[type=submit]")].some((el) => !el.disabled)`) {
			t.Errorf("%s can use the form of an expired question", p.name)
		}
	}
}

func (l *lobby) withdrawn(t *testing.T) {
	ana, ben := l.scene(t)
	q := l.bot.asks(t, ask.Draft{Text: "Shall I go?", Subject: "Leaving"}, l.anaKey)
	l.put(t, q)
	ana.choose(q.ID, "tea")
	gone := ask.BuildWithdrawal(q, now())
	post(t, l.s, l.bot.sign(t, gone, nil))
	for _, p := range []*person{ana, ben} {
		p.is(q.ID, "withdrawn")
		p.shows(q.ID, "Question withdrawn")
		if p.offers(q.ID, "button", "Answer") {
			t.Errorf("%s can answer a question that was withdrawn", p.name)
		}
	}
	ana.reload()
	ana.is(q.ID, "withdrawn")
}

func (l *lobby) twoAnswers(t *testing.T) {
	ana, ben := l.scene(t)
	q := l.bot.asks(t, ask.Draft{Text: "Which one?"}, l.anaKey, l.benKey)
	l.put(t, q)
	ana.choose(q.ID, "coffee")
	ana.pressOn(q.ID, "button", "Answer")
	ana.is(q.ID, "answered")
	first := answersTo(t, l.s, q.ID)[0]
	post(t, l.s, l.benKey.answers(t, q, ask.Answer{Choices: []string{"tea"}}, int64(first.CreatedAt)+1))
	for _, p := range []*person{ana, ben} {
		p.shows(q.ID, "History: 2 answers")
		p.pressOn(q.ID, "button", "History: 2 answers")
		p.shows(q.ID, "This one settled it")
		p.shows(q.ID, "It came after the answer that settled the question")
		p.is(q.ID, "answered")
	}
	ana.shows(q.ID, "You answered: Coffee")
	ben.shows(q.ID, "Ana answered: Coffee")
}

func (l *lobby) limits(t *testing.T) {
	ana, _ := l.scene(t)
	text := l.bot.asks(t, ask.Draft{Text: "Tell me all", Selection: ask.Text}, l.anaKey)
	many := l.bot.asks(t, ask.Draft{Text: "Which ones?", Selection: ask.Multiple, Options: drinks}, l.anaKey)
	l.put(t, text, many)
	ana.shows(text.ID, "Write an answer first")
	ana.writeOn(text.ID, "Your answer", "   ")
	ana.shows(text.ID, "Write an answer first")
	ana.writeOn(text.ID, "Your answer", strings.Repeat("ü", ask.MaxAnswer-3))
	ana.shows(text.ID, "8,000 of 8,000 characters")
	ana.holds(text.ID, "button", "Answer")
	ana.writeOn(text.ID, "Your answer", "!")
	ana.shows(text.ID, "8,001 of 8,000 characters")
	ana.shows(text.ID, "at most 8000 are allowed")
	ana.wait("Answer to be disabled", control(text.ID, "button", "Answer")+`.disabled`)
	ana.run(chromedp.KeyEvent("\b"))
	ana.pressOn(text.ID, "button", "Answer")
	ana.is(text.ID, "answered")
	if got := answersTo(t, l.s, text.ID); got[0].Content != "   "+strings.Repeat("ü", ask.MaxAnswer-3) {
		t.Errorf("it was not sent as typed: %.20q…", got[0].Content)
	}

	ana.shows(many.ID, "Choose an option first")
	ana.choose(many.ID, "coffee", "tea")
	ana.pressOn(many.ID, "button", "Answer")
	ana.shows(many.ID, "You answered: Green tea, Coffee")
	if got := answersTo(t, l.s, many.ID); got[0].Content != `["tea","coffee"]` {
		t.Errorf("the answer is %s", got[0].Content)
	}
}
