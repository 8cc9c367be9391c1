package blossom

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/nbd-wtf/go-nostr"
)

// descriptor is a blob descriptor (BUD-02).
type descriptor struct {
	URL      string `json:"url"`
	SHA256   string `json:"sha256"`
	Size     int64  `json:"size"`
	Type     string `json:"type"`
	Uploaded int64  `json:"uploaded"`
}

// put takes a file (BUD-02).
func (s *Server) put(w http.ResponseWriter, r *http.Request) {
	token, ok := s.permit(w, r, r.Header.Get("X-SHA-256"), r.ContentLength)
	if !ok {
		return
	}
	ip := s.config.ClientIP(r)
	if !s.begin(ip) {
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusTooManyRequests, "too many uploads at once; try again in a moment")
		return
	}
	defer s.end(ip)
	// Without a deadline a slow sender would keep its place for ever. Where it
	// cannot be set there is no connection to hold.
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(UploadTime))
	d, err := s.store.receive(http.MaxBytesReader(w, r.Body, s.config.Limits.MaxFile))
	var tooLarge *http.MaxBytesError
	var disk *fs.PathError
	switch {
	case errors.As(err, &tooLarge):
		refuse(w, http.StatusRequestEntityTooLarge, s.tooLarge())
		return
	case errors.Is(err, syscall.ENOSPC):
		s.config.Logger.Error("receiving a file", "err", err)
		refuse(w, http.StatusInsufficientStorage, errFull.Error())
		return
	case errors.As(err, &disk): // what comes from a client is never one
		s.fail(w, "receiving a file", err)
		return
	case err != nil:
		refuse(w, http.StatusBadRequest, "the file did not come whole")
		return
	}
	defer d.drop()
	named := r.Header.Get("X-SHA-256")
	switch {
	case d.size == 0:
		refuse(w, http.StatusBadRequest, "the file is empty")
	case named != "" && named != d.hash:
		refuse(w, http.StatusConflict, "the file is not the one that X-SHA-256 names")
	case !covers(token, d.hash):
		refuse(w, http.StatusUnauthorized, "the token is for another file")
	default:
		s.keep(w, r, d, token)
	}
}

// begin takes a place for an upload from an address; end gives it back.
func (s *Server) begin(ip string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reading >= MaxUploads || s.uploads[ip] >= MaxUploadsPerIP {
		return false
	}
	s.reading++
	s.uploads[ip]++
	return true
}

func (s *Server) end(ip string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reading--
	if s.uploads[ip]--; s.uploads[ip] == 0 {
		delete(s.uploads, ip)
	}
}

// keep stores what was received, and describes it.
func (s *Server) keep(w http.ResponseWriter, r *http.Request, d *draft, token *nostr.Event) {
	m, isNew, err := s.store.keep(d, meta{Type: typeOf(r.Header.Get("Content-Type")), Uploaded: s.now(), By: token.PubKey}, s.config.Limits)
	switch {
	case errors.Is(err, errQuota):
		refuse(w, http.StatusTooManyRequests, errQuota.Error())
		return
	case errors.Is(err, errFull):
		refuse(w, http.StatusInsufficientStorage, errFull.Error())
		return
	case err != nil:
		s.fail(w, "keeping a file", err)
		return
	}
	body, err := json.Marshal(descriptor{URL: s.config.URL + "/" + d.hash + extension(m.Type), SHA256: d.hash, Size: m.Size, Type: m.Type, Uploaded: m.Uploaded})
	if err != nil {
		s.fail(w, "describing a file", err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if isNew {
		w.WriteHeader(http.StatusCreated)
	}
	w.Write(append(body, '\n')) // a client that went away is no concern of ours
}

// ask says whether an upload would be taken (BUD-06).
func (s *Server) ask(w http.ResponseWriter, r *http.Request) {
	size, err := strconv.ParseInt(r.Header.Get("X-Content-Length"), 10, 64)
	if err != nil || size < 1 {
		refuse(w, http.StatusLengthRequired, "say in X-Content-Length how large the file is")
		return
	}
	if _, ok := s.permit(w, r, r.Header.Get("X-SHA-256"), size); ok {
		w.WriteHeader(http.StatusOK)
	}
}

// permit says whether the request may go on; if not it is answered. hash is ""
// and size negative when they are not known.
func (s *Server) permit(w http.ResponseWriter, r *http.Request, hash string, size int64) (*nostr.Event, bool) {
	token, err := s.token(r, verbUpload)
	switch {
	case err != nil:
		w.Header().Set("WWW-Authenticate", "Nostr")
		refuse(w, http.StatusUnauthorized, err.Error())
	case hash != "" && !isHash(hash):
		refuse(w, http.StatusBadRequest, "X-SHA-256 must be 64 lowercase hex digits")
	case hash != "" && !covers(token, hash):
		refuse(w, http.StatusUnauthorized, "the token is for another file")
	case !s.config.MayUpload(token.PubKey):
		refuse(w, http.StatusForbidden, "only members of a room here may upload files")
	case size > s.config.Limits.MaxFile:
		refuse(w, http.StatusRequestEntityTooLarge, s.tooLarge())
	default:
		return token, true
	}
	return nil, false
}

func (s *Server) tooLarge() string {
	return fmt.Sprintf("files have at most %d kB here", s.config.Limits.MaxFile>>10)
}
