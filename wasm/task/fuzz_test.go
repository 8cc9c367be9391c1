package task

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// Whatever the content, reading it does not panic, and only an object with a
// schema number is anything but the text it is.
func FuzzContent(f *testing.F) {
	for _, seed := range []string{"Done", "Here.\nPosted a, b", "Posted ", `{"schema":1,"summary":"x","artifacts":[{}]}`, "Cancelled by ", "\x00\n\n"} {
		f.Add(seed)
	}
	r := mustParse(f, request())
	f.Fuzz(func(t *testing.T, content string) {
		text, detail := readContent(content)
		if detail == nil && text != content || detail != nil && detail.Schema < 1 {
			t.Fatalf("%q reads as %q, %+v", content, text, detail)
		}
		ev := by(agent, KindResult, r.Event, start, content, nostr.Tag{"e", key("a")}, nostr.Tag{"e", key("b")})
		if res := r.readResult(ev); len(res.Files) == 0 || len(res.Files) == 2 && res.Full != "" {
			t.Fatalf("%q: %+v", content, res)
		}
		readProgress(ev)
		readError(text, detail)
	})
}

// Whatever the tags of two events, folding them neither panics nor depends on
// the order.
func FuzzFold(f *testing.F) {
	tags, _ := json.Marshal(request().Tags)
	f.Add(string(tags), KindResult, `[["e","x"]]`, "Done")
	f.Add(`[["h"],["p"],[]]`, KindMessage, `[["h"],["p"]]`, "!cancel")
	f.Add(`[["e","","","root"]]`, KindReply, `[["e"],["e",""]]`, "@x !cancel")
	f.Fuzz(func(t *testing.T, tags string, kind int, tags2, content string) {
		req := &nostr.Event{ID: key("request"), Kind: KindRequest, PubKey: ana}
		if json.Unmarshal([]byte(tags), &req.Tags) != nil {
			return
		}
		var more nostr.Tags
		if json.Unmarshal([]byte(tags2), &more) != nil {
			return
		}
		events := []*nostr.Event{req}
		for _, author := range []string{ana, agent} {
			ev := &nostr.Event{Kind: kind, PubKey: author, Content: content, CreatedAt: start}
			ev.Tags = append(nostr.Tags{{"e", req.ID}, {"h", first(req.Tags, "h")}, {"p", agent}}, more...)
			events = append(events, signed(ev), deletes(author, start+1, ev))
		}
		one, two, book := NewFold(req.ID), NewFold(req.ID), NewBook()
		for i := range events {
			one.Add(events[i], start)
			two.Add(events[len(events)-1-i], start)
			book.Add(events[i], start)
			_ = CheckEvent(req, events, events[i])
		}
		if a, b := one.View(start+9, ana), two.View(start+9, ana); !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v\n%+v", a, b)
		}
	})
}
