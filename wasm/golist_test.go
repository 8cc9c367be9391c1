package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	cuts "parley/wasm/lean"
)

// build is a target that packages are built for.
type build string

const (
	native  build = "native"
	browser build = "js/wasm"
	// lean is what app.wasm is: built with the copies of package lean.
	lean build = "js/wasm, lean"
)

var builds = []build{native, browser}

// pkg is what go list tells about a package. Imports are those of its code,
// not of its tests.
type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
}

// list runs go list at the root of the module.
func list(t *testing.T, b build, args ...string) []pkg {
	t.Helper()
	how := []string{"list", "-json=ImportPath,Dir,GoFiles,Imports"}
	if b == lean {
		how = append(how, "-modfile="+copies(t))
	}
	cmd := exec.Command("go", append(how, args...)...)
	cmd.Dir = ".."
	cmd.Stderr = os.Stderr
	if b != native {
		cmd.Env = append(cmd.Environ(), "GOOS=js", "GOARCH=wasm")
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %s: %v", strings.Join(args, " "), err)
	}
	var packages []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// copies makes the copies of package lean and returns the go.mod that uses them.
func copies(t *testing.T) string {
	t.Helper()
	out := t.TempDir()
	if err := cuts.Write("..", out, cuts.Cuts); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(out, "go.mod")
}

// path shows how one package comes to link another: a -> b -> c.
func path(t *testing.T, b build, root, target string) string {
	t.Helper()
	from := list(t, b, root)[0].ImportPath
	imports := map[string][]string{}
	for _, p := range list(t, b, "-deps", root) {
		imports[p.ImportPath] = p.Imports
	}
	came := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		for _, next := range imports[queue[0]] {
			if _, seen := came[next]; !seen {
				came[next] = queue[0]
				queue = append(queue, next)
			}
		}
	}
	var way []string
	for at := target; at != ""; at = came[at] {
		way = append(way, at)
	}
	slices.Reverse(way)
	return strings.Join(way, " -> ")
}
