package components

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// answers are texts as a model writes them.
func answers(t testing.TB) []string {
	t.Helper()
	raw, err := os.ReadFile("testdata/answers.md")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(raw), "\n%%%%\n")
}

// drawn is the tree that a stream shows for a text so far.
func drawn(s *splitter, text string) []mdNode {
	tail := s.take(text)
	var nodes []mdNode
	for _, block := range s.done {
		nodes = append(nodes, parseMarkdown(block, nil)...)
	}
	return append(nodes, parseTail(tail, nil)...)
}

func TestAStreamEndsAsTheWholeText(t *testing.T) {
	for _, text := range answers(t) {
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, 1))
			var s splitter
			for at := 0; at < len(text); {
				at = min(len(text), at+1+r.IntN(12))
				drawn(&s, text[:at])
			}
			if got, want := show(drawn(&s, text)), show(parseMarkdown(text, nil)); got != want {
				t.Fatalf("a stream of\n%s\nshows %s\nwant  %s", text, got, want)
			}
		}
	}
}

func TestFinishedBlocksAreLeftAlone(t *testing.T) {
	for _, text := range answers(t) {
		var s splitter
		var before []string
		for at := range len(text) {
			s.take(text[:at])
			for i, block := range before {
				if s.done[i] != block {
					t.Fatalf("block %d changed after %q", i, text[:at])
				}
			}
			before = append(before[:0:0], s.done...)
		}
		if len(before) == 0 && strings.Contains(text, "\n\n# ") {
			t.Errorf("nothing was ever finished in\n%s", text)
		}
	}
}

func TestAnOpenFenceIsTextUntilItCloses(t *testing.T) {
	var s splitter
	steps := []struct{ text, want string }{
		{"Look:\n\n`", `p("Look:")`},
		{"Look:\n\n``", `p("Look:")`},
		{"Look:\n\n```go", `p("Look:") code(go "")`},
		{"Look:\n\n```go\nx", `p("Look:") code(go "x")`},
		{"Look:\n\n```go\nx\n``", `p("Look:") code(go "x\n")`},
	}
	for _, step := range steps {
		nodes := drawn(&s, step.text)
		if got := show(nodes); got != step.want {
			t.Errorf("%q shows %s, want %s", step.text, got, step.want)
		}
		if last := nodes[len(nodes)-1]; last.Kind == mdCode && !last.Open {
			t.Errorf("%q: the fence is drawn as closed", step.text)
		}
	}
	nodes := drawn(&s, "Look:\n\n```go\nx\n```\n")
	if last := nodes[len(nodes)-1]; last.Open || show(nodes) != `p("Look:") code(go "x\n")` {
		t.Errorf("closed: %s, open %v", show(nodes), last.Open)
	}
}

func TestAnotherTextIsCutAnew(t *testing.T) {
	var s splitter
	drawn(&s, "One.\n\nTwo.\n\nThree.")
	if got, want := show(merge(drawn(&s, "Final words.\n\nThe end."))), `p("Final words.") p("The end.")`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func BenchmarkStream(b *testing.B) {
	text := strings.Repeat(answers(b)[0]+"\n\n", 20)
	for b.Loop() {
		var s splitter
		for at := 0; at < len(text); at += 10 {
			parseTail(s.take(text[:at]), nil)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(len(text)/10), "µs/step")
}

func TestABlockThatDoesNotEndIsCutAtALine(t *testing.T) {
	for name, text := range map[string]string{
		"a paragraph":      strings.Repeat("Each line says *something* short.\n", 5000),
		"one line":         strings.Repeat("äöü", 40_000),
		"a list":           strings.Repeat("- an item\n  - and one below it\n", 3000),
		"with marks":       strings.Repeat("\x00", 40_000),
		"code, then words": "```go\n" + strings.Repeat("x := 1\n", 10_000) + "```\n" + strings.Repeat("word ", 8000),
	} {
		var s splitter
		tail := s.take(text)
		if whole := strings.Join(s.done, "") + tail; whole != text {
			t.Errorf("%s: words are lost", name)
		}
		if len(tail) > maxBlock {
			t.Errorf("%s: a tail of %d bytes", name, len(tail))
		}
		for i, block := range s.done {
			if len(block) > maxBlock && !strings.HasPrefix(block, "```") {
				t.Errorf("%s: block %d has %d bytes", name, i, len(block))
			}
		}
	}
}

func TestOpenCodeIsNeverCut(t *testing.T) {
	var s splitter
	text := "```go\n" + strings.Repeat("x := 1\n", 10_000)
	if tail := s.take(text); tail != text {
		t.Errorf("%d of %d bytes are left", len(tail), len(text))
	}
}

func TestPartsOfManyBlocksAreLeftAlone(t *testing.T) {
	m := &MarkdownStream{}
	var text strings.Builder
	var first *mdPart
	for i := range 5 * partSize {
		text.WriteString("A paragraph.\n\n")
		m.Text = text.String()
		m.Render()
		if i == partSize+1 {
			first = m.parts[0]
		}
	}
	if len(m.parts) != 4 || m.parts[0] != first {
		t.Errorf("%d parts, the first one is another: %v", len(m.parts), m.parts[0] != first)
	}
	m.Text = "Something else."
	m.Render()
	if len(m.parts) != 0 {
		t.Error("another text is drawn with the parts of the former one")
	}
}
