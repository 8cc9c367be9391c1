package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
)

// named are the roles that say nothing without a name.
var named = []string{"button", "link", "textbox", "checkbox", "radio", "combobox", "dialog", "log", "article", "navigation", "img", "heading", "menuitem", "searchbox", "progressbar"}

// nameless gives the controls and messages in the browser's accessibility tree
// that have no name.
func (p *person) nameless() []string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.tab, patience)
	defer cancel()
	nodes, err := chromedp.Run(ctx, func(ctx context.Context, t *chromedp.Target) ([]*accessibility.Node, error) {
		tree, err := cdp.Call(ctx, t, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		return tree.Nodes, err
	})
	if err != nil {
		p.t.Fatalf("%s: %v", p.name, err)
	}
	var bad []string
	for _, n := range nodes {
		role := axText(n.Role)
		if n.Ignored || !slices.Contains(named, role) || strings.TrimSpace(axText(n.Name)) != "" {
			continue
		}
		bad = append(bad, fmt.Sprintf("%s (node %d)", role, n.BackendDOMNodeID))
	}
	return bad
}

func axText(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var text string
	_ = json.Unmarshal([]byte(v.Value), &text) // what is no string has no text
	return text
}

// contrastJS gives the texts of a page whose contrast is under 4.5:1, or 3:1 for
// large ones (WCAG 2 AA).
const contrastJS = `(() => {
  const rgb = (c) => { const m = c.match(/[\d.]+/g).map(Number); return { r: m[0], g: m[1], b: m[2], a: m[3] ?? 1 }; };
  const over = (top, below) => ({ r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a), b: top.b * top.a + below.b * (1 - top.a), a: 1 });
  const behind = (el) => {
    const layers = [];
    for (let e = el; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.a > 0) layers.push(c); if (c.a === 1) break; }
    let color = rgb(getComputedStyle(document.documentElement).colorScheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches ? "rgb(18,18,18)" : "rgb(255,255,255)");
    for (const c of layers.reverse()) color = over(c, color);
    return color;
  };
  const lum = ({ r, g, b }) => [r, g, b].map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => { const [x, y] = [lum(a), lum(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const bad = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n; (n = walk.nextNode()); ) {
    const el = n.parentElement;
    if (!n.data.trim() || !el.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    if (el.closest(":disabled, [aria-disabled=true], [aria-hidden=true]")) continue; // not asked of what cannot be used or is not said
    const box = el.getBoundingClientRect();
    if (box.width < 2 || box.height < 2) continue;
    let opacity = 1;
    for (let e = el; e; e = e.parentElement) opacity *= Number(getComputedStyle(e).opacity);
    const style = getComputedStyle(el), below = behind(el), text = rgb(style.color);
    text.a *= opacity;
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const got = ratio(over(text, below), below);
    if (got < (large ? 3 : 4.5)) bad.push(got.toFixed(2) + " " + n.data.trim().slice(0, 40) + " in " + el.className);
  }
  return [...new Set(bad)];
})()`

func TestEveryControlHasANameAndEveryTextIsReadable(t *testing.T) {
	s := serve(t)
	for _, dark := range []bool{false, true} {
		theme := map[bool]string{false: "light", true: "dark"}[dark]
		ana := visit(t, s, "ana in "+theme, "/", func(p *person) { p.dark = dark })
		check := func(where string) {
			t.Helper()
			if bad := ana.nameless(); len(bad) > 0 {
				t.Errorf("%s, %s: without a name: %s", where, theme, strings.Join(bad, ", "))
			}
			if bad := eval[[]string](ana, contrastJS); len(bad) > 0 {
				t.Errorf("%s, %s: too little contrast: %s", where, theme, strings.Join(bad, "; "))
			}
			ana.mu.Lock()
			defer ana.mu.Unlock()
			for _, e := range ana.errors {
				if strings.Contains(e, "Content Security Policy") {
					t.Errorf("%s: %s", where, e)
				}
			}
		}
		ana.has("link", "Parley")
		check("start, signed out")
		ana.open("/settings")
		ana.has("button", "Create a key")
		check("settings, signed out")
		ana.signUp()
		check("settings")
		ana.enter("lobby")
		ana.say("A message with **strong words**, `code` and a https://example.com/link")
		ana.stands("A message with", "stored")
		ana.say("@House agent ask single")
		ana.sees("Waits for you")
		check("room")
		ana.open("/asks")
		ana.sees("Waits for you")
		check("questions")
		ana.open("/tasks")
		ana.has("heading", "Tasks")
		check("tasks")
		ana.meet()
		check("agent")
		ana.ask("tools")
		ana.ends("done")
		check("session")
	}
}
