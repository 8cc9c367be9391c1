package static_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/server/files/packtest"
	"parley/server/static"
)

func options(t *testing.T) static.Options {
	t.Helper()
	return static.Options{
		Files:  packtest.Dir(t),
		Out:    filepath.Join(t.TempDir(), "dist"),
		Base:   "/parley/",
		Relays: []string{"wss://a.example", "wss://b.example/x"},
	}
}

// host writes the site and serves it as a plain file host would, under its
// sub-path. It knows nothing of Parley but that 404.html stands for no file.
func host(t *testing.T, o static.Options) *httptest.Server {
	t.Helper()
	if err := static.Write(o); err != nil {
		t.Fatal(err)
	}
	files := http.FileServer(http.Dir(o.Out))
	s := httptest.NewServer(http.StripPrefix(strings.TrimSuffix(o.Base, "/"), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := os.Stat(filepath.Join(o.Out, filepath.FromSlash(r.URL.Path))); err == nil {
			files.ServeHTTP(w, r)
			return
		}
		page, err := os.ReadFile(filepath.Join(o.Out, "404.html"))
		if err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusNotFound)
		w.Write(page)
	})))
	t.Cleanup(s.Close)
	return s
}

func get(t *testing.T, url string) (*http.Response, string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r, string(body)
}

var local = regexp.MustCompile(`(?:href|src|data-wasm|data-exec|data-worker|data-base)="(/[^"]*)"`)

func TestAPlainFileHostUnderASubPathIsEnough(t *testing.T) {
	s := host(t, options(t))
	for path, status := range map[string]int{"": 200, "rooms/a%2Fb": 404, "agents/npub1x/s": 404} {
		r, page := get(t, s.URL+"/parley/"+path)
		if r.StatusCode != status || !strings.Contains(page, "data-wasm") {
			t.Fatalf("%q: %d, and a page of %d bytes", path, r.StatusCode, len(page))
		}
		for _, match := range local.FindAllStringSubmatch(page, -1) {
			if !strings.HasPrefix(match[1], "/parley/") {
				t.Errorf("%q leads out of the sub-path: %s", path, match[1])
				continue
			}
			if !strings.Contains(match[1], ".") {
				continue // a page of the app
			}
			if r, _ := get(t, s.URL+match[1]); r.StatusCode != http.StatusOK {
				t.Errorf("%q names %s, which is not there", path, match[1])
			}
		}
	}
}

func TestThePolicyStandsInThePage(t *testing.T) {
	o := options(t)
	s := host(t, o)
	_, page := get(t, s.URL+"/parley/")
	if !strings.Contains(page, `http-equiv="Content-Security-Policy"`) || !strings.Contains(page, "default-src") || strings.Contains(page, " ws:") {
		t.Error("there is no policy in the page, or a wide one")
	}
	if strings.Index(page, "http-equiv") > strings.Index(page, "<link") {
		t.Error("the policy comes after what it is for")
	}
	plain := options(t)
	plain.Relays = []string{"wss://a.example", "ws://localhost:7777"}
	if _, page := get(t, host(t, plain).URL+"/parley/"); !strings.Contains(page, " ws:") {
		t.Error("the policy keeps the page from a relay of the site")
	}
}

func TestTheSiteNamesItsRelays(t *testing.T) {
	s := host(t, options(t))
	_, body := get(t, s.URL+"/parley/config.json")
	var site map[string]any
	if err := json.Unmarshal([]byte(body), &site); err != nil {
		t.Fatal(err)
	}
	relays, _ := site["relays"].([]any)
	if len(relays) != 2 || relays[0] != "wss://a.example" || len(site) != 6 || strings.Contains(body, "null") {
		t.Errorf("got %s", body)
	}
}

func TestTextsHaveTwins(t *testing.T) {
	o := options(t)
	host(t, o)
	for _, name := range []string{"index.html", "404.html", "config.json"} {
		for _, ext := range []string{"", ".br", ".gz"} {
			if info, err := os.Stat(filepath.Join(o.Out, name+ext)); err != nil || info.Size() == 0 {
				t.Errorf("%s%s: %v", name, ext, err)
			}
		}
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*static.Options)
		want   string
	}{
		"no relay":         {func(o *static.Options) { o.Relays = nil }, "RELAYS="},
		"a strange relay":  {func(o *static.Options) { o.Relays = []string{"a.example"} }, "wss://"},
		"half a base":      {func(o *static.Options) { o.Base = "/parley" }, "BASE=/parley/"},
		"a hostile base":   {func(o *static.Options) { o.Base = `/"><script>/` }, "BASE="},
		"a foreign base":   {func(o *static.Options) { o.Base = "//evil.example/" }, "BASE="},
		"files not packed": {func(o *static.Options) { o.Files = os.DirFS(t.TempDir()) }, "make build"},
		"a full folder":    {func(o *static.Options) { o.Out = "." }, "not empty"},
	} {
		o := options(t)
		c.change(&o)
		if err := static.Write(o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
