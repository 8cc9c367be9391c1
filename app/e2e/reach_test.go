package e2e

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// heard is one thing of a page as a screen reader gets it from the browser.
type heard struct{ Role, Name, Description string }

// hears gives what there is of some roles inside an element, in order.
func (p *person) hears(element string, roles ...string) []heard {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.tab, patience)
	defer cancel()
	var list []heard
	action := chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		found, err := cdp.Call(ctx, t, cdpruntime.Evaluate, cdpruntime.EvaluateParams{Expression: element})
		if err != nil {
			return err
		}
		tree, err := cdp.Call(ctx, t, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{ObjectID: found.Result.ObjectID})
		if err != nil {
			return err
		}
		for _, node := range tree.Nodes {
			if h := (heard{words(node.Role), words(node.Name), words(node.Description)}); !node.Ignored && slices.Contains(roles, h.Role) {
				list = append(list, h)
			}
		}
		return nil
	})
	if err := chromedp.Do(ctx, action); err != nil {
		p.t.Fatalf("%s: %v", p.name, err)
	}
	return list
}

func words(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var text string
	_ = json.Unmarshal(v.Value, &text) // other values are no words
	return text
}

// mustHear fails unless an element holds exactly these things of their roles.
func (p *person) mustHear(t *testing.T, element string, want ...heard) {
	t.Helper()
	var roles []string
	for _, h := range want {
		roles = append(roles, h.Role)
	}
	got := p.hears(element, roles...)
	if !slices.Equal(got, want) {
		t.Errorf("a screen reader hears\n%q, not\n%q", got, want)
	}
}

// fits fails when something is wider than the screen.
func (p *person) fits(t *testing.T, what string) {
	t.Helper()
	if wide := eval[[]string](p, "e2e.overflow()"); len(wide) > 0 {
		t.Errorf("%s is too wide for the screen: %q", what, wide)
	}
	if over := eval[int](p, "document.documentElement.scrollWidth - "+js(p.size[0])); over > 0 {
		t.Errorf("%s makes the page %d px too wide", what, over)
	}
}
