// Package lean makes copies of libraries that lack what the browser never uses.
//
// The linker leaves out functions that nobody calls, but not what is computed when
// a program starts, and each import has some of that: TLS with its curves, a
// table of a curve's multiples, parsers made for logging. In app.wasm that was a
// quarter of what everybody downloads, for code that cannot even run there. So the
// Makefile builds app.wasm against copies, made anew from the modules that go.mod
// names, by a go.mod of their own (go build -modfile). Nothing else is changed,
// and go build ./wasm works without them.
package lean

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Cut says what is left out of one package.
type Cut struct {
	Module string // as go.mod has it
	Folder string // of the package, within the module
	// Files are the only ones kept, or, with Without, the ones left out. They are
	// names of Go files that the build for the browser compiles.
	Files   []string
	Without bool
	// Names are declarations left out of the files that are kept: "F" is a
	// function, variable, constant or type with its methods, "T.M" a method.
	Names []string
}

// Write copies the Go files of the cut modules into folders below out, without
// what the cuts name, and writes a go.mod and go.sum there that are those at root,
// the folder of this module, and say to use the copies. Files that are as they
// should be keep their time. A cut of what is not there is an error.
func Write(root, out string, cuts []Cut) error {
	// Go notes in a program where it has what was replaced: no names of this
	// machine, so relative to root.
	where, err := relative(root, out)
	if err != nil {
		return fmt.Errorf("lean: %w", err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return fmt.Errorf("lean: %w", err)
	}
	files := map[string][]byte{} // by path within out
	if files["go.sum"], err = os.ReadFile(filepath.Join(root, "go.sum")); err != nil {
		return fmt.Errorf("lean: %w", err)
	}
	for module, cuts := range byModule(cuts) {
		dir, err := download(root, module)
		if err == nil {
			err = copyModule(files, module, dir, cuts)
		}
		if err != nil {
			return fmt.Errorf("lean: %s: %w", module, err)
		}
		mod = fmt.Appendf(mod, "\nreplace %s => %s\n", module, where+"/"+module)
	}
	files["go.mod"] = mod
	if err := write(out, files); err != nil {
		return fmt.Errorf("lean: %w", err)
	}
	return nil
}

// relative is the path of out from root, as go.mod wants it: it begins with a dot.
func relative(root, out string) (string, error) {
	from, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(out)
	if err != nil {
		return "", err
	}
	path, err := filepath.Rel(from, to)
	if err != nil {
		return "", err
	}
	if path = filepath.ToSlash(path); !strings.HasPrefix(path, ".") {
		path = "./" + path
	}
	return path, nil
}

func byModule(cuts []Cut) map[string][]Cut {
	all := map[string][]Cut{}
	for _, c := range cuts {
		all[c.Module] = append(all[c.Module], c)
	}
	return all
}

// download returns the folder of a module, in the version that go.mod asks for.
func download(root, module string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go mod download: %w", err)
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(out, &found); err != nil {
		return "", fmt.Errorf("go mod download: %w", err)
	}
	return found.Dir, nil
}

// copyModule adds to files the module's go.mod and Go files, tests aside.
func copyModule(files map[string][]byte, module, dir string, cuts []Cut) error {
	done := map[string]bool{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "testdata" || strings.HasPrefix(name, "_")):
			return fs.SkipDir
		case path != "go.mod" && (d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go")):
			return nil
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			return err
		}
		for i := range cuts {
			if filepath.ToSlash(filepath.Dir(path)) == cuts[i].Folder && name != "go.mod" {
				if content, err = cuts[i].file(name, content, done); err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
			}
		}
		if content != nil {
			files[filepath.Join(module, path)] = content
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range cuts {
		for _, name := range append(c.Files[:len(c.Files):len(c.Files)], c.Names...) {
			if !done[c.Folder+" "+name] {
				return fmt.Errorf("there is no %s in %s any more: see what has taken its place, and whether it can be left out", name, c.Folder)
			}
		}
	}
	return nil
}

// file returns what is left of a file of the cut's package, nil where that is
// nothing, and notes in done what it found of what the cut names.
func (c *Cut) file(name string, content []byte, done map[string]bool) ([]byte, error) {
	listed := false
	for _, f := range c.Files {
		listed = listed || f == name
	}
	if listed {
		done[c.Folder+" "+name] = true
	}
	if listed == c.Without {
		return nil, nil
	}
	return prune(content, func(declared string) bool {
		for _, n := range c.Names {
			if n == declared || strings.HasPrefix(declared, n+".") {
				done[c.Folder+" "+n] = true
				return true
			}
		}
		return false
	})
}

// write makes a folder hold just these files.
func write(out string, files map[string][]byte) error {
	for path, content := range files {
		path = filepath.Join(out, path)
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(out, path)
		if err != nil {
			return err
		}
		if _, ok := files[name]; !ok {
			return os.Remove(path)
		}
		return nil
	})
}
