package app

import (
	"strings"
	"testing"

	"parley/wasm/port"
)

func heard(n int, text string) []*port.Item {
	item := itemOf(n, "Ana")
	item.Message.Text = text
	return []*port.Item{&item}
}

func TestOneMessageIsReadOut(t *testing.T) {
	var a announcer
	a.hear(heard(1, "Hello\n  there"))
	if !a.speak(noon) || a.text != "Ana: Hello there" {
		t.Errorf("said %q", a.text)
	}
	if a.speak(noon + quietFor) {
		t.Error("said it twice")
	}
}

func TestAFloodIsOneSentence(t *testing.T) {
	var a announcer
	a.hear(heard(1, "one"))
	a.speak(noon)
	for i := range 500 {
		a.hear(heard(2+i, "more"))
		if a.speak(noon + quietFor - 1) {
			t.Fatal("spoke again at once")
		}
	}
	if !a.speak(noon+quietFor) || a.text != "500 new messages" {
		t.Errorf("said %q", a.text)
	}
}

func TestOwnMessagesAreNotReadOut(t *testing.T) {
	var a announcer
	own := heard(1, "mine")
	own[0].Own = true
	a.hear(own)
	if a.speak(noon) {
		t.Errorf("said %q", a.text)
	}
}

func TestTheSameWordsAgainAreSaidAgain(t *testing.T) {
	var a announcer
	a.hear(heard(1, "ok"))
	a.speak(noon)
	first := a.text
	a.hear(heard(2, "ok"))
	if !a.speak(noon+quietFor) || a.text == first {
		t.Error("a live region says nothing when its text stays the same")
	}
}

func TestALongMessageIsCutWhenReadOut(t *testing.T) {
	var a announcer
	a.hear(heard(1, strings.Repeat("é", maxSaid)))
	a.speak(noon)
	if a.text != "Ana: "+strings.Repeat("é", maxSaid) {
		t.Error("cut although it fits")
	}
	a.hear(heard(2, strings.Repeat("é", maxSaid+1)))
	a.speak(noon + quietFor)
	if a.text != "Ana: "+strings.Repeat("é", maxSaid)+"…" {
		t.Errorf("said %d bytes", len(a.text))
	}
}
