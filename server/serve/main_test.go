package serve_test

import (
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/server/files/packtest"
	"parley/server/serve"
)

// start runs a server on a free port until the test ends.
func start(t *testing.T, change func(*serve.Config)) *serve.Main {
	t.Helper()
	config := serve.Config{
		Addr:       "127.0.0.1:0",
		Data:       t.TempDir(),
		RunTimeout: serve.DefaultRunTimeout,
		Files:      packtest.Dir(t),
		Log:        slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(&config)
	}
	m := serve.New(config)
	if err := m.Run(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// outside has the server believe that it is a public one.
func outside(c *serve.Config) {
	c.URL = "https://chat.example.org"
	c.Relays = []string{"wss://a.example", "wss://b.example/x"}
	c.RunTimeout = 90 * time.Second
}

func get(t *testing.T, url string, change func(*http.Request)) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return w, string(body)
}

func TestPortZeroPicksOneAndTellsIt(t *testing.T) {
	m := start(t, nil)
	if !strings.HasPrefix(m.URL(), "http://127.0.0.1:") || strings.HasSuffix(m.URL(), ":0") {
		t.Fatalf("URL is %s", m.URL())
	}
	if r, _ := get(t, m.URL()+"/healthz", nil); r.StatusCode != http.StatusOK {
		t.Errorf("/healthz: %d", r.StatusCode)
	}
	if r, _ := get(t, m.URL()+"/readyz", nil); r.StatusCode != http.StatusOK {
		t.Errorf("/readyz: %d", r.StatusCode)
	}
}

type site struct {
	Relays     []string `json:"relays"`
	Rooms      []string `json:"rooms"`
	Agents     []string `json:"agents"`
	PushKey    string   `json:"push_key"`
	Build      string   `json:"build"`
	RunTimeout int      `json:"run_timeout"`
}

// config reads /config.json and insists that it has the public fields, and no
// others.
func config(t *testing.T, url string, change func(*http.Request)) site {
	t.Helper()
	r, body := get(t, url+"/config.json", change)
	if r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("headers are %v", r.Header)
	}
	if strings.Contains(body, "null") {
		t.Errorf("a list is null: %s", body)
	}
	d := json.NewDecoder(strings.NewReader(body))
	d.DisallowUnknownFields()
	var s site
	if err := d.Decode(&s); err != nil {
		t.Fatal(err)
	}
	if len(s.Build) != 16 {
		t.Errorf("build is %q", s.Build)
	}
	s.Build = ""
	return s
}

func TestConfigWithOtherRelays(t *testing.T) {
	m := start(t, outside)
	local := "http://" + address(t, m)
	want := site{Relays: []string{"wss://a.example", "wss://b.example/x"}, Rooms: []string{}, Agents: []string{}, RunTimeout: 90}
	if got := config(t, local, nil); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if r, _ := get(t, local+"/relay", nil); r.StatusCode != http.StatusNotFound {
		t.Errorf("/relay: %d, want 404", r.StatusCode)
	}
}

func TestConfigNamesTheEmbeddedRelayAsTheClientKnowsIt(t *testing.T) {
	m := start(t, nil)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(m.URL(), "http://"))
	for host, want := range map[string]string{
		"":                         "ws://127.0.0.1:" + port + "/relay",
		"localhost:" + port:        "ws://localhost:" + port + "/relay",
		"[::1]:" + port:            "ws://[::1]:" + port + "/relay",
		"127.0.0.1":                "ws://127.0.0.1/relay",
		"evil.example":             "ws://127.0.0.1:" + port + "/relay",
		"localhost.evil:1":         "ws://127.0.0.1:" + port + "/relay",
		"localhost@evil.a:" + port: "ws://127.0.0.1:" + port + "/relay",
	} {
		got := config(t, m.URL(), func(r *http.Request) { r.Host = host })
		if !reflect.DeepEqual(got.Relays, []string{want}) || !reflect.DeepEqual(got.Rooms, []string{"lobby"}) || got.RunTimeout != 120 {
			t.Errorf("asked as %q: got %+v, want the relay %s", host, got, want)
		}
	}
}

func TestConfigNamesThePublicRelay(t *testing.T) {
	m := start(t, func(c *serve.Config) { c.URL = "https://chat.example.org/" })
	got := config(t, "http://"+address(t, m), func(r *http.Request) { r.Host = "localhost" })
	if !reflect.DeepEqual(got.Relays, []string{"wss://chat.example.org/relay"}) {
		t.Errorf("relays are %v", got.Relays)
	}
}

// address is where a server really listens, whatever its public URL.
func address(t *testing.T, m *serve.Main) string {
	t.Helper()
	return m.Addr().String()
}

func TestEveryAnswerCarriesThePolicy(t *testing.T) {
	local := start(t, nil)
	public := start(t, outside)
	_, page := get(t, local.URL()+"/", nil)
	worker := attribute(t, page, "data-worker")
	for _, path := range []string{"/", "/settings", "/no/such/page", worker, "/config.json", "/assets/none", "/healthz"} {
		r, _ := get(t, local.URL()+path, nil)
		policy := r.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; script-src 'self' 'wasm-unsafe-eval';") || !strings.Contains(policy, " ws: http:;") {
			t.Errorf("%s: policy is %q", path, policy)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options":     "nosniff",
			"Referrer-Policy":            "no-referrer",
			"Cross-Origin-Opener-Policy": "same-origin-allow-popups",
		} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		r, _ = get(t, "http://"+address(t, public)+path, nil)
		if policy := r.Header.Get("Content-Security-Policy"); strings.Contains(policy, " ws:") || !strings.Contains(policy, "wss:") {
			t.Errorf("%s behind TLS: policy is %q", path, policy)
		}
	}
}

// attribute returns the value of an attribute of the page.
func attribute(t *testing.T, page, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, name+`="`)
	value, _, _ := strings.Cut(rest, `"`)
	if !ok || value == "" {
		t.Fatalf("the page has no %s", name)
	}
	return value
}

func TestThePageNamesFilesThatAreThere(t *testing.T) {
	m := start(t, nil)
	_, page := get(t, m.URL()+"/rooms/lobby", nil)
	for name, mime := range map[string]string{
		"data-wasm":                   "application/wasm",
		"data-worker":                 "text/javascript; charset=utf-8",
		"data-exec":                   "text/javascript; charset=utf-8",
		`rel="stylesheet" href`:       "text/css; charset=utf-8",
		`rel="manifest" href`:         "application/manifest+json",
		`rel="apple-touch-icon" href`: "image/png",
		`type="image/svg+xml" href`:   "image/svg+xml",
	} {
		r, _ := get(t, m.URL()+attribute(t, page, name), nil)
		if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != mime {
			t.Errorf("%s: %d %s", name, r.StatusCode, r.Header.Get("Content-Type"))
		}
	}
	if build := attribute(t, page, "data-build"); build == "" {
		t.Error("the page has no build id")
	}
}

func TestPathsThatProgramsAskFor(t *testing.T) {
	m := start(t, nil)
	for path, want := range map[string]int{
		"/robots.txt": http.StatusOK, "/favicon.ico": http.StatusNotFound, "/sitemap.xml": http.StatusNotFound,
		"/ads.txt": http.StatusNotFound, "/.git/config": http.StatusNotFound, "/server/main.go": http.StatusNotFound,
		"/assets/%2e%2e/index.json": http.StatusNotFound, "/assets/..%2findex.json": http.StatusNotFound,
		"/data/relay.db": http.StatusNotFound, "/%00": http.StatusNotFound, "/rooms/" + strings.Repeat("a", 4000): http.StatusOK,
	} {
		// A Host header is no reason to ask anybody else for the answer.
		r, body := get(t, m.URL()+path, func(r *http.Request) { r.Host = "evil.example" })
		if r.StatusCode != want || strings.Contains(body, "module parley") {
			t.Errorf("%.40s: %d, want %d", path, r.StatusCode, want)
		}
	}
}

func TestAHeaderTooLargeIsRefused(t *testing.T) {
	m := start(t, nil)
	r, _ := get(t, m.URL()+"/", func(r *http.Request) { r.Header.Set("X-Much", strings.Repeat("a", 64<<10)) })
	if r.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("got %d", r.StatusCode)
	}
}

func TestCloseEndsTheServer(t *testing.T) {
	m := start(t, nil)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := net.DialTimeout("tcp", address(t, m), time.Second); err == nil {
		t.Error("it still answers")
	}
	select {
	case err := <-m.Failed():
		t.Errorf("closing counts as a failure: %v", err)
	default:
	}
	if err := m.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

func TestWhatKeepsItFromStarting(t *testing.T) {
	taken := start(t, nil)
	for name, c := range map[string]struct {
		change func(*serve.Config)
		want   string
	}{
		"the port is taken":     {func(c *serve.Config) { c.Addr = address(t, taken) }, "listening on"},
		"nothing was packed":    {func(c *serve.Config) { c.Files = emptyFS{} }, "make build"},
		"the config is no good": {func(c *serve.Config) { c.Addr = ":80" }, "add -url"},
	} {
		config := serve.Config{
			Addr: "127.0.0.1:0", Data: t.TempDir(), RunTimeout: serve.DefaultRunTimeout,
			Files: packtest.Dir(t), Log: slog.New(slog.DiscardHandler),
		}
		c.change(&config)
		m := serve.New(config)
		if err := m.Run(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", name, err)
		}
		if err := m.Close(); err != nil {
			t.Errorf("%s: closing what never ran: %v", name, err)
		}
	}
}

// emptyFS is a folder that holds nothing.
type emptyFS struct{}

func (emptyFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
