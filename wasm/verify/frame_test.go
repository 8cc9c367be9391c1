package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nbd-wtf/go-nostr"
)

const object = `{"id":"i","pubkey":"p","created_at":1,"kind":2,"tags":[["a","b"],[]],"content":"c","sig":"s"}`

func without(part string) string { return strings.Replace(object, part, "", 1) }
func with(part string) string    { return strings.Replace(object, "{", "{"+part+",", 1) }

// nested is an unknown field whose value has n levels below it.
func nested(n int) string {
	return with(`"x":` + strings.Repeat("[", n) + "0" + strings.Repeat("]", n))
}

var frames = map[string]struct {
	frame string
	want  error
}{
	"as relays send it":           {`["EVENT","sub",` + object + `]`, nil},
	"white space":                 {" [ \"EVENT\" ,\t\"sub\",\r\n" + strings.ReplaceAll(object, ",", " , ") + " ] ", nil},
	"empty subscription":          {`["EVENT","",` + object + `]`, nil},
	"unknown fields":              {`["EVENT","s",` + with(`"x":[{"y":null,"z":[true,false]},"q",-1.5e+3],"ID":0`) + `]`, nil},
	"names with escapes":          {`["\u0045VENT","s",` + strings.Replace(object, "id", `\u0069d`, 1) + `]`, nil},
	"escapes":                     {`["EVENT","s",` + strings.Replace(object, `"c"`, `"\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00é😀"`, 1) + `]`, nil},
	"half a surrogate pair":       {`["EVENT","s",` + strings.Replace(object, `"c"`, `"\ud800 \udc00 \ud800\u0041 \ud800\ud800\udc00"`, 1) + `]`, nil},
	"negative numbers":            {`["EVENT","s",` + strings.Replace(object, `:1`, `:-1`, 1) + `]`, nil},
	"unknown value of MaxDepth":   {`["EVENT","s",` + nested(MaxDepth) + `]`, nil},
	"unknown value past MaxDepth": {`["EVENT","s",` + nested(MaxDepth+1) + `]`, ErrFrame},

	"another label":             {`["EOSE","sub"]`, ErrNotEvent},
	"another label and no more": {`["NOTICE"`, ErrNotEvent},
	"nothing":                   {``, ErrFrame},
	"no array":                  {object, ErrFrame},
	"empty array":               {`[]`, ErrFrame},
	"a number as label":         {`[1,"s",` + object + `]`, ErrFrame},
	"no subscription":           {`["EVENT",` + object + `]`, ErrFrame},
	"no event":                  {`["EVENT","s"]`, ErrFrame},
	"null event":                {`["EVENT","s",null]`, ErrFrame},
	"a fourth element":          {`["EVENT","s",` + object + `,1]`, ErrFrame},
	"text after the frame":      {`["EVENT","s",` + object + `]x`, ErrFrame},
	"no closing bracket":        {`["EVENT","s",` + object, ErrFrame},
	"a comma too many":          {`["EVENT","s",` + strings.Replace(object, "}", ",}", 1) + `]`, ErrFrame},
	"no comma":                  {`["EVENT","s"` + object + `]`, ErrFrame},
	"no id":                     {`["EVENT","s",` + without(`"id":"i",`) + `]`, ErrFrame},
	"no sig":                    {`["EVENT","s",` + without(`,"sig":"s"`) + `]`, ErrFrame},
	"id twice":                  {`["EVENT","s",` + with(`"id":"j"`) + `]`, ErrFrame},
	"null content":              {`["EVENT","s",` + strings.Replace(object, `"c"`, `null`, 1) + `]`, ErrFrame},
	"number as tag":             {`["EVENT","s",` + strings.Replace(object, `"b"`, `1`, 1) + `]`, ErrFrame},
	"tag that is no array":      {`["EVENT","s",` + strings.Replace(object, `[]`, `"x"`, 1) + `]`, ErrFrame},
	"null tags":                 {`["EVENT","s",` + strings.Replace(object, `[["a","b"],[]]`, `null`, 1) + `]`, ErrFrame},
	"kind as string":            {`["EVENT","s",` + strings.Replace(object, `:2`, `:"2"`, 1) + `]`, ErrFrame},
	"created_at with exponent":  {`["EVENT","s",` + strings.Replace(object, `:1`, `:1e3`, 1) + `]`, ErrFrame},
	"created_at with fraction":  {`["EVENT","s",` + strings.Replace(object, `:1`, `:1.0`, 1) + `]`, ErrFrame},
	"created_at past 64 bits":   {`["EVENT","s",` + strings.Replace(object, `:1`, `:9223372036854775808`, 1) + `]`, ErrFrame},
	"a leading zero":            {`["EVENT","s",` + strings.Replace(object, `:1`, `:01`, 1) + `]`, ErrFrame},
	"a line break in a string":  {`["EVENT","s",` + strings.Replace(object, `"c"`, "\"\n\"", 1) + `]`, ErrFrame},
	"an unknown escape":         {`["EVENT","s",` + strings.Replace(object, `"c"`, `"\x41"`, 1) + `]`, ErrFrame},
	"a short escape":            {`["EVENT","s",` + strings.Replace(object, `"c"`, `"\u12"`, 1) + `]`, ErrFrame},
	"a signed escape":           {`["EVENT","s",` + strings.Replace(object, `"c"`, `"\u+123"`, 1) + `]`, ErrFrame},
	"not UTF-8":                 {`["EVENT","s",` + strings.Replace(object, `"c"`, "\"\xff\"", 1) + `]`, ErrFrame},
	"not UTF-8 after an escape": {`["EVENT","s",` + strings.Replace(object, `"c"`, "\"\\n\xff\"", 1) + `]`, ErrFrame},
	"half an unknown word":      {`["EVENT","s",` + with(`"x":tru`) + `]`, ErrFrame},
}

func TestParseFrame(t *testing.T) {
	for name, c := range frames {
		sub, e, err := ParseFrame([]byte(c.frame))
		if !errors.Is(err, c.want) || (e == nil) != (err != nil) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if err != nil && sub != "" {
			t.Errorf("%s: subscription %q beside an error", name, sub)
		}
		agree(t, []byte(c.frame))
	}
}

func TestParseEventReadsOneObject(t *testing.T) {
	e, err := ParseEvent([]byte(" " + object + "\n"))
	want := &nostr.Event{
		ID: "i", PubKey: "p", CreatedAt: 1, Kind: 2, Tags: nostr.Tags{{"a", "b"}, {}}, Content: "c", Sig: "s",
	}
	if err != nil || !reflect.DeepEqual(e, want) {
		t.Errorf("%v, %v", e, err)
	}
	for _, bad := range []string{"", object + object, "[" + object + "]"} {
		if _, err := ParseEvent([]byte(bad)); !errors.Is(err, ErrFrame) {
			t.Errorf("%q: %v, want ErrFrame", bad, err)
		}
	}
}

func TestParsedTagsDoNotGrowIntoEachOther(t *testing.T) {
	e, err := ParseEvent([]byte(object))
	if err != nil {
		t.Fatal(err)
	}
	e.Tags[0] = append(e.Tags[0], "more")
	e.Tags = append(e.Tags, nostr.Tag{"new"})
	if len(e.Tags[1]) != 0 {
		t.Errorf("the second tag became %q", e.Tags[1])
	}
}

func TestWhatIsSignedSurvivesTheFrame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, content := range []string{"", "plain", "\"\\\n\t\x01\x7f", "é😀\u2028<>&"} {
		e := &nostr.Event{Kind: 1, CreatedAt: 1, Content: content, Tags: nostr.Tags{{"t", content}}}
		if err := Sign(e, random32(r), random32(r)); err != nil {
			t.Fatal(err)
		}
		frame, err := json.Marshal([]any{"EVENT", "sub", e})
		if err != nil {
			t.Fatal(err)
		}
		sub, back, err := ParseFrame(frame)
		if err != nil || sub != "sub" || !reflect.DeepEqual(e, back) {
			t.Errorf("%s: %v, %v", frame, back, err)
		} else if err := Event(back); err != nil {
			t.Errorf("%s: %v", frame, err)
		}
	}
}

var wholeNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// slowFrame is ParseFrame by means of encoding/json.
func slowFrame(frame []byte) (sub string, e *nostr.Event, err error) {
	var parts []json.RawMessage
	if err := json.Unmarshal(frame, &parts); err != nil {
		return "", nil, err
	}
	var label, subscription *string
	if len(parts) == 0 || json.Unmarshal(parts[0], &label) != nil || label == nil {
		return "", nil, errors.New("no label")
	}
	if *label != "EVENT" {
		return "", nil, ErrNotEvent
	}
	if len(parts) != 3 || json.Unmarshal(parts[1], &subscription) != nil || subscription == nil {
		return "", nil, errors.New("no subscription")
	}
	e, err = slowEvent(parts[2])
	return *subscription, e, err
}

func slowEvent(object []byte) (*nostr.Event, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("no object: %v", err)
	}
	e := new(nostr.Event)
	seen := map[string]bool{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		known, err := slowField(e, name.(string), value)
		if err != nil || known && seen[name.(string)] {
			return nil, fmt.Errorf("%s: %v", name, err)
		}
		seen[name.(string)] = known
	}
	for _, name := range []string{"id", "pubkey", "created_at", "kind", "tags", "content", "sig"} {
		if !seen[name] {
			return nil, errors.New("no " + name)
		}
	}
	return e, nil
}

func slowField(e *nostr.Event, name string, value []byte) (known bool, err error) {
	var number int64
	if name == "created_at" || name == "kind" {
		if !wholeNumber.Match(value) {
			return true, errors.New("no whole number")
		}
		number, err = strconv.ParseInt(string(value), 10, 64)
	}
	switch name {
	case "id":
		return true, slowText(&e.ID, value)
	case "pubkey":
		return true, slowText(&e.PubKey, value)
	case "sig":
		return true, slowText(&e.Sig, value)
	case "content":
		return true, slowText(&e.Content, value)
	case "created_at":
		e.CreatedAt = nostr.Timestamp(number)
		return true, err
	case "kind":
		e.Kind = int(number)
		return true, err
	case "tags":
		var tags []json.RawMessage
		if err := json.Unmarshal(value, &tags); err != nil || tags == nil {
			return true, fmt.Errorf("no tags: %v", err)
		}
		e.Tags = nostr.Tags{}
		for _, raw := range tags {
			var parts []json.RawMessage
			if err := json.Unmarshal(raw, &parts); err != nil || parts == nil {
				return true, fmt.Errorf("no tag: %v", err)
			}
			tag := make(nostr.Tag, len(parts))
			for i := range parts {
				if err := slowText(&tag[i], parts[i]); err != nil {
					return true, err
				}
			}
			e.Tags = append(e.Tags, tag)
		}
		return true, nil
	}
	return false, nil
}

func slowText(into *string, value []byte) error {
	var s *string
	if err := json.Unmarshal(value, &s); err != nil || s == nil {
		return fmt.Errorf("no string: %v", err)
	}
	*into = *s
	return nil
}

// agree holds ParseFrame against encoding/json.
func agree(t *testing.T, frame []byte) {
	t.Helper()
	sub, e, err := ParseFrame(frame)
	if errors.Is(err, ErrNotEvent) || err != nil && strings.Contains(err.Error(), "levels") {
		return // read no further than the label, or not as deep
	}
	wantSub, want, wantErr := slowFrame(frame)
	if !utf8.Valid(frame) {
		wantErr = errors.New("not UTF-8")
	}
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%q: %v, encoding/json %v", frame, err, wantErr)
	}
	if err == nil && (sub != wantSub || !reflect.DeepEqual(e, want)) {
		t.Fatalf("%q: %q, %v, want %q, %v", frame, sub, e, wantSub, want)
	}
	if err != nil && !errors.Is(err, ErrFrame) {
		t.Fatalf("%q: %v is no ErrFrame", frame, err)
	}
}

func FuzzParseFrame(f *testing.F) {
	for _, c := range frames {
		f.Add([]byte(c.frame))
	}
	f.Fuzz(func(t *testing.T, frame []byte) { agree(t, frame) })
}
