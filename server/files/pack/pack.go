// Package pack turns the sources of what the server hands out into a folder of
// hashed files with compressed twins, and an index of it. A file whose content
// and name are unchanged is neither compressed nor written again.
package pack

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"parley/server/files/index"
)

const (
	assetsDir = "assets"
	hashLen   = 16 // hex digits of a hash in names, ETags and the build id
)

// Options say what to pack and where to.
type Options struct {
	Wasm    string // the compiled app
	Exec    string // Go's wasm_exec.js, of the toolchain that compiled it
	Assets  string // folder of styles, scripts, icons and the web manifest
	Out     string // folder to fill
	Cache   string // folder of compressed content, by hash; may be deleted at will
	Quality int    // of brotli, 0 to 11
}

// rootFiles keep their names and stand at the root, because others know them
// by URL: an installed app is named by its manifest's.
var rootFiles = map[string]bool{"manifest.webmanifest": true}

// types are the MIME types that are served, by extension. A file of any other
// kind is an error, so that none goes out with a guessed type.
var types = map[string]string{
	".css":         "text/css; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".png":         "image/png",
	".svg":         "image/svg+xml",
	".wasm":        "application/wasm",
	".webmanifest": "application/manifest+json",
}

// source is a file on its way into the folder.
type source struct {
	index.Asset
	content []byte
}

// Pack fills o.Out and returns its index.
func Pack(o Options) (index.Index, error) {
	sources, err := read(o)
	if err != nil {
		return index.Index{}, fmt.Errorf("reading what to pack: %w", err)
	}
	name(sources)
	ix := index.Index{Build: buildID(sources)}
	if err := write(o, sources); err != nil {
		return index.Index{}, fmt.Errorf("packing into %s: %w", o.Out, err)
	}
	for _, s := range sources {
		ix.Assets = append(ix.Assets, s.Asset)
	}
	data, err := ix.Encode()
	if err == nil {
		// Last, so that an index never names a file that is not there yet.
		err = writeFile(filepath.Join(o.Out, index.File), data)
	}
	if err == nil {
		err = sweep(o.Out, ix)
	}
	if err != nil {
		return index.Index{}, fmt.Errorf("packing into %s: %w", o.Out, err)
	}
	return ix, nil
}

// read collects the sources, sorted by name.
func read(o Options) ([]*source, error) {
	paths := map[string]string{"app.wasm": o.Wasm, "wasm_exec.js": o.Exec}
	entries, err := os.ReadDir(o.Assets)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			paths[e.Name()] = filepath.Join(o.Assets, e.Name())
		}
	}
	var sources []*source
	for name, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		typ, ok := types[filepath.Ext(name)]
		if !ok {
			return nil, fmt.Errorf("%s: no MIME type is known for %q; add it to the types of server/files/pack", path, filepath.Ext(name))
		}
		sources = append(sources, &source{
			Asset:   index.Asset{Name: name, Type: typ, Immutable: !rootFiles[name]},
			content: content,
		})
	}
	sort.Slice(sources, func(i, j int) bool { return sources[i].Name < sources[j].Name })
	return sources, nil
}

// name gives each source its hash and path. Styles and the manifest name other
// files, so those are named first and the references rewritten.
func name(sources []*source) {
	var leaves, referrers []*source
	for _, s := range sources {
		if ext := filepath.Ext(s.Name); ext == ".css" || ext == ".webmanifest" {
			referrers = append(referrers, s)
		} else {
			leaves = append(leaves, s)
		}
	}
	for _, s := range leaves {
		s.name()
	}
	for _, s := range referrers {
		s.content = rewrite(s.Name, s.content, leaves)
		s.name()
	}
}

func (s *source) name() {
	s.Hash = hash(s.content)
	s.Size = int64(len(s.content))
	if !s.Immutable {
		s.Path = s.Name
		return
	}
	ext := filepath.Ext(s.Name)
	s.Path = assetsDir + "/" + strings.TrimSuffix(s.Name, ext) + "." + s.Hash + ext
}

// rewrite replaces references to leaves by their hashed names. All stay
// relative to the file they stand in, so that a site works under any path:
// url(icon.svg) in a style beside the icon, "assets/icon.svg" in the manifest.
func rewrite(name string, content []byte, leaves []*source) []byte {
	for _, leaf := range leaves {
		hashed := filepath.Base(leaf.Path)
		if rootFiles[name] {
			content = bytes.ReplaceAll(content, []byte(`"assets/`+leaf.Name+`"`), []byte(`"assets/`+hashed+`"`))
			continue
		}
		content = bytes.ReplaceAll(content, []byte("url("+leaf.Name+")"), []byte("url("+hashed+")"))
		content = bytes.ReplaceAll(content, []byte(`url("`+leaf.Name+`")`), []byte(`url("`+hashed+`")`))
	}
	return content
}

func buildID(sources []*source) string {
	h := sha256.New()
	for _, s := range sources {
		fmt.Fprintf(h, "%s %s\n", s.Name, s.Hash)
	}
	return hex.EncodeToString(h.Sum(nil))[:hashLen]
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])[:hashLen]
}

// sweep removes what earlier builds left in the folder.
func sweep(dir string, ix index.Index) error {
	keep := map[string]bool{index.File: true, ".keep": true}
	for _, a := range ix.Assets {
		keep[a.Path] = true
		keep[a.Path+".br"] = a.Brotli
		keep[a.Path+".gz"] = a.Gzip
	}
	return filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || keep[filepath.ToSlash(rel)] {
			return err
		}
		return os.Remove(path)
	})
}
