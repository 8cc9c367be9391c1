package components

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const leastContrast = 4.5 // WCAG 2.2, 1.4.3

func stylesheet(t *testing.T) string {
	t.Helper()
	css, err := os.ReadFile("../assets/app.css")
	if err != nil {
		t.Fatal(err)
	}
	return string(css)
}

// luminance is WCAG's relative luminance of "#rgb" or "#rrggbb".
func luminance(t *testing.T, color string) float64 {
	t.Helper()
	hex := strings.TrimPrefix(color, "#")
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	var sum float64
	for i, weight := range []float64{.2126, .7152, .0722} {
		v, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatalf("%q is no colour", color)
		}
		c := float64(v) / 255
		if c <= .04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func contrast(t *testing.T, a, b string) float64 {
	la, lb := luminance(t, a), luminance(t, b)
	return (max(la, lb) + .05) / (min(la, lb) + .05)
}

func TestLettersOnAvatarsCanBeRead(t *testing.T) {
	css := stylesheet(t)
	for i := range hues {
		m := regexp.MustCompile(fmt.Sprintf(`\.hue-%d \{ background: (#[0-9a-f]+);`, i)).FindStringSubmatch(css)
		if m == nil {
			t.Errorf("app.css has no hue-%d", i)
			continue
		}
		if c := contrast(t, m[1], "#fff"); c < leastContrast {
			t.Errorf("hue-%d has a contrast of %.2f", i, c)
		}
	}
}

func TestTextCanBeReadInBothThemes(t *testing.T) {
	css := stylesheet(t)
	blocks := regexp.MustCompile(`(?s):root \{(.*?)\n *\}`).FindAllStringSubmatch(css, 2)
	if len(blocks) != 2 {
		t.Fatalf("%d sets of tokens, want 2", len(blocks))
	}
	pairs := [][2]string{
		{"ink", "paper"}, {"ink", "panel"}, {"ink", "card"}, {"ink", "warn-wash"}, {"ink", "bad-wash"}, {"ink", "accent-wash"},
		{"ink-2", "paper"}, {"ink-2", "panel"}, {"ink-2", "card"}, {"ink-2", "line"},
		{"ink-3", "paper"}, {"ink-3", "panel"}, {"ink-3", "card"},
		{"accent", "paper"}, {"accent", "panel"}, {"accent", "card"}, {"accent", "accent-wash"}, {"accent-ink", "accent"},
		{"warn", "paper"}, {"warn", "warn-wash"}, {"bad", "paper"}, {"bad", "card"}, {"bad", "bad-wash"},
		{"good", "paper"}, {"good", "card"}, {"good", "good-wash"}, {"paper", "ink"}, {"paper", "bad"},
	}
	for i, theme := range []string{"light", "dark"} {
		tokens := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{3,6});`).FindAllStringSubmatch(blocks[i][1], -1) {
			tokens[m[1]] = m[2]
		}
		for _, p := range pairs {
			if tokens[p[0]] == "" || tokens[p[1]] == "" {
				t.Fatalf("%s: no token %s or %s", theme, p[0], p[1])
			}
			if c := contrast(t, tokens[p[0]], tokens[p[1]]); c < leastContrast {
				t.Errorf("%s: %s on %s has a contrast of %.2f", theme, p[0], p[1], c)
			}
		}
	}
}

func TestEveryDrawingIsThere(t *testing.T) {
	css := stylesheet(t)
	for _, name := range []string{
		"brand", "rooms", "agents", "asks", "settings", "you", "plus", "close", "back", "details", "react", "reply", "more",
		"thread", "link", "copy", "edit", "delete", "report", "block", "send", "down", "file",
	} {
		if !strings.Contains(css, ".icon-"+name) {
			t.Errorf("app.css has no icon-%s", name)
		}
	}
}
