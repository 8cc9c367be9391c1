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
	"slices"
	"strings"
	"sync"
)

// meta is what is known of a file beside its bytes.
type meta struct {
	Type     string `json:"type"`
	Size     int64  `json:"size"`
	Uploaded int64  `json:"uploaded"` // unix seconds
	By       string `json:"by"`       // public key
	// Also are others who have uploaded the same bytes since.
	Also []string `json:"also,omitempty"`
}

// owners are all who have uploaded the file and not deleted it.
func (m meta) owners() []string { return append([]string{m.By}, m.Also...) }

// maxOwners is how many may own one file.
const maxOwners = 64

// store is the folder. A file is <hash> and <hash>.json in a folder named by the
// first two digits; both are whole or not there.
type store struct {
	dir string

	mu    sync.Mutex
	total int64
	byKey map[string]int64 // a file counts for each of its owners
}

const (
	metaSuffix  = ".json"
	draftPrefix = "draft-"
)

// openStore counts what is kept and removes what an upload or a deletion left
// half done.
func openStore(dir string) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	s := &store{dir: dir, byKey: map[string]int64{}}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		hash, isMeta := strings.CutSuffix(d.Name(), metaSuffix)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return nil
		case strings.HasPrefix(d.Name(), draftPrefix), isHash(hash) && alone(path, isMeta):
			return os.Remove(path)
		case !isMeta:
			return nil
		}
		if m, err := readMeta(path); err == nil { // else its file is not served
			s.count(m.Size, m.Size, m.owners()...)
		}
		return nil
	})
	return s, err
}

// alone says whether a file has no meta, or a meta no file.
func alone(path string, isMeta bool) bool {
	other := path + metaSuffix
	if isMeta {
		other = strings.TrimSuffix(path, metaSuffix)
	}
	_, err := os.Stat(other)
	return errors.Is(err, fs.ErrNotExist)
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

// count adds to the sums, for all and for some owners; the caller holds mu, or
// is alone.
func (s *store) count(all, each int64, owners ...string) {
	s.total += all
	for _, key := range owners {
		if s.byKey[key] += each; s.byKey[key] == 0 {
			delete(s.byKey, key)
		}
	}
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

// Why a file is not kept.
var (
	errFull  = errors.New("there is no room left for this file")
	errQuota = errors.New("you have uploaded as much as one key may; delete something first")
)

// keep puts a draft in its place. It is false when the file was here already;
// then the meta of the first one is given, and who uploaded it again owns it,
// too, while there is room for that.
func (s *store) keep(d *draft, m meta, limits Limits) (meta, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	overQuota := s.byKey[m.By]+d.size > limits.MaxPerKey
	if old, err := s.find(d.hash); err == nil {
		if overQuota || len(old.Also) >= maxOwners-1 || slices.Contains(old.owners(), m.By) {
			return old, false, nil
		}
		old.Also = append(old.Also, m.By)
		if err := writeMeta(s.dir, s.path(d.hash)+metaSuffix, old); err != nil {
			return old, false, err
		}
		s.count(0, old.Size, m.By)
		return old, false, nil
	}
	switch {
	case overQuota:
		return m, false, errQuota
	case s.total+d.size > limits.MaxTotal:
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
		return m, false, errors.Join(err, os.Remove(path))
	}
	s.count(m.Size, m.Size, m.By)
	return m, true, nil
}

// errNotOwner is why a file is not deleted.
var errNotOwner = errors.New("only who uploaded this file may delete it")

// release takes an owner off a file, and removes it with its last one. Until
// its meta is gone it is served.
func (s *store) release(hash, key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, err := s.find(hash)
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(m.owners(), func(owner string) bool { return owner == key })
	path := s.path(hash)
	switch {
	case len(left) == len(m.owners()):
		return errNotOwner
	case len(left) > 0:
		m.By, m.Also = left[0], left[1:]
		if err := writeMeta(s.dir, path+metaSuffix, m); err != nil {
			return err
		}
		s.count(0, -m.Size, key)
		return nil
	}
	if err := os.Remove(path + metaSuffix); err != nil {
		return err
	}
	s.count(-m.Size, -m.Size, key)
	return os.Remove(path)
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
