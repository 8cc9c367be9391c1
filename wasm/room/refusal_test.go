package room

import (
	"strings"
	"testing"
)

func TestWordsOfARefusal(t *testing.T) {
	long := strings.Repeat("a", MaxRefusal)
	tests := []struct{ name, message, want string }{
		{"a prefix becomes words", "blocked: no such room", "The relay does not allow this: “no such room”"},
		{"the relay's own words end with no second stop", "invalid: wrong.", "The relay finds a mistake in it: “wrong”"},
		{"a prefix alone", "pow:", "The relay asks for a proof of work"},
		{"a prefix with a hyphen", "rate-limited: wait 3 s", "The relay takes no more for now: “wait 3 s”"},
		{"an unknown prefix stays", "moon: not full", "moon: not full"},
		{"words without a prefix stay", "The relay is away.", "The relay is away."},
		{"nothing", "", ""},
		{"what turns the text around is left out", "blocked: \u202eno\nmore", "The relay does not allow this: “no more”"},
		{"as long as is shown", "error: " + long, "The relay had a fault: “" + long + "”"},
		{"longer than is shown", "error: " + long + "b", "The relay had a fault: “" + long + "…”"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Refusal(tt.message); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
