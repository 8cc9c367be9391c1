//go:build !js

package relay

import (
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func FuzzNormalize(f *testing.F) {
	for _, seed := range []string{"wss://relay.example.com/a/../b?x#y", "ws://[::1]:80", "wss://a%2e.b/%2F//?%", "WSS://A:443/./"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		normal, err := Normalize(raw)
		if err != nil {
			return
		}
		again, err := Normalize(normal)
		if err != nil || again != normal {
			t.Fatalf("%q became %q and then %q, %v", raw, normal, again, err)
		}
		if strings.ContainsFunc(normal, func(r rune) bool { return r <= ' ' }) {
			t.Fatalf("%q became %q, with white space", raw, normal)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`["EVENT","s",` + note(1, 1).String() + `]`, `["EVENT","s",{}]`, `["OK","e",true,""]`, `["EOSE","\u0041"]`,
		`["CLOSED","s","x: y"]`, `["NOTICE","n"]`, `["AUTH","c"]`, `["EVENT","`, `[[[[`, `["EVENT","s",{"tags":[null,[null]],"id":"` + strings.Repeat("0", 64) + `"}]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, frame string) {
		m, ok := parse(frame)
		if !ok {
			return
		}
		if m.label == msgEvent {
			if !isHex64(m.event.ID) || m.raw == "" {
				t.Fatalf("%q gave event %+v", frame, m)
			}
			// What was taken for an object is one, and reads the same again.
			var again nostr.Event
			if err := again.UnmarshalJSON([]byte(m.raw)); err != nil || again.String() != m.event.String() {
				t.Fatalf("%q: %v", m.raw, err)
			}
		}
	})
}
