package components

import (
	"strings"
	"testing"

	"parley/wasm/room"
)

func TestTheNameBehindAnAt(t *testing.T) {
	long := strings.Repeat("a", maxQuery)
	tests := []struct {
		name, text string
		caret      int
		query      string
		at         int
		ok         bool
	}{
		{"at the beginning", "@An", 3, "An", 0, true},
		{"an @ alone", "@", 1, "", 0, true},
		{"behind a word", "hello @An", 9, "An", 6, true},
		{"behind a bracket", "(@An", 4, "An", 1, true},
		{"in a new line", "hello\n@An", 9, "An", 6, true},
		{"names have spaces", "@House ag", 9, "House ag", 0, true},
		{"the caret stands in it", "@Anabel", 3, "An", 0, true},
		{"the nearest one", "@Ana @Be", 8, "Be", 5, true},
		{"behind an emoji of two units", "🎉 @An", 6, "An", 3, true},
		{"of another script", "@日本", 3, "日本", 0, true},
		{"a mail address", "me@ana.example", 14, "", 0, false},
		{"a space behind the @", "@ Ana", 5, " Ana", 0, false},
		{"on another line", "@Ana\nhello", 10, "", 0, false},
		{"before the @", "hello @An", 5, "", 0, false},
		{"no @", "hello", 5, "", 0, false},
		{"as long as a name is", "@" + long[:maxQuery-1], maxQuery, long[:maxQuery-1], 0, true},
		{"longer than a name is", "@" + long, maxQuery + 1, "", 0, false},
		{"a caret that is nowhere", "@An", 99, "An", 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			query, at, ok := nameBehind(tt.text, tt.caret)
			if ok != tt.ok || ok && (query != tt.query || at != tt.at) {
				t.Errorf("%q at %d, %v", query, at, ok)
			}
		})
	}
}

func TestTheListOfPeopleIsAListbox(t *testing.T) {
	ana := Candidate{Person: room.Person{PubKey: strings.Repeat("aa", 32), Name: "Ana"}}
	bot := Candidate{Person: room.Person{PubKey: strings.Repeat("bb", 32), Name: "House agent", Agent: "agent of Ana"}}
	c := &Composer{mention: mention{list: []Candidate{ana, bot}, at: 1}}
	d := draw(t, c)
	field := d.one("textarea", "", "")
	for name, want := range map[string]string{
		"aria-haspopup": "listbox", "aria-controls": "mentions", "aria-activedescendant": "mention-1", "aria-autocomplete": "list", "aria-label": "Message",
	} {
		if got, has := attr(field, name); got != want && !(has && got == "" && want == "true") {
			t.Errorf("the field's %s is %q, want %q", name, got, want)
		}
	}
	if got, has := attr(field, "role"); has {
		t.Errorf("the field became a %q while somebody types in it", got)
	}
	d.one("", "role", "listbox")
	options := d.all("", "role", "option")
	if len(options) != 2 {
		t.Fatalf("%d options", len(options))
	}
	for i, want := range []string{"false", "true"} {
		if got, has := attr(options[i], "aria-selected"); !has || got != want && got != "" {
			t.Errorf("aria-selected of option %d is %q, want %s", i, got, want)
		}
	}
	if said := words(options[1]); !strings.Contains(said, "House agent agent of Ana npub1") {
		t.Errorf("an option says %q", said)
	}
	if got, has := attr(draw(t, &Composer{}).one("textarea", "", ""), "aria-controls"); has {
		t.Errorf("without a list the field controls %q", got)
	}
	nameless := Candidate{Person: room.Person{PubKey: ana.Person.PubKey, Name: room.ShortNPub(ana.Person.PubKey)}}
	d = draw(t, &Composer{mention: mention{list: []Candidate{nameless}}})
	if said := words(d.one("", "role", "option")); strings.Count(said, "npub1") != 1 {
		t.Errorf("somebody without a name is %q", said)
	}
}
