package web

import (
	"bytes"
	"context"
	"fmt"
)

// Kind says what a page holds besides the shell.
type Kind string

const (
	Start   Kind = "start"   // what Parley is and how to begin
	App     Kind = "app"     // a page that only the app can fill
	Missing Kind = "missing" // a path that the server knows nothing of; the app may
)

// Page is the view model of a page in the shell.
type Page struct {
	Kind  Kind
	Title string // of the page, without the product's name; empty at the start
	Site  Site
	Rooms []Room // shown at the start
}

// Site is what all pages of a site share. Paths are absolute on their host.
type Site struct {
	Base   string // the path the app lives under, with a slash at both ends
	Build  string // the build id
	Policy string // Content-Security-Policy, where no header can carry it

	Style    string
	Boot     string // boot.js
	Worker   string // worker.js
	Exec     string // Go's wasm_exec.js
	Wasm     string
	WasmSize int64 // bytes before compression
	Manifest string
	Icon     string // SVG
	Touch    string // PNG, for home screens
}

// Room is a link to a room.
type Room struct {
	Name string
	Path string // absolute on the host
}

// Description is what search engines and other sites show of the start page.
const Description = "Rooms where people and AI agents talk, over Nostr."

// Render returns the page as HTML, whole or not at all.
func (p Page) Render() ([]byte, error) {
	var buf bytes.Buffer
	if err := shell(p).Render(context.Background(), &buf); err != nil {
		return nil, fmt.Errorf("rendering the %s page: %w", p.Kind, err)
	}
	return buf.Bytes(), nil
}

func (p Page) fullTitle() string {
	if p.Title == "" {
		return "Parley"
	}
	return p.Title + " · Parley"
}
