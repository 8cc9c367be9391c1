package room

import (
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func TestProfilesAreTheNewestThenTheLowestID(t *testing.T) {
	p := NewProfiles()
	profile := func(n int, at int64, content string) bool {
		return p.Add(evBare(n, KindProfile, ana, at, content))
	}
	if p.Known(ana) || p.Person(ana).Name != ShortNPub(ana) {
		t.Error("nothing is known yet")
	}
	if !profile(5, 10, `{"name":"five"}`) || profile(5, 10, `{"name":"five"}`) || profile(6, 10, `{"name":"six"}`) {
		t.Error("the lower id stays")
	}
	if !profile(4, 10, `{"name":"four"}`) || p.Person(ana).Name != "four" {
		t.Error("the lower id wins")
	}
	if profile(3, 9, `{"name":"old"}`) || !profile(9, 11, `no json`) || p.Person(ana).Name != ShortNPub(ana) || !p.Known(ana) {
		t.Error("the newest wins, readable or not")
	}
	if p.Event(ana).ID != id(9) || p.Add(msg(1, ana, 99, "{}")) || p.Add(nil) {
		t.Error("only kind 0")
	}
}

func TestProfileFields(t *testing.T) {
	read := func(content string) Person {
		p := NewProfiles()
		p.Add(evBare(1, KindProfile, ana, 1, content))
		return p.Person(ana)
	}
	if got := read(`{"name":"ana","display_name":"Ana ✨","about":"x\ny","picture":"https://x/y.png","nip05":"ana@x.org"}`); got != (Person{
		PubKey: ana, Name: "Ana ✨", About: "x\ny", Picture: "https://x/y.png", NIP05: "ana@x.org"}) {
		t.Errorf("%+v", got)
	}
	if got := read(`{"name":"ana","display_name":7,"about":[],"picture":"data:text/html,x","bot":"yes"}`); got != (Person{PubKey: ana, Name: "ana"}) {
		t.Errorf("a field of a wrong type spoils only itself: %+v", got)
	}
	for _, name := range []string{"", "\u202e\u200b", "   ", "\u3164"} {
		if got := read(`{"name":"` + name + `"}`); got.Name != ShortNPub(ana) {
			t.Errorf("%q: a name is never empty: %q", name, got.Name)
		}
	}
	for _, content := range []string{"[]", "null", "7", `"x"`, "{"} {
		if got := read(content); got.Name != ShortNPub(ana) {
			t.Errorf("%s: %+v", content, got)
		}
	}
}

func TestAgents(t *testing.T) {
	p := NewProfiles()
	p.Add(evBare(1, KindProfile, bob, 1, `{"name":"Bot","bot":true}`))
	if p.Person(bob).Agent != "agent" || p.Person(ana).Agent != "" {
		t.Error("NIP-24: bot")
	}
	if !p.SetAgent(bob, "Ana\u202e") || p.SetAgent(bob, "Ana") || p.Person(bob).Agent != "agent of Ana" {
		t.Errorf("%q", p.Person(bob).Agent)
	}
	if !p.SetAgent(bob, "") || p.Person(bob).Agent != "agent" {
		t.Error("the owner is not known any more")
	}
}

func TestCleanLine(t *testing.T) {
	for in, want := range map[string]string{
		"Ana":                                      "Ana",
		"  Ana \n\t Maria ":                        "Ana Maria",
		"a\x00b\x1bc\u009fd":                       "abcd",
		"\u202eevil\u2066\u200f\u061c":             "evil",
		"a\u200bb\ufeffc\u2060d\u00ad":             "abcd",
		"a\u2028b":                                 "a b",
		"👩\u200d💻":                                 "👩\u200d💻", // joiners stay
		"نامه\u200cای":                             "نامه\u200cای",
		"\u200d\u200c":                             "",
		"e" + strings.Repeat("\u0301", maxMarks):   "e" + strings.Repeat("\u0301", maxMarks),
		"e" + strings.Repeat("\u0301", maxMarks+1): "e" + strings.Repeat("\u0301", maxMarks),
		strings.Repeat("x", MaxName):               strings.Repeat("x", MaxName),
		strings.Repeat("x", MaxName+1):             strings.Repeat("x", MaxName) + "…",
		strings.Repeat("é", MaxName-1) + " é":      strings.Repeat("é", MaxName-1) + "…",
		"bad \xff utf8":                            "bad utf8",
	} {
		if got := cleanLine(in, MaxName); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestCleanURL(t *testing.T) {
	long := "https://x.org/"
	long += strings.Repeat("a", MaxURL-len(long))
	for in, kept := range map[string]bool{
		"https://x.org/a?b=c#d": true, "http://x.org": true, "HTTPS://x.org/": true, long: true, long + "a": false,
		"": false, "https://": false, "https:///etc/passwd": false, "javascript:alert(1)": false, "data:text/html,x": false,
		"//x.org": false, "ftp://x.org": false, " https://x.org": false, "https://x.org/\n": false, "https://x/\"onload": false,
		"https://x/\u202egnp.exe": false, "https:x.org": false, "blob:https://x.org": false,
	} {
		if got := cleanURL(in); (got == in && in != "") != kept || !kept && got != "" {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestShortNPub(t *testing.T) {
	if got := ShortNPub("7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e"); got != "npub10elfc…ptg" && got != "npub10elfc…jptg" {
		t.Errorf("%q", got)
	}
	if got := ShortNPub("x"); got == "" {
		t.Error("never empty")
	}
}

// Every limit on what is shown of names and words, on both sides.
func TestLimitsOnWords(t *testing.T) {
	about := func(n int) string {
		p := NewProfiles()
		p.Add(evBare(1, KindProfile, ana, 1, `{"about":"`+strings.Repeat("é", n)+`"}`))
		return p.Person(ana).About
	}
	roomAbout := func(n int) string {
		return filled(state(1, KindMeta, relay, 1, nostr.Tag{"about", strings.Repeat("é", n)})).Meta().About
	}
	role := func(n int) string {
		return filled(state(1, KindAdmins, relay, 1, nostr.Tag{"p", ana, strings.Repeat("é", n)})).Meta().Members[0].Roles[0]
	}
	file := func(n int) File {
		return FilesOf(msg(1, ana, 1, "", nostr.Tag{"imeta", "url https://x", "name " + strings.Repeat("é", n),
			"alt " + strings.Repeat("é", n), "m image/" + strings.Repeat("x", n)}))[0]
	}
	for name, c := range map[string]struct {
		limit int
		read  func(n int) string
		over  string // what the excess becomes
	}{
		"about":       {MaxAbout, about, ""},
		"a room's":    {MaxRoomAbout, roomAbout, ""},
		"role":        {MaxRole, role, "…"},
		"file name":   {MaxFileName, func(n int) string { return file(n).Name }, "…"},
		"alternative": {MaxFileAlt, func(n int) string { return file(n).Alt }, ""},
	} {
		full := strings.Repeat("é", c.limit)
		if got := c.read(c.limit); got != full {
			t.Errorf("%s: %d bytes at the limit", name, len(got))
		}
		if got := c.read(c.limit + 1); got != full+c.over {
			t.Errorf("%s: %d bytes over the limit", name, len(got))
		}
	}
	if file(maxMIMEPart).Type == "" || file(maxMIMEPart+1).Type != "" {
		t.Error("MIME type")
	}
}

func TestARoomThatDidNotFollowPeopleForLongMissesNoName(t *testing.T) {
	for changes, forgotten := range map[int]bool{MaxPeopleLog: false, MaxPeopleLog + 1: true} {
		people := NewProfiles()
		f := New(here, "", people)
		f.Add(msg(1, ana, 100, "hello"), 100)
		f.TakeChanged()
		people.Add(evBare(2, KindProfile, ana, 1, `{"name":"Ana"}`))
		for at := 2; at <= changes; at++ {
			people.Add(evBare(2+at, KindProfile, bob, int64(at), "{}"))
		}
		if (people.begin > 0) != forgotten || len(people.log) > MaxPeopleLog || people.changes() != changes {
			t.Errorf("%d changes: %d from %d on are remembered", changes, len(people.log), people.begin)
		}
		if got := f.TakeChanged().Messages; len(got) != 1 || got[0] != id(1) {
			t.Errorf("%d changes: %v changed, and it was the name of who wrote message 1", changes, got)
		}
		if got := f.TakeChanged().Messages; len(got) != 0 {
			t.Errorf("%d changes: %v changed again", changes, got)
		}
	}
}
