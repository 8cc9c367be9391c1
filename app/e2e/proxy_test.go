package e2e

import (
	"net/http"
	"net/http/httputil"
	"net/url"
)

// proxy passes plain HTTP on to a server, as a reverse proxy in front of it does.
func proxy(target string) http.Handler {
	return httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: target})
}
