package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/ask"
)

// form builds a native question without checking it, so that it can be wrong.
func (k key) form(t testing.TB, asked key, text string, tags ...nostr.Tag) *nostr.Event {
	t.Helper()
	all := append([]nostr.Tag{{"p", asked.public}, {"request", "question"}, {"tinyagent", "1"}, {"interaction", "question"}}, tags...)
	return k.message(t, now(), text, all...)
}

// TestWhatDoesNotCountIsShownWithItsReason lets a careless relay, which keeps
// what ours refuses, tell its tales.
func TestWhatDoesNotCountIsShownWithItsReason(t *testing.T) {
	home := serve(t, "-no-agent")
	bot, anaKey, benKey, stranger := newKey(t), newKey(t), newKey(t), newKey(t)
	q := bot.asks(t, ask.Draft{Text: "What do you drink?", Expires: now() + 3600}, anaKey, benKey)
	invalid := bot.form(t, anaKey, "Choose one of none", nostr.Tag{"selection", "single"})
	other := bot.message(t, now(), "From the future", nostr.Tag{"p", anaKey.public}, nostr.Tag{"request", "question"}, nostr.Tag{"tinyagent", "2"})
	post(t, home, bot.profile(t, "Robot"), benKey.profile(t, "Ben"), q, other)
	if words := publish(t, home, invalid); !strings.Contains(words, "not valid") {
		t.Errorf("of an invalid question the relay says %q", words)
	}

	r, err := ask.Parse(q)
	if err != nil {
		t.Fatal(err)
	}
	good, err := ask.BuildAnswer(r, ask.Answer{Choices: []string{"tea"}}, benKey.public, "", now())
	if err != nil {
		t.Fatal(err)
	}
	wrong := func(k key, at int64, content string, tags nostr.Tags) *nostr.Event {
		return k.event(t, ask.KindComment, at, content, tags...)
	}
	bad := []struct {
		answer *nostr.Event
		reason string
	}{
		{wrong(stranger, now(), "tea", good.Tags), "Its author is not among the people asked"},
		{wrong(benKey, now()+3600, "tea", good.Tags), "It came after the deadline"},
		{wrong(benKey, now()-10, "tea", good.Tags), "It was written before the question"},
		{wrong(benKey, now(), "beer", good.Tags), "It is not one of the options"},
		{wrong(benKey, now(), "tea", good.Tags[1:]), "Its E tag is missing"},
		{wrong(benKey, now(), strings.Repeat("a", ask.MaxAnswer+1), good.Tags), "It has 8001 characters, at most 8000 are allowed"},
	}
	between := newTap(t, home.relay)
	between.forged = append(between.forged, invalid)
	for _, b := range bad {
		if words := publish(t, home, b.answer); words == "" {
			t.Errorf("our relay takes an answer of which is said: %s", b.reason)
		}
		between.forged = append(between.forged, b.answer)
	}

	site := serve(t, "-relay", between.url)
	ana := visit(t, site, "ana", "/rooms/lobby")
	ana.shows(q.ID, "Sign in to answer")
	ana.signIn(anaKey).enter("lobby")
	ana.holds(q.ID, "radio", "Green tea")
	ana.is(q.ID, "open")
	ana.shows(q.ID, "History: 6 answers")
	ana.pressOn(q.ID, "button", "History: 6 answers")
	for _, b := range bad {
		ana.shows(q.ID, b.reason)
	}
	ana.is(invalid.ID, "invalid")
	ana.shows(invalid.ID, "This question is not valid")
	ana.shows(invalid.ID, "Choose one of none")
	if eval[bool](ana, `!!`+card(invalid.ID)+`.querySelector("fieldset,input,textarea,button[type=submit]") || `+card(invalid.ID)+`.dataset.answerable !== "false"`) {
		t.Error("a question that is not valid can be answered")
	}
	ana.wait("the form of another version to be a message with a note", `[...document.querySelectorAll("article:not([data-ask])")].some((m) => m.innerText.includes("From the future") && m.innerText.includes("a form that this app does not know"))`)

	// A refusal of the relay itself: what was typed stays, with its words.
	between.refuse(ask.KindComment, "invalid: the moon is not full")
	ana.choose(q.ID, "coffee")
	ana.pressOn(q.ID, "button", "Answer")
	ana.shows(q.ID, "Your answer was refused. The relay finds a mistake in it: “the moon is not full”")
	ana.is(q.ID, "open")
	ana.wait("what was chosen to stay", option(q.ID, "coffee")+`.checked`)
	between.refuse(ask.KindComment, "")
	ana.pressOn(q.ID, "button", "Retry")
	ana.is(q.ID, "answered")
	ana.hides(q.ID, "refused")
	ana.record(t, q, bad[3].answer)
}

// record looks at the decision record of an answered question.
func (p *person) record(t *testing.T, q, bad *nostr.Event) {
	t.Helper()
	p.open("/asks/" + q.ID)
	const panel = `e2e.all("region").concat([...document.querySelectorAll("section[aria-label='Decision record']")])[0]?.innerText`
	for _, words := range []string{"Asked by", "Robot", "People asked", "Ben", "Green tea", "Chosen", " answered on ", "It is not one of the options", bad.Content, "This one settled it"} {
		p.wait("the record to say "+words, panel+`?.includes(`+js(words)+`)`)
	}
	eval[bool](p, `(URL.createObjectURL = ((make) => (blob) => { window.saved = blob; return make.call(URL, blob); })(URL.createObjectURL), true)`)
	p.press("button", "Export")
	p.wait("the export", `window.saved`)
	file := filepath.Join(t.TempDir(), "decision.json")
	text := eval[string](p, `window.saved.text()`)
	for content, want := range map[string][]string{
		text: {"All 8 signatures hold.", `answer "Coffee"`, "counts, and settles it", "does not count: it is not one of the options"},
		strings.Replace(text, q.Content, "What do you want?", 1): {"does not hold", "the request"},
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(binary(t), "verify", file).CombinedOutput()
		if good := content == text; (err == nil) != good {
			t.Errorf("verify says %v\n%s", err, out)
		}
		for _, words := range want {
			if !strings.Contains(string(out), words) {
				t.Errorf("verify does not say %q:\n%s", words, out)
			}
		}
	}
}
