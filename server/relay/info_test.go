package relay

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"testing"
)

// TestInfo is NIP-11, for any header that asks for it.
func TestInfo(t *testing.T) {
	p := openPlace(t, nil)
	url := "http" + p.url[2:]
	for _, accept := range []string{"application/nostr+json", "text/html, application/nostr+json;q=0.9, */*", "Application/Nostr+JSON"} {
		response, body := get(t, http.MethodGet, url, "Accept", accept)
		var doc struct {
			Name, Self string
			NIPs       []int `json:"supported_nips"`
			Limitation struct {
				MaxMessage int `json:"max_message_length"`
				MaxContent int `json:"max_content_length"`
				MaxSubs    int `json:"max_subscriptions"`
			}
		}
		if err := json.Unmarshal(body, &doc); err != nil {
			t.Fatalf("%s: %v: %s", accept, err, body)
		}
		if doc.Name != "test" || doc.Self != p.PubKey() || doc.Limitation.MaxContent != 2097152 ||
			doc.Limitation.MaxMessage != 2359296 || doc.Limitation.MaxSubs != MaxSubs ||
			!slices.Equal(doc.NIPs, []int{1, 9, 11, 29, 40, 42, 45, 59, 70}) {
			t.Errorf("%s: %s", accept, body)
		}
		if response.Header.Get("Content-Type") != "application/nostr+json" || response.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %v", accept, response.Header)
		}
	}
	if response, _ := get(t, http.MethodOptions, url, "Access-Control-Request-Method", "GET"); response.StatusCode != http.StatusNoContent ||
		response.Header.Get("Access-Control-Allow-Headers") == "" || response.Header.Get("Access-Control-Allow-Methods") == "" {
		t.Errorf("OPTIONS: %v", response)
	}
	for _, accept := range []string{"", "text/html", "*/*"} {
		if response, body := get(t, http.MethodGet, url, "Accept", accept); response.StatusCode != http.StatusUpgradeRequired || len(body) == 0 {
			t.Errorf("%q: %v %s", accept, response.Status, body)
		}
	}
	// A client that writes its headers in its own way.
	if response, _ := get(t, http.MethodGet, url, "Upgrade", "WebSocket", "Connection", "keep-alive, Upgrade",
		"Sec-Websocket-Version", "13", "Sec-Websocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="); response.StatusCode != http.StatusSwitchingProtocols {
		t.Errorf("Upgrade: WebSocket: %v", response.Status)
	}
}

func get(t *testing.T, method, url string, headers ...string) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusSwitchingProtocols {
		return response, nil
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, body
}

// TestClientIP: what a proxy on this machine says is believed when the relay is
// a public one; nobody else's word is.
func TestClientIP(t *testing.T) {
	for _, test := range []struct{ url, peer, said, want string }{
		{"wss://chat.example/relay", "127.0.0.1:5", "", "127.0.0.1"},
		{"wss://chat.example/relay", "127.0.0.1:5", "192.0.2.7", "192.0.2.7"},
		{"wss://chat.example/relay", "[::1]:5", "10.0.0.1, 2001:db8::7", "2001:db8::7"},
		{"wss://chat.example/relay", "127.0.0.1:5", "192.0.2.7, nonsense", "127.0.0.1"},
		{"wss://chat.example/relay", "192.0.2.1:5", "192.0.2.7", "192.0.2.1"},
		{"ws://localhost:8080/relay", "127.0.0.1:5", "192.0.2.7", "127.0.0.1"},
	} {
		at, err := parseAddress(test.url)
		if err != nil {
			t.Fatal(err)
		}
		r := &Relay{url: at}
		if got := r.ClientIP(&http.Request{RemoteAddr: test.peer, Header: http.Header{"X-Forwarded-For": {test.said}}}); got != test.want {
			t.Errorf("%+v: got %s", test, got)
		}
	}
}
