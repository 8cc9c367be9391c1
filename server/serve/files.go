package serve

import (
	"net/http"
	"path/filepath"

	"parley/server/relay/blossom"
)

// withFiles puts the Blossom server before the app: with the embedded relay only,
// for the paths that are its own. They stand at the root, as BUD-01 wants.
func (m *Main) withFiles(app http.Handler) (http.Handler, error) {
	if !m.embedded() {
		return app, nil
	}
	files, err := blossom.Open(blossom.Config{
		Dir:       filepath.Join(m.config.Data, "files"),
		URL:       m.URL(),
		MayUpload: m.relay.MayWrite,
		ClientIP:  m.relay.ClientIP,
		Logger:    m.log,
	})
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if blossom.Serves(r.URL.Path) {
			files.ServeHTTP(w, r)
			return
		}
		app.ServeHTTP(w, r)
	}), nil
}
