// Package static writes the app as a folder for any file host: the same files
// and pages that the server hands out, with what the server would say in
// headers and answers put into files.
package static

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"parley/server/files/index"
	"parley/server/files/pack"
	"parley/server/pages"
	"parley/server/serve"
	"parley/web"
)

// Options say what to write.
type Options struct {
	Files  fs.FS    // the packed files, see server/files/pack
	Out    string   // the folder; must not exist or be empty
	Base   string   // the path on the host: "/" or "/parley/"
	Relays []string // at least one
}

var basePath = regexp.MustCompile(`^/([A-Za-z0-9._~-]+/)*$`)

func (o Options) check() error {
	if !basePath.MatchString(o.Base) {
		return fmt.Errorf("the base %q is not a path with a slash at both ends, of letters, digits and .-_~: use for instance BASE=/parley/", o.Base)
	}
	if len(o.Relays) == 0 {
		return fmt.Errorf(`a static site has no relay of its own: name one, for instance make dist RELAYS="wss://relay.example.org"`)
	}
	for _, relay := range o.Relays {
		if err := serve.CheckRelay(relay); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(o.Out)
	if err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty: remove it first, or write elsewhere", o.Out)
	}
	return nil
}

// Write writes the folder.
func Write(o Options) error {
	if err := o.check(); err != nil {
		return err
	}
	ix, err := index.Read(o.Files)
	if err != nil {
		return err
	}
	texts, err := o.texts(ix)
	if err == nil {
		err = o.copyAssets(ix)
	}
	for name, content := range texts {
		if err == nil {
			err = o.writeText(name, content)
		}
	}
	if err != nil {
		return fmt.Errorf("writing the static site to %s: %w", o.Out, err)
	}
	return nil
}

// texts are the files that the server would answer with itself. A host shows
// 404.html for every path it has no file for, which are all but one of the
// app's; the app then looks at the path.
func (o Options) texts(ix index.Index) (map[string][]byte, error) {
	site, err := pages.Site(ix, o.Base)
	if err != nil {
		return nil, err
	}
	policy := web.Policy{Meta: true}
	for _, relay := range o.Relays {
		policy.PlainHTTP = policy.PlainHTTP || serve.PlainRelay(relay)
	}
	site.Policy = policy.String()
	start, err := web.Page{Kind: web.Start, Site: site}.Render()
	if err != nil {
		return nil, err
	}
	rest, err := web.Page{Kind: web.App, Title: "Parley", Site: site}.Render()
	if err != nil {
		return nil, err
	}
	config := serve.NewSite(ix.Build, o.Relays, serve.DefaultRunTimeout)
	data, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"index.html": start, "404.html": rest, "config.json": append(data, '\n')}, nil
}

func (o Options) copyAssets(ix index.Index) error {
	for _, a := range ix.Assets {
		for ext, there := range map[string]bool{"": true, ".br": a.Brotli, ".gz": a.Gzip} {
			if !there {
				continue
			}
			content, err := fs.ReadFile(o.Files, a.Path+ext)
			if err == nil {
				err = o.write(a.Path+ext, content)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// writeText writes a file with its compressed twins.
func (o Options) writeText(name string, content []byte) error {
	br, err := pack.Brotli(content, pack.BestQuality)
	if err != nil {
		return err
	}
	gz, err := pack.Gzip(content, pack.BestQuality)
	if err != nil {
		return err
	}
	for ext, form := range map[string][]byte{"": content, ".br": br, ".gz": gz} {
		if err := o.write(name+ext, form); err != nil {
			return err
		}
	}
	return nil
}

func (o Options) write(name string, content []byte) error {
	path := filepath.Join(o.Out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}
