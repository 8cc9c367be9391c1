package ask

import (
	"encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/nbd-wtf/go-nostr"
)

// Whatever the content, reading it neither panics nor takes what does not
// count, and what counts can be written again as the same answer.
func FuzzReadAnswer(f *testing.F) {
	for _, seed := range []string{"stop", `["stop"]`, `{"text":"x"}`, `{"choices":["stop"],"text":"x"}`, `{"choices":[`, "\x00", `"stop"`} {
		f.Add(seed, byte(0))
		f.Add(seed, byte(5))
	}
	f.Fuzz(func(t *testing.T, content string, how byte) {
		var change []func(*nostr.Event)
		switch how % 3 {
		case 1:
			change = append(change, multiple)
		case 2:
			change = append(change, plainText)
		}
		if how >= 3 {
			change = append(change, freeform)
		}
		r := mustParse(t, form(change...))
		a, err := ReadAnswer(r, content)
		if err != nil || !utf8.ValidString(content) {
			return
		}
		if utf8.RuneCountInString(content) > MaxAnswer || len(a.Choices) == 0 && a.Text == "" {
			t.Fatalf("%q counts as %+v", content, a)
		}
		again, err := WriteAnswer(r, a)
		if err != nil {
			return // written anew it may be longer than the limit
		}
		if b, err := ReadAnswer(r, again); err != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("%q reads as %+v, then as %+v, %v", content, a, b, err)
		}
	})
}

// Whatever the tags of two events, parsing and folding neither panics nor
// makes an invalid form answerable.
func FuzzFold(f *testing.F) {
	tags, _ := json.Marshal(form().Tags)
	answer, _ := json.Marshal(reply(form(), ana, start, "").Tags)
	f.Add(9, string(tags), "Shall it?", 1111, string(answer), "stop")
	f.Add(1111, `[["request","approve"],["p"],[]]`, "", 7, `[["e"],["e",""]]`, "+")
	f.Add(9, `[["tinyagent","1"],["option"],["expiration","x"]]`, "", 5, `[["e","x"]]`, "")
	f.Fuzz(func(t *testing.T, kind int, tags, content string, kind2 int, tags2, content2 string) {
		req, other := &nostr.Event{Kind: kind, Content: content, PubKey: agent}, &nostr.Event{Kind: kind2, Content: content2, PubKey: ana}
		if json.Unmarshal([]byte(tags), &req.Tags) != nil || json.Unmarshal([]byte(tags2), &other.Tags) != nil {
			return
		}
		req.ID, other.ID = form().ID, key("other")
		r, err := Parse(req)
		fd := fold(req, other, deletion(ana, start, other))
		v := fd.View(start, ana)
		if err != nil && v.Answerable || (r == nil) != (v.State == Unknown) {
			t.Fatalf("%v, but %+v", err, v)
		}
		_ = CheckAnswer(req, other, start)
		b := NewBook()
		b.Add(other, start)
		b.Add(req, start)
		if rec, ok := fd.Record(); ok {
			if _, err := CheckRecord(rec, func(*nostr.Event) error { return nil }, start); err != nil {
				t.Fatal(err)
			}
		}
	})
}
