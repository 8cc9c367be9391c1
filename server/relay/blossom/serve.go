package blossom

import (
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"
)

// plain is the type of what is not known, and of what a browser would run.
const plain = "application/octet-stream"

// kind is how files of a type are served: with which extension in their
// address, and whether a browser may show them or must save them.
type kind struct {
	extension string
	shown     bool
}

// kinds are the types that are kept as they were named. HTML, scripts, styles
// and all that is not listed become plain bytes: our own pages run scripts of
// our own origin, and what people upload must never be one.
var kinds = map[string]kind{
	"text/plain":       {".txt", true},
	"text/csv":         {".csv", true},
	"text/markdown":    {".md", true},
	"image/png":        {".png", true},
	"image/jpeg":       {".jpg", true},
	"image/gif":        {".gif", true},
	"image/webp":       {".webp", true},
	"image/avif":       {".avif", true},
	"image/svg+xml":    {".svg", false},
	"application/json": {".json", false},
	"application/pdf":  {".pdf", false},
	"application/zip":  {".zip", false},
	"audio/mpeg":       {".mp3", false},
	"audio/ogg":        {".ogg", false},
	"audio/wav":        {".wav", false},
	"audio/mp4":        {".m4a", false},
	"video/mp4":        {".mp4", false},
	"video/webm":       {".webm", false},
	plain:              {".bin", false},
}

// typeOf is the type under which a file is kept, from what its sender says.
func typeOf(header string) string {
	name, _, err := mime.ParseMediaType(header)
	if err != nil {
		return plain
	}
	if _, known := kinds[strings.ToLower(name)]; !known {
		return plain
	}
	return strings.ToLower(name)
}

func extension(name string) string { return kinds[name].extension }

// get serves a file (BUD-01).
func (s *Server) get(w http.ResponseWriter, r *http.Request, hash string) {
	m, err := s.store.find(hash)
	if errors.Is(err, fs.ErrNotExist) {
		refuse(w, http.StatusNotFound, "this file is not here")
		return
	}
	if err != nil {
		s.fail(w, "finding a file", err)
		return
	}
	file, err := os.Open(s.store.path(hash))
	if err != nil {
		s.fail(w, "opening a file", err)
		return
	}
	defer file.Close()
	head := w.Header()
	kind, known := kinds[m.Type]
	contentType := m.Type
	switch {
	case !known:
		contentType = plain
	case strings.HasPrefix(m.Type, "text/"):
		contentType += "; charset=utf-8"
	}
	head.Set("Content-Type", contentType)
	if !kind.shown {
		head.Set("Content-Disposition", `attachment; filename="`+hash+kind.extension+`"`)
	}
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	head.Set("Cross-Origin-Resource-Policy", "cross-origin")
	head.Set("Cache-Control", "public, max-age=31536000, immutable")
	head.Set("ETag", `"`+hash+`"`)
	http.ServeContent(w, r, "", time.Unix(m.Uploaded, 0), file)
}
