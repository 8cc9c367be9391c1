package room

import "testing"

func TestNamesBecomeReferences(t *testing.T) {
	codes := map[string]string{"House agent": NPub(ana), "House": NPub(bob), "Änne": NPub(eve)}
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
		"`a @House` @House":             "`a @House` " + b,
		"```\n@House\n```":              "```\n@House\n```",
		"@ House":                       "@ House",
		"@":                             "@",
		"@Ä":                            "@Ä",
		"":                              "",
	} {
		if got := LinkNames(text, codes); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	if got := LinkNames("@ @x", map[string]string{"": ana}); got != "@ @x" {
		t.Errorf("nobody's name becomes %q", got)
	}
}

func TestReferencesAreShownAsNamesAndLeadBack(t *testing.T) {
	a, b, e := NPub(ana), NPub(bob), NPub(eve)
	links := []Link{{Code: a, Label: "@Ana"}, {Code: b, Label: "@Bob B."}, {Code: e, Label: "@ana"}, {Code: "note1x", Label: "a message"}}
	for text, want := range map[string]string{
		"nostr:" + a + " and nostr:" + b + "!": "@Ana and @Bob B.!",
		"(nostr:" + a + ")":                    "(@Ana)",
		"nostr:" + e:                           "nostr:" + e, // another one has the name
		"xnostr:" + a:                          "xnostr:" + a,
		"nostr:" + a + "_":                     "nostr:" + a + "_",
		"`nostr:" + a + "`":                    "`nostr:" + a + "`",
		"nostr:note1x":                         "nostr:note1x",
		"":                                     "",
	} {
		shown, codes := ShowNames(text, links)
		if shown != want {
			t.Errorf("%q is shown as %q, want %q", text, shown, want)
		}
		if back := LinkNames(shown, codes); back != text {
			t.Errorf("%q leads back to %q", shown, back)
		}
	}
}

func TestReferencesInALine(t *testing.T) {
	a := NPub(ana)
	links := []Link{{Code: a, Label: "@Ana"}}
	for text, want := range map[string]string{
		"hi nostr:" + a + "!":    "hi @Ana!",
		"nostr:" + a + "x":       "nostr:" + a + "x",
		"nostr:nostr:" + a:       "nostr:nostr:" + a,
		"nostr: nostr:" + a:      "nostr: @Ana",
		"nothing to be replaced": "nothing to be replaced",
		"":                       "",
	} {
		if got := Plain(text, links); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func FuzzShowNames(f *testing.F) {
	code := NPub(ana)
	f.Add("nostr:"+code+" hello", "Ana")
	f.Add("`nostr:"+code+"` nostr:"+code+"é", "A`b")
	f.Add("nostr:"+code+"nostr:"+code, "İ_")
	f.Fuzz(func(t *testing.T, text, name string) {
		p := NewProfiles()
		links := p.Links(text)
		for i := range links {
			if name = cleanLine(name, MaxName); name != "" && links[i].Code == code {
				links[i].Label = "@" + name
			}
		}
		shown, codes := ShowNames(text, links)
		back := LinkNames(shown, codes)
		if again, _ := ShowNames(back, links); again != shown {
			t.Errorf("%q is shown as %q, which leads to %q and that to %q", text, shown, back, again)
		}
	})
}
