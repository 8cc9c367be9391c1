package pages_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/app"
	"parley/server/files/index"
	"parley/server/files/packtest"
	"parley/server/pages"
	"parley/web"
)

func newPages(t *testing.T) *pages.Pages {
	t.Helper()
	ix, err := index.Read(packtest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	site, err := pages.Site(ix, "/")
	if err != nil {
		t.Fatal(err)
	}
	p, err := pages.New(site, []web.Room{{Name: "Lobby", Path: "/rooms/lobby"}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func ask(h http.Handler, method, target string, headers ...string) (*http.Response, string) {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	data, _ := io.ReadAll(w.Result().Body)
	return w.Result(), string(data)
}

// found are paths of the app, one of each route and some odd ones.
var found = []string{
	"/", "/?x=1", "/rooms/lobby", "/rooms/lobby?relay=wss%3A%2F%2Frelay.example&invite=a", "/rooms/a%2Fb", "/rooms/%E2%98%83",
	"/rooms/lobby/threads/0f", "/agents", "/agents/npub1x", "/agents/npub1x/a%2Fb", "/asks", "/asks/0f", "/tasks", "/settings",
	"/npub1x", "/note1x", "/nevent1x", "/naddr1x", "/nprofile1x",
}

var notFound = []string{
	"/rooms/lobby/other", "/agents/a/b/c", "/nsec1x", "/anything", "/settings/x", "/web/app.wasm",
	"/app.js", "/app-worker.js", "/index.html", "/..%2f..%2fetc%2fpasswd", "/%00", "/rooms/a/threads",
}

func TestThePathsOfTheAppAreFound(t *testing.T) {
	p := newPages(t)
	for _, target := range found {
		r, body := ask(p, "GET", target)
		if r.StatusCode != http.StatusOK || !strings.Contains(body, "boot") {
			t.Errorf("%s: %d", target, r.StatusCode)
		}
	}
}

func TestOtherPathsAreNotAndStillBootTheApp(t *testing.T) {
	p := newPages(t)
	for _, target := range notFound {
		r, body := ask(p, "GET", target)
		if r.StatusCode != http.StatusNotFound || !strings.Contains(body, "data-wasm=") || r.Header.Get("ETag") != "" {
			t.Errorf("%s: %d", target, r.StatusCode)
		}
	}
}

// The route table stands twice, here and in the app, which the server does not
// link; this holds the two together.
func TestTheAppKnowsTheSamePaths(t *testing.T) {
	for _, target := range found {
		path, query, _ := strings.Cut(target, "?")
		if app.ParseRoute(path, query).Page == app.Missing {
			t.Errorf("%s: the server has a page for it and the app has none", target)
		}
	}
	for _, target := range notFound {
		if page := app.ParseRoute(target, "").Page; page != app.Missing {
			t.Errorf("%s: the app has the page %q for it and the server has none", target, page)
		}
	}
}

func TestPagesAreAskedForEachTime(t *testing.T) {
	p := newPages(t)
	r, _ := ask(p, "GET", "/settings")
	etag := r.Header.Get("ETag")
	if r.Header.Get("Cache-Control") != "no-cache" || etag == "" || r.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("headers are %v", r.Header)
	}
	if r, body := ask(p, "GET", "/settings", "If-None-Match", etag); r.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("asked again: %d with %d bytes", r.StatusCode, len(body))
	}
	if r, _ := ask(p, "GET", "/tasks", "If-None-Match", etag); r.StatusCode != http.StatusOK {
		t.Errorf("another page: %d", r.StatusCode)
	}
	if r, _ := ask(p, "GET", "/no-such-page", "If-None-Match", "*"); r.StatusCode != http.StatusNotFound {
		t.Errorf("a missing page: %d", r.StatusCode)
	}
	if r, body := ask(p, "HEAD", "/settings"); r.StatusCode != http.StatusOK || body != "" || r.Header.Get("ETag") != etag {
		t.Errorf("HEAD: %d with %d bytes", r.StatusCode, len(body))
	}
}

func TestPagesCanOnlyBeRead(t *testing.T) {
	p := newPages(t)
	for _, target := range []string{"/", "/settings", "/rooms/lobby", "/npub1x", "/none/such"} {
		r, _ := ask(p, "POST", target)
		if r.StatusCode != http.StatusMethodNotAllowed || !strings.Contains(r.Header.Get("Allow"), "GET") {
			t.Errorf("POST %s: %d, Allow %q", target, r.StatusCode, r.Header.Get("Allow"))
		}
	}
}

func TestAMissingFileIsNamed(t *testing.T) {
	if _, err := pages.Site(index.Index{}, "/"); err == nil || !strings.Contains(err.Error(), "make build") {
		t.Errorf("got %v", err)
	}
}
