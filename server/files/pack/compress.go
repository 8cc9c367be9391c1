package pack

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/andybalholm/brotli"
)

// BestQuality is the best that brotli can do, and the slowest.
const BestQuality = 11

const (
	// minSaving is the part of a file that a twin must save to be worth keeping.
	minSaving = 0.05
	// cacheAge is how long unused compressed content is kept.
	cacheAge = 14 * 24 * time.Hour
)

// encoding is one way to compress.
type encoding struct {
	ext      string
	compress func([]byte, int) ([]byte, error)
	has      func(*source) *bool // the source's mark that the twin is there
}

var encodings = []encoding{
	{".br", Brotli, func(s *source) *bool { return &s.Brotli }},
	{".gz", Gzip, func(s *source) *bool { return &s.Gzip }},
}

// write writes each source and its twins, several at a time.
func write(o Options, sources []*source) error {
	for _, dir := range []string{filepath.Join(o.Out, assetsDir), o.Cache} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	var (
		wait  sync.WaitGroup
		slots = make(chan struct{}, runtime.GOMAXPROCS(0))
		errs  = make([]error, len(sources)*(1+len(encodings)))
	)
	do := func(slot int, f func() error) {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[slot] = f()
		})
	}
	for i, s := range sources {
		at := i * (1 + len(encodings))
		do(at, func() error { return writeFile(filepath.Join(o.Out, s.Path), s.content) })
		for k, e := range encodings {
			do(at+1+k, func() error { return e.write(o, s) })
		}
	}
	wait.Wait()
	return errors.Join(append(errs, trimCache(o.Cache))...)
}

// write writes the source's twin in this encoding, if there is a point in one.
func (e encoding) write(o Options, s *source) error {
	if s.Type == types[".png"] {
		return nil // compressed by itself
	}
	cached := filepath.Join(o.Cache, s.Hash+"."+strconv.Itoa(o.Quality)+e.ext)
	twin, err := os.ReadFile(cached)
	if err != nil {
		if twin, err = e.compress(s.content, o.Quality); err != nil {
			return fmt.Errorf("compressing %s: %w", s.Name, err)
		}
		if err := writeFile(cached, twin); err != nil {
			return err
		}
	}
	now := time.Now()
	if err := os.Chtimes(cached, now, now); err != nil {
		return err
	}
	if float64(len(twin)) > float64(len(s.content))*(1-minSaving) {
		return nil
	}
	*e.has(s) = true
	return writeFile(filepath.Join(o.Out, s.Path+e.ext), twin)
}

// Brotli compresses content with the given quality, 0 to BestQuality.
func Brotli(content []byte, quality int) ([]byte, error) {
	var buf bytes.Buffer
	w := brotli.NewWriterLevel(&buf, quality)
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	err := w.Close()
	return buf.Bytes(), err
}

// Gzip compresses content with the nearest level to a quality of brotli.
func Gzip(content []byte, quality int) ([]byte, error) {
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, min(quality, gzip.BestCompression))
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	err = w.Close()
	return buf.Bytes(), err
}

// writeFile writes a file whole or not at all, and leaves an equal one alone,
// so that Go does not link the server again for nothing.
func writeFile(path string, content []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".pack-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails once renamed, which is as well
	_, err = tmp.Write(content)
	if err := errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// trimCache removes what no build has used for a while.
func trimCache(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > cacheAge {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
