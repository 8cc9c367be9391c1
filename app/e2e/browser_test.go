package e2e

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdpage "github.com/chromedp/cdproto/page"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium is the one browser of a test run; each person has a context of
// their own in it, as in a private window.
var chromium struct {
	once   sync.Once
	ctx    context.Context
	cancel context.CancelFunc
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if chromium.cancel != nil {
		chromium.cancel()
	}
	os.Exit(code)
}

func findChromium() (string, error) {
	if path := os.Getenv("CHROMIUM"); path != "" {
		return path, nil
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no Chromium: `make test` installs one, or name yours in CHROMIUM")
}

func browser(t testing.TB) context.Context {
	t.Helper()
	chromium.once.Do(func() {
		path, err := findChromium()
		if err != nil {
			chromium.err = err
			return
		}
		options := []chromedp.ExecAllocatorOption{
			chromedp.ExecPath(path), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
			chromedp.Flag("disable-background-networking", true),
			chromedp.Flag("disable-component-update", true),
			chromedp.Flag("disable-sync", true),
			chromedp.Flag("disable-dev-shm-usage", true), // too small in containers
			chromedp.Flag("lang", "en-US"),
			chromedp.WSURLReadTimeout(patience),
		}
		alloc, cancelAlloc := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, cancel := chromedp.NewContext(alloc)
		chromium.ctx, chromium.err = ctx, chromedp.Do(ctx)
		chromium.cancel = func() { cancel(); cancelAlloc() }
	})
	if chromium.err != nil {
		t.Fatal(chromium.err)
	}
	return chromium.ctx
}

// Sizes of the screens that the layout is made for.
var (
	phone   = [2]int64{390, 844}
	tablet  = [2]int64{820, 1180}
	desktop = [2]int64{1440, 900}
)

// person is somebody with a browser of their own. Their tabs share storage.
type person struct {
	t       testing.TB
	name    string
	server  *server
	browser context.Context // holds the private context
	tab     context.Context // the tab that is looked at
	size    [2]int64
	dark    bool
	script  string // runs in every page before its own scripts
	prepare func() // runs in every new tab before it goes anywhere; may be nil

	mu     sync.Mutex
	errors []string // uncaught errors and console errors of all tabs
}

//go:embed find.js
var findJS string

// visit opens a private browser for somebody at a path of the server.
func visit(t testing.TB, s *server, name, path string, options ...func(*person)) *person {
	t.Helper()
	p := &person{t: t, name: name, server: s, size: desktop}
	for _, option := range options {
		option(p)
	}
	ctx, cancel := chromedp.NewContext(browser(t), chromedp.WithNewBrowserContext())
	p.browser = ctx
	t.Cleanup(func() {
		p.onFailure()
		cancel()
	})
	p.use(ctx)
	p.open(path)
	return p
}

func onPhone(p *person) { p.size = phone }
func inDark(p *person)  { p.dark = true }

// newTab opens another tab of the same browser and looks at it.
func (p *person) newTab(path string) context.Context {
	p.t.Helper()
	ctx, cancel := chromedp.NewContext(p.browser)
	p.t.Cleanup(cancel)
	p.use(ctx)
	p.open(path)
	return ctx
}

// use makes a tab the one that is looked at.
func (p *person) use(tab context.Context) {
	p.t.Helper()
	p.tab = tab
	if chromedp.FromContext(tab).Target != nil {
		p.run(command(cdpage.BringToFront, cdp.Empty{}))
		return
	}
	if err := chromedp.Listen(tab, p.listen); err != nil { // makes the tab
		p.t.Fatal(err)
	}
	scheme := "light"
	if p.dark {
		scheme = "dark"
	}
	media := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}
	p.run(
		command(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: p.size[0], Height: p.size[1], DeviceScaleFactor: 1, Mobile: p.size == phone,
		}),
		command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: media}),
		command(cdpage.AddScriptToEvaluateOnNewDocument, cdpage.AddScriptToEvaluateOnNewDocumentParams{Source: findJS + "\n" + p.script}),
	)
	if p.prepare != nil {
		p.prepare()
	}
}

// command is an action that sends one command of the protocol.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

func (p *person) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *cdpruntime.EventExceptionThrown:
		p.errors = append(p.errors, exceptionText(e.ExceptionDetails))
	case *cdpruntime.EventConsoleAPICalled:
		var words []string
		for _, a := range e.Args {
			words = append(words, string(a.Value)+a.Description)
		}
		// A Go program's last words are logged like any others.
		if text := strings.Join(words, " "); e.Type == "error" || strings.Contains(text, "panic") || strings.Contains(text, "fatal error") || len(p.errors) > 0 {
			p.errors = append(p.errors, text)
		}
	}
}

// run performs actions in the tab that is looked at.
func (p *person) run(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.tab, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.t.Fatalf("%s: %v", p.name, err)
	}
}

// open goes to a path of the server.
func (p *person) open(path string) {
	p.t.Helper()
	p.run(chromedp.Navigate(p.server.url + path))
}

func (p *person) reload() {
	p.t.Helper()
	p.run(chromedp.Reload())
}

// eval runs JavaScript in the page and gives its value.
func eval[T any](p *person, script string) T {
	p.t.Helper()
	value, err := tryEval[T](p, script)
	if err != nil {
		p.t.Fatalf("%s: %s: %v", p.name, script, err)
	}
	return value
}

func tryEval[T any](p *person, script string) (T, error) {
	ctx, cancel := context.WithTimeout(p.tab, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
}

// wait waits until JavaScript gives true. A page that is on its way to
// another one counts as not yet.
func (p *person) wait(what, script string) {
	p.t.Helper()
	if !p.within(patience, script) {
		_, err := tryEval[bool](p, "!!("+script+")")
		p.t.Fatalf("%s waited in vain for %s (last error: %v)", p.name, what, err)
	}
}

// within tells whether JavaScript gives true before a time has passed.
func (p *person) within(limit time.Duration, script string) bool {
	p.t.Helper()
	deadline := time.Now().Add(limit)
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	for {
		holds, err := tryEval[bool](p, "!!("+script+")")
		if err == nil && holds {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
		<-tick.C
	}
}

// js writes values as arguments of a call in JavaScript.
func js(values ...any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		b, _ := json.Marshal(v) // strings and numbers only
		texts[i] = string(b)
	}
	return strings.Join(texts, ",")
}

// sees waits until a text stands somewhere on the page, visibly.
func (p *person) sees(text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("the text %q", text), "e2e.text("+js(text)+")")
}

// misses waits until a text stands nowhere on the page.
func (p *person) misses(text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("%q to be gone", text), "!e2e.text("+js(text)+")")
}

// has waits for a control with this role and name.
func (p *person) has(role, name string) {
	p.t.Helper()
	p.wait(role+" "+name, "e2e.find("+js(role, name)+")")
}

// lacks waits until there is no control with this role and name.
func (p *person) lacks(role, name string) {
	p.t.Helper()
	p.wait("no "+role+" "+name, "!e2e.find("+js(role, name)+")")
}

// press presses a control once it is there and usable, with a real click.
func (p *person) press(role, name string) {
	p.t.Helper()
	p.wait(role+" "+name+" to be usable", "e2e.usable("+js(role, name)+")")
	p.clickAt("e2e.find(" + js(role, name) + ")")
}

// clickAt clicks in the middle of an element given in JavaScript, once it
// stands still: a hand aims too.
func (p *person) clickAt(element string) {
	p.t.Helper()
	at := eval[[2]float64](p, "e2e.still(() => "+element+")")
	p.run(chromedp.MouseClickXY(at[0], at[1]))
}

// fill replaces what stands in a text field by typing.
func (p *person) fill(name, text string) {
	p.t.Helper()
	p.wait("textbox "+name, "e2e.usable("+js("textbox", name)+")")
	eval[bool](p, "e2e.focus("+js("textbox", name)+")")
	p.run(command(input.InsertText, input.InsertTextParams{Text: text}))
}

// onFailure keeps a picture of what a failed test saw.
func (p *person) onFailure() {
	if !p.t.Failed() {
		return
	}
	p.mu.Lock()
	p.t.Logf("%s's browser said: %s", p.name, strings.Join(p.errors, "\n"))
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(p.tab, 5*time.Second)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		return
	}
	path := filepath.Join(os.TempDir(), "parley-e2e-"+strings.ReplaceAll(p.t.Name(), "/", "-")+"-"+p.name+".png")
	if os.WriteFile(path, picture, 0o600) == nil {
		p.t.Logf("%s saw: %s", p.name, path)
	}
}

func exceptionText(d *cdpruntime.ExceptionDetails) string {
	if d.Exception != nil {
		return d.Text + " " + d.Exception.Description
	}
	return d.Text
}
