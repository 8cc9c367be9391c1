package blossom

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// meta is what is known of a file beside its bytes.
type meta struct {
	Type     string `json:"type"`
	Size     int64  `json:"size"`
	Uploaded int64  `json:"uploaded"` // unix seconds
	By       string `json:"by"`       // public key
}

// store is the folder. A file is <hash> and <hash>.json in a folder named by the
// first two digits; both are whole or not there.
type store struct {
	dir string

	mu    sync.Mutex
	total int64
	byKey map[string]int64
}

const (
	metaSuffix  = ".json"
	draftPrefix = "draft-"
)

// openStore counts what is kept and removes what an upload left half done.
func openStore(dir string) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	s := &store{dir: dir, byKey: map[string]int64{}}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(d.Name(), draftPrefix):
			return os.Remove(path)
		case d.IsDir() || !strings.HasSuffix(path, metaSuffix):
			return nil
		}
		m, err := readMeta(path)
		if err != nil {
			return nil // its file is not served
		}
		s.count(m)
		return nil
	})
	return s, err
}

func readMeta(path string) (meta, error) {
	var m meta
	raw, err := os.ReadFile(path)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return m, fmt.Errorf("reading %s: %w", path, err)
	}
	return m, nil
}

// count adds a file to the sums; the caller holds mu, or is alone.
func (s *store) count(m meta) {
	s.total += m.Size
	s.byKey[m.By] += m.Size
}

func (s *store) path(hash string) string { return filepath.Join(s.dir, hash[:2], hash) }

// find is what is known of a file; fs.ErrNotExist when it is not here.
func (s *store) find(hash string) (meta, error) {
	m, err := readMeta(s.path(hash) + metaSuffix)
	if err != nil {
		return m, err
	}
	if _, err := os.Stat(s.path(hash)); err != nil {
		return m, err
	}
	return m, nil
}

// draft is an upload that is not kept yet.
type draft struct {
	file *os.File
	hash string
	size int64
}

// receive writes what comes to a file of its own and hashes it.
func (s *store) receive(body io.Reader) (*draft, error) {
	file, err := os.CreateTemp(s.dir, draftPrefix)
	if err != nil {
		return nil, err
	}
	d := &draft{file: file}
	sum := sha256.New()
	if d.size, err = io.Copy(io.MultiWriter(file, sum), body); err != nil {
		d.drop()
		return nil, err
	}
	d.hash = hex.EncodeToString(sum.Sum(nil))
	return d, nil
}

// drop removes a draft, unless it was kept.
func (d *draft) drop() {
	d.file.Close()
	os.Remove(d.file.Name())
}

// errFull is why a file is not kept: there is no room left.
var errFull = errors.New("there is no room left for this file")

// keep puts a draft in its place. It is false when the file was here already;
// then the meta of the first one is given.
func (s *store) keep(d *draft, m meta, limits Limits) (meta, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, err := s.find(d.hash); err == nil {
		return old, false, nil
	}
	if s.total+d.size > limits.MaxTotal || s.byKey[m.By]+d.size > limits.MaxPerKey {
		return m, false, errFull
	}
	m.Size = d.size
	path := s.path(d.hash)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return m, false, err
	}
	if err := errors.Join(d.file.Sync(), d.file.Close()); err != nil {
		return m, false, err
	}
	if err := os.Rename(d.file.Name(), path); err != nil {
		return m, false, err
	}
	if err := writeMeta(s.dir, path+metaSuffix, m); err != nil {
		return m, false, err
	}
	s.count(m)
	return m, true, nil
}

// writeMeta writes the meta whole or not at all; until it is there the file is
// not served.
func writeMeta(dir, path string, m meta) error {
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, draftPrefix)
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(raw)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
