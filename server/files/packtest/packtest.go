// Package packtest packs a small app that stands in for the real one, for
// tests of what is served.
package packtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/server/files/pack"
)

// Sources are the files of the stand-in, by name. The wasm and the style are
// long enough to be worth compressing.
var Sources = map[string]string{
	"app.wasm":             "\x00asm\x01\x00\x00\x00" + strings.Repeat("not much of a program ", 200),
	"wasm_exec.js":         "globalThis.Go = class {}\n",
	"app.css":              ".brand { background: url(icon.svg) }\n" + strings.Repeat(".a { color: red }\n", 200),
	"boot.js":              "'use strict'\n",
	"worker.js":            "'use strict'\n",
	"icon.svg":             "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n",
	"icon-180.png":         "\x89PNG\r\n\x1a\n",
	"manifest.webmanifest": `{"name":"Parley","icons":[{"src":"assets/icon.svg"}]}`,
}

// Options writes the sources into a folder of the test's and returns how to
// pack them into another.
func Options(t testing.TB) pack.Options {
	t.Helper()
	dir := t.TempDir()
	o := pack.Options{
		Wasm:    filepath.Join(dir, "app.wasm"),
		Exec:    filepath.Join(dir, "wasm_exec.js"),
		Assets:  filepath.Join(dir, "assets"),
		Out:     filepath.Join(dir, "dist"),
		Cache:   filepath.Join(dir, "cache"),
		Quality: 1,
	}
	if err := os.Mkdir(o.Assets, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range Sources {
		path := filepath.Join(o.Assets, name)
		if name == "app.wasm" || name == "wasm_exec.js" {
			path = filepath.Join(dir, name)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// Dir packs the stand-in and returns the packed folder.
func Dir(t testing.TB) fs.FS {
	t.Helper()
	o := Options(t)
	if _, err := pack.Pack(o); err != nil {
		t.Fatal(err)
	}
	return os.DirFS(o.Out)
}
