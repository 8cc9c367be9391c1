package serve

import (
	"io"
	"net/http"
)

// serveHealth says that the process lives.
func serveHealth(w http.ResponseWriter, r *http.Request) { plain(w, http.StatusOK, "ok\n") }

// serveReady says whether requests are welcome: not before the start is done,
// nor once the end has begun.
func (m *Main) serveReady(w http.ResponseWriter, r *http.Request) {
	if !m.ready.Load() {
		plain(w, http.StatusServiceUnavailable, "starting or ending\n")
		return
	}
	plain(w, http.StatusOK, "ok\n")
}

// serveRobots keeps crawlers to what can be read without the app.
func serveRobots(w http.ResponseWriter, r *http.Request) {
	plain(w, http.StatusOK, "User-agent: *\nDisallow: /rooms/\nDisallow: /agents/\nDisallow: /asks\nDisallow: /tasks\nDisallow: /settings\n")
}

// serveNone answers for paths that programs ask for and that are never pages.
func serveNone(w http.ResponseWriter, r *http.Request) {
	plain(w, http.StatusNotFound, "There is nothing here.\n")
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(status)
	io.WriteString(w, text) // a client that went away is no concern of ours
}
