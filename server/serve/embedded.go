package serve

import (
	"net/http"
	"path/filepath"

	"parley/server/relay"
)

// relayPath is where the embedded relay stands.
const relayPath = "/relay"

// lobby is the room that the embedded relay starts with.
const lobby = "lobby"

// embedded reports whether the server runs its own relay.
func (m *Main) embedded() bool { return len(m.config.Relays) == 0 }

// openRelay opens the embedded relay, in a folder of its own, and answers for
// its path; or answers that there is none.
func (m *Main) openRelay(mux *http.ServeMux) (err error) {
	if !m.embedded() {
		mux.HandleFunc(relayPath, serveNone)
		return nil
	}
	m.relay, err = relay.Open(relay.Config{
		Dir:    filepath.Join(m.config.Data, "relay"),
		URL:    webSocketURL(m.URL()) + relayPath,
		Name:   "Parley",
		Logger: m.log,
	})
	if err == nil {
		mux.Handle(relayPath, m.relay)
	}
	return err
}
