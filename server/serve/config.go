// Package serve is the server as a program: what it is told, what it listens
// on, and how it starts and ends. The command line and the end-to-end tests
// start the same one.
package serve

import (
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"parley/server/agent"
)

const (
	DefaultAddr       = "localhost:8080"
	DefaultData       = "./data"
	DefaultRunTimeout = 120 * time.Second

	MinRunTimeout = 10 * time.Second
	MaxRunTimeout = 24 * time.Hour
)

// Config is what the server is told. Check says whether it makes sense.
type Config struct {
	// Addr is the host and port to listen on; port 0 picks one.
	Addr string
	// URL is the public address, as people type it: "https://chat.example.org".
	// It may be empty while Addr is loopback.
	URL string
	// Data is the folder of the embedded relay and of the house agent.
	Data string
	// Relays are the relays the app uses. With any, no relay is embedded.
	Relays []string
	// RunTimeout is the silence after which the app calls an AI run incomplete.
	RunTimeout time.Duration

	// Agent is the house agent, which runs beside an embedded relay; nil: none.
	// Its relays, folder and key are filled in here.
	Agent *agent.Config
	// AgentKey is the house agent's secret key (nsec or hex); "" for the one
	// kept in Data.
	AgentKey string

	Files fs.FS        // the packed files, see server/files/pack
	Log   *slog.Logger // nil: the default one
}

// Check returns the first thing wrong with the configuration, in terms of the
// flags that set it, with what to do.
func (c Config) Check() error {
	host, err := c.checkAddr()
	if err != nil {
		return err
	}
	if c.URL == "" && !loopback(host) {
		return fmt.Errorf("-addr %s can be reached from other machines, so Parley must know its public address: add -url, for instance -url https://chat.example.org", c.Addr)
	}
	if c.URL != "" {
		if err := checkURL(c.URL); err != nil {
			return err
		}
	}
	for _, relay := range c.Relays {
		if err := CheckRelay(relay); err != nil {
			return err
		}
		if PlainRelay(relay) && strings.HasPrefix(c.URL, "https://") {
			return fmt.Errorf("-relay %q: a page on https cannot reach a relay without TLS; use its wss:// address", relay)
		}
	}
	if len(c.Relays) == 0 && c.Data == "" {
		return fmt.Errorf("-data is empty: name the folder where the embedded relay keeps its events, for instance -data %s", DefaultData)
	}
	if c.RunTimeout < MinRunTimeout || c.RunTimeout > MaxRunTimeout {
		return fmt.Errorf("-run-timeout %d is out of range: use %d to %d seconds",
			int(c.RunTimeout.Seconds()), int(MinRunTimeout.Seconds()), int(MaxRunTimeout.Seconds()))
	}
	return nil
}

func (c Config) checkAddr() (host string, err error) {
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return "", fmt.Errorf("-addr %q is not host:port: use for instance %s", c.Addr, DefaultAddr)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", fmt.Errorf("-addr %q has no usable port: use a number from 0 (any free one) to 65535", c.Addr)
	}
	return host, nil
}

// checkURL: the app lives at the root of its host, and AUTH (NIP-42) compares
// the address literally.
func checkURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("-url %q is not a web address: use for instance https://chat.example.org", raw)
	case badPort(u.Port()):
		return fmt.Errorf("-url %q has no usable port: use a number from 1 to 65535, or none", raw)
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return fmt.Errorf("-url %q has more than a host: leave only %s://%s (for a sub-path use `make dist`)", raw, u.Scheme, u.Host)
	}
	return nil
}

// CheckRelay returns what is wrong with the address of a relay.
func CheckRelay(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss":
		return fmt.Errorf("-relay %q is not a relay's address: use for instance wss://relay.example.org", raw)
	case badPort(u.Port()):
		return fmt.Errorf("-relay %q has no usable port: use a number from 1 to 65535, or none", raw)
	case u.Fragment != "" || u.User != nil:
		return fmt.Errorf("-relay %q has a name or a fragment in it: leave only scheme, host, path and query", raw)
	}
	return nil
}

// badPort reports whether the port of an address can be that of nothing.
func badPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port != "" && (err != nil || n == 0)
}

// PlainRelay reports whether a relay is reached without TLS.
func PlainRelay(relay string) bool { return strings.HasPrefix(relay, "ws:") }

// loopback reports whether a host name or address stands for this machine only.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}
