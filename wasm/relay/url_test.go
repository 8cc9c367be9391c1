package relay

import (
	"strings"
	"testing"
)

func TestNormalize(t *testing.T) {
	for raw, want := range map[string]string{
		"wss://relay.example.com":                   "wss://relay.example.com",
		" WSS://Relay.Example.COM/ ":                "wss://relay.example.com",
		"wss://relay.example.com:443":               "wss://relay.example.com",
		"ws://relay.example.com:443/":               "ws://relay.example.com:443",
		"ws://relay.example.com:80":                 "ws://relay.example.com",
		"wss://relay.example.com:80":                "wss://relay.example.com:80",
		"wss://relay.example.com:08080":             "wss://relay.example.com:8080",
		"wss://relay.example.com.":                  "wss://relay.example.com",
		"wss://relay.example.com/Path/":             "wss://relay.example.com/Path",
		"wss://relay.example.com//a/./b/../c//":     "wss://relay.example.com/a/c",
		"wss://relay.example.com/a%2Fb/":            "wss://relay.example.com/a%2Fb",
		"wss://relay.example.com/?key=V%20x":        "wss://relay.example.com?key=V%20x",
		"wss://relay.example.com?a b=\"é\"":         "wss://relay.example.com?a%20b=%22%C3%A9%22",
		"wss://relay.example.com/?":                 "wss://relay.example.com",
		"ws://localhost:8080/relay":                 "ws://localhost:8080/relay",
		"ws://[::1]:80":                             "ws://[::1]",
		"ws://[2001:DB8:0::1]:7777/":                "ws://[2001:db8::1]:7777",
		"ws://127.0.0.1":                            "ws://127.0.0.1",
		"wss://xn--bcher-kva.example":               "wss://xn--bcher-kva.example",
		"wss://a.b/" + strings.Repeat("x", 1024-10): "wss://a.b/" + strings.Repeat("x", 1024-10),
	} {
		got, err := Normalize(raw)
		if err != nil || got != want {
			t.Errorf("%.60q became %.60q, %v; want %.60q", raw, got, err, want)
		}
		if again, err := Normalize(got); err != nil || again != got {
			t.Errorf("%.60q is not normal: %.60q, %v", got, again, err)
		}
	}
}

func TestNormalizeSaysWhatIsWrong(t *testing.T) {
	for raw, want := range map[string]string{
		"":                                         "is empty",
		"   ":                                      "is empty",
		"relay.example.com":                        "must start with wss://",
		"localhost:8080":                           "must start with wss://",
		"ftp://relay.example.com":                  "must start with wss://",
		"javascript:alert(1)":                      "must start with wss://",
		"https://relay.example.com":                "starts with wss://",
		"http://relay.example.com":                 "starts with ws://",
		"wss://":                                   "names no host",
		"wss:///path":                              "names no host",
		"wss:relay.example.com":                    "names no host",
		"wss://:8080":                              "names no host",
		"wss://a..b":                               "has an empty part",
		"wss://..":                                 "has an empty part",
		"wss://.":                                  "names no host",
		"wss://me:secret@relay.example.com":        "carries a user name",
		"wss://relay.example.com/#x":               "part after #",
		"wss://relay.example.com/#":                "part after #",
		"wss://relay.example.com:0":                "a port is 1 to 65535",
		"wss://relay.example.com:65536":            "a port is 1 to 65535",
		"wss://relay.example.com:x":                "is not a URL",
		"wss://rel ay.example.com":                 "is not a URL",
		"wss://relay.example.com/\x00":             "is not a URL",
		"wss://r\u0435lay.example.com":             "xn--",
		"wss://relay!.example.com":                 `has '!' in its host`,
		"ws://[fe80::1%25eth0]":                    "has no IPv6 address",
		"wss://000::":                              "in its host",
		"ws://[1.2.3.4]":                           "is not a URL",
		"wss://a.b/" + strings.Repeat("x", 1024-9): "is over 1024",
	} {
		got, err := Normalize(raw)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q gave %q, %v; want an error with %q", raw, got, err, want)
		}
		if err != nil && len(err.Error()) > 250 {
			t.Errorf("the error is %d bytes long", len(err.Error()))
		}
	}
}
