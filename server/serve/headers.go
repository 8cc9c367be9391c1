package serve

import "net/http"

// permissions are browser features that no page of ours uses.
const permissions = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"

// secure sets the headers that every answer carries. A handler that needs
// others (cards that may be framed) sets its own.
func secure(policy string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", policy)
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Permissions-Policy", permissions)
		// Remote signers open their pages in windows of their own.
		head.Set("Cross-Origin-Opener-Policy", "same-origin-allow-popups")
		next.ServeHTTP(w, r)
	})
}
