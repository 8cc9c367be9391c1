package room

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// BUD-11, "Authorization tokens" and "Tag scoping".
func TestAPermitIsForOneFileAtOneServer(t *testing.T) {
	hash := strings.Repeat("ab", 32)
	for server, tag := range map[string]string{
		"https://CDN.example.com:8443/upload": "cdn.example.com", "http://[::1]:8080": "::1", "/upload": "", "": "", "%": "",
	} {
		ev := BuildPermit("a.png", hash, server, 100, 160)
		want := nostr.Tags{{"t", "upload"}, {"x", hash}, {"expiration", "160"}}
		if tag != "" {
			want = append(want, nostr.Tag{"server", tag})
		}
		got, _ := json.Marshal(ev.Tags)
		wanted, _ := json.Marshal(want)
		if string(got) != string(wanted) || ev.Kind != 24242 || ev.CreatedAt != 100 || ev.Content != "Upload a.png" {
			t.Errorf("%q: got %+v", server, ev)
		}
	}
}

// "the authorization token MUST be encoded as Base64 URL-safe without padding"
func TestAPermitsHeaderIsBase64url(t *testing.T) {
	for _, content := range []string{"a", "ab", "abc", "???>>>", "Upload ÿÿÿ"} {
		ev := &nostr.Event{Kind: KindPermit, Content: content}
		header, err := PermitHeader(ev)
		encoded, found := strings.CutPrefix(header, "Nostr ")
		if err != nil || !found || strings.ContainsAny(encoded, "+/=") {
			t.Errorf("%q: %q %v", content, header, err)
		}
		raw, err := base64.RawURLEncoding.DecodeString(encoded)
		var back nostr.Event
		if err != nil || json.Unmarshal(raw, &back) != nil || back.Content != content {
			t.Errorf("%q: %v %v", content, back, err)
		}
	}
}
