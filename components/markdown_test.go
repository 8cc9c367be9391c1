package components

import (
	"fmt"
	"strings"
	"testing"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/room"
)

// show writes a tree in a line: kind, what it holds in brackets.
func show(nodes []mdNode) string {
	var parts []string
	for _, n := range nodes {
		s := string(n.Kind)
		switch n.Kind {
		case mdText:
			s = fmt.Sprintf("%q", n.Text)
		case mdSpan, mdPlain:
			s += fmt.Sprintf("(%q)", n.Text)
		case mdCode:
			s += fmt.Sprintf("(%s %q)", n.Lang, n.Text)
		case mdLink:
			s += "<" + n.Href + ">"
		case mdPicture:
			s += fmt.Sprintf("<%s>(%q)", n.Href, n.Text)
		case mdHeading, mdList:
			s += fmt.Sprint(n.Level)
		case mdCheck:
			s += fmt.Sprint(n.Checked)
		case mdCell:
			if n.Align != "" {
				s += ":" + n.Align
			}
		}
		if len(n.Kids) > 0 {
			s += "(" + show(n.Kids) + ")"
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " ")
}

func TestMarkdown(t *testing.T) {
	code := "npub1" + strings.Repeat("q", 58)
	links := []room.Link{{Code: code, Label: "@Ana", Href: "/people/ana"}}
	tests := []struct{ name, text, want string }{
		{"a paragraph", "hello", `p("hello")`},
		{"a line end breaks the line", "a\nb", `p("a" break "b")`},
		{"marks", "**a** *b* ~~c~~ `d`", `p(strong("a") " " em("b") " " del("c") " " span("d"))`},
		{"a heading", "## Title", `h2("Title")`},
		{"a quote", "> a\n> b", `quote(p("a" break "b"))`},
		{"bullets", "- a\n- b\n  - c", `list-1(item(p("a")) item(p("b") list-1(item(p("c")))))`},
		{"numbers keep their start", "3. a\n4. b", `list3(item(p("a")) item(p("b")))`},
		{"a task list", "- [x] a\n- [ ] b", `list-1(item(p(checktrue "a")) item(p(checkfalse "b")))`},
		{"code", "```go\nx := 1\n```", `code(go "x := 1\n")`},
		{"indented code", "    x\n", `code( "x\n")`},
		{"a rule", "---", `rule`},
		{"a table", "| a | b |\n|:-|-:|\n| 1 | 2 |", `table(row(cell:left("a") cell:right("b")) row(cell:left("1") cell:right("2")))`},
		{"an address", "see https://example.org/a_b_c.", `p("see " link<https://example.org/a_b_c>("https://example.org/a_b_c") ".")`},
		{"an address in brackets", "(https://example.org/x(y))", `p("(" link<https://example.org/x(y)>("https://example.org/x(y)") ")")`},
		{"an address at the beginning", "http://localhost:8080/ ok", `p(link<http://localhost:8080/>("http://localhost:8080/") " ok")`},
		{"an address of an unknown scheme", "ftp://example.org x", `p("ftp://example.org x")`},
		{"a link", "[x](https://example.org)", `p(link<https://example.org>("x"))`},
		{"a link to mail", "<ana@example.org>", `p(link<mailto:ana@example.org>("ana@example.org"))`},
		{"a script stays text", "[x](javascript:alert(1))", `p("x" " (javascript:alert(1))")`},
		{"a script in disguise stays text", "[x](<java\tscript:alert(1)>)", `p("x" " (java\tscript:alert(1))")`},
		{"data stays text", "[x](data:text/html,x)", `p("x" " (data:text/html,x)")`},
		{"a path stays text", "[x](/settings)", `p("x" " (/settings)")`},
		{"a picture waits", "![a cat](https://example.org/c.png)", `p(picture<https://example.org/c.png>("a cat"))`},
		{"a picture of another scheme stays text", "![x](file:///etc/passwd)", `p("x (file:///etc/passwd)")`},
		{"HTML is shown as written", "<b onclick=x>a</b>", `p("<b onclick=x>" "a" "</b>")`},
		{"a block of HTML is shown as written", "<script>\nalert(1)\n</script>", `plain("<script>\nalert(1)\n</script>")`},
		{"references of characters", "&quot;b&quot; &amp;amp; \\*a\\* &#42;", `p("\"b\" &amp; *a* *")`},
		{"a reference that a backslash stops", "\\&lt;", `p("&lt;")`},
		{"a person", "hi nostr:" + code + "!", `p("hi " link</people/ana>("@Ana") "!")`},
		{"a reference nobody explained", "nostr:note1" + strings.Repeat("z", 58), `p(link</note1` + strings.Repeat("z", 58) + `>("note1zzzzz…zzzzz"))`},
		{"a secret key is no reference", "nostr:nsec1" + strings.Repeat("q", 58), `p("nostr:nsec1` + strings.Repeat("q", 58) + `")`},
		{"a link to a person", "[her](nostr:" + code + ")", `p(link</people/ana>("her"))`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := show(merge(parseMarkdown(tt.text, links))); got != tt.want {
				t.Errorf("%q\n got %s\nwant %s", tt.text, got, tt.want)
			}
		})
	}
}

// merge joins texts that stand beside each other and came from one run of
// words, which the parser cuts where a mark could have been.
func merge(nodes []mdNode) []mdNode {
	var out []mdNode
	for _, n := range nodes {
		n.Kids = merge(n.Kids)
		if k := len(out) - 1; k >= 0 && n.Kind == mdText && out[k].Kind == mdText &&
			!strings.HasPrefix(n.Text, " (") && !strings.ContainsAny(n.Text+out[k].Text, "<>") {
			out[k].Text += n.Text
			continue
		}
		out = append(out, n)
	}
	return out
}

func depth(nodes []mdNode) int {
	d := 0
	for _, n := range nodes {
		d = max(d, 1+depth(n.Kids))
	}
	return d
}

func TestMarkdownNestingIsLimited(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("> ", maxMarkers-1) + "deep",
		strings.Repeat("*a **b ", 200) + strings.Repeat("** *", 200),
		strings.Repeat("- ", maxMarkers-1) + "deep",
	} {
		nodes := parseMarkdown(text, nil)
		if d := depth(nodes); d > MaxNesting+3 {
			t.Errorf("%.20q: depth %d", text, d)
		}
	}
	var list strings.Builder
	for i := range MaxNesting {
		fmt.Fprintf(&list, "%s- level %d\n", strings.Repeat("  ", i), i)
	}
	d := draw(t, ui.Div().Body(&Markdown{Text: list.String()}))
	if said := words(d.root); !strings.Contains(said, "level 12 level 13") || !strings.HasSuffix(said, fmt.Sprint("level ", MaxNesting-1)) {
		t.Errorf("a deep list says %q", said)
	}
	if got := show(parseMarkdown(strings.Repeat(">", maxMarkers)+"x", nil)); strings.HasPrefix(got, "plain") {
		t.Errorf("%d marks: got %.40s, want a quote", maxMarkers, got)
	}
	if got := show(parseMarkdown(strings.Repeat(">", maxMarkers+1)+"x", nil)); !strings.HasPrefix(got, "plain") {
		t.Errorf("%d marks: got %.40s, want it as written", maxMarkers+1, got)
	}
}

func TestATextOfTooManyMarksIsShownAsWritten(t *testing.T) {
	for _, tt := range []struct {
		mark string
		most int
	}{{"a[b](", maxBrackets}, {"a* b\n", maxMarks}} {
		if nodes := parseMarkdown(strings.Repeat(tt.mark, tt.most), nil); nodes[0].Kind == mdPlain {
			t.Errorf("%d of %q are shown as written", tt.most, tt.mark)
		}
		if nodes := parseMarkdown(strings.Repeat(tt.mark, tt.most+1), nil); nodes[0].Kind != mdPlain {
			t.Errorf("%d of %q are read as %s", tt.most+1, tt.mark, nodes[0].Kind)
		}
	}
}

func TestALongTextIsShownAsWritten(t *testing.T) {
	just := strings.Repeat("a", MaxMarkdown)
	if nodes := parseMarkdown(just, nil); len(nodes) != 1 || nodes[0].Kind != mdParagraph {
		t.Errorf("%d bytes: %s", len(just), nodes[0].Kind)
	}
	if nodes := parseMarkdown(just+"a", nil); len(nodes) != 1 || nodes[0].Kind != mdPlain || len(nodes[0].Text) != len(just)+1 {
		t.Errorf("%d bytes: %s", len(just)+1, nodes[0].Kind)
	}
}

// checkSafe fails the test when a tree holds an address that must not be
// followed or fetched.
func checkSafe(t *testing.T, nodes []mdNode) {
	t.Helper()
	for _, n := range nodes {
		href := strings.ToLower(n.Href)
		switch n.Kind {
		case mdLink:
			ok := strings.HasPrefix(href, "https://") || strings.HasPrefix(href, "http://") ||
				strings.HasPrefix(href, "mailto:") || len(href) > 1 && href[0] == '/' && codeLength(href[1:]) == len(href)-1
			if !ok || strings.ContainsFunc(href, func(r rune) bool { return r < ' ' }) {
				t.Fatalf("a link to %q", n.Href)
			}
		case mdPicture:
			if !strings.HasPrefix(href, "https://") && !strings.HasPrefix(href, "http://") {
				t.Fatalf("a picture from %q", n.Href)
			}
		default:
			if n.Href != "" {
				t.Fatalf("%s has an address: %q", n.Kind, n.Href)
			}
		}
		checkSafe(t, n.Kids)
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"# a\n\n- b\n\n```go\nc\n```\n", "[x](javascript:alert(1))", "![x](https://a.example/b.png)",
		"<b>\n**x**", "| a |\n|-|\n| b |", "nostr:npub1qqqqqqqqqqqqqqqq", "https://a.example/(b)", "\\[x](y)",
		"[a]: javascript:x\n\n[a]", "<javascript:x>", "[x](&#106;avascript:a)", "[x](<\x01https://a>)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		nodes := parseMarkdown(text, nil)
		checkSafe(t, nodes)
		if d := depth(nodes); d > MaxNesting+3 {
			t.Fatalf("depth %d", d)
		}
		mdBlocks(nodes)
	})
}
