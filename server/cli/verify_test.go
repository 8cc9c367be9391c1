package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/ask"
	"parley/wasm/verify"
)

func sign(t *testing.T, e *nostr.Event, who byte) *nostr.Event {
	t.Helper()
	if err := verify.Sign(e, [32]byte{31: who}, [32]byte{}); err != nil {
		t.Fatal(err)
	}
	return e
}

// decision is a question of key 1, answered by key 2.
func decision(t *testing.T) ask.Record {
	t.Helper()
	asked, err := verify.PublicKey([32]byte{31: 2})
	if err != nil {
		t.Fatal(err)
	}
	asker, err := verify.PublicKey([32]byte{31: 1})
	if err != nil {
		t.Fatal(err)
	}
	request, err := ask.BuildRequest(ask.Draft{Room: "lobby", Text: "Ship it?", Asked: []string{asked}, Selection: ask.Single,
		Options: []ask.Option{{ID: "yes", Label: "Ship"}, {ID: "no", Label: "Hold"}}}, asker, 1000)
	if err != nil {
		t.Fatal(err)
	}
	sign(t, request, 1)
	parsed, err := ask.Parse(request)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := ask.BuildAnswer(parsed, ask.Answer{Choices: []string{"yes"}}, asked, "", 1001)
	if err != nil {
		t.Fatal(err)
	}
	return ask.Record{Request: request, Events: []*nostr.Event{sign(t, answer, 2)}}
}

func write(t *testing.T, record any) string {
	t.Helper()
	text, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "decision.json")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestVerifySaysWhatWasDecided(t *testing.T) {
	var out, errs bytes.Buffer
	if code := Run(t.Context(), []string{"verify", write(t, decision(t))}, &out, &errs); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	for _, words := range []string{"All 2 signatures hold.", `"Ship it?"`, "answered", `"Ship"`, "settles it"} {
		if !strings.Contains(out.String(), words) {
			t.Errorf("%q is missing in:\n%s", words, &out)
		}
	}
}

func TestVerifyFindsWhatWasChanged(t *testing.T) {
	changed := decision(t)
	changed.Events[0].Content = "no"
	stranger := decision(t)
	stranger.Request.Content = "Pay me?"
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"a changed answer":   {[]string{"verify", write(t, changed)}, exitFailed, "does not hold"},
		"a changed question": {[]string{"verify", write(t, stranger)}, exitFailed, "does not hold"},
		"another file":       {[]string{"verify", write(t, []int{1})}, exitFailed, "no decision record"},
		"no such file":       {[]string{"verify", "/nowhere/decision.json"}, exitFailed, "no such file"},
		"no file":            {[]string{"verify"}, exitUsage, "name the file"},
		"two files":          {[]string{"verify", "a", "b"}, exitUsage, "not expected"},
	} {
		var out, errs bytes.Buffer
		if code := Run(t.Context(), c.args, &out, &errs); code != c.code || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%s: exit code %d, %q", name, code, &errs)
		}
	}
}

// TestHostileRecords: a file of a stranger neither floods nor plays with the
// terminal, nor keeps the program.
func TestHostileRecords(t *testing.T) {
	file := func(text string) string {
		name := filepath.Join(t.TempDir(), "decision.json")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	asked, err := json.Marshal(decision(t).Request)
	if err != nil {
		t.Fatal(err)
	}
	within := func(events string) string { return `{"request":` + string(asked) + `,"events":[` + events + `]}` }
	for name, text := range map[string]string{
		"empty": "", "null": "null", "a number": "5", "cut off": within("")[:200], "deep": strings.Repeat("[", 200_000),
		"deep in a record":   strings.Repeat(`{"request":`, 50_000),
		"many empty events":  within(strings.Repeat("null,", 1_000_000) + "null"),
		"a false id":         within(`{"id":"\u001b[2J\u0007","kind":1111,"tags":[]}`),
		"a false key":        within(`{"pubkey":"\u001b]0;x\u0007","tags":[["e"],[],["\u009b"]]}`),
		"no UTF-8":           within(`{"id":"` + "\xff\xfe" + `"}`),
		"rubbish":            "\x1b[31m\x00\xff",
		"a request of odds":  `{"request":{"id":"\u001b","kind":-1,"tags":[[]]},"events":[{}]}`,
		"huge numbers":       within(`{"created_at":1e400}`),
		"text for numbers":   within(`{"kind":"9"}`),
		"the request, again": within(string(asked) + "," + strings.Replace(string(asked), "Ship", "Sink", 1)),
	} {
		var out, errs bytes.Buffer
		if code := Run(t.Context(), []string{"verify", file(text)}, &out, &errs); code != exitFailed || out.Len() > 0 {
			t.Errorf("%s: exit code %d, %q", name, code, &out)
		}
		if words := errs.String(); len(words) > 10_000 || strings.ContainsFunc(words, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
			t.Errorf("%s: %d bytes: %.500q", name, len(words), words)
		}
	}
}
