package nip44

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func peers(t testing.TB, n int) (out []string) {
	for i := range n {
		out = append(out, publicKey(t, fmt.Sprintf("%064x", i+1)))
	}
	return out
}

func TestCacheGivesTheConversationKey(t *testing.T) {
	var c Cache
	secret := [32]byte{31: 9}
	for range 2 {
		for _, peer := range peers(t, 3) {
			want, _ := ConversationKey(secret, peer)
			if got, err := c.Key("me", secret, peer); err != nil || got != want {
				t.Fatalf("Key(%s) = %x, %v, want %x", peer, got, err, want)
			}
		}
	}
	if c.Len() != 3 {
		t.Errorf("%d keys kept, want 3", c.Len())
	}
	if _, err := c.Key("me", secret, "nonsense"); err == nil || c.Len() != 3 {
		t.Errorf("a bad key: %v, %d kept", err, c.Len())
	}
}

func TestCacheIsBoundedAndForgetsTheLongestUnused(t *testing.T) {
	c := Cache{Size: 2}
	secret := [32]byte{31: 9}
	p := peers(t, 3)
	for _, peer := range []string{p[0], p[1], p[0], p[2]} {
		if _, err := c.Key("me", secret, peer); err != nil {
			t.Fatal(err)
		}
	}
	if c.Len() != 2 {
		t.Fatalf("%d keys kept, want 2", c.Len())
	}
	for i, want := range []bool{true, false, true} {
		if _, ok := c.get(pair{"me", p[i]}); ok != want {
			t.Errorf("peer %d kept: %v, want %v", i, ok, want)
		}
	}
}

func TestDefaultCacheSize(t *testing.T) {
	var c Cache
	for i := range DefaultCacheSize + 1 {
		c.put(pair{"me", fmt.Sprint(i)}, [32]byte{1})
		if want := min(i+1, DefaultCacheSize); c.Len() != want {
			t.Fatalf("%d keys kept, want %d", c.Len(), want)
		}
	}
}

func TestCacheKeepsOwnersApart(t *testing.T) {
	var c Cache
	peer := peers(t, 1)[0]
	a, _ := c.Key("a", [32]byte{31: 8}, peer)
	b, _ := c.Key("b", [32]byte{31: 9}, peer)
	if a == b {
		t.Error("two owners share a key")
	}
	c.Forget("a")
	if _, ok := c.get(pair{"a", peer}); ok || c.Len() != 1 {
		t.Error("the keys of a are still there")
	}
}

func TestCacheInManyGoroutines(t *testing.T) {
	c := Cache{Size: 3}
	p := peers(t, 5)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 10 {
				owner := strings.Repeat("o", 1+i%2)
				if _, err := c.Key(owner, [32]byte{31: byte(1 + i%2)}, p[(i+j)%len(p)]); err != nil {
					t.Error(err)
				}
				if j == 5 {
					c.Forget(owner)
				}
			}
		})
	}
	wg.Wait()
	if c.Len() > 3 {
		t.Errorf("%d keys kept, want 3 at most", c.Len())
	}
}
