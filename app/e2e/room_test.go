package e2e

import (
	"fmt"
	"testing"
	"time"
)

func TestReloadAsksTheNetworkOnlyForWhatIsNew(t *testing.T) {
	home := serve(t, "-no-agent")
	writer := newKey(t)
	long := time.Now().Unix() - 86400
	home.stop()
	for i := range 60 {
		home.seed(writer.message(t, long+int64(i), fmt.Sprintf("old message %d", i)))
	}
	home.start()
	between := newTap(t, home.relay)
	site := serve(t, "-relay", between.url)
	ana := visit(t, site, "ana", "/rooms/lobby")
	ana.sees("old message 59")
	first := between.count()
	if first < 60 {
		t.Fatalf("the first visit got %d events, the room has 60", first)
	}
	// Only what the first visit has stored can be missing from the second.
	ana.wait("the room to be synced", `document.querySelector("[data-connection=online]")`)
	ana.reload()
	ana.sees("old message 59")
	ana.sees("old message 0")
	ana.wait("the connection", `document.querySelector("[data-connection=online]")`)
	if second := between.count() - first; second >= 60 {
		t.Errorf("the reload asked for everything again: %d events", second)
	}
}

func TestMessagesSentMeanwhileAppearOnceAndInOrder(t *testing.T) {
	s := serve(t, "-no-agent")
	ana := visit(t, s, "ana", "/rooms/lobby")
	ana.wait("the connection", `document.querySelector("[data-connection=online]")`)
	s.stop()
	writer := newKey(t)
	now := time.Now().Unix()
	var texts []string
	for i := range 5 {
		texts = append(texts, fmt.Sprintf("meanwhile %d", i))
		s.seed(writer.message(t, now-10+int64(i), texts[i]))
	}
	s.start()
	ana.reads(texts...)
}

func TestAForgedEventNeverAppears(t *testing.T) {
	home := serve(t, "-no-agent")
	writer := newKey(t)
	now := time.Now().Unix()
	home.stop()
	home.seed(writer.message(t, now-100, "the real one"))
	home.start()
	between := newTap(t, home.relay)
	badSig := writer.message(t, now-90, "bad signature")
	badSig.Sig = writer.message(t, now-90, "another text").Sig
	badID := writer.message(t, now-80, "wrong id")
	badID.Content = "changed on the way"
	stranger := writer.message(t, now-70, "somebody else's name")
	stranger.PubKey = newKey(t).public
	between.forged = append(between.forged, badSig, badID, stranger, writer.message(t, now-60, "a good one from the tap"))
	site := serve(t, "-relay", between.url)
	ana := visit(t, site, "ana", "/rooms/lobby?relay="+between.url)
	ana.reads("the real one", "a good one from the tap")
	ana.reload()
	ana.reads("the real one", "a good one from the tap")
}

func TestFiveThousandStoredMessagesMountAtMostTwoHundred(t *testing.T) {
	s := serve(t, "-no-agent")
	s.stop()
	writer := newKey(t)
	first := time.Now().Unix() - 10_000
	events := make([]string, 5000)
	for i := range events {
		events[i] = fmt.Sprintf("message %d", i)
	}
	s.seedMany(writer, first, events)
	s.start()
	ana := visit(t, s, "ana", "/rooms/lobby")
	ana.wait("the newest message in the log", `e2e.messages().at(-1)?.innerText.includes("message 4999")`)
	mounted := func() int { return eval[int](ana, "e2e.messages().length") }
	if n := mounted(); n > 200 {
		t.Errorf("%d messages are mounted", n)
	}
	// Up a good way: older ones come, and what is read stays where it is.
	for range 6 {
		ana.scrollUp()
		if n := mounted(); n > 200 {
			t.Fatalf("%d messages are mounted", n)
		}
	}
	oldest := eval[string](ana, `e2e.messages()[0].querySelector(".md").innerText`)
	var number int
	if _, err := fmt.Sscanf(oldest, "message %d", &number); err != nil || number > 4700 {
		t.Errorf("after scrolling up the oldest message is %q", oldest)
	}
}

func TestWithoutWebAssemblyThePageSaysSo(t *testing.T) {
	s := serve(t, "-no-agent")
	ana := visit(t, s, "ana", "/", func(p *person) { p.script = "delete window.WebAssembly" })
	ana.sees("WebAssembly")
	ana.sees("Parley")
}

func TestKeyboardAloneIsEnough(t *testing.T) {
	s := serve(t, "-no-agent")
	ben := visit(t, s, "ben", "/").signUp().enter("lobby")
	ben.say("Written with the mouse at hand")
	ben.stands("Written with the mouse at hand", "stored")
	ana := visit(t, s, "ana", "/").signUp()
	ana.open("/")
	ana.wait("the app", `document.querySelector("[data-connection=online]") && document.querySelector(".item[href*='/rooms/lobby']")`)
	ana.tabTo("the link to the lobby", `document.activeElement.matches("a[href*='/rooms/lobby']")`)
	ana.key("Enter")
	ana.reads("Written with the mouse at hand") // the start has it, too
	ana.has("textbox", "Message")
	ana.tabTo("the composer", `e2e.name(document.activeElement) === "Message" && document.activeElement.matches("textarea")`)
	ana.insert("Written by keyboard")
	ana.key("Enter")
	ben.reads("Written with the mouse at hand", "Written by keyboard")
	if !eval[bool](ana, `getComputedStyle(document.activeElement.closest(".composer") ?? document.activeElement).outlineStyle !== "none" || getComputedStyle(document.activeElement).outlineStyle !== "none" || document.activeElement.matches(":focus-visible")`) {
		t.Error("the focus is not to be seen")
	}
}
