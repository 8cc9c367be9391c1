package room

import "testing"

func TestNamesBecomeReferences(t *testing.T) {
	keys := map[string]string{"House agent": ana, "House": bob, "Änne": eve}
	a, b, e := "nostr:"+NPub(ana), "nostr:"+NPub(bob), "nostr:"+NPub(eve)
	for text, want := range map[string]string{
		"@House agent tour":             a + " tour",
		"@house AGENT, !cancel":         a + ", !cancel",
		"@House agents":                 b + " agents",
		"@House":                        b,
		"hey @House agent":              "hey " + a,
		"(@House) @Änne\n@House agent!": "(" + b + ") " + e + "\n" + a + "!",
		"@Houses":                       "@Houses",
		"@House_x @House1":              "@House_x @House1",
		"mail@House":                    "mail@House",
		"`@House`":                      "`@House`",
		"@ House":                       "@ House",
		"@":                             "@",
		"@Ä":                            "@Ä",
		"":                              "",
	} {
		if got := LinkNames(text, keys); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	if got := LinkNames("@ @x", map[string]string{"": ana}); got != "@ @x" {
		t.Errorf("nobody's name becomes %q", got)
	}
}
