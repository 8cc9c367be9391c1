package run

import "testing"

func TestAFaultIsASentenceForAPerson(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "",
		"write something first":      "Write something first.",
		"über alles":                 "Über alles.",
		"The agent is gone. Ask Ana": "The agent is gone. Ask Ana.",
		"is it?":                     "Is it?",
		"expected “x”":               "Expected “x”.",
	} {
		if got := fault(InvalidSchema, "message", text).Sentence(); got != want {
			t.Errorf("%q is said as %q, want %q", text, got, want)
		}
	}
}
