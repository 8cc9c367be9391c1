package store

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// TestOneStoreAFolder: a second one would not see what the first one does.
func TestOneStoreAFolder(t *testing.T) {
	dir := t.TempDir()
	first, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "another Parley works in "+dir) {
		t.Errorf("a second one: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}

// TestDamagedDatabases: what is wrong is said with what to do, and the file stays
// as it is.
func TestDamagedDatabases(t *testing.T) {
	whole := func(t *testing.T) (dir, path string, data []byte) {
		dir = t.TempDir()
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 100 {
			save(t, s, &nostr.Event{ID: hexID(n), PubKey: hexID(n), Kind: 9007, Content: strings.Repeat("x", 1000), Tags: nostr.Tags{{"h", "r"}}})
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		path = filepath.Join(dir, File)
		if data, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		return dir, path, data
	}
	for name, damage := range map[string]func(data []byte) []byte{
		"another file": func(data []byte) []byte { return bytes.Repeat([]byte("hello"), 1000) },
		"cut off":      func(data []byte) []byte { return data[:5000] },
		"written across": func(data []byte) []byte {
			return append(data[:4096:4096], bytes.Repeat([]byte{0xa5}, len(data)-4096)...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, path, data := whole(t)
			data = damage(data)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Open(dir)
			if err == nil { // then reading it fails, as the relay does at its start
				err = s.Replay(func(*nostr.Event) {})
				if err := s.Close(); err != nil {
					t.Log(err)
				}
			}
			if err == nil || !strings.Contains(err.Error(), "damaged: put a copy of it in its place") {
				t.Errorf("got %v", err)
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, data) {
				t.Errorf("the file was changed: %v", err)
			}
			if again, err := Open(t.TempDir()); err != nil || again.Close() != nil {
				t.Error(err)
			}
		})
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, File), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "cannot be opened for writing") {
		t.Errorf("a folder in its place: %v", err)
	}
}
