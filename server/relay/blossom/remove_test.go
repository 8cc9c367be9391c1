package blossom

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/verify"
)

// become makes somebody else of the site's person, who may upload, too.
func (s *site) become(t *testing.T, secret [32]byte) {
	t.Helper()
	s.secret = secret
	var err error
	if s.member, err = verify.PublicKey(secret); err != nil {
		t.Fatal(err)
	}
}

func (s *site) delete(data []byte, change func(ev *nostr.Event)) *httptest.ResponseRecorder {
	s.t.Helper()
	header := s.token(data, func(ev *nostr.Event) {
		ev.Tags[0][1] = verbDelete
		if change != nil {
			change(ev)
		}
	})
	return s.do("DELETE", "/"+hashHex(data), nil, map[string]string{"Authorization": header})
}

func (s *site) has(data []byte) bool {
	return s.do("GET", "/"+hashHex(data), nil, nil).Code == http.StatusOK
}

// "Servers MUST accept DELETE requests to the /<sha256> endpoint." (BUD-12)
func TestWhoUploadedAFileMayDeleteIt(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Limits{MaxPerKey: 5})
	data := []byte("hello")
	s.upload(data, "text/plain")
	for name, c := range map[string]struct {
		change func(ev *nostr.Event)
		code   int
	}{
		"for an upload":    {func(ev *nostr.Event) { ev.Tags[0][1] = verbUpload }, 401},
		"for another file": {func(ev *nostr.Event) { ev.Tags[1][1] = hashHex(nil) }, 401},
		"for no file":      {func(ev *nostr.Event) { ev.Tags[1][0] = "y" }, 401},
		"expired":          {func(ev *nostr.Event) { ev.Tags[2][1] = fmt.Sprint(now) }, 401},
		"another server":   {func(ev *nostr.Event) { ev.Tags = append(ev.Tags, nostr.Tag{"server", "cdn.example"}) }, 401},
	} {
		if w := s.delete(data, c.change); w.Code != c.code || !s.has(data) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	if w := s.delete([]byte("not here"), nil); w.Code != http.StatusNotFound {
		t.Errorf("what is not here: %d", w.Code)
	}
	if w := s.upload([]byte("more"), "text/plain"); w.Code != http.StatusTooManyRequests {
		t.Errorf("over the quota: %d", w.Code)
	}
	// "Multiple x tags MUST NOT be interpreted as the user requesting to delete
	// multiple blobs."
	several := func(ev *nostr.Event) { ev.Tags = append(ev.Tags, nostr.Tag{"x", hashHex(nil)}) }
	if w := s.delete(data, several); w.Code != http.StatusNoContent || s.has(data) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := s.delete(data, nil); w.Code != http.StatusNotFound {
		t.Errorf("again: %d", w.Code)
	}
	if w := s.upload([]byte("other"), "text/plain"); w.Code != http.StatusCreated {
		t.Errorf("what was deleted still counts: %d %s", w.Code, w.Body)
	}
	if again := open(t, dir, Limits{}); again.has(data) || again.store.total != 5 {
		t.Errorf("after a restart: %d bytes", again.store.total)
	}
}

func TestAFileOfSeveralGoesWithTheLast(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Limits{})
	data := []byte("hello")
	var ann, bob, carl [32]byte
	for _, secret := range []*[32]byte{&ann, &bob, &carl} {
		rand.Read(secret[:])
	}
	for _, secret := range [][32]byte{ann, bob, bob} {
		s.become(t, secret)
		s.upload(data, "text/plain")
	}
	s.become(t, carl)
	if w := s.delete(data, nil); w.Code != http.StatusForbidden || !strings.Contains(w.Header().Get("X-Reason"), "uploaded") {
		t.Errorf("by somebody else: %d %s", w.Code, w.Body)
	}
	s.become(t, ann)
	if w := s.delete(data, nil); w.Code != http.StatusNoContent || !s.has(data) {
		t.Errorf("by one of two: %d", w.Code)
	}
	if w := s.delete(data, nil); w.Code != http.StatusForbidden {
		t.Errorf("twice by one: %d", w.Code)
	}
	s = open(t, dir, Limits{}) // who owns a file survives a restart
	s.become(t, bob)
	if w := s.delete(data, nil); w.Code != http.StatusNoContent || s.has(data) {
		t.Errorf("by the other: %d", w.Code)
	}
	if len(s.store.byKey) != 0 || s.store.total != 0 {
		t.Errorf("still counted: %v %d", s.store.byKey, s.store.total)
	}
}

func TestTheOwnersOfAFileAreBounded(t *testing.T) {
	s := open(t, t.TempDir(), Limits{})
	data := []byte("hello")
	for n := range maxOwners + 2 {
		s.become(t, [32]byte{31: byte(n + 1)})
		if w := s.upload(data, "text/plain"); w.Code >= 300 {
			t.Fatalf("upload %d: %d", n, w.Code)
		}
		if m, err := s.store.find(hashHex(data)); err != nil || len(m.owners()) != min(n+1, maxOwners) {
			t.Fatalf("%d uploads: %d owners, %v", n+1, len(m.owners()), err)
		}
	}
}

func TestOpeningRemovesAFileWithoutItsMeta(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Limits{})
	one, two, three := []byte("one"), []byte("two"), []byte("three")
	for _, data := range [][]byte{one, two, three} {
		s.upload(data, "text/plain")
	}
	if err := os.Remove(s.store.path(hashHex(one)) + metaSuffix); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(s.store.path(hashHex(two))); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, Limits{})
	if s.store.total != int64(len(three)) || !s.has(three) {
		t.Errorf("%d bytes are counted", s.store.total)
	}
	for _, path := range []string{s.store.path(hashHex(one)), s.store.path(hashHex(two)) + metaSuffix} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestOnLoopbackTheNamesOfTheMachineAreOne, also in a token's server tag.
func TestOnLoopbackTheNamesOfTheMachineAreOne(t *testing.T) {
	s := open(t, t.TempDir(), Limits{})
	for host, names := range map[string]map[string]bool{
		"localhost":    {"127.0.0.1": true, "::1": true, "localhost": true, "chat.example": false},
		"chat.example": {"localhost": false, "127.0.0.1": false, "chat.example": true},
	} {
		s.host = host
		for name, good := range names {
			data := []byte(host + name)
			header := s.token(data, func(ev *nostr.Event) { ev.Tags = append(ev.Tags, nostr.Tag{"server", name}) })
			if w := s.do("PUT", "/upload", data, map[string]string{"Authorization": header}); (w.Code == http.StatusCreated) != good {
				t.Errorf("%s on %s: %d", name, host, w.Code)
			}
		}
	}
}

// TestSlowUploadsTakeNotAllPlaces: of one address no more than its share.
func TestSlowUploadsTakeNotAllPlaces(t *testing.T) {
	s := open(t, t.TempDir(), Limits{})
	slow := make(chan int)
	var ends []io.Closer
	send := func(ip string) {
		reader, writer := io.Pipe()
		ends = append(ends, writer)
		r := httptest.NewRequest("PUT", "/upload", reader)
		r.RemoteAddr = ip + ":1000"
		r.Header.Set("Authorization", s.token(nil, nil))
		go func() { // ends when the writer is closed
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			slow <- w.Code
		}()
	}
	try := func(ip string) int {
		data := []byte("hello")
		r := httptest.NewRequest("PUT", "/upload", strings.NewReader("hello"))
		r.RemoteAddr = ip + ":1000"
		r.Header.Set("Authorization", s.token(data, nil))
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Code
	}
	taken := 0
	for ip := range MaxUploads / MaxUploadsPerIP {
		for range MaxUploadsPerIP {
			send(fmt.Sprintf("192.0.2.%d", ip))
			for taken++; ; {
				s.mu.Lock()
				n := s.reading
				s.mu.Unlock()
				if n == taken {
					break
				}
			}
		}
		if code := try(fmt.Sprintf("192.0.2.%d", ip)); code != http.StatusTooManyRequests {
			t.Errorf("one more of address %d: %d", ip, code)
		}
		if code := try("192.0.2.99"); (code < 300) != (taken < MaxUploads) {
			t.Errorf("another one beside %d: %d", taken, code)
		}
	}
	for range taken {
		ends[0].Close()
		ends = ends[1:]
		if code := <-slow; code != http.StatusBadRequest {
			t.Errorf("an empty file: %d", code)
		}
	}
	if code := try("192.0.2.0"); code >= 300 || len(s.uploads) != 0 {
		t.Errorf("afterwards: %d %v", code, s.uploads)
	}
}
