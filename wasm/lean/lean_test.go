package lean

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const root = "../.."

func contains(content []byte, part string) bool { return bytes.Contains(content, []byte(part)) }

func TestWriteCopiesWithoutTheCuts(t *testing.T) {
	out := t.TempDir()
	if err := Write(root, out, Cuts); err != nil {
		t.Fatal(err)
	}
	nostr := filepath.Join(out, "github.com/nbd-wtf/go-nostr")
	for _, name := range []string{"go.mod", "event.go", "nip19/nip19.go"} {
		if _, err := os.Stat(filepath.Join(nostr, name)); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"relay.go", "keys.go", "event_test.go"} {
		if _, err := os.Stat(filepath.Join(nostr, name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
	mod, err := os.ReadFile(filepath.Join(out, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Cuts {
		if !contains(mod, "\nreplace "+c.Module+" => ../") {
			t.Errorf("go.mod has no path from the root for %s", c.Module)
		}
	}
}

func TestWriteAgainKeepsWhatIsRightAndMendsTheRest(t *testing.T) {
	out := t.TempDir()
	if err := Write(root, out, Cuts); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(out, "github.com/mailru/easyjson")
	right, wrong, stray := filepath.Join(dir, "raw.go"), filepath.Join(dir, "helpers.go"), filepath.Join(dir, "stray.go")
	old := time.Unix(1, 0)
	if err := os.Chtimes(right, old, old); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{wrong, stray} {
		if err := os.WriteFile(path, []byte("package wrong"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(root, out, Cuts); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(right); err != nil || !info.ModTime().Equal(old) {
		t.Errorf("a file that was right is %v, %v", info, err)
	}
	if content, err := os.ReadFile(wrong); err != nil || contains(content, "package wrong") {
		t.Errorf("a file that was wrong still is: %v", err)
	}
	if _, err := os.Stat(stray); err == nil {
		t.Error("a file that is not in the module is there")
	}
}

func TestACutOfWhatIsNotThereIsAnError(t *testing.T) {
	for _, c := range []Cut{
		{Module: "github.com/mailru/easyjson", Folder: ".", Files: []string{"gone.go"}},
		{Module: "github.com/mailru/easyjson", Folder: ".", Without: true, Names: []string{"Gone"}},
		{Module: "github.com/mailru/easyjson", Folder: "gone", Files: []string{"raw.go"}},
	} {
		err := Write(root, t.TempDir(), []Cut{c})
		if err == nil || !strings.Contains(err.Error(), "any more") {
			t.Errorf("%v: %v", c, err)
		}
	}
	if err := Write(root, t.TempDir(), []Cut{{Module: "example.com/none"}}); err == nil {
		t.Error("no error for a module that is not in go.mod")
	}
}
