package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
