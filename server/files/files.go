// Package files hands out the packed files of the app: with the right MIME
// types, an ETag for each form of each file, the best encoding the client
// takes, and for ever cacheable where the name holds the hash.
package files

import (
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"parley/server/files/index"
)

const (
	forEver  = "public, max-age=31536000, immutable"
	eachTime = "no-cache" // may be kept, must be asked for again
)

// Handler serves a packed folder. It answers only paths of the index, so there
// is no listing and no way out of the folder.
type Handler struct {
	index  index.Index
	byPath map[string]file // by URL path
}

// file is an asset with its content in each encoding.
type file struct {
	index.Asset
	forms []form // best first, the plain one last
}

// form is one representation of a file.
type form struct {
	encoding string // the name in Content-Encoding; "" when plain
	etag     string
	content  []byte
}

// New reads a packed folder into memory.
func New(dir fs.FS) (*Handler, error) {
	ix, err := index.Read(dir)
	if err != nil {
		return nil, err
	}
	h := &Handler{index: ix, byPath: make(map[string]file)}
	for _, a := range ix.Assets {
		f, err := load(dir, a)
		if err != nil {
			return nil, fmt.Errorf("reading the packed files: %w", err)
		}
		h.byPath["/"+a.Path] = f
	}
	return h, nil
}

func load(dir fs.FS, a index.Asset) (file, error) {
	f := file{Asset: a}
	for _, e := range []struct {
		there     bool
		name, ext string
	}{{a.Brotli, "br", ".br"}, {a.Gzip, "gzip", ".gz"}, {true, "", ""}} {
		if !e.there {
			continue
		}
		content, err := fs.ReadFile(dir, a.Path+e.ext)
		if err != nil {
			return f, err
		}
		etag := a.Hash
		if e.name != "" {
			etag += "-" + e.name // RFC 9110, 8.8.3.3: encodings are distinct forms
		}
		f.forms = append(f.forms, form{encoding: e.name, etag: strconv.Quote(etag), content: content})
	}
	return f, nil
}

// Index returns what is served.
func (h *Handler) Index() index.Index { return h.index }

// Has reports whether the URL path is one of the files.
func (h *Handler) Has(path string) bool {
	_, ok := h.byPath[path]
	return ok
}

// ServeHTTP answers GET and HEAD for the files, and 404 for all else.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, ok := h.byPath[r.URL.Path]
	if !ok {
		w.Header().Set("Cache-Control", eachTime)
		http.Error(w, "There is no such file.", http.StatusNotFound)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Files can only be read: use GET.", http.StatusMethodNotAllowed)
		return
	}
	head := w.Header()
	if len(f.forms) > 1 {
		head.Set("Vary", "Accept-Encoding")
	}
	best, ok := f.choose(r.Header.Values("Accept-Encoding"))
	if !ok {
		http.Error(w, "None of the encodings asked for is there: ask for br, gzip or identity.", http.StatusNotAcceptable)
		return
	}
	head.Set("ETag", best.etag)
	head.Set("Cache-Control", eachTime)
	if f.Immutable {
		head.Set("Cache-Control", forEver)
	}
	if Matches(r.Header.Values("If-None-Match"), best.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	head.Set("Content-Type", f.Type)
	head.Set("Content-Length", strconv.Itoa(len(best.content)))
	if best.encoding != "" {
		head.Set("Content-Encoding", best.encoding)
	}
	if r.Method == http.MethodGet {
		w.Write(best.content) // a client that went away is no concern of ours
	}
}

// Matches reports whether an If-None-Match header names the entity tag, by the
// weak comparison that RFC 9110, 13.1.2, asks for.
func Matches(headers []string, etag string) bool {
	for _, header := range headers {
		for tag := range strings.SplitSeq(header, ",") {
			tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
			if tag == "*" || tag == etag {
				return true
			}
		}
	}
	return false
}
