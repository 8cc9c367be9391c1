package signer

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

const bunkerKey = "fa984bd7dbb282f07e16e7ae87b26a2a7b9b90b7246a44771f0cf5ae58018f52" // NIP-46, "Example flow"

func TestABunkerAddressIsRead(t *testing.T) {
	for text, want := range map[string]Bunker{
		"bunker://" + bunkerKey + "?relay=wss://a.example": {PubKey: bunkerKey, Relays: []string{"wss://a.example"}},
		" BUNKER://" + strings.ToUpper(bunkerKey) + "?relay=wss%3A%2F%2Fa.example%2F&relay=wss://b.example/x&secret=s%20t\n": {
			PubKey: bunkerKey, Relays: []string{"wss://a.example", "wss://b.example/x"}, Secret: "s t"},
		"bunker://" + bunkerKey + "/?secret=x&relay=wss://A.example:443&relay=wss://a.example": {
			PubKey: bunkerKey, Relays: []string{"wss://a.example"}, Secret: "x"},
	} {
		got, err := ParseBunker(text)
		if err != nil || got.PubKey != want.PubKey || got.Secret != want.Secret || !slices.Equal(got.Relays, want.Relays) {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
		again, err := ParseBunker(got.String())
		if err != nil || again.String() != got.String() {
			t.Errorf("%q is written as %q, and read as %+v, %v", text, got, again, err)
		}
	}
}

func TestABadBunkerAddressIsRefusedWithTheReason(t *testing.T) {
	for text, words := range map[string]string{
		"":                            "nothing was given",
		"me@bunker.example":           "bunker://",
		"https://bunker.example":      `"https://"`,
		"nsec1vl029mgpspedva04g90vlt": "Import a key",
		"nostrconnect://" + bunkerKey + "?relay=wss://a.example": "from here to the signer",
		"bunker://?relay=wss://a.example":                        "64 hex digits",
		"bunker://npub1xyz?relay=wss://a.example":                "64 hex digits",
		"bunker://" + strings.Repeat("f", 64) + "?relay=wss://a": "64 hex digits", // no point on the curve
		"bunker://" + bunkerKey:                                  "names no relay",
		"bunker://" + bunkerKey + "?relay=":                      "wss://relay.example.com",
		"bunker://" + bunkerKey + "?relay=https://a.example":     "web address",
		"bunker://" + bunkerKey + "?relay=wss%3A%2":              "broken % sign",
	} {
		if _, err := ParseBunker(text); !errors.Is(err, ErrNotBunker) || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: got %v, want %q", text, err, words)
		}
	}
}

func TestTheLimitsOfABunkerAddress(t *testing.T) {
	address := func(fill int) string {
		head := "bunker://" + bunkerKey + "?relay=wss://a.example&x="
		return head + strings.Repeat("x", fill-len(head))
	}
	if _, err := ParseBunker(address(MaxBunker)); err != nil {
		t.Errorf("the longest: %v", err)
	}
	if _, err := ParseBunker(address(MaxBunker + 1)); err == nil {
		t.Error("a longer one is read")
	}
	secret := func(n int) string {
		return "bunker://" + bunkerKey + "?relay=wss://a.example&secret=" + strings.Repeat("s", n)
	}
	if _, err := ParseBunker(secret(MaxBunkerSecret)); err != nil {
		t.Errorf("the longest secret: %v", err)
	}
	if _, err := ParseBunker(secret(MaxBunkerSecret + 1)); err == nil {
		t.Error("a longer secret is read")
	}
	many := "bunker://" + bunkerKey + "?"
	for i := range MaxSignerRelays + 2 {
		many += "&relay=wss://a.example/" + string(rune('a'+i))
	}
	b, err := ParseBunker(many)
	if err != nil || len(b.Relays) != MaxSignerRelays || b.Relays[0] != "wss://a.example/a" {
		t.Errorf("of many relays %v are used, %v", b.Relays, err)
	}
}

func TestAnInvitationSaysWhatTheNIPWants(t *testing.T) {
	got := Invitation{
		Client: bunkerKey, Relays: []string{"wss://relay1.example.com", "wss://relay2.example2.com"}, Secret: "0s8j2djs",
		Perms: []string{"nip44_encrypt", "sign_event:13"}, App: App{Name: "My Client", URL: "https://a.example"},
	}.String()
	want := "nostrconnect://" + bunkerKey + "?relay=wss%3A%2F%2Frelay1.example.com&relay=wss%3A%2F%2Frelay2.example2.com" +
		"&secret=0s8j2djs&perms=nip44_encrypt%2Csign_event%3A13&name=My%20Client&url=https%3A%2F%2Fa.example"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestOnlyAnHTTPSAddressIsALink(t *testing.T) {
	for text, ok := range map[string]bool{
		"https://signer.example/approve?id=1": true,
		"http://signer.example":               false,
		"javascript:alert(1)":                 false,
		"https://":                            false,
		"https://:443/":                       false,
		"https://a@evil.example":              false,
		"//signer.example":                    false,
		"data:text/html,x":                    false,
		"https://a.example/\n":                false,
		"https://a.example/" + strings.Repeat("x", MaxLink-len("https://a.example/")):   true,
		"https://a.example/" + strings.Repeat("x", MaxLink-len("https://a.example/")+1): false,
	} {
		if _, got := safeLink(text); got != ok {
			t.Errorf("%.60q: got %v", text, got)
		}
	}
}

func FuzzParseBunker(f *testing.F) {
	for _, text := range []string{
		"bunker://" + bunkerKey + "?relay=wss://a.example&secret=x",
		"bunker://" + bunkerKey + "?relay=wss%3A%2F%2Fa.example%2F%3Fx=1&relay=ws://[::1]:7777",
		"nostrconnect://" + bunkerKey, "bunker://?relay=%", "bunker:/", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := ParseBunker(text)
		if err != nil {
			if !errors.Is(err, ErrNotBunker) {
				t.Errorf("an error of another kind: %v", err)
			}
			return
		}
		if len(b.PubKey) != 64 || len(b.Relays) == 0 || len(b.Relays) > MaxSignerRelays || len(b.Secret) > MaxBunkerSecret {
			t.Fatalf("%q gives %+v", text, b)
		}
		again, err := ParseBunker(b.String())
		if len(b.String()) > MaxBunker { // what is escaped may be longer
			return
		}
		if err != nil || again.String() != b.String() {
			t.Fatalf("%q is read as %+v, %v", b, again, err)
		}
	})
}
