package task

import (
	"reflect"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// The row "Another dialect of these kinds": Buzz puts JSON in the content.
func TestTheJSONDialect(t *testing.T) {
	one := 1
	for name, c := range map[string]struct {
		content string
		text    string
		detail  *Detail
	}{
		"plain text":            {"All done.", "All done.", nil},
		"a summary and a state": {`{"schema":1,"summary":"Half way","state":"running"}`, "Half way", &Detail{Schema: 1, Summary: "Half way", State: "running"}},
		"everything": {
			` {"schema":1,"summary":"No","state":"failed","reason":"r","code":"exit","exit_code":1,"artifacts":[{"name":"log","uri":"https://x/log","sha256":"ab"},"notes.txt"],"job":"7"}`, "No",
			&Detail{Schema: 1, Summary: "No", State: "failed", Reason: "r", Code: "exit", ExitCode: &one, Artifacts: []Artifact{{Name: "log", URI: "https://x/log", SHA256: "ab"}, {Name: "notes.txt"}}},
		},
		"a reason for a summary":   {`{"schema":1,"reason":"Not needed"}`, "Not needed", &Detail{Schema: 1, Reason: "Not needed"}},
		"a code that is a number":  {`{"schema":1,"code":12}`, "", &Detail{Schema: 1, Code: "12"}},
		"odd types are left out":   {`{"schema":2,"summary":["x"],"exit_code":"1","artifacts":{"a":1}}`, "", &Detail{Schema: 2}},
		"odd artifacts":            {`{"schema":1,"artifacts":[null,{},[1],{"name":"a"}]}`, "", &Detail{Schema: 1, Artifacts: []Artifact{{Name: "a"}}}},
		"JSON without a schema":    {`{"summary":"x"}`, `{"summary":"x"}`, nil},
		"a schema of another type": {`{"schema":"1","summary":"x"}`, `{"schema":"1","summary":"x"}`, nil},
		"a schema of zero":         {`{"schema":0,"summary":"x"}`, `{"schema":0,"summary":"x"}`, nil},
		"Schema is not schema":     {`{"Schema":1,"summary":"x"}`, `{"Schema":1,"summary":"x"}`, nil},
		"an array":                 {`[1]`, `[1]`, nil},
		"broken JSON":              {`{"schema":1`, `{"schema":1`, nil},
		"text after the object":    {`{"schema":1} x`, `{"schema":1} x`, nil},
	} {
		text, detail := readContent(c.content)
		if text != c.text || !reflect.DeepEqual(detail, c.detail) {
			t.Errorf("%s: %q, %+v", name, text, detail)
		}
	}
	pad := func(n int) string { return `{"schema":1,"summary":"x"}` + strings.Repeat(" ", n-26) }
	for n, want := range map[int]bool{maxDetail: true, maxDetail + 1: false} {
		if _, d := readContent(pad(n)); (d != nil) != want {
			t.Errorf("%d bytes: read as JSON %v", n, d != nil)
		}
	}
}

// "The newest line of intermediate assistant text, then the newest tool line."
func TestTheLinesOfProgress(t *testing.T) {
	for content, want := range map[string][2]string{
		"Reading.":                          {"Reading.", ""},
		"Reading.\nsearch: notes":           {"Reading.", "search: notes"},
		"\nReading.\n\nsearch: notes\n":     {"Reading.", "search: notes"},
		"":                                  {"", ""},
		`{"schema":1,"summary":"Half way"}`: {"Half way", ""},
	} {
		p := readProgress(event(KindProgress, agent, start, content))
		if p.Assistant != want[0] || p.Tool != want[1] {
			t.Errorf("%q: %q, %q", content, p.Assistant, p.Tool)
		}
	}
}

// The row "The extra e tags of a result", and the result's own line.
func TestWhatAResultNames(t *testing.T) {
	root, msg, f1, f2 := key("root"), key("message"), key("file 1"), key("file 2")
	e := func(id string, marker ...string) nostr.Tag {
		if len(marker) > 0 {
			return nostr.Tag{"e", id, "", marker[0]}
		}
		return nostr.Tag{"e", id}
	}
	for name, c := range map[string]struct {
		content string
		tags    nostr.Tags
		want    Result
	}{
		"nothing posted":               {"Done", nil, Result{Line: "Done"}},
		"the full text":                {"The notes say yes.", nostr.Tags{e(msg)}, Result{Line: "The notes say yes.", Full: msg}},
		"with files":                   {"Here.\nPosted a.txt, b.txt", nostr.Tags{e(msg), e(f1), e(f2)}, Result{Line: "Here.", Full: msg, Files: []File{{f1, "a.txt"}, {f2, "b.txt"}}}},
		"files unnamed":                {"Here.", nostr.Tags{e(msg), e(f1)}, Result{Line: "Here.", Full: msg, Files: []File{{ID: f1}}}},
		"too many names":               {"Here.\nPosted a, b, c", nostr.Tags{e(msg), e(f1)}, Result{Line: "Here.", Full: msg, Files: []File{{ID: f1}}}},
		"only files":                   {"Posted a.txt, b.txt", nostr.Tags{e(f1), e(f2)}, Result{Line: "Posted a.txt, b.txt", Files: []File{{f1, "a.txt"}, {f2, "b.txt"}}}},
		"a text that begins so":        {"Posted it.", nostr.Tags{e(msg), e(f1)}, Result{Line: "Posted it.", Full: msg, Files: []File{{ID: f1}}}},
		"marked and the root left out": {"Here.", nostr.Tags{e(key("a"), "root"), e(key("b"), "reply"), e(root), e(msg)}, Result{Line: "Here.", Full: msg}},
		"twice the same":               {"Here.", nostr.Tags{e(msg), e(msg), e(f1), {"e"}, {"e", ""}}, Result{Line: "Here.", Full: msg, Files: []File{{ID: f1}}}},
		"a blank first line":           {"\n Here. \nMore", nil, Result{Line: "Here."}},
	} {
		req := request(nostr.Tag{"e", root, "", "root"})
		ev := by(agent, KindResult, req, start+9, c.content, c.tags...)
		c.want.ID, c.want.At, c.want.Text = ev.ID, start+9, c.content
		if got := mustParse(t, req).readResult(ev); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, c.want)
		}
	}
}

// A 43006 whose text is Cancelled, Cancelled by <64 hex> or Merged into task
// <id> is no failure; any other is.
func TestWhatA43006Means(t *testing.T) {
	for text, want := range map[string]end{
		"Cancelled":                            {state: Cancelled},
		"Cancelled\n":                          {state: Cancelled},
		"Cancelled by " + bo:                   {state: Cancelled, by: bo},
		"Cancelled by " + strings.ToUpper(bo):  {state: Cancelled, by: bo},
		"Cancelled by Bo":                      {state: Failed},
		"Cancelled by " + bo + " today":        {state: Failed},
		"Cancelled: no time":                   {state: Failed},
		"cancelled":                            {state: Failed},
		"Merged into task " + key("other"):     {state: Cancelled, merged: key("other")},
		"Merged into task 7":                   {state: Cancelled, merged: "7"},
		"Merged into task ":                    {state: Failed},
		"Merged into task list of the kitchen": {state: Failed},
		"The task failed":                      {state: Failed},
		"":                                     {state: Failed},
	} {
		if got := readError(text, nil); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	for state, want := range map[string]State{"cancelled": Cancelled, "failed": Failed, "lost": Failed} {
		text, detail := readContent(`{"schema":1,"summary":"Stopped","state":"` + state + `"}`)
		if got := readError(text, detail).state; got != want {
			t.Errorf("the dialect's %s: %q", state, got)
		}
	}
}
