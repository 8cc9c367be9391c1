package agent

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/server/agent/brain"
	"parley/wasm/room"
	"parley/wasm/task"
)

func TestPostedFilesAddALineAndATagForEach(t *testing.T) {
	s := newStage(t, nil)
	r := s.request("post files")
	p := s.begin()
	for _, name := range []string{"a.csv", "b.txt"} {
		if err := p.out.File(p.ctx, brain.File{Name: name, Type: "text/plain", Data: []byte("what is in " + name)}); err != nil {
			t.Fatal(err)
		}
	}
	p.done("Here they are")
	result := s.told(task.KindResult, r)
	if result.Content != "Here they are\nPosted a.csv, b.txt" {
		t.Errorf("the result is %q", result.Content)
	}
	card := s.card(r)
	if len(card.Result.Files) != 2 || card.Result.Files[1].Name != "b.txt" || card.Result.Full == "" {
		t.Fatalf("the card is %+v", card.Result)
	}
	message := s.asker.find("the file's message", func(ev *nostr.Event) bool { return ev.ID == card.Result.Files[1].ID })
	files := room.FilesOf(message)
	if len(files) != 1 || files[0].Name != "b.txt" || files[0].Type != "text/plain" || files[0].Size != 16 || files[0].SHA256 == "" {
		t.Fatalf("the files are %+v", files)
	}
	got, err := http.Get(files[0].URL)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if body, err := io.ReadAll(got.Body); err != nil || string(body) != "what is in b.txt" {
		t.Errorf("it holds %q, %v", body, err)
	}
}

func TestATurnThatOnlyPostedAFileSaysSo(t *testing.T) {
	s := newStage(t, nil)
	r := s.request("post a file")
	p := s.begin()
	if err := p.out.File(p.ctx, brain.File{Name: "a.csv", Type: "text/csv", Data: []byte("a")}); err != nil {
		t.Fatal(err)
	}
	p.fail(&brain.Failure{Code: "TOOL_ERROR", Message: "and then it failed"})
	if result := s.told(task.KindResult, r); result.Content != "Posted a.csv" {
		t.Errorf("the result is %q", result.Content)
	}
}

func TestFilesThatCannotBeUploaded(t *testing.T) {
	s := newStage(t, nil)
	s.files = false
	s.request("post a file")
	p := s.begin()
	for _, f := range []brain.File{{Name: "a", Data: []byte("a")}, {Name: "empty"}, {Name: "large", Data: make([]byte, MaxFile+1)}} {
		if err := p.out.File(p.ctx, f); err == nil {
			t.Errorf("%s was posted", f.Name)
		} else if f.Name == "a" && !strings.Contains(err.Error(), "only members") {
			t.Errorf("got %v", err)
		}
	}
	p.done("")
}

func TestTheScriptedFileTask(t *testing.T) {
	s := newStage(t, func(c *Config) { c.Brain = quick() })
	r := s.request("post a file")
	if result := s.told(task.KindResult, r); !strings.HasSuffix(result.Content, "Posted visitors.csv") {
		t.Errorf("the result is %q", result.Content)
	}
}
