// Package web holds the pages that the server renders: the shell that the app
// starts in, and what can be read without it. A page is a pure function of its
// view model.
package web

import "strings"

// Policy is the Content-Security-Policy of the app's pages and of its worker's
// script. Nothing inline, nothing evaluated but WebAssembly; any relay and any
// picture a person lets in, since nobody knows beforehand which.
type Policy struct {
	// PlainHTTP: the server itself is not behind TLS, so relays and hosts that
	// are not either can be reached too.
	PlainHTTP bool
	// Meta: the policy stands in the page, where browsers ignore
	// frame-ancestors (CSP level 3, 3.3).
	Meta bool
}

// String returns the policy as the header's value.
func (p Policy) String() string {
	connect := "connect-src 'self' wss: https:"
	if p.PlainHTTP {
		connect += " ws: http:"
	}
	rules := []string{
		"default-src 'none'",
		"script-src 'self' 'wasm-unsafe-eval'",
		"worker-src 'self'",
		"style-src 'self'",
		connect,
		"img-src 'self' https: data: blob:",
		"media-src 'self' https: data: blob:",
		"manifest-src 'self'",
		"frame-src 'self'",
		"form-action 'self'",
		"base-uri 'none'",
		"object-src 'none'",
	}
	if !p.Meta {
		rules = append(rules, "frame-ancestors 'none'")
	}
	return strings.Join(rules, "; ")
}
