package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rule says what one group of packages may import directly. Names that end in
// a slash mean everything below. Of the standard library all but Never is
// allowed; of this module and of others only what is listed.
type rule struct {
	packages []string // patterns of go list
	builds   []build
	of       string   // what the packages are, for the message
	ours     []string // packages of this module
	others   []string // packages of other modules
	never    map[string]string
}

var pure = []string{
	"./wasm/ask", "./wasm/task", "./wasm/run", "./wasm/room", "./wasm/nip44", "./wasm/verify",
	"./wasm/internal/curve", "./wasm/internal/sha256",
}

const (
	goApp   = "github.com/maxence-charriere/go-app/v10/pkg/app"
	goNostr = "github.com/nbd-wtf/go-nostr"
)

var views = []string{"parley/wasm/ask", "parley/wasm/task", "parley/wasm/run", "parley/wasm/room"}

var rules = []rule{
	{
		packages: pure,
		builds:   builds,
		of:       "the pure packages",
		ours:     append([]string{"parley/wasm/nip44", "parley/wasm/verify", "parley/wasm/internal/curve", "parley/wasm/internal/sha256"}, views...),
		others:   []string{goNostr, "golang.org/x/crypto/"},
		never: map[string]string{
			"context":     "nothing in them waits",
			"crypto/rand": "a fold gives the same view each time; randomness comes in as an argument",
			"log":         "what goes wrong is returned",
			"log/slog":    "what goes wrong is returned",
			"math/rand":   "a fold gives the same view each time",
			"net":         "nothing in them connects",
			"net/http":    "nothing in them connects",
			"os":          "they keep nothing",
			"sync/atomic": "they start no goroutine",
			"syscall/js":  "they run on the server too",
			"time":        "a view does not depend on when it is looked at; time comes in as an argument",
		},
	},
	{
		packages: []string{"./wasm/port"},
		builds:   builds,
		of:       "the port",
		ours:     views,
		never: map[string]string{
			"net/http":   "neither side reaches through it",
			"syscall/js": "it is plain data",
		},
	},
	{
		packages: []string{"./components/..."},
		builds:   builds,
		of:       "components",
		ours:     views,
		others:   []string{goApp, "github.com/yuin/goldmark/"},
		never: map[string]string{
			"crypto/":                            "components get plain values",
			"github.com/yuin/goldmark/renderer/": "Markdown becomes nodes, never HTML strings",
			"net":                                "a component never fetches",
			"net/http":                           "a component never fetches",
			"os":                                 "a component keeps nothing",
			"syscall/js":                         "go-app's Value is there for both builds",
		},
	},
	{
		packages: []string{"./app"},
		builds:   builds,
		of:       "the app",
		ours:     append([]string{"parley/components", "parley/wasm/port"}, views...),
		others:   []string{goApp},
		never: map[string]string{
			"crypto/sha256": "the core does the cryptography",
			"net":           "the core does the talking",
			"net/http":      "the core does the talking",
		},
	},
	{
		packages: []string{"./wasm/core", "./wasm/relay", "./wasm/store", "./wasm/signer"},
		builds:   builds,
		of:       "the core",
		ours:     []string{"parley/wasm/"},
		others:   []string{goNostr, goNostr + "/", "github.com/coder/websocket", "golang.org/x/crypto/", "golang.org/x/text/"},
		never: map[string]string{
			"os/exec": "there is nothing to start in a browser",
		},
	},
	{
		packages: []string{"./server/...", "./web"},
		builds:   []build{native},
		of:       "the server",
		ours:     append([]string{"parley/server/", "parley/web", "parley/wasm/nip44", "parley/wasm/verify", "parley/wasm/relay", "parley/wasm/store"}, views...),
		others: []string{
			goNostr, goNostr + "/", "github.com/a-h/templ", "github.com/a-h/templ/runtime", "github.com/andybalholm/brotli",
			"github.com/coder/websocket", "github.com/gorilla/websocket", "github.com/yuin/goldmark/", "golang.org/x/crypto/", "modernc.org/sqlite",
			"modernc.org/sqlite/", "github.com/decred/dcrd/dcrec/secp256k1/v4", "github.com/btcsuite/btcd/btcec/v2", "github.com/btcsuite/btcd/btcec/v2/schnorr",
		},
		never: map[string]string{
			"math/rand": "math/rand/v2 for chance, crypto/rand for secrets",
		},
	},
}

// TestWhoMayKnowWhom holds the walls of the design's section of that name.
func TestWhoMayKnowWhom(t *testing.T) {
	for _, r := range rules {
		for _, build := range r.builds {
			for _, p := range list(t, build, r.packages...) {
				for _, imported := range p.Imports {
					if why := r.refuses(imported); why != "" {
						t.Errorf("%s: %s imports %s, but %s", build, p.ImportPath, imported, why)
					}
				}
			}
		}
	}
}

// refuses says why a package of the rule may not import another; "" if it may.
func (r rule) refuses(imported string) string {
	for name, why := range r.never {
		if covers(name, imported) {
			return why
		}
	}
	allowed := r.others
	switch {
	case strings.HasPrefix(imported, "parley/"):
		allowed = r.ours
	case !strings.Contains(imported, "."):
		return "" // the standard library
	}
	if slices.ContainsFunc(allowed, func(name string) bool { return covers(name, imported) }) {
		return ""
	}
	return "it is not among what " + r.of + " may know"
}

func covers(name, imported string) bool {
	return name == imported || strings.HasSuffix(name, "/") && strings.HasPrefix(imported, name)
}

// linked are packages that must not become part of a build, each with why.
var linked = []struct {
	build build
	root  string
	never map[string]string
}{
	{browser, "./wasm", map[string]string{
		"parley/server/serve":           "the server's parts stay on the server",
		"parley/web":                    "its pages are made by the server",
		"github.com/a-h/templ":          "it brings html/template, 85 kB after compression",
		"html/template":                 "85 kB after compression, for what go-app does",
		"github.com/andybalholm/brotli": "files are compressed at build time",
		"modernc.org/sqlite":            "the browser has a database",
		"github.com/chromedp/chromedp":  "it drives browsers, in tests",
		"testing":                       "it is for tests",
		"embed":                         "what is embedded here is downloaded by everybody",
		"github.com/gorilla/websocket":  "the browser has WebSockets",
	}},
	{lean, "./wasm", map[string]string{
		"net/http":   "130 kB after compression, of which a page uses nothing: fetch is the browser's",
		"crypto/tls": "the browser does TLS, and this brings five curves",
		"github.com/decred/dcrd/dcrec/secp256k1/v4": "its table is 525 kB after compression; wasm/internal/curve is ours",
		"github.com/json-iterator/go":               "encoding/json is there",
		"github.com/tidwall/gjson":                  "encoding/json is there",
		"github.com/coder/websocket":                "the browser has WebSockets",
	}},
	{native, "./wasm/core", map[string]string{
		goApp:                          "the core runs without a page",
		"parley/app":                   "the core knows nothing of how it is shown",
		"parley/components":            "the core knows nothing of how it is shown",
		"github.com/a-h/templ":         "the core knows nothing of how it is shown",
		"modernc.org/sqlite":           "the core's store is the browser's, or memory",
		"github.com/chromedp/chromedp": "it drives browsers, in tests",
	}},
	{native, "./server", map[string]string{
		goApp:                          "it renders attributes unescaped; pages of the server are templ's",
		"parley/app":                   "the app runs in the browser",
		"parley/components":            "the app runs in the browser",
		"parley/wasm/core":             "the core runs in the browser",
		"github.com/chromedp/chromedp": "it drives browsers, in tests",
		"testing":                      "it is for tests",
	}},
}

func TestWhatIsLinked(t *testing.T) {
	for _, l := range linked {
		for _, p := range list(t, l.build, "-deps", l.root) {
			if why, ok := l.never[p.ImportPath]; ok {
				t.Errorf("%s: %s links %s, but %s; %s", l.build, l.root, p.ImportPath, why, path(t, l.build, l.root, p.ImportPath))
			}
		}
	}
}

// TestTheListsHaveNotRotted: a name in a list that is no package any more
// forbids or allows nothing.
func TestTheListsHaveNotRotted(t *testing.T) {
	known := map[string]bool{}
	for _, p := range slices.Concat(
		list(t, native, "-deps", "-test", "std", "./..."),
		list(t, browser, "-deps", "std", "./wasm/...", "./app", "./components"),
	) {
		known[p.ImportPath] = true
	}
	check := func(where, name string) {
		for p := range known {
			if covers(name, p) {
				return
			}
		}
		t.Errorf("%s: there is no package %s", where, name)
	}
	for _, r := range rules {
		for _, name := range slices.Concat(r.ours, r.others) {
			check(r.of, name)
		}
		for name := range r.never {
			check(r.of, name)
		}
	}
	for _, l := range linked {
		for name := range l.never {
			check(l.root, name)
		}
	}
}

// types are what the pure packages and all of the browser use of go-nostr: none
// of it connects, and none asks for the time.
var types = regexp.MustCompile(`^(Event|Tag|Tags|TagMap|Filter|Filters|Timestamp|Kind[A-Z]\w*)$`)

// TestOfGoNostrTheBrowserUsesTypes: the rest is not there in app.wasm.
func TestOfGoNostrTheBrowserUsesTypes(t *testing.T) {
	for _, p := range list(t, browser, "-deps", "./wasm") {
		if !strings.HasPrefix(p.ImportPath, "parley/") {
			continue
		}
		for _, found := range findings(t, p, beyondTypes) {
			t.Errorf("%s", found)
		}
	}
}

// TestPurePackagesStartNothingAndUseOnlyTypes looks at their code, since
// go-nostr's types and what connects stand in one package.
func TestPurePackagesStartNothingAndUseOnlyTypes(t *testing.T) {
	for _, build := range builds {
		for _, p := range list(t, build, pure...) {
			for _, found := range findings(t, p, impure) {
				t.Errorf("%s: %s", build, found)
			}
		}
	}
}

// findings are those of look in each file of a package, with their places.
func findings(t *testing.T, p pkg, look func(*ast.File) []finding) (all []string) {
	t.Helper()
	for _, name := range p.GoFiles {
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range look(tree) {
			all = append(all, fmt.Sprintf("%s: %s", fset.Position(found.at), found.what))
		}
	}
	return all
}

// sources are what they use of math/rand/v2: generators with a seed of the
// caller's, never those that seed themselves.
var sources = regexp.MustCompile(`^(ChaCha8|NewChaCha8|PCG|NewPCG|Rand|Source|New)$`)

type finding struct {
	at   token.Pos
	what string
}

func impure(tree *ast.File) (found []finding) {
	chance := slices.ContainsFunc(tree.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"math/rand/v2"` })
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = append(found, finding{n.Pos(), "a pure package starts no goroutine"})
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if ok && x.Name == "rand" && chance && !sources.MatchString(n.Sel.Name) {
				found = append(found, finding{n.Pos(), fmt.Sprintf("rand.%s seeds itself; a pure package takes chance as an argument", n.Sel.Name)})
			}
		}
		return true
	})
	return append(found, beyondTypes(tree)...)
}

// beyondTypes finds what a file uses of go-nostr that is no type.
func beyondTypes(tree *ast.File) (found []finding) {
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "nostr" && !types.MatchString(n.Sel.Name) {
				found = append(found, finding{n.Pos(), fmt.Sprintf("nostr.%s is none of the types that the browser uses", n.Sel.Name)})
			}
		case *ast.ImportSpec:
			if n.Path.Value == `"`+goNostr+`"` && n.Name != nil {
				found = append(found, finding{n.Pos(), "go-nostr is imported under its own name, so that this test sees what is used of it"})
			}
		}
		return true
	})
	return found
}
