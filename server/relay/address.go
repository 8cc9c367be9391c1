package relay

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// address is a relay's URL in the form in which two that mean the same are
// equal. On loopback the names of the machine are one.
type address struct {
	scheme, host, port, path string
}

const loopbackHost = "localhost"

// parseAddress reads ws://host:port/path. A query, a fragment or a name in it
// is an error: no URL of ours has one, and a comparison must not skip it.
func parseAddress(raw string) (address, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return address{}, fmt.Errorf("%q is not a URL", raw)
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.Opaque != "":
		return address{}, fmt.Errorf("%q has more than scheme, host, port and path", raw)
	case u.Hostname() == "":
		return address{}, fmt.Errorf("%q names no host", raw)
	}
	a := address{
		scheme: strings.ToLower(u.Scheme),
		host:   strings.TrimSuffix(strings.ToLower(u.Hostname()), "."),
		port:   u.Port(),
		path:   strings.TrimSuffix(u.EscapedPath(), "/"),
	}
	standard, ok := map[string]string{"ws": "80", "wss": "443"}[a.scheme]
	if !ok {
		return address{}, fmt.Errorf("%q does not begin with ws:// or wss://", raw)
	}
	if a.port == "" {
		a.port = standard
	}
	if isLoopback(a.host) {
		a.host = loopbackHost
	}
	return a, nil
}

// isLoopback takes the three names that are one: of 127.0.0.0/8 only the usual.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == loopbackHost || ip != nil && (ip.Equal(net.IPv4(127, 0, 0, 1)) || ip.Equal(net.IPv6loopback))
}

// local says whether the relay is for this machine alone.
func (a address) local() bool { return a.host == loopbackHost }
