package task

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nbd-wtf/go-nostr"
)

func writer(t *testing.T) *Writer { return NewWriter(mustParse(t, request())) }

// "Once, when Hermes starts processing the request."
func TestAcceptedIsWrittenOnce(t *testing.T) {
	w := writer(t)
	if ev := w.Accept(start + 1); ev == nil || ev.Kind != KindAccepted || ev.Content != "" {
		t.Errorf("got %v", ev)
	}
	if w.Accept(start+2) != nil {
		t.Error("accepted twice")
	}
	w = writer(t)
	if !w.Cancelled() || w.Accept(start+2) != nil || !w.Ended() || w.Request().Agent != agent {
		t.Error("accepted after the end")
	}
}

// "While the turn runs, at most once every 15 seconds per task. Nothing is
// published when nothing changed."
func TestProgressIsWrittenAtMostEvery15SecondsAndOnlyWhenItChanged(t *testing.T) {
	w := writer(t)
	step := func(now int64, want string) {
		t.Helper()
		got := ""
		if ev := w.Progress(start + now); ev != nil {
			got = ev.Content
		}
		if got != want {
			t.Errorf("at %d s: %q, want %q", now, got, want)
		}
	}
	step(0, "")
	w.Tool("  ")
	step(0, "")
	w.Say("Let me see.\n\nReading the notes.\n")
	step(1, "Reading the notes.")
	step(60, "") // nothing changed
	w.Tool("search: notes")
	step(61, "Reading the notes.\nsearch: notes")
	w.Tool("open: monday")
	w.Tool("open: tuesday")
	if at, due := w.NextProgress(); !due || at != start+76 {
		t.Errorf("next at %+d, %v", at-start, due)
	}
	step(75, "")
	step(76, "Reading the notes.\nopen: tuesday")
	w.Say("Reading the notes.")
	w.Tool("open: tuesday")
	step(200, "") // the same again is no change
	w.Say("Done reading.")
	if w.Done("", start+201) == nil {
		t.Fatal("no end")
	}
	step(300, "") // nothing after the end
}

// "each clipped to 200 characters"
func TestLinesAreClippedTo200Characters(t *testing.T) {
	for n, want := range map[int]int{199: 199, 200: 200, 201: 200, 5000: 200} {
		w := writer(t)
		w.Say(strings.Repeat("é", n))
		w.Tool(strings.Repeat("ü", n))
		assistant, tool, _ := strings.Cut(w.Progress(start).Content, "\n")
		if utf8.RuneCountInString(assistant) != want || utf8.RuneCountInString(tool) != want {
			t.Errorf("%d: %d and %d", n, utf8.RuneCountInString(assistant), utf8.RuneCountInString(tool))
		}
		w.Replied(key("m"), strings.Repeat("é", n)+"\nmore")
		if got := utf8.RuneCountInString(w.Done("", start).Content); got != want {
			t.Errorf("%d: result of %d", n, got)
		}
	}
	w := writer(t)
	w.Say("a\tb   c")
	if got := w.Progress(start).Content; got != "a b c" {
		t.Errorf("white space: %q", got)
	}
}

// The row of 43004: first line of the final reply, the e tag of its message,
// "Posted name, name" and one e tag per file; else what the turn returned, else
// "Done".
func TestTheContentOfAResult(t *testing.T) {
	for name, c := range map[string]struct {
		do      func(*Writer)
		returns string
		content string
		extra   []string // ids after the request's
	}{
		"a reply":              {func(w *Writer) { w.Replied("m1", "\nYes.\n\nBecause.") }, "unused", "Yes.", []string{"m1"}},
		"the newest reply":     {func(w *Writer) { w.Replied("m1", "Wait."); w.Replied("m2", "Yes."); w.Replied("m3", " ") }, "", "Yes.", []string{"m2"}},
		"a reply and files":    {func(w *Writer) { w.PostedFile("f1", "a.txt"); w.Replied("m1", "Yes."); w.PostedFile("f2", "b.txt") }, "", "Yes.\nPosted a.txt, b.txt", []string{"m1", "f1", "f2"}},
		"files alone":          {func(w *Writer) { w.PostedFile("f1", "a.txt") }, "unused", "Posted a.txt", []string{"f1"}},
		"nothing but a return": {func(*Writer) {}, " The whole text.\nTwo lines. ", "The whole text.\nTwo lines.", nil},
		"nothing at all":       {func(*Writer) {}, " ", "Done", nil},
	} {
		w := writer(t)
		c.do(w)
		ev := w.Done(c.returns, start+9)
		ids := values(ev.Tags, "e")[1:]
		if ev.Kind != KindResult || ev.Content != c.content || strings.Join(ids, " ") != strings.Join(c.extra, " ") {
			t.Errorf("%s: %q, %v", name, ev.Content, ids)
		}
	}
}

// "or when Hermes reports a failure but the adapter itself posted a reply or a
// file for the task without a handler error or a failed send"; and the row of
// 43006.
func TestAFailureThatPostedIsAResult(t *testing.T) {
	posted := func(w *Writer) { w.Replied("m", "Yes.") }
	file := func(w *Writer) { w.PostedFile("f", "a.txt") }
	for name, c := range map[string]struct {
		do        func(*Writer)
		text      string
		delivered bool
		kind      int
		content   string
	}{
		"posted a reply":           {posted, "boom", true, KindResult, "Yes."},
		"posted a file":            {file, "boom", true, KindResult, "Posted a.txt"},
		"posted, and failed here":  {posted, "boom", false, KindError, "boom"},
		"posted nothing":           {func(*Writer) {}, " boom\n", true, KindError, "boom"},
		"posted nothing, no words": {func(*Writer) {}, " ", true, KindError, "The task failed"},
	} {
		w := writer(t)
		c.do(w)
		if ev := w.Fail(c.text, c.delivered, start+9); ev.Kind != c.kind || ev.Content != c.content {
			t.Errorf("%s: %d %q", name, ev.Kind, ev.Content)
		}
	}
	for want, ev := range map[string]*nostr.Event{
		"Cancelled":                        writer(t).Stopped("", start+9),
		"Cancelled by " + bo:               writer(t).Stopped(bo, start+9),
		"Merged into task " + key("other"): writer(t).Merged(key("other"), start+9),
	} {
		if ev.Kind != KindError || ev.Content != want || readError(ev.Content, nil).state != Cancelled {
			t.Errorf("%d %q, want %q", ev.Kind, ev.Content, want)
		}
	}
}

// "A task gets exactly one terminal event from the adapter. A kind 43005 cancel
// from the requester ends the task on its own."
func TestATaskGetsExactlyOneEnd(t *testing.T) {
	ends := map[string]func(*Writer) bool{
		"done":      func(w *Writer) bool { return w.Done("", start) != nil },
		"fail":      func(w *Writer) bool { return w.Fail("", true, start) != nil },
		"stopped":   func(w *Writer) bool { return w.Stopped(bo, start) != nil },
		"merged":    func(w *Writer) bool { return w.Merged("x", start) != nil },
		"cancelled": func(w *Writer) bool { return w.Cancelled() },
	}
	for one, first := range ends {
		for two, second := range ends {
			w := writer(t)
			w.Replied("m", "Yes.")
			if !first(w) || second(w) || !w.Ended() {
				t.Errorf("%s, then %s", one, two)
			}
		}
	}
}

// "A result or error the relay refuses is published again after 1 second and
// once more after 3 seconds."
func TestARefusedEndIsPublishedTwiceMore(t *testing.T) {
	for refused, want := range map[int]int64{-1: 0, 0: 0, 1: 1, 2: 3, 3: 0} {
		if after, again := Retry(refused); after != want || again != (want > 0) {
			t.Errorf("refused %d times: %d, %v", refused, after, again)
		}
	}
}
