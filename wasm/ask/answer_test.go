package ask

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func multiple(ev *nostr.Event)  { set("selection", "multiple")(ev) }
func freeform(ev *nostr.Event)  { put("freeform", "true")(ev) }
func plainText(ev *nostr.Event) { set("selection", "text")(ev); drop("option")(ev) }

// The paragraph on answers, each sentence, and the row "Reading an answer".
func TestReadAnswer(t *testing.T) {
	x := func(n int) string { return strings.Repeat("é", n) }
	both := func(ids, text string) string { return `{"choices":[` + ids + `],"text":` + strconv.Quote(text) + `}` }
	for name, c := range map[string]struct {
		form    func(*nostr.Event)
		content string
		want    Answer
		reason  string // empty: it counts
	}{
		// "For a single selection, the content is the selected option id."
		"single: an id":                     {all(), "stop", Answer{Choices: []string{"stop"}}, ""},
		"single: another id":                {all(), "wait", Answer{}, "not one of the options"},
		"single: an id with a space":        {all(), "stop ", Answer{}, "not one of the options"},
		"single: a label":                   {all(), "Stop here", Answer{}, "not one of the options"},
		"single: an array":                  {all(), `["stop"]`, Answer{}, "not one of the options"},
		"single: nothing":                   {all(), "", Answer{}, "not one of the options"},
		"single: a text without freeform":   {all(), `{"text":"Neither."}`, Answer{}, "not one of the options"},
		"single: combined without freeform": {all(), both(`"stop"`, "Tired."), Answer{}, "not one of the options"},
		"approval: an id":                   {set("interaction", "approval"), "stop", Answer{Choices: []string{"stop"}}, ""},

		// "For multiple selections, the content is a JSON array of option ids."
		"multiple: one":                    {multiple, `["stop"]`, Answer{Choices: []string{"stop"}}, ""},
		"multiple: two":                    {multiple, ` [ "stop", "continue" ]`, Answer{Choices: []string{"stop", "continue"}}, ""},
		"multiple: none":                   {multiple, `[]`, Answer{}, "none of the options"},
		"multiple: twice the same":         {multiple, `["stop","stop"]`, Answer{}, "twice"},
		"multiple: an unknown id":          {multiple, `["stop","wait"]`, Answer{}, `"wait" is not one`},
		"multiple: a bare id":              {multiple, "stop", Answer{}, "not a list"},
		"multiple: a number":               {multiple, `[1]`, Answer{}, "not a list"},
		"multiple: null":                   {multiple, `null`, Answer{}, "not a list"},
		"multiple: a null id":              {multiple, `[null]`, Answer{}, "is not one of the options"},
		"multiple: something after it":     {multiple, `["stop"] x`, Answer{}, "not a list"},
		"multiple: a text, not freeform":   {multiple, `{"text":"No."}`, Answer{}, "not a list"},
		"multiple: a text, freeform":       {all(multiple, freeform), `{"text":"No."}`, Answer{Text: "No."}, ""},
		"multiple: choices without a text": {all(multiple, freeform), `{"choices":["stop"]}`, Answer{}, "no text"},

		// "A text answer uses the plain text content for selection=text,"
		"text: plain":              {plainText, "Let us see.", Answer{Text: "Let us see."}, ""},
		"text: kept as typed":      {plainText, "  two\n\nlines ", Answer{Text: "  two\n\nlines "}, ""},
		"text: JSON is only text":  {plainText, `{"text":"x"}`, Answer{Text: `{"text":"x"}`}, ""},
		"text: empty":              {plainText, "", Answer{}, "empty"},
		"text: only white space":   {plainText, " \n\u00a0", Answer{}, "empty"},
		"text: 8000 characters":    {plainText, x(8000), Answer{Text: x(8000)}, ""},
		"text: 8001 characters":    {plainText, x(8001), Answer{}, "at most 8000"},
		"content: 8001 characters": {all(), x(8001), Answer{}, "at most 8000"},

		// "or {"text":"..."} when freeform=true accompanies options."
		"freeform: an id alone":         {freeform, "stop", Answer{Choices: []string{"stop"}}, ""},
		"freeform: a text":              {freeform, `{"text":" Neither. "}`, Answer{Text: " Neither. "}, ""},
		"freeform: an empty text":       {freeform, `{"text":" "}`, Answer{}, "empty"},
		"freeform: a null text":         {freeform, `{"text":null}`, Answer{}, "empty"},
		"freeform: a number for a text": {freeform, `{"text":1}`, Answer{}, "not a string"},
		"freeform: a bare text":         {freeform, "Neither.", Answer{}, "not one of the options"},
		"freeform: broken JSON":         {freeform, `{"text":"x"`, Answer{}, "not a valid JSON object"},
		"freeform: something after it":  {freeform, `{"text":"x"}}`, Answer{}, "not a valid JSON object"},
		"freeform: Text is not text":    {freeform, `{"Text":"x"}`, Answer{}, "no text"},
		"freeform: text twice":          {freeform, `{"text":"x","text":"y"}`, Answer{}, "repeated"},
		"freeform: a third field":       {freeform, `{"text":"x","note":"y"}`, Answer{}, `"note"`},

		// The complete content is limited to 8,000 characters: {"text":""} takes 11.
		"freeform: content of 8000 characters": {freeform, `{"text":"` + x(7989) + `"}`, Answer{Text: x(7989)}, ""},
		"freeform: content of 8001 characters": {freeform, `{"text":"` + x(7990) + `"}`, Answer{}, "at most 8000"},

		// "an answer may include both a selection and an explanation"
		"combined: one choice for single":          {freeform, both(`"stop"`, "The run needs review."), Answer{[]string{"stop"}, "The run needs review."}, ""},
		"combined: two choices for single":         {freeform, both(`"stop","continue"`, "x"), Answer{}, "exactly one"},
		"combined: no choice":                      {freeform, both(``, "x"), Answer{}, "none of the options"},
		"combined: null choices":                   {freeform, `{"choices":null,"text":"x"}`, Answer{}, "none of the options"},
		"combined: an unknown id":                  {freeform, both(`"wait"`, "x"), Answer{}, `"wait" is not one`},
		"combined: choices that are no list":       {freeform, `{"choices":"stop","text":"x"}`, Answer{}, "not a list"},
		"combined: an empty text":                  {freeform, both(`"stop"`, ""), Answer{}, "empty"},
		"combined: without text":                   {freeform, `{"choices":["stop"]}`, Answer{}, "no text"},
		"combined: a third field":                  {freeform, `{"choices":["stop"],"text":"x","why":1}`, Answer{}, `"why"`},
		"combined: two choices for multiple":       {all(multiple, freeform), both(`"stop","continue"`, "x"), Answer{[]string{"stop", "continue"}, "x"}, ""},
		"combined: a repeated choice for multiple": {all(multiple, freeform), both(`"stop","stop"`, "x"), Answer{}, "twice"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := ReadAnswer(mustParse(t, form(c.form)), c.content)
			if c.reason != "" {
				wantReason(t, err, c.reason)
				return
			}
			if err != nil || !reflect.DeepEqual(a, c.want) {
				t.Errorf("got %+v, %v", a, err)
			}
		})
	}
}

// "An exact option id first; only then JSON."
func TestAnExactOptionIDIsLookedForBeforeJSON(t *testing.T) {
	r := mustParse(t, form(freeform, put("option", `{"text":"x"}`, "Looks like JSON")))
	a, err := ReadAnswer(r, `{"text":"x"}`)
	if err != nil || !reflect.DeepEqual(a, Answer{Choices: []string{`{"text":"x"}`}}) {
		t.Errorf("got %+v, %v", a, err)
	}
	content, err := WriteAnswer(r, Answer{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if a, err = ReadAnswer(r, content); err != nil || !reflect.DeepEqual(a, Answer{Text: "x"}) {
		t.Errorf("the text x became %q, read as %+v, %v", content, a, err)
	}
	r = mustParse(t, form(multiple, put("option", `["stop"]`, "Looks like JSON")))
	if a, err = ReadAnswer(r, `["stop"]`); err != nil || !reflect.DeepEqual(a, Answer{Choices: []string{"stop"}}) {
		t.Errorf("multiple: got %+v, %v", a, err)
	}
}

func TestWriteAnswerIsExact(t *testing.T) {
	for name, c := range map[string]struct {
		form func(*nostr.Event)
		a    Answer
		want string
	}{
		"single":               {all(), Answer{Choices: []string{"stop"}}, "stop"},
		"multiple":             {multiple, Answer{Choices: []string{"stop", "continue"}}, `["stop","continue"]`},
		"text":                 {plainText, Answer{Text: " <b>&  "}, " <b>&  "},
		"freeform text":        {freeform, Answer{Text: "<b> & \"c\""}, `{"text":"<b> & \"c\""}`},
		"both":                 {freeform, Answer{[]string{"stop"}, "The run needs review."}, `{"choices":["stop"],"text":"The run needs review."}`},
		"details left blank":   {freeform, Answer{[]string{"stop"}, " \n"}, "stop"},
		"both with multiple":   {all(multiple, freeform), Answer{[]string{"stop"}, "x"}, `{"choices":["stop"],"text":"x"}`},
		"the most that fits":   {freeform, Answer{Text: strings.Repeat("é", 7989)}, `{"text":"` + strings.Repeat("é", 7989) + `"}`},
		"confirmation, single": {set("interaction", "confirmation"), Answer{Choices: []string{"stop"}}, "stop"},
	} {
		got, err := WriteAnswer(mustParse(t, form(c.form)), c.a)
		if err != nil || got != c.want {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

// "Nothing is cut for the writer; over the limit nothing can be sent."
func TestWhatCannotBeSentSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		form   func(*nostr.Event)
		a      Answer
		reason string
	}{
		"nothing chosen":        {all(), Answer{}, "choose an option"},
		"nothing typed":         {plainText, Answer{Text: "  "}, "empty"},
		"two for one":           {all(), Answer{Choices: []string{"stop", "continue"}}, "one option only"},
		"an unknown option":     {all(), Answer{Choices: []string{"wait"}}, "not one of the options"},
		"a choice for a text":   {plainText, Answer{Choices: []string{"stop"}}, "asks for a text"},
		"a text for a choice":   {all(), Answer{[]string{"stop"}, "x"}, "takes no text"},
		"one character too far": {freeform, Answer{Text: strings.Repeat("é", 7990)}, "at most 8000"},
		"escapes count":         {freeform, Answer{Text: strings.Repeat(`"`, 4000)}, "at most 8000"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := WriteAnswer(mustParse(t, form(c.form)), c.a)
			wantReason(t, err, c.reason)
		})
	}
}
