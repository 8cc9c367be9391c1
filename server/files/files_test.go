package files_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"compress/gzip"

	"github.com/andybalholm/brotli"

	"parley/server/files"
	"parley/server/files/packtest"
)

func newHandler(t *testing.T) *files.Handler {
	t.Helper()
	h, err := files.New(packtest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// ask sends a request with the given headers, name and value in turn.
func ask(h http.Handler, method, path string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, "/", nil)
	r.URL.Path = path
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func pathOf(t *testing.T, h *files.Handler, name string) string {
	t.Helper()
	a, ok := h.Index().Find(name)
	if !ok {
		t.Fatalf("%s is not served", name)
	}
	return "/" + a.Path
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestTypesAndCaching(t *testing.T) {
	h := newHandler(t)
	for name, want := range map[string]struct{ mime, cache string }{
		"app.wasm":             {"application/wasm", "public, max-age=31536000, immutable"},
		"app.css":              {"text/css; charset=utf-8", "public, max-age=31536000, immutable"},
		"boot.js":              {"text/javascript; charset=utf-8", "public, max-age=31536000, immutable"},
		"icon.svg":             {"image/svg+xml", "public, max-age=31536000, immutable"},
		"icon-180.png":         {"image/png", "public, max-age=31536000, immutable"},
		"manifest.webmanifest": {"application/manifest+json", "no-cache"},
	} {
		r := ask(h, "GET", pathOf(t, h, name))
		if got := r.Header.Get("Content-Type"); got != want.mime {
			t.Errorf("%s: type %q, want %q", name, got, want.mime)
		}
		if got := r.Header.Get("Cache-Control"); got != want.cache {
			t.Errorf("%s: caching %q, want %q", name, got, want.cache)
		}
		if len(body(t, r)) == 0 {
			t.Errorf("%s: no content", name)
		}
	}
}

func TestEncodingIsNegotiated(t *testing.T) {
	h := newHandler(t)
	path := pathOf(t, h, "app.wasm")
	for header, want := range map[string]string{
		"":                               "",
		"br":                             "br",
		"gzip":                           "gzip",
		"X-GZIP":                         "gzip",
		"gzip, deflate, br, zstd":        "br",
		"gzip;q=1.0, br;q=0.5":           "gzip",
		"br;q=0, gzip;q=0.2":             "gzip",
		"br;q=0,gzip;q=0":                "",
		"*":                              "br",
		"*;q=0.5, br;q=0":                "gzip",
		"identity":                       "",
		"identity;q=0.5, gzip;q=0.4":     "",
		"identity;q=0, gzip;q=0.001":     "gzip",
		"br;q=nonsense, gzip":            "gzip",
		"br;q=2, gzip":                   "gzip",
		"br;q=NaN":                       "",
		";;;,,q=1,":                      "",
		"deflate":                        "",
		"brotli":                         "",
		"br ; q=0.9 , gzip ; q=0.8":      "br",
		strings.Repeat("x,", 500) + "br": "br",
	} {
		r := ask(h, "GET", path, "Accept-Encoding", header)
		if got := r.Header.Get("Content-Encoding"); got != want || r.StatusCode != http.StatusOK {
			t.Errorf("Accept-Encoding %.60q: %d %q, want 200 %q", header, r.StatusCode, got, want)
		}
		if r.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %.60q: no Vary", header)
		}
	}
	if r := ask(h, "GET", path, "Accept-Encoding", "*;q=0"); r.StatusCode != http.StatusNotAcceptable {
		t.Errorf("nothing acceptable: %d, want 406", r.StatusCode)
	}
}

func TestEncodedContentIsTheFile(t *testing.T) {
	h := newHandler(t)
	path, want := pathOf(t, h, "app.wasm"), packtest.Sources["app.wasm"]
	if got := body(t, ask(h, "GET", path)); got != want {
		t.Error("the plain form differs")
	}
	br, err := io.ReadAll(brotli.NewReader(ask(h, "GET", path, "Accept-Encoding", "br").Body))
	if err != nil || string(br) != want {
		t.Errorf("the brotli form differs (%v)", err)
	}
	unzip, err := gzip.NewReader(ask(h, "GET", path, "Accept-Encoding", "gzip").Body)
	if err != nil {
		t.Fatal(err)
	}
	if gz, err := io.ReadAll(unzip); err != nil || string(gz) != want {
		t.Errorf("the gzip form differs (%v)", err)
	}
}

func TestEachFormOfEachFileHasItsOwnETag(t *testing.T) {
	h := newHandler(t)
	seen := map[string]string{}
	for _, a := range h.Index().Assets {
		for _, encoding := range []string{"identity", "br", "gzip"} {
			r := ask(h, "GET", "/"+a.Path, "Accept-Encoding", encoding)
			// boot.js and worker.js of the stand-in are equal.
			key := body(t, r)
			etag := r.Header.Get("ETag")
			if etag == "" {
				t.Errorf("%s as %s has no ETag", a.Name, encoding)
			}
			if other, ok := seen[etag]; ok && other != key {
				t.Errorf("%s as %s shares its ETag with other content", a.Name, encoding)
			}
			seen[etag] = key
		}
	}
}

func TestNotModified(t *testing.T) {
	h := newHandler(t)
	path := pathOf(t, h, "app.css")
	etag := ask(h, "GET", path, "Accept-Encoding", "br").Header.Get("ETag")
	for header, want := range map[string]int{
		etag:                              http.StatusNotModified,
		"W/" + etag:                       http.StatusNotModified,
		`"other", ` + etag:                http.StatusNotModified,
		"*":                               http.StatusNotModified,
		`"other"`:                         http.StatusOK,
		strings.Trim(etag, `"`):           http.StatusOK,
		strings.Replace(etag, "-", "", 1): http.StatusOK,
	} {
		r := ask(h, "GET", path, "Accept-Encoding", "br", "If-None-Match", header)
		if r.StatusCode != want {
			t.Errorf("If-None-Match %s: %d, want %d", header, r.StatusCode, want)
		}
		if r.StatusCode == http.StatusNotModified && (len(body(t, r)) > 0 || r.Header.Get("ETag") != etag || r.Header.Get("Vary") == "") {
			t.Errorf("If-None-Match %s: the 304 has a body, or lacks ETag or Vary", header)
		}
	}
	other := ask(h, "GET", pathOf(t, h, "app.wasm"), "Accept-Encoding", "br", "If-None-Match", etag)
	if other.StatusCode != http.StatusOK {
		t.Errorf("the ETag of another file: %d, want 200", other.StatusCode)
	}
	if r := ask(h, "GET", path, "Accept-Encoding", "gzip", "If-None-Match", etag); r.StatusCode != http.StatusOK {
		t.Errorf("the ETag of another encoding: %d, want 200", r.StatusCode)
	}
}

func TestHeadHasTheHeadersOfGet(t *testing.T) {
	h := newHandler(t)
	path := pathOf(t, h, "app.wasm")
	get := ask(h, "GET", path, "Accept-Encoding", "br")
	head := ask(h, "HEAD", path, "Accept-Encoding", "br")
	if len(body(t, head)) > 0 {
		t.Error("HEAD has a body")
	}
	for name := range get.Header {
		if head.Header.Get(name) != get.Header.Get(name) {
			t.Errorf("%s: %q, want %q", name, head.Header.Get(name), get.Header.Get(name))
		}
	}
	if head.Header.Get("Content-Length") != strconv.Itoa(len(body(t, get))) {
		t.Error("Content-Length is not that of the body")
	}
}

func TestRangesAreIgnored(t *testing.T) {
	h := newHandler(t)
	r := ask(h, "GET", pathOf(t, h, "app.wasm"), "Range", "bytes=0-3", "Accept-Encoding", "br")
	if r.StatusCode != http.StatusOK || r.Header.Get("Content-Range") != "" {
		t.Errorf("a range of a compressed file: %d", r.StatusCode)
	}
}

func TestOnlyReading(t *testing.T) {
	h := newHandler(t)
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "BREW"} {
		r := ask(h, method, pathOf(t, h, "app.css"))
		if r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d, Allow %q", method, r.StatusCode, r.Header.Get("Allow"))
		}
	}
}

func TestNothingButTheFiles(t *testing.T) {
	h := newHandler(t)
	for _, path := range []string{
		"/", "", "/assets", "/assets/", "/index.json", "/.keep", "/assets/app.css", "/assets/app.wasm",
		"/assets/../index.json", "/assets/..%2findex.json", "//etc/passwd", "/../../etc/passwd",
		"/assets/\x00", "/assets/app.css\x00.js", `/assets\app.css`, "/assets//app.css",
		pathOf(t, h, "app.wasm") + ".br", pathOf(t, h, "app.wasm") + "/", strings.ToUpper(pathOf(t, h, "app.css")),
		"/" + strings.Repeat("a/", 10000),
	} {
		if r := ask(h, "GET", path); r.StatusCode != http.StatusNotFound || r.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%.60q: %d, want 404 that is not cached", path, r.StatusCode)
		}
	}
}
