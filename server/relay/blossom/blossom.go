// Package blossom keeps files beside the embedded relay, each under the SHA-256
// of its bytes: BUD-01 and BUD-02 of the Blossom specifications, the deletion of
// BUD-12, with the tokens of BUD-11. What it serves cannot run as script on the
// site's origin.
//
// Nobody can list files: who knows the hash of one can read it, and nothing else
// keeps the files of private rooms private.
package blossom

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Limits bound what is kept. Zero means the default.
type Limits struct {
	MaxFile   int64 // bytes of one file
	MaxPerKey int64 // bytes that one key has uploaded
	MaxTotal  int64 // bytes of all files
}

// The defaults of Limits.
const (
	MaxFile   = 8 << 20
	MaxPerKey = 256 << 20
	MaxTotal  = 2 << 30
)

// Bounds of requests.
const (
	// MaxToken is the longest Authorization header, in bytes.
	MaxToken = 8 << 10
	// MaxUploads is how many uploads are read at once, and MaxUploadsPerIP how
	// many of them from one address, so that nobody takes all places by sending
	// slowly.
	MaxUploads      = 16
	MaxUploadsPerIP = 4
	// UploadTime is how long one upload may take.
	UploadTime = 2 * time.Minute
	// ClockSkew is how far ahead of our clock a token may be dated, in seconds.
	ClockSkew = 60
)

// Config is what a server is told. Dir, URL and MayUpload are needed.
type Config struct {
	Dir string
	// URL is the public address of the site, without a slash at the end.
	URL string
	// MayUpload says whether a public key (hex) may upload.
	MayUpload func(pubkey string) bool
	// ClientIP says whose request it is; nil: by its connection.
	ClientIP func(*http.Request) string
	Limits   Limits
	Logger   *slog.Logger     // nil: the default one
	Clock    func() time.Time // nil: time.Now
}

// Server keeps and serves files. It holds nothing open between requests.
type Server struct {
	config Config
	host   string // of the URL, without port
	store  *store

	mu      sync.Mutex
	uploads map[string]int // under way, by address
	reading int            // uploads under way
}

// Open opens the folder, making it if need be, and counts what is there.
func Open(config Config) (*Server, error) {
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	if config.Clock == nil {
		config.Clock = time.Now
	}
	for _, l := range []struct {
		field *int64
		value int64
	}{{&config.Limits.MaxFile, MaxFile}, {&config.Limits.MaxPerKey, MaxPerKey}, {&config.Limits.MaxTotal, MaxTotal}} {
		if *l.field == 0 {
			*l.field = l.value
		}
	}
	u, err := url.Parse(config.URL)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("opening the files: %q is not a web address", config.URL)
	}
	if config.MayUpload == nil {
		return nil, errors.New("opening the files: nobody says who may upload")
	}
	if config.ClientIP == nil {
		config.ClientIP = peer
	}
	s, err := openStore(config.Dir)
	if err != nil {
		return nil, fmt.Errorf("opening the files: %w", err)
	}
	return &Server{config: config, host: strings.ToLower(u.Hostname()), store: s, uploads: map[string]int{}}, nil
}

func peer(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// uploadPath is where files are uploaded to.
const uploadPath = "/upload"

// Serves says whether a path is this server's: /upload, or 64 hex digits with
// or without an extension.
func Serves(path string) bool {
	_, ok := hashOf(path)
	return ok || path == uploadPath
}

// hashOf is the hash that a path names.
func hashOf(path string) (string, bool) {
	name := strings.TrimPrefix(path, "/")
	hash, ext, dotted := strings.Cut(name, ".")
	if !isHash(hash) || dotted && !isExtension(ext) {
		return "", false
	}
	return hash, true
}

func isHash(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

func isExtension(s string) bool {
	return s != "" && len(s) <= 16 && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// ServeHTTP answers for the paths of Serves.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Access-Control-Allow-Origin", "*")
	if r.Method == http.MethodOptions {
		head.Set("Access-Control-Allow-Headers", "Authorization, *")
		head.Set("Access-Control-Allow-Methods", "GET, HEAD, PUT, DELETE")
		head.Set("Access-Control-Max-Age", "86400")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	head.Set("Access-Control-Expose-Headers", "X-Reason")
	hash, isBlob := hashOf(r.URL.Path)
	switch {
	case isBlob && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		s.get(w, r, hash)
	case r.URL.Path == uploadPath && r.Method == http.MethodPut:
		s.put(w, r)
	case r.URL.Path == uploadPath && r.Method == http.MethodHead:
		s.ask(w, r)
	case isBlob && r.Method == http.MethodDelete:
		s.remove(w, r, hash)
	case isBlob:
		head.Set("Allow", "GET, HEAD, DELETE, OPTIONS")
		refuse(w, http.StatusMethodNotAllowed, "files can be read and deleted here, not changed")
	default:
		head.Set("Allow", "PUT, HEAD, OPTIONS")
		refuse(w, http.StatusMethodNotAllowed, "upload with PUT")
	}
}

// refuse answers with a reason for a person (BUD-01).
func refuse(w http.ResponseWriter, status int, reason string) {
	w.Header().Set("X-Reason", reason)
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, reason, status)
}

// fail answers when something went wrong here.
func (s *Server) fail(w http.ResponseWriter, what string, err error) {
	if !errors.Is(err, context.Canceled) {
		s.config.Logger.Error(what, "err", err)
	}
	refuse(w, http.StatusInternalServerError, "the file could not be handled; try again later")
}

// now is our own clock in unix seconds.
func (s *Server) now() int64 { return s.config.Clock().Unix() }
