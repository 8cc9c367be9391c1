package relay

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// MaxURL is the longest relay URL taken, in bytes.
const MaxURL = 1024

var errTooLong = fmt.Errorf("is over %d characters long", MaxURL)

// Normalize gives a relay URL its normal form, under which it is compared and
// stored: scheme and host in lower case, no default port, no trailing slash,
// no empty query, path without dot segments. The error says what is wrong
// with it and what to write instead.
func Normalize(raw string) (string, error) {
	normal, err := normalize(strings.TrimSpace(raw))
	if err != nil {
		return "", fmt.Errorf("relay address %q: %w", shorten(raw), err)
	}
	return normal, nil
}

func normalize(raw string) (string, error) {
	switch {
	case raw == "":
		return "", errors.New("is empty; it looks like wss://relay.example.com")
	case len(raw) > MaxURL:
		return "", errTooLong
	}
	u, err := url.Parse(raw)
	if err != nil {
		return "", errors.New("is not a URL; it looks like wss://relay.example.com")
	}
	// Parse has put the scheme in lower case already.
	switch u.Scheme {
	case "ws", "wss":
	case "http", "https":
		return "", fmt.Errorf("is a web address; a relay's starts with %s://", strings.Replace(u.Scheme, "http", "ws", 1))
	default:
		return "", errors.New("must start with wss:// (or ws://)")
	}
	switch {
	case u.Opaque != "" || u.Host == "":
		return "", errors.New("names no host; it looks like wss://relay.example.com")
	case u.User != nil:
		return "", errors.New("carries a user name; leave out everything before the @")
	case u.Fragment != "" || strings.HasSuffix(raw, "#"):
		return "", errors.New("has a part after #; leave it out")
	}
	host, err := normalHost(u)
	if err != nil {
		return "", err
	}
	path := ""
	if u.Path != "" {
		path = strings.TrimRight(u.JoinPath().EscapedPath(), "/")
	}
	normal := u.Scheme + "://" + host + path
	if u.RawQuery != "" {
		normal += "?" + escapeQuery(u.RawQuery)
	}
	if len(normal) > MaxURL { // escaping may have made it longer
		return "", errTooLong
	}
	return normal, nil
}

// escapeQuery writes what a URL cannot hold as browsers do.
func escapeQuery(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"<>'`, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// normalHost gives host and port without what the scheme implies.
func normalHost(u *url.URL) (string, error) {
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	switch {
	case name == "":
		return "", errors.New("names no host; it looks like wss://relay.example.com")
	case strings.ContainsAny(u.Host, "[]"):
		addr, err := netip.ParseAddr(name)
		if err != nil || !addr.Is6() || addr.Zone() != "" {
			return "", errors.New("has no IPv6 address between [ and ]; it looks like ws://[2001:db8::1]")
		}
		name = "[" + addr.String() + "]"
		return withPort(u, name)
	}
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") || strings.Contains(name, "..") {
		return "", errors.New("has an empty part in its host")
	}
	for _, r := range name {
		// Letters beyond ASCII make look-alikes; browsers turn them to xn--.
		if r > '~' || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-._", r) {
			return "", fmt.Errorf("has %q in its host; write the host in plain letters (an international name in its xn-- form)", r)
		}
	}
	return withPort(u, name)
}

// withPort adds the port, unless the scheme implies it.
func withPort(u *url.URL, name string) (string, error) {
	port := u.Port()
	if port == "" {
		return name, nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return "", fmt.Errorf("has port %s; a port is 1 to 65535", port)
	}
	if (u.Scheme == "ws" && n == 80) || (u.Scheme == "wss" && n == 443) {
		return name, nil
	}
	return name + ":" + strconv.FormatUint(n, 10), nil
}

// shorten keeps error messages readable whatever was pasted.
func shorten(s string) string {
	const longest = 80
	if len(s) <= longest {
		return s
	}
	return strings.ToValidUTF8(s[:longest], "") + "..."
}
