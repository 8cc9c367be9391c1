package components

import (
	"strings"
	"testing"

	"parley/wasm/room"
)

func sampleMessage() *room.Message {
	ana := room.Person{PubKey: "aa", Name: "Ana"}
	scout := room.Person{PubKey: "bb", Name: "Scout", Agent: "agent of Ana"}
	return &room.Message{
		ID: "0001", Kind: 9, Author: scout, At: 1_700_000_000, CreatedAt: 1_700_000_900,
		ClockAhead: true, Text: "Done", Replies: 3,
		ReplyTo:   &room.Quote{ID: "0000", Author: ana, Text: "Please do"},
		Reactions: []room.Reaction{{Content: "👍", People: []room.Person{ana, scout}, Mine: "r1"}},
	}
}

func TestAMessageIsOneArticleOfItsEvent(t *testing.T) {
	d := draw(t, &Message{M: sampleMessage(), CanWrite: true, Thread: "/rooms/lobby/threads/0001"})
	article := d.one("", "data-event", "0001")
	if article.Data != "article" {
		t.Errorf("the event is on <%s>", article.Data)
	}
	for name, want := range map[string]string{"role": "article", "data-kind": "9", "aria-label": "Scout, 22:13"} {
		if got, _ := attr(article, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	d.one("", "data-quote", "0000")
	said := words(article)
	for _, want := range []string{"Scout", "agent of Ana", "clock ahead", "3 replies", "Please do", "Done"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in %q", want, said)
		}
	}
	if href, _ := attr(d.one("a", "class", "replies"), "href"); href != "/rooms/lobby/threads/0001" {
		t.Errorf("the replies lead to %q", href)
	}
}

func TestAQuoteThatCannotBeShownSaysSo(t *testing.T) {
	for want, q := range map[string]room.Quote{
		"Reply to something not loaded":                 {ID: "0000", Missing: true},
		"Reply to a message that is not shown any more": {ID: "0000", Deleted: true},
	} {
		m := sampleMessage()
		m.ReplyTo = &q
		d := draw(t, &Message{M: m})
		if got := words(d.one("", "data-quote", "0000")); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestActionsOfAMessage(t *testing.T) {
	d := draw(t, &Message{M: sampleMessage(), CanWrite: true})
	for _, want := range []string{"React", "Reply", "More"} {
		if !has(d.buttons(), want) {
			t.Errorf("no button %q in %v", want, d.buttons())
		}
	}
	if got, _ := attr(d.one("button", "class", "chip"), "aria-pressed"); got != "" && got != "true" {
		t.Errorf("my reaction is pressed: %q", got)
	}
	d = draw(t, &Message{M: sampleMessage()})
	if has(d.buttons(), "React") || has(d.buttons(), "Reply") {
		t.Errorf("who cannot write is offered %v", d.buttons())
	}
}

func TestTheMenuOfAMessage(t *testing.T) {
	tests := []struct {
		name    string
		message Message
		with    []string
		without []string
	}{
		{"of somebody else", Message{M: sampleMessage(), CanWrite: true, Thread: "/t"},
			[]string{"Open thread", "Copy link", "Copy text", "Report…", "Block…"}, []string{"Edit", "Delete…"}},
		{"of mine", Message{M: sampleMessage(), Own: true, CanWrite: true, CanDelete: true},
			[]string{"Edit", "Delete…", "Copy link"}, []string{"Report…", "Block…", "Open thread"}},
		{"of somebody else, for an admin", Message{M: sampleMessage(), CanDelete: true}, []string{"Delete…", "Report…"}, []string{"Edit"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := tt.message
			m.open = openMenu
			names := draw(t, &m).buttons()
			for _, want := range tt.with {
				if !has(names, want) {
					t.Errorf("no %q in %v", want, names)
				}
			}
			for _, not := range tt.without {
				if has(names, not) {
					t.Errorf("%q in %v", not, names)
				}
			}
		})
	}
}

func TestARequestCannotBeEdited(t *testing.T) {
	m := sampleMessage()
	m.Request = true
	names := draw(t, &Message{M: m, Own: true, CanWrite: true, open: openMenu}).buttons()
	if has(names, "Edit") {
		t.Errorf("%v", names)
	}
}

func TestThePickerNeverAnswersARequest(t *testing.T) {
	for _, choice := range choices {
		if choice.emoji == "+" || choice.emoji == "-" || choice.emoji == "" {
			t.Errorf("the picker offers %q, which is an answer (NIP-25)", choice.emoji)
		}
	}
	names := draw(t, &Message{M: sampleMessage(), CanWrite: true, open: openReact}).buttons()
	if !has(names, "Thumbs up") {
		t.Errorf("%v", names)
	}
}

func TestAJoinedMessageKeepsItsName(t *testing.T) {
	d := draw(t, &Message{M: sampleMessage(), Joined: true})
	if label, _ := attr(d.one("article", "", ""), "aria-label"); !strings.HasPrefix(label, "Scout") {
		t.Errorf("named %q", label)
	}
	if n := len(d.all("div", "class", "who")); n != 0 {
		t.Errorf("the name is shown %d times", n)
	}
}

func TestDelivery(t *testing.T) {
	tests := []struct {
		name     string
		delivery Delivery
		words    string
		buttons  []string
	}{
		{"waiting", Delivery{State: "waiting", Reason: "unlock your key", Drop: true}, "Waiting: unlock your key", []string{"Take back"}},
		{"sent", Delivery{State: "sent"}, "Sent", nil},
		{"stored in a room", Delivery{State: "stored", Stored: 1, Of: 1}, "Stored", nil},
		{"stored on several relays", Delivery{State: "stored", Stored: 2, Of: 3}, "Stored on 2 of 3 relays", nil},
		{"refused", Delivery{State: "refused", Reason: "blocked: no", Drop: true}, "Refused. The relay does not allow this: “no”", []string{"Retry", "Take back"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := draw(t, &Message{M: sampleMessage(), Own: true, Delivery: tt.delivery})
			if got, _ := attr(d.one("article", "", ""), "data-status"); got != tt.delivery.State {
				t.Errorf("data-status is %q", got)
			}
			if got := words(d.one("span", "class", "delivery")); got != tt.words {
				t.Errorf("it says %q, want %q", got, tt.words)
			}
			for _, want := range tt.buttons {
				if !has(d.buttons(), want) {
					t.Errorf("no button %q", want)
				}
			}
		})
	}
	if got, has := attr(draw(t, &Message{M: sampleMessage()}).one("article", "", ""), "data-status"); has {
		t.Errorf("a message of somebody else has data-status %q", got)
	}
}

func TestFilesOfStrangers(t *testing.T) {
	m := sampleMessage()
	m.Files = []room.File{
		{URL: "javascript:alert(1)", Name: "trap"},
		{URL: "https://example.org/a/report.pdf", Size: 123_456},
		{URL: "https://example.org/c.png", Type: "image/png", Alt: "A chart"},
	}
	d := draw(t, &Message{M: m})
	for _, a := range d.all("a", "href", "") {
		if href, _ := attr(a, "href"); strings.HasPrefix(href, "javascript") {
			t.Errorf("a link to %q", href)
		}
		target, _ := attr(a, "target")
		rel, _ := attr(a, "rel")
		if target != "_blank" || rel != "noopener noreferrer" {
			t.Errorf("a link out with target %q, rel %q", target, rel)
		}
	}
	if len(d.all("img", "", "")) != 0 || !has(d.buttons(), "Show picture") {
		t.Error("a picture is fetched before anybody asked for it")
	}
	if said := words(d.one("ul", "class", "files")); !strings.Contains(said, "report.pdf 123 kB") {
		t.Errorf("%q", said)
	}
}
