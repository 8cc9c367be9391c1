// Package pages answers the app's routes with the shell that the app starts
// in. The route table here and the one of package app name the same paths; the
// server only needs to know which of them exist and what to call them.
package pages

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"parley/server/files"
	"parley/server/files/index"
	"parley/web"
)

// routes are the app's pages, as patterns of http.ServeMux.
var routes = []struct {
	pattern string
	page    web.Page
}{
	{"/{$}", web.Page{Kind: web.Start}},
	{"/rooms/{id}", web.Page{Kind: web.App, Title: "Room"}},
	{"/rooms/{id}/threads/{event}", web.Page{Kind: web.App, Title: "Thread"}},
	{"/agents", web.Page{Kind: web.App, Title: "Agents"}},
	{"/agents/{npub}", web.Page{Kind: web.App, Title: "Agent"}},
	{"/agents/{npub}/{session}", web.Page{Kind: web.App, Title: "Session"}},
	{"/asks", web.Page{Kind: web.App, Title: "Needs you"}},
	{"/asks/{event}", web.Page{Kind: web.App, Title: "Question"}},
	{"/tasks", web.Page{Kind: web.App, Title: "Tasks"}},
	{"/settings", web.Page{Kind: web.App, Title: "Settings"}},
}

var missing = web.Page{Kind: web.Missing, Title: "Not found"}

// coded is the page of what a NIP-19 code names.
var coded = web.Page{Kind: web.App, Title: "Shared link"}

// codes are the prefixes of NIP-19 codes that have a page.
var codes = []string{"npub1", "note1", "nevent1", "naddr1", "nprofile1"}

// Site fills in what all pages of a site share.
func Site(ix index.Index, base string) (web.Site, error) {
	site := web.Site{Base: base, Build: ix.Build}
	for name, path := range map[string]*string{
		"app.css": &site.Style, "boot.js": &site.Boot, "worker.js": &site.Worker,
		"wasm_exec.js": &site.Exec, "app.wasm": &site.Wasm, "manifest.webmanifest": &site.Manifest,
		"icon.svg": &site.Icon, "icon-180.png": &site.Touch,
	} {
		asset, ok := ix.Find(name)
		if !ok {
			return site, fmt.Errorf("the packed files lack %s, which every page needs; run `make build`", name)
		}
		*path = base + asset.Path
		if path == &site.Wasm {
			site.WasmSize = asset.Size
		}
	}
	return site, nil
}

// Pages serves the pages of a site at the root of a host.
type Pages struct {
	mux     *http.ServeMux
	coded   page
	missing page
}

// page is a rendered page.
type page struct {
	html   []byte
	etag   string
	status int
}

// New renders the pages once; they depend on nothing of a request. Rooms are
// shown at the start.
func New(site web.Site, rooms []web.Room) (*Pages, error) {
	p := &Pages{mux: http.NewServeMux()}
	for _, r := range routes {
		each, err := render(r.page, site, rooms, http.StatusOK)
		if err != nil {
			return nil, err
		}
		p.mux.Handle("GET "+r.pattern, each)
	}
	var err error
	if p.missing, err = render(missing, site, nil, http.StatusNotFound); err != nil {
		return nil, err
	}
	if p.coded, err = render(coded, site, nil, http.StatusOK); err != nil {
		return nil, err
	}
	p.mux.HandleFunc("GET /{code}", p.serveCode)
	p.mux.HandleFunc("/", p.serveRest)
	return p, nil
}

func render(view web.Page, site web.Site, rooms []web.Room, status int) (page, error) {
	view.Site = site
	if view.Kind == web.Start {
		view.Rooms = rooms
	}
	html, err := view.Render()
	sum := sha256.Sum256(html)
	return page{html: html, etag: strconv.Quote(hex.EncodeToString(sum[:8])), status: status}, err
}

// ServeHTTP answers any path: one that is none of the app's with the shell and
// 404, since the app may know better.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.mux.ServeHTTP(w, r) }

func (p *Pages) serveCode(w http.ResponseWriter, r *http.Request) {
	for _, prefix := range codes {
		if strings.HasPrefix(r.PathValue("code"), prefix) {
			p.coded.ServeHTTP(w, r)
			return
		}
	}
	p.missing.ServeHTTP(w, r)
}

func (p *Pages) serveRest(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Pages can only be read: use GET.", http.StatusMethodNotAllowed)
		return
	}
	p.missing.ServeHTTP(w, r)
}

func (p page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Cache-Control", "no-cache")
	if p.status == http.StatusOK {
		head.Set("ETag", p.etag)
		if files.Matches(r.Header.Values("If-None-Match"), p.etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Content-Length", strconv.Itoa(len(p.html)))
	w.WriteHeader(p.status)
	if r.Method != http.MethodHead {
		w.Write(p.html) // a client that went away is no concern of ours
	}
}
