package serve_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/verify"
)

func TestFilesAreKeptBesideTheEmbeddedRelayOnly(t *testing.T) {
	m := start(t, nil)
	data := []byte("hello")
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	var secret [32]byte
	rand.Read(secret[:])
	token := &nostr.Event{Kind: 24242, CreatedAt: nostr.Now(), Content: "Upload", Tags: nostr.Tags{
		{"t", "upload"}, {"x", hash}, {"expiration", fmt.Sprint(nostr.Now() + 60)}}}
	if err := verify.Sign(token, secret, [32]byte{}); err != nil {
		t.Fatal(err)
	}
	put := func(url string) *http.Response {
		r, err := http.NewRequest("PUT", url+"/upload", bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "text/plain")
		r.Header.Set("Authorization", "Nostr "+base64.RawURLEncoding.EncodeToString([]byte(token.String())))
		w, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.Body.Close() })
		return w
	}
	w := put(m.URL())
	body, err := io.ReadAll(w.Body)
	var stored struct{ URL string }
	if err != nil || w.StatusCode != http.StatusCreated || json.Unmarshal(body, &stored) != nil || stored.URL != m.URL()+"/"+hash+".txt" {
		t.Fatalf("%d %s %v", w.StatusCode, body, err)
	}
	got, text := get(t, stored.URL, nil)
	if text != "hello" || !strings.Contains(got.Header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%v: %q", got.Header, text)
	}
	other := start(t, outside)
	if w := put("http://" + address(t, other)); w.StatusCode == http.StatusOK || w.StatusCode == http.StatusCreated {
		t.Errorf("without an embedded relay: %d", w.StatusCode)
	}
}
