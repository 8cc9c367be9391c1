package blossom

import (
	"errors"
	"io/fs"
	"net/http"
)

// remove deletes a file for who uploaded it (BUD-12). Of one that several have
// uploaded the last of them takes it away.
func (s *Server) remove(w http.ResponseWriter, r *http.Request, hash string) {
	token, err := s.token(r, verbDelete)
	switch {
	case err != nil:
		w.Header().Set("WWW-Authenticate", "Nostr")
		refuse(w, http.StatusUnauthorized, err.Error())
		return
	case !covers(token, hash):
		refuse(w, http.StatusUnauthorized, "the token is for another file")
		return
	}
	switch err := s.store.release(hash, token.PubKey); {
	case errors.Is(err, fs.ErrNotExist):
		refuse(w, http.StatusNotFound, "this file is not here")
	case errors.Is(err, errNotOwner):
		refuse(w, http.StatusForbidden, errNotOwner.Error())
	case err != nil:
		s.fail(w, "deleting a file", err)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}
