package e2e

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"parley/wasm/signer/bunkertest"
)

// newBunker starts a remote signer at a relay. It is away after Stop.
func newBunker(t testing.TB, relay string) *bunkertest.Bunker {
	t.Helper()
	b, err := bunkertest.New(relay)
	if err != nil {
		t.Fatal(err)
	}
	startBunker(t, b)
	t.Cleanup(b.Stop)
	return b
}

func startBunker(t testing.TB, b *bunkertest.Bunker) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := b.Start(ctx); err != nil {
		t.Fatal(err)
	}
}

// useRemote signs in by way of a remote signer.
func (p *person) useRemote(b *bunkertest.Bunker) *person {
	p.t.Helper()
	p.open("/settings")
	p.press("button", "Use remote signer")
	p.fill("Bunker address", b.Address())
	p.press("button", "Connect")
	p.has("button", "Sign out")
	p.sees("Your key is with a remote signer")
	return p
}

func TestARemoteSignerFromEndToEnd(t *testing.T) {
	s := serve(t)
	meeting := serve(t, "-no-agent") // the signer is met at a relay of its own
	bunker := newBunker(t, meeting.relay)
	ana := visit(t, s, "ana", "/").useRemote(bunker)
	ana.lacks("button", "Save backup")
	ana.misses("Back up")
	ana.enter("lobby")
	ana.say("signed elsewhere")
	ana.stands("signed elsewhere", "stored")

	// What the signer refuses comes back.
	bunker.Decide(func(r bunkertest.Request) error {
		if r.Method == "sign_event" {
			return errors.New("not that")
		}
		return nil
	})
	ana.say("never mind")
	ana.wait("the words to come back", `document.querySelector("textarea").value === "never mind"`)
	ana.sees("Your remote signer said no: not that")
	ana.reads("signed elsewhere")
	bunker.Decide(nil)
	ana.fill("Message", "")

	// Nothing is lost while it is away.
	bunker.Stop()
	ana.say("written while it is away")
	ana.stands("written while it is away", "waiting")
	ana.has("button", "Reconnect")
	ana.sees("does not answer")
	ana.reload()
	ana.stands("written while it is away", "waiting")
	ana.has("button", "Reconnect")
	startBunker(t, bunker)
	ana.press("button", "Reconnect")
	ana.stands("written while it is away", "stored")
	ana.lacks("button", "Reconnect")

	// An agent's answers are read by way of it, each once.
	ana.meet()
	ana.ask("stream 20 lines")
	ana.ends("done")
	ana.sees("That was all.")
	before := bunker.Count("nip44_decrypt")
	ana.reload()
	ana.sees("That was all.")
	ana.ends("done")
	if after := bunker.Count("nip44_decrypt"); after > before {
		t.Errorf("after a reload it was asked %d times more", after-before)
	}
	if n := bunker.Count("connect"); n != 1 {
		t.Errorf("it was connected to %d times", n)
	}
	ana.open("/settings")
	ana.press("button", "Sign out")
	ana.confirm("Sign out")
	ana.has("button", "Use remote signer")
	if found := eval[bool](ana, `Object.values(localStorage).concat(Object.values(sessionStorage)).some((v) => /bunker:|nsec1/.test(v))`); found {
		t.Error("a secret is in the page's storage")
	}
}

// TestARemoteSignerGoesOnInAnotherTab: the core speaks to it, so that it works
// from wherever the core moves.
func TestARemoteSignerGoesOnInAnotherTab(t *testing.T) {
	s := serve(t, "-no-agent")
	bunker := newBunker(t, s.relay)
	ana := visit(t, s, "ana", "/").useRemote(bunker)
	ana.enter("lobby")
	first := ana.tab
	second := ana.newTab("/rooms/lobby")
	ana.has("textbox", "Message")
	ana.use(first)
	ana.run(chromedp.Navigate("about:blank"))
	ana.use(second)
	ana.fill("Message", "from the tab that is left")
	for sent := false; !sent; sent = ana.within(3*time.Second, `document.querySelector("textarea").value === ""`) {
		ana.key("Enter")
	}
	ana.stands("from the tab that is left", "stored")
}

func TestConnectingToARemoteSigner(t *testing.T) {
	s := serve(t, "-no-agent")
	bunker := newBunker(t, s.relay)
	ana := visit(t, s, "ana", "/settings", onPhone)
	ana.press("button", "Use remote signer")
	for text, words := range map[string]string{
		"":                                      "nothing was given",
		"ana@bunker.example":                    "bunker://",
		"bunker://npub1":                        "64 hex digits",
		strings.Split(bunker.Address(), "?")[0]: "names no relay",
	} {
		ana.fill("Bunker address", text)
		ana.press("button", "Connect")
		ana.wait("the reason for "+text, `document.body.innerText.includes(`+js(words)+`)`)
	}
	ana.fits(t, "the form of a remote signer")

	// While the person reads there is a word, and a way out.
	reads := make(chan struct{})
	read := sync.OnceFunc(func() { close(reads) })
	t.Cleanup(read)
	bunker.Decide(func(bunkertest.Request) error { <-reads; return nil })
	ana.fill("Bunker address", bunker.Address())
	ana.press("button", "Connect")
	ana.sees("Waiting for your approval")
	ana.press("button", "Cancel")
	ana.misses("Waiting for your approval")
	read()
	bunker.Decide(nil)
	bunker.Stop()

	// The other way round: the signer is given a code.
	ana.has("button", "Use remote signer")
	ana.wait("the form", `(e2e.find("textbox", "Bunker address") || (e2e.find("button", "Use remote signer")?.click(), false))`)
	ana.clickAt(`document.querySelector(".remote summary")`)
	ana.press("button", "Make a code")
	ana.has("button", "Copy code")
	code := eval[string](ana, `document.querySelector(".remote .secret").innerText`)
	ana.fits(t, "the code for a remote signer")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := bunker.Accept(ctx, strings.TrimSpace(code)); err != nil {
		t.Fatal(err)
	}
	ana.has("button", "Sign out")
	ana.sees("Your key is with a remote signer")
}

// TestHowARemoteSignerLooks keeps pictures in PARLEY_LOOK, where that names a
// folder, and looks at names and contrast in any case.
func TestHowARemoteSignerLooks(t *testing.T) {
	s := serve(t, "-no-agent")
	for _, dark := range []bool{false, true} {
		size := map[bool][2]int64{false: phone, true: desktop}[dark]
		bunker := newBunker(t, s.relay)
		ana := visit(t, s, "ana", "/settings", func(p *person) { p.dark, p.size = dark, size })
		name := map[bool]string{false: "light", true: "dark"}[dark] + map[[2]int64]string{phone: "-phone", desktop: "-desktop"}[size]
		ana.press("button", "Use remote signer")
		ana.has("textbox", "Bunker address")
		ana.picture(t, "1-form-"+name)
		ana.clickAt(`document.querySelector(".remote summary")`)
		ana.press("button", "Make a code")
		ana.has("button", "Copy code")
		ana.picture(t, "2-code-"+name)
		ana.press("button", "Cancel")
		ana.lacks("button", "Cancel")
		bunker.Spoil(func(r bunkertest.Request, reply *bunkertest.Reply) []bunkertest.Reply {
			if r.Method == "connect" {
				first := *reply
				first.Result, first.Error = "auth_url", "https://signer.example/approve/1"
				return []bunkertest.Reply{first}
			}
			return []bunkertest.Reply{*reply}
		})
		ana.fill("Bunker address", bunker.Address())
		ana.press("button", "Connect")
		ana.has("link", "Open signer.example")
		if rel := eval[string](ana, `(() => { const a = e2e.find("link", "Open signer.example"); return a.rel + " " + a.target; })()`); !strings.Contains(rel, "noopener") || !strings.Contains(rel, "_blank") {
			t.Errorf("the link is %q", rel)
		}
		ana.picture(t, "3-link-"+name)
		ana.press("button", "Cancel")
		ana.lacks("button", "Cancel")
		bunker.Spoil(nil)
		again := newBunker(t, s.relay)
		ana.fill("Bunker address", again.Address())
		ana.press("button", "Connect")
		ana.has("button", "Sign out")
		ana.picture(t, "4-connected-"+name)
		ana.open("/rooms/lobby")
		ana.has("textbox", "Message")
		again.Stop()
		ana.say("waits for the signer")
		ana.has("button", "Reconnect")
		ana.picture(t, "5-away-"+name)
		ana.open("/settings")
		ana.has("button", "Reconnect")
		ana.picture(t, "6-settings-away-"+name)
	}
}

func (p *person) picture(t *testing.T, name string) {
	t.Helper()
	if bad := p.nameless(); len(bad) > 0 {
		t.Errorf("%s: without a name: %v", name, bad)
	}
	if bad := eval[[]string](p, contrastJS); len(bad) > 0 {
		t.Errorf("%s: too little contrast: %v", name, bad)
	}
	p.fits(t, name)
	folder := os.Getenv("PARLEY_LOOK")
	if folder == "" {
		return
	}
	ctx, cancel := context.WithTimeout(p.tab, patience)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o600); err != nil {
		t.Fatal(err)
	}
}
