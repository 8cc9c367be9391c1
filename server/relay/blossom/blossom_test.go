package blossom

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/room"
	"parley/wasm/verify"
)

const now = 1_800_000_000

// site is a server with somebody who may upload.
type site struct {
	*Server
	t      *testing.T
	secret [32]byte
	member string
}

func open(t *testing.T, dir string, limits Limits) *site {
	t.Helper()
	s := &site{t: t}
	rand.Read(s.secret[:])
	var err error
	if s.member, err = verify.PublicKey(s.secret); err != nil {
		t.Fatal(err)
	}
	s.Server, err = Open(Config{Dir: dir, URL: "https://chat.example", MayUpload: func(key string) bool { return key == s.member },
		Limits: limits, Logger: slog.New(slog.DiscardHandler), Clock: func() time.Time { return time.Unix(now, 0) }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func hashHex(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// token signs a token for some data; change makes it another one.
func (s *site) token(data []byte, change func(ev *nostr.Event)) string {
	s.t.Helper()
	ev := &nostr.Event{Kind: room.KindPermit, CreatedAt: now - 1, Content: "Upload it", Tags: nostr.Tags{
		{"t", "upload"}, {"x", hashHex(data)}, {"expiration", fmt.Sprint(now + 60)}}}
	if change != nil {
		change(ev)
	}
	if err := verify.Sign(ev, s.secret, [32]byte{}); err != nil {
		s.t.Fatal(err)
	}
	raw, err := json.Marshal(ev)
	if err != nil {
		s.t.Fatal(err)
	}
	return "Nostr " + base64.RawURLEncoding.EncodeToString(raw)
}

func (s *site) do(method, path string, body []byte, head map[string]string) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequest(method, path, bytes.NewReader(body))
	for name, value := range head {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Header().Get("Access-Control-Allow-Origin") != "*" {
		s.t.Errorf("%s %s: an answer without CORS", method, path)
	}
	return w
}

func (s *site) upload(data []byte, contentType string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.do("PUT", "/upload", data, map[string]string{"Authorization": s.token(data, nil), "Content-Type": contentType})
}

func TestAFileIsKeptUnderItsHashAndServed(t *testing.T) {
	s := open(t, t.TempDir(), Limits{})
	data := []byte("day,visitors\n")
	w := s.upload(data, "text/csv")
	var d descriptor
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil || w.Code != http.StatusCreated {
		t.Fatalf("%d %v: %s", w.Code, err, w.Body)
	}
	want := descriptor{URL: "https://chat.example/" + hashHex(data) + ".csv", SHA256: hashHex(data), Size: int64(len(data)), Type: "text/csv", Uploaded: now}
	if d != want {
		t.Errorf("got %+v, want %+v", d, want)
	}
	if w := s.upload(data, "text/plain"); w.Code != http.StatusOK {
		t.Errorf("the second upload: %d", w.Code)
	}
	for _, path := range []string{"/" + d.SHA256, "/" + d.SHA256 + ".csv", "/" + d.SHA256 + ".jpg"} {
		w := s.do("GET", path, nil, nil)
		if w.Code != http.StatusOK || w.Body.String() != string(data) || w.Header().Get("Content-Type") != "text/csv; charset=utf-8" {
			t.Errorf("%s: %d %v %s", path, w.Code, w.Header(), w.Body)
		}
	}
	if w := s.do("HEAD", "/"+d.SHA256, nil, nil); w.Code != http.StatusOK || w.Body.Len() != 0 || w.Header().Get("Content-Length") != "13" {
		t.Errorf("HEAD: %d %v", w.Code, w.Header())
	}
	if w := s.do("GET", "/"+d.SHA256, nil, map[string]string{"Range": "bytes=4-11"}); w.Code != http.StatusPartialContent || w.Body.String() != "visitors" {
		t.Errorf("a range: %d %s", w.Code, w.Body)
	}
	if w := s.do("GET", "/"+hashHex(nil), nil, nil); w.Code != http.StatusNotFound || w.Header().Get("X-Reason") == "" {
		t.Errorf("what is not here: %d", w.Code)
	}
}

// TestNothingUploadedRunsOnOurOrigin: whatever a file says it is, a browser
// neither runs it nor shows it as a page.
func TestNothingUploadedRunsOnOurOrigin(t *testing.T) {
	s := open(t, t.TempDir(), Limits{})
	for contentType, served := range map[string]string{
		"text/html": plain, "TEXT/HTML; charset=utf-8": plain, "application/xhtml+xml": plain, "text/javascript": plain,
		"application/javascript": plain, "text/css": plain, "text/xml": plain, "application/wasm": plain, "image/svg+xml": "image/svg+xml",
		"text/cache-manifest": plain, "": plain, "nonsense": plain, "text/plain": "text/plain; charset=utf-8", "image/png": "image/png",
	} {
		data := []byte("<script>alert(1)</script>" + contentType)
		if w := s.upload(data, contentType); w.Code != http.StatusCreated {
			t.Fatalf("%s: %d %s", contentType, w.Code, w.Body)
		}
		head := s.do("GET", "/"+hashHex(data), nil, nil).Header()
		if head.Get("Content-Type") != served {
			t.Errorf("%q is served as %q", contentType, head.Get("Content-Type"))
		}
		if head.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(head.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%q is served with %v", contentType, head)
		}
		shown := strings.HasPrefix(served, "text/plain") || served == "image/png"
		if attachment := strings.HasPrefix(head.Get("Content-Disposition"), "attachment"); attachment == shown {
			t.Errorf("%q: attachment is %v", contentType, attachment)
		}
	}
}

func TestUploadsWithoutAGoodTokenAreRefused(t *testing.T) {
	s := open(t, t.TempDir(), Limits{})
	data := []byte("hello")
	tag := func(name string, values ...string) func(ev *nostr.Event) {
		return func(ev *nostr.Event) {
			kept := nostr.Tags{}
			for _, t := range ev.Tags {
				if t[0] != name {
					kept = append(kept, t)
				}
			}
			for _, v := range values {
				kept = append(kept, nostr.Tag{name, v})
			}
			ev.Tags = kept
		}
	}
	for name, c := range map[string]struct {
		header string
		code   int
		says   string
	}{
		"no header":          {"", 401, "missing"},
		"another scheme":     {"Basic abc", 401, "Nostr"},
		"too long":           {"Nostr " + strings.Repeat("a", MaxToken), 401, "over"},
		"not base64":         {"Nostr ***", 401, "base64"},
		"not an event":       {"Nostr e30", 401, ""},
		"another kind":       {s.token(data, func(ev *nostr.Event) { ev.Kind = 1 }), 401, "24242"},
		"from the future":    {s.token(data, func(ev *nostr.Event) { ev.CreatedAt = now + ClockSkew + 1 }), 401, "future"},
		"without expiration": {s.token(data, tag("expiration")), 401, "expiration"},
		"expired":            {s.token(data, tag("expiration", fmt.Sprint(now))), 401, "expired"},
		"for a deletion":     {s.token(data, tag("t", "delete")), 401, "upload"},
		"for nothing":        {s.token(data, tag("t")), 401, "upload"},
		"for upload, too":    {s.token(data, tag("t", "delete", "upload")), 0, ""},
		"for another server": {s.token(data, tag("server", "cdn.example")), 401, "another server"},
		"without a file":     {s.token(data, tag("x")), 401, "x tag"},
		"for another file":   {s.token(data, tag("x", hashHex(nil))), 401, "another file"},
		"for this server":    {s.token(data, tag("server", "cdn.example", "chat.example")), 0, ""},
		"for two files":      {s.token(data, tag("x", hashHex(nil), hashHex(data))), 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := s.do("PUT", "/upload", data, map[string]string{"Authorization": c.header})
			if taken := w.Code == http.StatusOK || w.Code == http.StatusCreated; c.code == 0 && taken {
				return
			}
			if w.Code != c.code || !strings.Contains(w.Header().Get("X-Reason"), c.says) {
				t.Errorf("%d %q, want %d %q", w.Code, w.Header().Get("X-Reason"), c.code, c.says)
			}
		})
	}
	padded := strings.NewReplacer("-", "+", "_", "/").Replace(s.token(data, nil)[6:])
	for len(padded)%4 != 0 {
		padded += "="
	}
	if w := s.do("PUT", "/upload", data, map[string]string{"Authorization": "nostr " + padded}); w.Code != 200 {
		t.Errorf("standard base64: %d %s", w.Code, w.Body)
	}
}

func TestAForgedTokenIsRefused(t *testing.T) {
	s := open(t, t.TempDir(), Limits{})
	data := []byte("hello")
	raw, err := decode64(s.token(data, nil)[6:])
	if err != nil {
		t.Fatal(err)
	}
	forged := bytes.Replace(raw, []byte("Upload it"), []byte("Upload me"), 1)
	w := s.do("PUT", "/upload", data, map[string]string{"Authorization": "Nostr " + base64.RawURLEncoding.EncodeToString(forged)})
	if w.Code != 401 || !strings.Contains(w.Header().Get("X-Reason"), "signature") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestOnlyThoseWhoMayUpload(t *testing.T) {
	s := open(t, t.TempDir(), Limits{})
	rand.Read(s.secret[:])
	if w := s.upload([]byte("hello"), "text/plain"); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "members") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestTheSizeOfOneFileIsBounded(t *testing.T) {
	s := open(t, t.TempDir(), Limits{MaxFile: 2048})
	if w := s.upload(make([]byte, 2048), "text/plain"); w.Code != http.StatusCreated {
		t.Errorf("at the limit: %d", w.Code)
	}
	if w := s.upload(make([]byte, 2049), "text/plain"); w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Header().Get("X-Reason"), "2 kB") {
		t.Errorf("over the limit: %d %s", w.Code, w.Body)
	}
	data := make([]byte, 3000) // one that does not say how long it is
	r := httptest.NewRequest("PUT", "/upload", io.MultiReader(bytes.NewReader(data)))
	r.ContentLength = -1
	r.Header.Set("Authorization", s.token(data, nil))
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("without a length: %d", w.Code)
	}
	if drafts, _ := filepath.Glob(filepath.Join(s.config.Dir, draftPrefix+"*")); len(drafts) != 0 {
		t.Errorf("left behind: %v", drafts)
	}
}

func TestWhatOneKeyAndAllTogetherUploadIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		limits Limits
		code   int
	}{"key": {Limits{MaxPerKey: 10}, http.StatusTooManyRequests}, "total": {Limits{MaxTotal: 10}, http.StatusInsufficientStorage}} {
		limits := c.limits
		dir := t.TempDir()
		s := open(t, dir, limits)
		if w := s.upload([]byte("123456"), "text/plain"); w.Code != http.StatusCreated {
			t.Errorf("%s: %d", name, w.Code)
		}
		if w := s.upload([]byte("abcde"), "text/plain"); w.Code != c.code {
			t.Errorf("%s: over the limit: %d", name, w.Code)
		}
		if w := s.upload([]byte("abcd"), "text/plain"); w.Code != http.StatusCreated {
			t.Errorf("%s: at the limit: %d", name, w.Code)
		}
		again := open(t, dir, limits) // the sums survive a restart
		again.secret, again.member = s.secret, s.member
		if w := again.upload([]byte("z"), "text/plain"); w.Code != c.code {
			t.Errorf("%s: after a restart: %d", name, w.Code)
		}
	}
}

func TestEmptyAndWrongFilesAreRefused(t *testing.T) {
	s := open(t, t.TempDir(), Limits{})
	if w := s.upload(nil, "text/plain"); w.Code != http.StatusBadRequest {
		t.Errorf("an empty file: %d", w.Code)
	}
	data := []byte("hello")
	head := map[string]string{"Authorization": s.token(data, func(ev *nostr.Event) { ev.Tags = append(ev.Tags, nostr.Tag{"x", hashHex(nil)}) }), "X-SHA-256": hashHex(nil)}
	if w := s.do("PUT", "/upload", data, head); w.Code != http.StatusConflict {
		t.Errorf("another file than named: %d", w.Code)
	}
	head["X-SHA-256"] = "abc"
	if w := s.do("PUT", "/upload", data, head); w.Code != http.StatusBadRequest {
		t.Errorf("a hash that is none: %d", w.Code)
	}
}

func TestWhetherAnUploadWouldBeTakenCanBeAsked(t *testing.T) {
	s := open(t, t.TempDir(), Limits{MaxFile: 5})
	data := []byte("hello")
	for size, code := range map[string]int{"5": 200, "6": 413, "": 411, "0": 411, "x": 411} {
		w := s.do("HEAD", "/upload", nil, map[string]string{"Authorization": s.token(data, nil), "X-SHA-256": hashHex(data), "X-Content-Length": size})
		if w.Code != code {
			t.Errorf("size %q: %d, want %d", size, w.Code, code)
		}
	}
}

func TestPathsAndMethods(t *testing.T) {
	hash := hashHex(nil)
	for path, ours := range map[string]bool{
		"/upload": true, "/" + hash: true, "/" + hash + ".png": true, "/" + hash + ".": false, "/" + hash + "/x": false,
		"/" + strings.ToUpper(hash): false, "/" + hash[1:]: false, "/" + hash + ".tar.gz": false, "/": false, "/uploads": false,
		"/" + hash + "." + strings.Repeat("a", 16): true, "/" + hash + "." + strings.Repeat("a", 17): false,
	} {
		if Serves(path) != ours {
			t.Errorf("%s: %v", path, !ours)
		}
	}
	s := open(t, t.TempDir(), Limits{})
	for _, c := range [][3]string{{"POST", "/" + hash, "405"}, {"PUT", "/" + hash, "405"}, {"DELETE", "/upload", "405"}, {"DELETE", "/" + hash, "401"}, {"POST", "/upload", "405"}, {"GET", "/upload", "405"}, {"OPTIONS", "/upload", "204"}, {"OPTIONS", "/" + hash, "204"}} {
		if w := s.do(c[0], c[1], nil, nil); fmt.Sprint(w.Code) != c[2] {
			t.Errorf("%s %s: %d", c[0], c[1], w.Code)
		}
	}
}

func TestOpeningRemovesWhatWasLeftHalfDone(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, draftPrefix+"1")
	if err := os.WriteFile(left, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, dir, Limits{})
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	for _, config := range []Config{{Dir: dir, URL: "nowhere", MayUpload: func(string) bool { return true }}, {Dir: dir, URL: "https://a.example"}} {
		if _, err := Open(config); err == nil {
			t.Errorf("%+v was opened", config)
		}
	}
}
