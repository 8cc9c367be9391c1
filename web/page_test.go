package web_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/web"
)

var update = flag.Bool("update", false, "write the golden files anew")

var site = web.Site{
	Base: "/", Build: "0123456789abcdef",
	Style: "/assets/app.css", Boot: "/assets/boot.js", Worker: "/assets/worker.js",
	Exec: "/assets/wasm_exec.js", Wasm: "/assets/app.wasm", WasmSize: 1234567,
	Manifest: "/manifest.webmanifest", Icon: "/assets/icon.svg", Touch: "/assets/icon-180.png",
}

func render(t *testing.T, p web.Page) string {
	t.Helper()
	html, err := p.Render()
	if err != nil {
		t.Fatal(err)
	}
	return string(html)
}

// TestPages compares each kind of page with what was looked at and found good.
// After a wanted change: go test ./web -update.
func TestPages(t *testing.T) {
	static := site
	static.Base = "/parley/"
	static.Policy = web.Policy{Meta: true}.String()
	for name, page := range map[string]web.Page{
		"start":   {Kind: web.Start, Site: site, Rooms: []web.Room{{Name: "Lobby", Path: "/rooms/lobby"}}},
		"app":     {Kind: web.App, Site: site, Title: "Settings"},
		"missing": {Kind: web.Missing, Site: site, Title: "Not found"},
		"static":  {Kind: web.Start, Site: static},
	} {
		t.Run(name, func(t *testing.T) {
			// One tag a line, so that a difference can be read.
			got := strings.ReplaceAll(render(t, page), "><", ">\n<") + "\n"
			golden := filepath.Join("testdata", name+".html")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the page differs from %s:\n%s", golden, firstDifference(string(want), got))
			}
		})
	}
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return "want " + w[i] + "\ngot  " + g[i]
		}
	}
	return "one is longer than the other"
}

func TestNothingInline(t *testing.T) {
	inline := regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=|javascript:|<script[^>]*>[^<]`)
	for _, kind := range []web.Kind{web.Start, web.App, web.Missing} {
		html := render(t, web.Page{Kind: kind, Site: site, Title: "Any"})
		if found := inline.FindString(html); found != "" {
			t.Errorf("the %s page has %q, which its policy forbids", kind, found)
		}
	}
}

func TestEveryPageSaysWhatItNeeds(t *testing.T) {
	for _, kind := range []web.Kind{web.Start, web.App, web.Missing} {
		html := render(t, web.Page{Kind: kind, Site: site})
		_, rest, ok := strings.Cut(html, "<noscript>")
		said, _, _ := strings.Cut(rest, "</noscript>")
		if !ok || !strings.Contains(said, "needs JavaScript and WebAssembly") {
			t.Errorf("the %s page says nothing to those without JavaScript", kind)
		}
	}
}

func TestTextIsEscaped(t *testing.T) {
	const hostile = `"><img src=x onerror=alert(1)>`
	html := render(t, web.Page{Kind: web.Start, Title: hostile, Site: site, Rooms: []web.Room{{Name: hostile, Path: "/rooms/a"}}})
	if strings.Contains(html, "<img") {
		t.Error("text became markup")
	}
}

func TestThePolicy(t *testing.T) {
	for name, c := range map[string]struct {
		policy      web.Policy
		has, hasNot []string
	}{
		"on TLS":        {web.Policy{}, []string{"connect-src 'self' wss: https:;", "frame-ancestors 'none'"}, []string{" ws:", " http:"}},
		"on plain HTTP": {web.Policy{PlainHTTP: true}, []string{"connect-src 'self' wss: https: ws: http:;"}, nil},
		"in the page":   {web.Policy{Meta: true}, nil, []string{"frame-ancestors"}},
	} {
		got := c.policy.String()
		always := []string{
			"default-src 'none';", "script-src 'self' 'wasm-unsafe-eval';", "style-src 'self';", "worker-src 'self';",
			"img-src 'self' https: data: blob:;", "media-src 'self' https: data: blob:;", "frame-src 'self';",
			"base-uri 'none';", "object-src 'none'",
		}
		for _, want := range append(always, c.has...) {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in %q", name, want, got)
			}
		}
		for _, unwanted := range append([]string{"'unsafe-inline'", "'unsafe-eval'", "*"}, c.hasNot...) {
			if strings.Contains(got, unwanted) {
				t.Errorf("%s: %q is in %q", name, unwanted, got)
			}
		}
	}
}
