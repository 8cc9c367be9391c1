package serve

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"time"
)

// Site is /config.json: what the app is told about its server. It is a public
// interface; the lists are never null.
type Site struct {
	Relays     []string `json:"relays"`
	Rooms      []string `json:"rooms"`  // ids, on the first relay
	Agents     []string `json:"agents"` // npubs
	PushKey    string   `json:"push_key"`
	Build      string   `json:"build"`
	RunTimeout int      `json:"run_timeout"` // seconds
}

// NewSite describes a site that has relays and nothing else.
func NewSite(build string, relays []string, runTimeout time.Duration) Site {
	return Site{
		Relays:     relays,
		Rooms:      []string{},
		Agents:     []string{},
		Build:      build,
		RunTimeout: int(runTimeout.Seconds()),
	}
}

func (m *Main) serveConfig(w http.ResponseWriter, r *http.Request) {
	site := NewSite(m.build, m.config.Relays, m.config.RunTimeout)
	if m.embedded() {
		site.Relays = []string{webSocketURL(m.publicURL(r)) + relayPath}
		site.Rooms = []string{lobby}
		site.Agents = m.agents()
	}
	data, err := json.Marshal(site)
	if err != nil {
		http.Error(w, "The configuration cannot be written.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	w.Write(append(data, '\n')) // a client that went away is no concern of ours
}

// publicURL is the address that the request's client knows us by. Without -url
// that is one of the names of this machine; a Host header with any other name
// is not believed.
func (m *Main) publicURL(r *http.Request) string {
	if m.config.URL != "" {
		return m.URL()
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if !loopback(host) {
		return m.URL()
	}
	return "http://" + r.Host
}

// webSocketURL turns http into ws and https into wss.
func webSocketURL(u string) string {
	return "ws" + strings.TrimPrefix(u, "http")
}
