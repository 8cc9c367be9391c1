package run

import (
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// promptIn is a prompt of its own id in a session.
func promptIn(session, name string, at int64, message string) Input {
	in := input(KindPrompt, name, at, fmt.Sprintf(`{"ver":1,"message":%q}`, message))
	in.Event.ID = hexOf(name)
	if session != "" {
		in.Event.Tags = append(in.Event.Tags, nostr.Tag{"s", session})
	}
	return in
}

func answerTo(name string, at int64) Input {
	in := response("to"+name, at, "x")
	in.Event.Tags[1] = nostr.Tag{"e", hexOf(name), "", "root"}
	return in
}

func TestSessions(t *testing.T) {
	inputs := []Input{
		promptIn("session:a", "a1", t0, "Plan the party"),
		promptIn("session:a", "a2", t0+10, "And the cake"),
		promptIn("", "d1", t0+5, "Hello"),
		promptIn("sender:"+me, "d2", t0+6, "Written out"),
		answerTo("a1", t0+20),
		answerTo("d2", t0+30),
		answerTo("nobody", t0+99),
	}
	want := []Session{
		{ID: "sender:" + me, Client: me, Agent: bot, Title: "Hello", Started: t0 + 5, Last: t0 + 30, Ends: 1, Runs: []string{hexOf("d1"), hexOf("d2")}},
		{ID: "session:a", Client: me, Agent: bot, Title: "Plan the party", Started: t0, Last: t0 + 20, Ends: 1, Runs: []string{hexOf("a1"), hexOf("a2")}},
	}
	for seed := range int64(100) {
		rng := rand.New(rand.NewSource(seed))
		var s Sessions
		for _, in := range shuffled(rng, inputs) {
			s.Add(withOpening(in, Sealed))
			s.Add(in)
			if rng.Intn(2) == 0 {
				s.List()
			}
		}
		if got := s.List(); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d:\n got %+v\nwant %+v", seed, got, want)
		}
	}
}

func TestSessionsTellWhatIsNews(t *testing.T) {
	var s Sessions
	in := promptIn("session:a", "a1", t0, "Hi")
	equal(t, "nothing", s.Add(Input{}), false)
	equal(t, "no message", s.Add(Input{Event: &nostr.Event{Kind: 1}}), false)
	equal(t, "sealed", s.Add(withOpening(in, Sealed)), true)
	equal(t, "untitled", s.List()[0].Title, "")
	equal(t, "opened", s.Add(in), true)
	equal(t, "title", s.List()[0].Title, "Hi")
	equal(t, "again", s.Add(in), false)
	equal(t, "an older answer", s.Add(answerTo("a1", t0-1)), true)
	equal(t, "one end", s.List()[0].Ends, 1)
	equal(t, "another older answer", s.Add(answerTo("a1", t0-2)), false)
	broken := promptIn("session:b", "b1", t0, "")
	s.Add(broken)
	equal(t, "a broken prompt still stands", len(s.List()), 2)
}

func TestAgentsAndClientsHaveTheirOwnSessions(t *testing.T) {
	var s Sessions
	s.Add(promptIn("session:a", "a1", t0, "one"))
	other := promptIn("session:a", "a2", t0, "two")
	other.Event.PubKey = stranger
	s.Add(other)
	equal(t, "sessions", len(s.List()), 2)
}

func TestNewSessionID(t *testing.T) {
	id := NewSessionID([32]byte{0xab, 31: 0x01})
	equal(t, "id", id, "session:ab"+strings.Repeat("00", 30)+"01")
	equal(t, "default", SessionOf("", me), "sender:"+me)
	equal(t, "given", SessionOf(id, me), id)
}

func TestTitle(t *testing.T) {
	word := strings.Repeat("ä", MaxTitleRunes)
	for _, c := range []struct{ name, message, want string }{
		{"empty", "  \n ", ""},
		{"one line", "What\n is\tthis? ", "What is this?"},
		{"one word of the longest size", word, word},
		{"one word too long", word + "b", strings.Repeat("ä", MaxTitleRunes-1) + "…"},
		{"two words that fit", strings.Repeat("a", MaxTitleRunes-2) + " b", strings.Repeat("a", MaxTitleRunes-2) + " b"},
		{"the second does not fit", strings.Repeat("a", MaxTitleRunes-1) + ", b", strings.Repeat("a", MaxTitleRunes-1) + "…"},
		{"cut after a comma", strings.Repeat("a", 30) + ", " + strings.Repeat("b", 40), strings.Repeat("a", 30) + "…"},
	} {
		equal(t, c.name, Title(c.message), c.want)
	}
}
