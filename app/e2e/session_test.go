package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/nip44"
	"parley/wasm/run"
	"parley/wasm/verify"
)

// meet opens the page of the house agent.
func (p *person) meet() *person {
	p.t.Helper()
	p.open("/agents")
	p.press("link", "House agent")
	p.has("textbox", "Message")
	p.sees("scripted")
	return p
}

// ask sends a prompt and waits until its run is there.
func (p *person) ask(text string) {
	p.t.Helper()
	before := eval[int](p, `document.querySelectorAll("[data-run]").length`)
	p.say(text)
	p.wait("the run", fmt.Sprintf(`document.querySelectorAll("[data-run]").length === %d`, before+1))
}

// lastRun is the newest run of the page in JavaScript.
const lastRun = `[...document.querySelectorAll("article[data-run]")].at(-1)`

// ends waits until the newest run has a state.
func (p *person) ends(state string) {
	p.t.Helper()
	p.wait("the run to be "+state, lastRun+`?.dataset.state === `+js(state))
}

func (p *person) answer() string {
	p.t.Helper()
	return eval[string](p, lastRun+`.querySelector("[data-run-text]").innerText`)
}

func TestAskStreamAndUseATool(t *testing.T) {
	s := serve(t)
	ana := visit(t, s, "ana", "/").signUp().meet()
	ana.ask("calculate 12 * 7")
	ana.ends("done")
	ana.wait("the tool's row", lastRun+`.querySelector('[data-tool="calculator"][data-phase="result"]')`)
	if text := ana.answer(); !strings.Contains(text, "84") {
		t.Errorf("the answer is %q", text)
	}
	ana.ask("stream 60 lines")
	ana.wait("the text to grow", lastRun+`.dataset.state === "streaming" && `+lastRun+`.querySelector("[data-run-text]").innerText.length > 200`)
	ana.ends("done")
	ana.sees("That was all.")
	ana.reload()
	ana.sees("That was all.")
	ana.ends("done")
	if n := eval[int](ana, `document.querySelectorAll("article[data-run]").length`); n != 2 {
		t.Errorf("after a reload there are %d runs", n)
	}
}

func TestStopKeepsThePartialTextAndRetryAsksAgain(t *testing.T) {
	s := serve(t)
	ana := visit(t, s, "ana", "/").signUp().meet()
	ana.ask("stream 2000 lines")
	ana.wait("the first lines", lastRun+`.querySelector("[data-run-text]")?.innerText.length > 100`)
	ana.press("button", "Stop")
	ana.ends("cancelled")
	if len(ana.answer()) < 100 {
		t.Error("the partial text is lost")
	}
	ana.press("button", "Retry")
	ana.wait("a second run", `document.querySelectorAll("article[data-run]").length === 2`)
	ana.press("button", "Stop")
	ana.ends("cancelled")
}

// TestStopStaysUnderThePointer: what runs away cannot be pressed.
func TestStopStaysUnderThePointer(t *testing.T) {
	s := serve(t)
	for name, options := range map[string][]func(*person){"desktop": nil, "phone": {onPhone}} {
		t.Run(name, func(t *testing.T) {
			ana := visit(t, s, "ana", "/", options...).signUp().meet()
			ana.ask("help")
			ana.ends("done")
			ana.ask("stream 2000 lines")
			ana.wait("the first words", lastRun+`.querySelector("[data-run-text]")?.innerText.length > 0`)
			places := eval[[]float64](ana, `new Promise((done) => {
				const seen = new Set(), run = `+lastRun+`;
				const look = () => {
					seen.add(Math.round(e2e.find("button", "Stop", run).getBoundingClientRect().bottom));
					if (run.scrollHeight > 2 * innerHeight) done([...seen]); else requestAnimationFrame(look);
				};
				look();
			})`)
			if slices.Max(places)-slices.Min(places) > 1 {
				t.Errorf("Stop was at %v", places)
			}
			ana.press("button", "Stop")
			ana.ends("cancelled")
		})
	}
}

func TestAKeyBeginsASession(t *testing.T) {
	s := serve(t)
	ana := visit(t, s, "ana", "/").signUp().meet()
	ana.ask("help")
	ana.ends("done")
	first := eval[string](ana, "location.pathname")
	ana.run(chromedp.KeyEvent("O", chromedp.KeyModifiers(chromedp.ModifierCtrl, chromedp.ModifierShift)))
	ana.wait("the place for a first prompt", `location.pathname !== `+js(first)+` && document.activeElement.matches("textarea")`)
	ana.ask("time")
	ana.ends("done")
	if n := eval[int](ana, `document.querySelectorAll("article[data-run]").length`); n != 1 {
		t.Errorf("the new session has %d runs", n)
	}
}

func TestAReloadInTheMiddleGoesOn(t *testing.T) {
	s := serve(t)
	ana := visit(t, s, "ana", "/").signUp().meet()
	ana.ask("stream 150 lines")
	ana.wait("the first lines", lastRun+`.querySelector("[data-run-text]")?.innerText.length > 100`)
	ana.reload()
	ana.wait("the run to be there", lastRun)
	ana.ends("done")
	ana.sees("That was all.")
}

func TestASecondDeviceSeesTheRunAndStopsIt(t *testing.T) {
	s := serve(t)
	ana := visit(t, s, "ana", "/").signUp()
	nsec := ana.backup()
	other := visit(t, s, "ana's phone", "/settings", onPhone)
	other.press("button", "Import a key")
	other.fill("Secret key", nsec)
	other.press("button", "Import")
	other.has("button", "Sign out")
	other.meet()
	ana.meet()
	ana.ask("stream 3000 lines")
	ana.wait("the first lines", lastRun+`.querySelector("[data-run-text]")?.innerText.length > 100`)
	path := strings.TrimPrefix(eval[string](ana, "location.href"), s.url)
	other.open(path)
	other.wait("the run", lastRun+`?.querySelector("[data-run-text]")?.innerText.length > 100`)
	other.press("button", "Stop")
	ana.ends("cancelled")
	other.ends("cancelled")
}

// backup saves and checks the backup of a key without a passphrase.
func (p *person) backup() string {
	p.t.Helper()
	p.open("/settings")
	p.press("button", "Save backup")
	p.wait("the backup's text", `document.body.innerText.match(/nsec1[a-z0-9]{58}/)`)
	nsec := eval[string](p, `document.body.innerText.match(/nsec1[a-z0-9]{58}/)[0]`)
	p.fill("Paste your backup to check it", nsec)
	p.press("button", "Check backup")
	p.sees("Backup checked")
	return nsec
}

func TestAHiddenSessionShowsOnlyWrapsOnTheWire(t *testing.T) {
	w := newWire(t)
	s := w.before(t)
	ana := visit(t, s, "ana", "/").signUp().meet()
	ana.press("checkbox", "Hide metadata")
	ana.ask("calculate 6 * 7")
	ana.ends("done")
	ana.sees("42")
	for kind := run.KindStatus; kind <= run.KindCancel; kind++ {
		if n := w.seen(kind); n > 0 {
			t.Errorf("%d events of kind %d are on the wire", n, kind)
		}
	}
	if w.seen(run.KindWrap) == 0 {
		t.Error("no gift wrap passed")
	}
}

func TestNothingReadableIsOnTheWire(t *testing.T) {
	w := newWire(t)
	s := w.before(t)
	ana := visit(t, s, "ana", "/").signUp().meet()
	const secret = "my secret garden lies behind the old mill"
	ana.ask(secret)
	ana.ends("done")
	ana.sees("You said")
	if w.seen(run.KindPrompt) == 0 || w.seen(run.KindResponse) == 0 {
		t.Fatal("the wire has not seen the run")
	}
	for _, words := range []string{secret, "secret garden", "You said", "old mill"} {
		if w.holds(words) {
			t.Errorf("%q is readable on the wire", words)
		}
	}
}

func TestARelayWithoutHistoryOfSessions(t *testing.T) {
	w := newWire(t)
	w.forgetful = true
	s := w.before(t)
	ana := visit(t, s, "ana", "/").signUp().meet()
	ana.ask("stream 30 lines")
	ana.ends("done")
	ana.sees("That was all.")
	ana.wait("the prompt to be sent, not stored", lastRun+`.innerText.includes("keep no history") || document.body.innerText.includes("keep no history")`)
	ana.reload()
	ana.sees("That was all.")
	ana.ends("done")
}

func TestEveryErrorIsShown(t *testing.T) {
	s := serve(t)
	ana := visit(t, s, "ana", "/").signUp().meet()
	for _, code := range []run.Code{
		run.UnsupportedModel, run.UnsupportedSchemaVersion, run.RateLimit, run.Unauthorized, run.BlockedSender,
		run.ModelUnavailable, run.SessionLimit, run.ParseError, run.ToolError,
		run.InvalidSchema, run.UnsupportedFeature, run.InternalError, run.UnsupportedEncryption, run.InvalidSequence, run.EmptyResponse,
	} {
		ana.ask("error " + string(code))
		ana.wait("the error "+string(code), lastRun+`.querySelector('[data-run-error="`+string(code)+`"]')?.innerText.length > 10`)
	}
}

func TestAnAnswerOfOneMegabyte(t *testing.T) {
	s := serve(t)
	ana := visit(t, s, "ana", "/").signUp().meet()
	ana.ask("big 1000")
	ana.ends("done")
	// It is not called done before all of it is there.
	if got := eval[int](ana, lastRun+`.querySelector("[data-run-text]").innerText.length`); got < 900_000 {
		t.Errorf("%d characters were there at the end", got)
	}
}

// TestASlowSignerOutside drives a browser extension that takes 300 ms a call:
// a real key, in a window.nostr that the page calls.
func TestASlowSignerOutside(t *testing.T) {
	s := serve(t)
	outside := newKey(t)
	calls := make(chan string, 1000)
	ana := visit(t, s, "ana", "/", func(p *person) {
		p.script = extensionJS
		p.prepare = func() { p.run(chromedp.ExposeFunc("extensionCall", outside.extension(300*time.Millisecond, calls))) }
	})
	ana.open("/settings")
	ana.press("button", "Use browser extension")
	ana.has("button", "Sign out")
	ana.meet()
	ana.ask("stream 20 lines")
	ana.ends("done")
	ana.sees("That was all.")
	seen := map[string]int{}
	for len(calls) > 0 {
		call := <-calls
		if strings.HasPrefix(call, "nip44.decrypt") {
			seen[call]++
		}
	}
	ana.reload()
	ana.sees("That was all.")
	for len(calls) > 0 {
		call := <-calls
		if strings.HasPrefix(call, "nip44.decrypt") {
			seen[call]++
		}
	}
	for call, n := range seen {
		if n > 1 {
			t.Errorf("it was asked %d times for %.60s", n, call)
		}
	}
}

const extensionJS = `
window.nostr = {
  getPublicKey: () => extensionCall({ method: "getPublicKey", args: [] }),
  signEvent: (e) => extensionCall({ method: "signEvent", args: [JSON.stringify(e)] }).then(JSON.parse),
  nip44: {
    encrypt: (peer, text) => extensionCall({ method: "nip44.encrypt", args: [peer, text] }),
    decrypt: (peer, text) => extensionCall({ method: "nip44.decrypt", args: [peer, text] }),
  },
};
`

type extensionCall struct {
	Method string   `json:"method"`
	Args   []string `json:"args"`
}

// extension answers as a browser extension with this key does.
func (k key) extension(takes time.Duration, calls chan<- string) func(context.Context, extensionCall) (string, error) {
	return func(ctx context.Context, call extensionCall) (string, error) {
		calls <- call.Method + " " + strings.Join(call.Args, " ")
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			return "", ctx.Err()
		}
		switch call.Method {
		case "getPublicKey":
			return k.public, nil
		case "signEvent":
			var e nostr.Event
			if err := json.Unmarshal([]byte(call.Args[0]), &e); err != nil {
				return "", err
			}
			if err := verify.Sign(&e, k.secret, [32]byte{}); err != nil {
				return "", err
			}
			text, err := json.Marshal(e)
			return string(text), err
		}
		shared, err := nip44.ConversationKey(k.secret, call.Args[0])
		if err != nil {
			return "", err
		}
		if call.Method == "nip44.decrypt" {
			return nip44.Decrypt(call.Args[1], shared)
		}
		return nip44.EncryptRand(call.Args[1], shared, randomReader{})
	}
}
