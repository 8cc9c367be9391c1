// Package index describes a folder of packed files: what the build wrote into
// it and what the server and the static site read from it. It knows neither
// how files are packed nor how they are served.
package index

import (
	"encoding/json"
	"fmt"
	"io/fs"
)

// File is the name of the index inside its folder.
const File = "index.json"

// Index lists every file of a build.
type Index struct {
	// Build names the build: a hash over the content of all its files.
	Build string `json:"build"`
	// Assets are the files, in the order of their names.
	Assets []Asset `json:"assets"`
}

// Asset is one file and its compressed twins.
type Asset struct {
	Name string `json:"name"` // as in the source tree: "app.css"
	// Path is relative to the folder and to the base of the site:
	// "assets/app.1f0c9d2e7a.css".
	Path string `json:"path"`
	Type string `json:"type"` // MIME type, with charset for text
	Size int64  `json:"size"` // bytes before compression
	Hash string `json:"hash"` // hex, of the uncompressed content
	// Immutable: the path contains the hash, so it can be cached for ever.
	Immutable bool `json:"immutable"`
	// Brotli and Gzip: there is a twin at Path + ".br", Path + ".gz".
	Brotli bool `json:"br"`
	Gzip   bool `json:"gz"`
}

// Read reads the index of a packed folder. A folder that has none was never
// packed, and the error says how to.
func Read(dir fs.FS) (Index, error) {
	var ix Index
	data, err := fs.ReadFile(dir, File)
	if err != nil {
		return ix, fmt.Errorf("the app's files were not packed; run `make build` first: %w", err)
	}
	if err := json.Unmarshal(data, &ix); err != nil {
		return ix, fmt.Errorf("reading %s of the packed files: %w", File, err)
	}
	return ix, nil
}

// Encode returns the index as the content of its file.
func (ix Index) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(ix, "", "\t")
	return append(data, '\n'), err
}

// Find returns the asset of the given source name.
func (ix Index) Find(name string) (Asset, bool) {
	for _, a := range ix.Assets {
		if a.Name == name {
			return a, true
		}
	}
	return Asset{}, false
}
