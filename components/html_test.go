package components

import (
	"strings"
	"testing"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
	"golang.org/x/net/html"
)

// drawing is a component as a browser gets it.
type drawing struct {
	t    *testing.T
	root *html.Node
}

// draw mounts a component in a test engine and reads what it draws.
func draw(t *testing.T, c ui.UI) drawing {
	t.Helper()
	if compo, ok := c.(ui.Composer); ok {
		engine := ui.NewTestEngine()
		if err := engine.Load(compo); err != nil {
			t.Fatal(err)
		}
		engine.ConsumeAll()
	}
	root, err := html.Parse(strings.NewReader(ui.HTMLString(c)))
	if err != nil {
		t.Fatal(err)
	}
	return drawing{t, root}
}

func attr(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// all returns the elements of a tag ("" for any) that have an attribute with a
// value ("" for any).
func (d drawing) all(tag, name, value string) []*html.Node {
	var found []*html.Node
	for n := range d.root.Descendants() {
		if n.Type != html.ElementNode || tag != "" && n.Data != tag {
			continue
		}
		if got, has := attr(n, name); name != "" && (!has || value != "" && got != value) {
			continue
		}
		found = append(found, n)
	}
	return found
}

// one returns the only such element.
func (d drawing) one(tag, name, value string) *html.Node {
	d.t.Helper()
	found := d.all(tag, name, value)
	if len(found) != 1 {
		d.t.Fatalf("%d elements %s[%s=%s], want 1", len(found), tag, name, value)
	}
	return found[0]
}

func words(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// buttons lists the names of the buttons, as a screen reader says them.
func (d drawing) buttons() []string {
	var names []string
	for _, n := range d.all("button", "", "") {
		name, ok := attr(n, "aria-label")
		if !ok {
			name = words(n)
		}
		names = append(names, name)
	}
	return names
}

func has(list []string, want string) bool {
	for _, s := range list {
		if s == want {
			return true
		}
	}
	return false
}
