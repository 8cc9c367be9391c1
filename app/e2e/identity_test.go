package e2e

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

func TestAKeyUnderAPassphraseIsLockedAfterAReload(t *testing.T) {
	s := serve(t, "-no-agent")
	ana := visit(t, s, "ana", "/settings")
	ana.press("button", "Create a key")
	ana.fill("Passphrase", "correct horse battery")
	ana.press("button", "Create")
	ana.has("button", "Save backup")
	ana.clickAt(`document.querySelector("nav a[href*='/rooms/lobby']")`) // a reload would lock the key
	ana.say("written unlocked")
	ana.stands("written unlocked", "stored")
	ana.reload()
	ana.reads("written unlocked") // reading works while the key is locked
	ana.say("written locked")
	ana.stands("written locked", "waiting")
	ana.has("button", "Unlock")
	ana.fill("Passphrase", "wrong horse")
	ana.press("button", "Unlock")
	ana.wait("the refusal", `/wrong passphrase/i.test(document.body.innerText)`)
	ana.fill("Passphrase", "correct horse battery")
	ana.press("button", "Unlock")
	ana.stands("written locked", "stored")
	if found := eval[bool](ana, `Object.values(localStorage).concat(Object.values(sessionStorage)).some((v) => /nsec1|correct horse/.test(v))`); found {
		t.Error("a secret is in the page's storage")
	}
}

func TestSigningOutDemandsACheckedBackup(t *testing.T) {
	s := serve(t, "-no-agent")
	ana := visit(t, s, "ana", "/").signUp()
	ana.press("button", "Sign out")
	ana.wait("a word about the backup", `/backup/i.test(e2e.all("dialog")[0]?.innerText ?? document.body.innerText)`)
	ana.open("/settings")
	ana.has("button", "Save backup")
	ana.backup()
	ana.press("button", "Sign out")
	ana.has("checkbox", "Wipe this browser")
	ana.press("checkbox", "Wipe this browser")
	ana.confirm("Sign out")
	ana.has("button", "Create a key")
	ana.reload()
	ana.has("button", "Create a key")
}

func TestAWrongKeyIsRefusedWithTheReason(t *testing.T) {
	s := serve(t, "-no-agent")
	ana := visit(t, s, "ana", "/settings")
	ana.press("button", "Import a key")
	for text, words := range map[string]string{
		"npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg": "public key",
		"my password": "nsec1",
		"nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe6": "character",
	} {
		ana.fill("Secret key", text)
		ana.press("button", "Import")
		ana.wait("the reason for "+text, `document.body.innerText.includes(`+js(words)+`) && !e2e.find("button", "Sign out")`)
	}
	ana.fill("Secret key", "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5")
	ana.press("button", "Import")
	ana.has("button", "Sign out")
	ana.sees("npub10elfc")
}

func TestALinkToAnUnknownRelayAsksFirst(t *testing.T) {
	s := serve(t, "-no-agent")
	other := serve(t, "-no-agent")
	other.stop()
	other.seed(newKey(t).message(t, 1_700_000_000, "on another relay"))
	other.start()
	ana := visit(t, s, "ana", "/rooms/lobby?relay="+other.relay)
	ana.sees("Open " + other.relay + "?")
	ana.misses("on another relay")
	ana.press("button", "Not now")
	ana.misses("Open " + other.relay + "?")
	ana.reload()
	ana.sees("Open " + other.relay + "?")
	ana.press("button", "Open")
	ana.reads("on another relay")
}

func TestABadRelayAddressIsRefusedWithTheReason(t *testing.T) {
	s := serve(t, "-no-agent")
	ana := visit(t, s, "ana", "/").signUp()
	for text, words := range map[string]string{"https://relay.example.com": "wss", "not a relay": "wss", "wss://": "host"} {
		ana.fill("Relay address", text)
		ana.press("button", "Add relay")
		ana.wait("the reason for "+text, `document.body.innerText.includes(`+js(words)+`) && e2e.find("textbox", "Relay address").value !== ""`)
	}
}

func TestTwoTabsShareOneCore(t *testing.T) {
	s := serve(t, "-no-agent")
	ana := visit(t, s, "ana", "/").signUp().enter("lobby")
	first := ana.tab
	second := ana.newTab("/rooms/lobby")
	ana.has("textbox", "Message")
	ana.say("from the second tab")
	ana.stands("from the second tab", "stored")
	ana.use(first)
	ana.reads("from the second tab")
	// The tab with the core goes: the other takes over.
	ana.run(chromedp.Navigate("about:blank"))
	ana.use(second)
	ana.fill("Message", "after the first tab is gone")
	// What was sent to a core that is gone comes back into the composer.
	for sent := false; !sent; sent = ana.within(3*time.Second, `document.querySelector("textarea").value === ""`) {
		ana.key("Enter")
	}
	ana.stands("after the first tab is gone", "stored")
	ana.reads("from the second tab", "after the first tab is gone")
}

func TestAnAnswerGoesOnWhenTheTabWithTheCoreGoes(t *testing.T) {
	s := serve(t)
	ana := visit(t, s, "ana", "/").signUp().meet()
	ana.ask("help")
	ana.ends("done")
	first, path := ana.tab, eval[string](ana, "location.pathname")
	second := ana.newTab(path)
	ana.wait("the session", lastRun)
	ana.ask("stream 150 lines")
	ana.wait("the first lines", lastRun+`.querySelector("[data-run-text]")?.innerText.length > 100`)
	ana.use(first)
	ana.run(chromedp.Navigate("about:blank"))
	ana.use(second)
	ana.ends("done")
	ana.sees("That was all.")
}

func TestACoreThatDiesIsReplaced(t *testing.T) {
	s := serve(t, "-no-agent")
	ana := visit(t, s, "ana", "/").signUp().enter("lobby")
	ana.say("before")
	ana.stands("before", "stored")
	ana.fill("Message", "half written")
	eval[bool](ana, `(() => { parley.restart("a test"); return true; })()`)
	ana.wait("the draft to stay", `document.querySelector("textarea").value === "half written"`)
	ana.key("Enter")
	ana.stands("half written", "stored")
	ana.reads("before", "half written")
}
