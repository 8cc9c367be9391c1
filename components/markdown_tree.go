package components

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"parley/wasm/room"
)

// mdKind is what a node of a text is.
type mdKind string

// The kinds of nodes. Blocks first, then what stands in a line.
const (
	mdParagraph mdKind = "p"
	mdHeading   mdKind = "h"
	mdQuote     mdKind = "quote"
	mdList      mdKind = "list"
	mdItem      mdKind = "item"
	mdCode      mdKind = "code"
	mdRule      mdKind = "rule"
	mdTable     mdKind = "table"
	mdRow       mdKind = "row"
	mdCell      mdKind = "cell"
	mdPlain     mdKind = "plain" // shown as written, line ends kept

	mdText    mdKind = "text"
	mdBreak   mdKind = "break"
	mdEm      mdKind = "em"
	mdStrong  mdKind = "strong"
	mdDel     mdKind = "del"
	mdSpan    mdKind = "span" // code in a line
	mdLink    mdKind = "link"
	mdPicture mdKind = "picture"
	mdCheck   mdKind = "check"
)

// mdNode is a text as a tree. Nothing in it is markup: every string is shown as
// it stands, and Href holds only what safeHref let through.
type mdNode struct {
	Kind    mdKind
	Text    string // text, span, code, plain; a picture's description
	Href    string // link, picture
	Lang    string // code
	Level   int    // heading: 1 to 6; list: the first number, or -1 for bullets
	Head    bool   // row and cell: of the head
	Align   string // cell: left, center, right
	Checked bool   // check
	Kids    []mdNode
	Begin   int  // blocks at the top: where their first line begins, in bytes
	Open    bool // code: its fence is not closed
}

var mdParser = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithInlineParsers(append(parser.DefaultInlineParsers(),
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
		util.Prioritized(extension.NewStrikethroughParser(), 500),
		util.Prioritized(addressParser{}, 999),
	)...),
	parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
		util.Prioritized(extension.NewTableParagraphTransformer(), 200),
	)...),
	parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
)

// parseMarkdown reads a text from a stranger. links says what to write in
// place of nostr: references.
func parseMarkdown(src string, links []room.Link) []mdNode {
	src = strings.ToValidUTF8(src, string(utf8.RuneError))
	if len(src) > MaxMarkdown || tooCostly(src) {
		return []mdNode{{Kind: mdPlain, Text: src}}
	}
	c := &mdConverter{src: []byte(src), links: links}
	doc := mdParser.Parse(text.NewReader(c.src))
	nodes := c.kids(doc, 0)
	return nodes
}

// mdConverter turns goldmark's tree into ours.
type mdConverter struct {
	src   []byte
	links []room.Link
}

func (c *mdConverter) kids(n ast.Node, depth int) []mdNode {
	var nodes []mdNode
	for kid := n.FirstChild(); kid != nil; kid = kid.NextSibling() {
		nodes = append(nodes, c.node(kid, depth)...)
	}
	return nodes
}

// node converts one node. It returns several where a node is dissolved into
// what is in it.
func (c *mdConverter) node(n ast.Node, depth int) []mdNode {
	if depth > MaxNesting {
		return c.flat(n)
	}
	if n.Type() == ast.TypeInline {
		return c.inline(n, depth)
	}
	node, ok := c.block(n, depth)
	if !ok {
		return c.kids(n, depth+1)
	}
	if depth == 0 {
		node.Begin = c.begin(n)
	}
	return []mdNode{node}
}

func (c *mdConverter) block(n ast.Node, depth int) (mdNode, bool) {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		return mdNode{Kind: mdParagraph, Kids: c.kids(n, depth+1)}, true
	case *ast.Heading:
		return mdNode{Kind: mdHeading, Level: n.Level, Kids: c.kids(n, depth+1)}, true
	case *ast.Blockquote:
		return mdNode{Kind: mdQuote, Kids: c.kids(n, depth+1)}, true
	case *ast.List:
		level := -1
		if n.IsOrdered() {
			level = n.Start
		}
		return mdNode{Kind: mdList, Level: level, Kids: c.kids(n, depth+1)}, true
	case *ast.ListItem:
		return mdNode{Kind: mdItem, Kids: c.kids(n, depth+1)}, true
	case *ast.FencedCodeBlock:
		return mdNode{Kind: mdCode, Lang: string(n.Language(c.src)), Text: c.lines(n), Open: c.open(n)}, true
	case *ast.CodeBlock:
		return mdNode{Kind: mdCode, Text: c.lines(n)}, true
	case *ast.ThematicBreak:
		return mdNode{Kind: mdRule}, true
	case *ast.HTMLBlock:
		return mdNode{Kind: mdPlain, Text: strings.TrimRight(c.lines(n)+c.closure(n), "\n")}, true
	case *east.Table:
		return mdNode{Kind: mdTable, Kids: c.kids(n, depth+1)}, true
	case *east.TableHeader:
		return mdNode{Kind: mdRow, Head: true, Kids: c.kids(n, depth+1)}, true
	case *east.TableRow:
		return mdNode{Kind: mdRow, Kids: c.kids(n, depth+1)}, true
	case *east.TableCell:
		_, head := n.Parent().(*east.TableHeader)
		return mdNode{Kind: mdCell, Head: head, Align: alignment(n.Alignment), Kids: c.kids(n, depth+1)}, true
	}
	return mdNode{}, false
}

func (c *mdConverter) inline(n ast.Node, depth int) []mdNode {
	switch n := n.(type) {
	case *ast.Text:
		nodes := []mdNode{{Kind: mdText, Text: unescape(n.Segment.Value(c.src), n.IsRaw())}}
		if n.SoftLineBreak() || n.HardLineBreak() {
			nodes = append(nodes, mdNode{Kind: mdBreak})
		}
		return nodes
	case *ast.String:
		return []mdNode{{Kind: mdText, Text: unescape(n.Value, n.IsRaw() || n.IsCode())}}
	case *ast.CodeSpan:
		return []mdNode{{Kind: mdSpan, Text: c.plain(n)}}
	case *ast.Emphasis:
		kind := mdEm
		if n.Level > 1 {
			kind = mdStrong
		}
		return []mdNode{{Kind: kind, Kids: c.kids(n, depth+1)}}
	case *east.Strikethrough:
		return []mdNode{{Kind: mdDel, Kids: c.kids(n, depth+1)}}
	case *east.TaskCheckBox:
		return []mdNode{{Kind: mdCheck, Checked: n.IsChecked}}
	case *ast.RawHTML:
		return []mdNode{{Kind: mdText, Text: string(n.Segments.Value(c.src))}}
	case *ast.AutoLink:
		return c.autoLink(n)
	case *ast.Link:
		kids := c.kids(n, depth+1)
		if code, ok := nostrCode(string(n.Destination)); ok {
			return []mdNode{{Kind: mdLink, Href: c.reference(code).Href, Kids: kids}}
		}
		if href, ok := safeHref(string(n.Destination)); ok {
			return []mdNode{{Kind: mdLink, Href: href, Kids: kids}}
		}
		return append(kids, mdNode{Kind: mdText, Text: " (" + string(n.Destination) + ")"})
	case *ast.Image:
		return []mdNode{c.picture(n)}
	}
	return c.kids(n, depth+1)
}

func (c *mdConverter) autoLink(n *ast.AutoLink) []mdNode {
	address := string(n.URL(c.src))
	label := string(n.Label(c.src))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(address), "mailto:") {
		address = "mailto:" + address
	}
	if code, ok := nostrCode(address); ok {
		return []mdNode{c.reference(code)}
	}
	if href, ok := safeHref(address); ok {
		return []mdNode{{Kind: mdLink, Href: href, Kids: []mdNode{{Kind: mdText, Text: label}}}}
	}
	return []mdNode{{Kind: mdText, Text: label}}
}

// reference is a nostr: reference with the words that the core found for it.
func (c *mdConverter) reference(code string) mdNode {
	label, href := shortCode(code), "/"+code
	for _, link := range c.links {
		if link.Code == code {
			label, href = link.Label, link.Href
		}
	}
	return mdNode{Kind: mdLink, Href: href, Kids: []mdNode{{Kind: mdText, Text: label}}}
}

// picture is a picture that may be fetched when the reader asks for it, or the
// words in its place where it may not.
func (c *mdConverter) picture(n *ast.Image) mdNode {
	alt := c.plain(n)
	if src, ok := pictureSource(string(n.Destination)); ok {
		return mdNode{Kind: mdPicture, Href: src, Text: alt}
	}
	return mdNode{Kind: mdText, Text: alt + " (" + string(n.Destination) + ")"}
}

// plain is the text in a node, without any marks. Blocks are apart by a space.
func (c *mdConverter) plain(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if n.Type() == ast.TypeBlock && b.Len() > 0 && !strings.HasSuffix(b.String(), " ") {
			b.WriteByte(' ')
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(c.src))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(c.src))
		case *ast.RawHTML:
			b.Write(n.Segments.Value(c.src))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// flat is what is left of a node that stands too deep: its words.
func (c *mdConverter) flat(n ast.Node) []mdNode {
	words := c.plain(n)
	if words == "" && n.Type() != ast.TypeInline && n.Lines() != nil {
		words = c.lines(n)
	}
	if words == "" {
		return nil
	}
	text := []mdNode{{Kind: mdText, Text: words}}
	if _, ok := n.(*ast.ListItem); ok { // a list shows nothing but items
		return []mdNode{{Kind: mdItem, Kids: text}}
	}
	return text
}

func (c *mdConverter) lines(n ast.Node) string {
	var b strings.Builder
	lines := n.Lines()
	for i := range lines.Len() {
		line := lines.At(i)
		b.Write(line.Value(c.src))
	}
	return b.String()
}

func (c *mdConverter) closure(n *ast.HTMLBlock) string {
	if !n.HasClosure() {
		return ""
	}
	return string(n.ClosureLine.Value(c.src))
}

// open reports whether a fence has no closing line: the block reaches to the
// end of the text.
func (c *mdConverter) open(n *ast.FencedCodeBlock) bool {
	end := n.Pos()
	if lines := n.Lines(); lines.Len() > 0 {
		end = lines.At(lines.Len() - 1).Stop
	} else if i := strings.IndexByte(string(c.src[max(end, 0):]), '\n'); i >= 0 {
		end = max(end, 0) + i + 1
	} else {
		return true
	}
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(string(c.src[end:])), "`~")) == "" &&
		!strings.ContainsAny(string(c.src[end:]), "`~")
}

// begin is where the line begins in which a block begins.
func (c *mdConverter) begin(n ast.Node) int {
	at := n.Pos()
	if at < 0 && n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
		at = n.Lines().At(0).Start
	}
	if at < 0 {
		return -1
	}
	at = min(at, len(c.src))
	for at > 0 && c.src[at-1] != '\n' {
		at--
	}
	return at
}

func alignment(a east.Alignment) string {
	switch a {
	case east.AlignLeft:
		return "left"
	case east.AlignCenter:
		return "center"
	case east.AlignRight:
		return "right"
	}
	return ""
}

// unescape takes the backslashes and character references out of a text.
func unescape(b []byte, raw bool) string {
	if raw {
		return string(b)
	}
	var out strings.Builder
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '\\' && i+1 < len(b) && util.IsPunct(b[i+1]):
			i++
			out.WriteByte(b[i])
		case b[i] == '&':
			end := bytes.IndexByte(b[i:min(len(b), i+maxReference)], ';')
			if end < 0 {
				out.WriteByte('&')
				continue
			}
			out.Write(util.ResolveEntityNames(util.ResolveNumericReferences(b[i : i+end+1])))
			i += end
		default:
			out.WriteByte(b[i])
		}
	}
	return out.String()
}
