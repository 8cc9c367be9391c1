package blossom

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// FuzzRequest: whatever a header or a path holds, the answer is a refusal with
// a reason or one that needs no token.
func FuzzRequest(f *testing.F) {
	s, err := Open(Config{Dir: f.TempDir(), URL: "https://chat.example", MayUpload: func(string) bool { return true }, Clock: func() time.Time { return time.Unix(now, 0) }})
	if err != nil {
		f.Fatal(err)
	}
	for _, token := range []string{"", "Nostr", "Nostr e30", "nostr W10=", "Nostr " + base64.RawURLEncoding.EncodeToString([]byte(`{"kind":24242,"tags":[[],["t"],["x","a"]],"content":""}`)), "Basic x"} {
		f.Add("PUT", "/upload", token, "abc", "5")
		f.Add("DELETE", "/"+strings.Repeat("a", 64)+".png", token, "", "")
		f.Add("HEAD", "/upload", token, strings.Repeat("0", 64), "-1")
	}
	f.Fuzz(func(t *testing.T, method, path, token, hash, size string) {
		if !Serves(path) || strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || method == "" {
			return
		}
		r := httptest.NewRequest("GET", "/", strings.NewReader("hello"))
		r.Method, r.URL.Path = method, path
		r.Header = http.Header{"Authorization": {token}, "X-Sha-256": {hash}, "X-Content-Length": {size}}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code < 400 && method != http.MethodOptions || w.Code >= 500 || w.Code >= 400 && w.Header().Get("X-Reason") == "" {
			t.Errorf("%s %s: %d %v", method, path, w.Code, w.Header())
		}
	})
}
