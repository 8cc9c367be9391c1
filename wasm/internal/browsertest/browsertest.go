//go:build !js

// Package browsertest runs a package's js/wasm tests in a real headless
// Chromium, from a native test:
//
//	func TestInBrowser(t *testing.T) { browsertest.Run(t, browsertest.Options{}) }
//
// The js test binary of the package in the working directory is compiled,
// served from loopback and run in a dedicated worker, as the core is in the
// product. The native test passes when the program exits with 0 after PASS.
package browsertest

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Patience is how long a test program may run in the browser; compiling it
// and starting the browser have as long again.
const Patience = 3 * time.Minute

// URLVariable is the environment variable in which the program in the browser
// finds the address of the server, such as http://127.0.0.1:1234.
const URLVariable = "PARLEY_TEST_URL"

// Options say how to run the tests. The zero value runs all of them.
type Options struct {
	// Args are arguments of the test program, such as -test.run=Name.
	Args []string
	// Page runs the program in the page itself instead of a worker.
	Page bool
	// Handler serves what the tests ask for below /test/; may be nil.
	Handler http.Handler
}

//go:embed page.html
var page []byte

//go:embed run.js
var script []byte

// Run compiles and runs the tests, and fails t with their output.
func Run(t testing.TB, o Options) {
	t.Helper()
	browser, err := find(os.Getenv("CHROMIUM"), "/usr/bin/chromium", "chromium", "google-chrome")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*Patience)
	defer cancel()
	program, err := compile(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := noteSources(ctx); err != nil {
		t.Fatal(err)
	}
	server := serve(program, o)
	defer server.Close()
	output, err := runIn(ctx, browser, server.URL, o)
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	t.Log(output)
}

// find gives the browser to use: the one that is named, or the first there is.
func find(named string, usual ...string) (string, error) {
	if named != "" {
		usual = []string{named}
	}
	for _, name := range usual {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no Chromium found as %s: install chromium (Debian: apt install chromium), or name one in CHROMIUM", strings.Join(usual, ", "))
}

// compile builds the js test binary of the package under test.
func compile(ctx context.Context, dir string) (string, error) {
	program := filepath.Join(dir, "test.wasm")
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-o", program, ".")
	cmd.Env = jsEnv()
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("compile the js tests: %w\n%s", err, output)
	}
	if _, err := os.Stat(program); err != nil {
		return "", errors.New("the package has no js tests")
	}
	return program, nil
}

// noteSources looks at every file that the program is made of, so that the go
// command, which notes what a test looks at, does not take the result of an
// older program from its cache.
func noteSources(ctx context.Context) error {
	const files = `{{if .Module}}{{if .Module.Main}}{{$dir := .Dir}}` +
		`{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{range .TestGoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-test", "-f", files, ".")
	cmd.Env = jsEnv()
	output, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("list the sources of the js tests: %w", err)
	}
	for path := range strings.FieldsSeq(string(output)) {
		if filepath.IsAbs(path) {
			os.Stat(path)
		}
	}
	return nil
}

func jsEnv() []string { return append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=") }

func serve(program string, o Options) *httptest.Server {
	mux := http.NewServeMux()
	static := func(path, kind string, body []byte) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Write(body)
		})
	}
	static("/{$}", "text/html; charset=utf-8", page)
	static("/run.js", "text/javascript", script)
	mux.HandleFunc("/wasm_exec.js", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, wasmExec())
	})
	mux.HandleFunc("/test.wasm", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, program)
	})
	if o.Handler != nil {
		mux.Handle("/test/", o.Handler)
	}
	return httptest.NewServer(mux)
}

// wasmExec gives the loader of the Go that compiles the tests.
func wasmExec() string {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return ""
	}
	return filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js")
}

// outcome is what run.js leaves in the page when the program has ended.
type outcome struct {
	Code   int    `json:"code"`
	Output string `json:"output"`
}

func runIn(ctx context.Context, browser, url string, o Options) (string, error) {
	flags := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(browser), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true), // too small in containers
		chromedp.WSURLReadTimeout(time.Minute),
	}
	ctx, cancel := chromedp.NewExecAllocator(ctx, flags...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Navigate(url+"/")); err != nil {
		return "", fmt.Errorf("open the test page in %s: %w", browser, err)
	}
	running, stop := context.WithTimeout(ctx, Patience)
	defer stop()
	result, err := chromedp.Run(running, chromedp.Evaluate[outcome](start(url, o), chromedp.EvalAwaitPromise))
	switch {
	case err != nil:
		soFar, _ := chromedp.Run(ctx, chromedp.Evaluate[string]("testOutput"))
		return soFar, fmt.Errorf("run the tests in %s: %w", browser, err)
	case result.Code != 0 || !strings.Contains(result.Output, "PASS"):
		return result.Output, fmt.Errorf("the tests failed in the browser (exit code %d)", result.Code)
	}
	return result.Output, nil
}

// start gives the call into run.js that answers with the outcome.
func start(url string, o Options) string {
	args := append([]string{"test.wasm", "-test.v"}, o.Args...)
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = fmt.Sprintf("%q", arg)
	}
	return fmt.Sprintf("startTests([%s], {%q: %q}, %t)", strings.Join(quoted, ","), URLVariable, url, o.Page)
}
