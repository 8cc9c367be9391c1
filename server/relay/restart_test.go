package relay

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/nbd-wtf/go-nostr"
)

// TestRestart: rooms, members, bars and codes are rebuilt from what is stored,
// under the same key, and nothing is signed anew without need.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	open := func() (*Relay, func()) {
		r, err := Open(Config{Dir: dir, URL: "ws://localhost/relay", Name: "test"})
		if err != nil {
			t.Fatal(err)
		}
		return r, func() {
			if err := r.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
	}
	owner, ann, bob := newPerson(t, 1), newPerson(t, 2), newPerson(t, 3)
	h := nostr.Tag{"h", "r"}
	r, end := open()
	first := r.PubKey()
	publish := func(who person, kind int, tags ...nostr.Tag) error {
		return r.Publish(t.Context(), who.sign(t, kind, randomID(int(serial.Add(1))), tags...))
	}
	for _, err := range []error{
		publish(owner, kindCreateRoom, h),
		publish(owner, kindEditMeta, h, nostr.Tag{"name", "R"}, nostr.Tag{"private"}, nostr.Tag{"closed"}),
		publish(owner, kindPutUser, h, p(ann), p(bob)),
		publish(owner, kindRemoveUser, h, p(bob)),
		publish(owner, kindInvite, h, nostr.Tag{"code", "abc"}),
		publish(owner, kindCreateRoom, nostr.Tag{"h", "gone"}),
		publish(owner, kindDeleteRoom, nostr.Tag{"h", "gone"}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	before := stateOf(r, "r")
	end()
	r, end = open()
	defer end()
	if r.PubKey() != first {
		t.Error("the relay has another key")
	}
	if after := stateOf(r, "r"); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if err := publish(ann, 9, h); err != nil {
		t.Errorf("a member's message: %v", err)
	}
	if err := publish(bob, 9, h); err == nil {
		t.Error("who was removed may write")
	}
	if err := publish(owner, kindCreateRoom, nostr.Tag{"h", "gone"}); err == nil {
		t.Error("a deleted room was made again")
	}
	if err := publish(bob, kindJoin, h, nostr.Tag{"code", "abc"}); err != nil {
		t.Errorf("a code from before: %v", err)
	}
}

// stateOf tells a room's state and the ids of what the relay says of it.
func stateOf(r *Relay, id string) string {
	rm, _ := r.rooms.get(id)
	var ids []string
	c := r.store.Query(nostr.Filter{Tags: nostr.TagMap{"d": {id}}})
	rows, err := c.Next(context.Background(), r.now())
	for _, row := range rows {
		ids = append(ids, string(row.Raw))
	}
	return fmt.Sprintf("%+v %v %v", *rm, ids, err)
}

// TestMetadataIsPutRight: what the relay says of a room is signed again when it
// is missing or wrong, as after an update of the program.
func TestMetadataIsPutRight(t *testing.T) {
	p := openPlace(t, nil)
	rm, _ := p.rooms.get(lobbyID)
	changed := rm.clone()
	changed.about = "Other words."
	if err := p.redescribe(changed); err != nil {
		t.Fatal(err)
	}
	got := p.dial(t).ask("q", obj{"kinds": []int{kindMeta}})
	if len(got) != 1 || got[0].Tags.Find("about")[1] != "Other words." || int64(got[0].CreatedAt) <= rm.stamp {
		t.Errorf("got %v", got)
	}
}

func TestKeyFile(t *testing.T) {
	dir := t.TempDir()
	id, err := openIdentity(dir)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := openIdentity(dir); err != nil || again != id {
		t.Errorf("%v %v", again, err)
	}
	path := filepath.Join(dir, keyFile)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key can be read by others: %v %v", info, err)
	}
	for _, bad := range []string{"", "x", strings.Repeat("0", 64), strings.Repeat("f", 64), strings.Repeat("1", 62), strings.Repeat("1", 66)} {
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := openIdentity(dir); err == nil {
			t.Errorf("%q was taken for a key", bad)
		}
		if left, _ := os.ReadFile(path); string(left) != bad {
			t.Errorf("the file that holds %q was written over", bad)
		}
	}
}

// TestClose: clients are told, and a relay that is closed takes nothing.
func TestClose(t *testing.T) {
	r, err := Open(Config{Dir: t.TempDir(), URL: "ws://localhost/relay"})
	if err != nil {
		t.Fatal(err)
	}
	server := &place{Relay: r}
	http := serveHTTP(t, r)
	server.url, server.config.URL = http, http
	idle, deaf := server.dial(t), server.deaf(t, `["REQ","a",{}]`)
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	idle.waitEnd()
	if !websocket.IsCloseError(idle.end, websocket.CloseGoingAway) {
		t.Errorf("the end was %v", idle.end)
	}
	if err := r.Publish(t.Context(), newPerson(t, 1).sign(t, 1, "late")); err == nil || !strings.HasPrefix(err.Error(), failed) {
		t.Errorf("after the end: %v", err)
	}
	deaf.Close()
}

// The test binary, started again with this variable set, is a relay in the
// folder it names. It prints its address.
const childDir = "PARLEY_TEST_RELAY_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		runChild(dir)
		return
	}
	os.Exit(m.Run())
}

// TestKill: a relay that is killed in the middle of everything has lost nothing
// that it had acknowledged, three times over.
func TestKill(t *testing.T) {
	const publishers = 4
	dir := t.TempDir()
	acked := map[string]bool{}
	for round := range 3 {
		child, url := startChild(t, dir)
		at := &place{url: url}
		var all sync.WaitGroup
		var mu sync.Mutex
		enough := make(chan struct{})
		target := len(acked) + scaled(800)
		for n := range publishers {
			c, who := at.dial(t), newPerson(t, byte(n+1))
			all.Add(2)
			go func() { // sends until the end
				defer all.Done()
				for i := 0; ; i++ {
					ev := who.sign(t, 9, fmt.Sprint(round, n, i), nostr.Tag{"h", lobbyID})
					if c.ws.WriteMessage(websocket.TextMessage, message(msgEvent, ev)) != nil {
						return
					}
				}
			}()
			go func() { // counts until the end
				defer all.Done()
				for {
					h, ok := c.wait(func(h heard) bool { return h.label == msgOK })
					if !ok {
						return
					}
					mu.Lock()
					if h.ok {
						acked[h.id] = true
					}
					if len(acked) == target {
						close(enough)
					}
					mu.Unlock()
				}
			}()
		}
		<-enough
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		child.Wait() // killed: its error is known
		all.Wait()
	}
	_, url := startChild(t, dir)
	got := map[string]bool{}
	c := (&place{url: url}).dial(t)
	for _, ev := range c.ask("all", obj{"kinds": []int{9}}) {
		got[ev.ID] = true
	}
	lost := 0
	for id := range acked {
		if !got[id] {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d acknowledged events are lost", lost, len(acked))
	}
	if rooms := c.ask("meta", obj{"kinds": []int{kindMeta}}); len(rooms) != 1 {
		t.Errorf("%d rooms", len(rooms))
	}
}

// startChild starts a relay as a process of its own.
func startChild(t *testing.T, dir string) (*exec.Cmd, string) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childDir+"="+dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { child.Process.Kill(); child.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return child, strings.TrimSpace(line)
}
