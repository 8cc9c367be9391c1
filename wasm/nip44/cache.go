package nip44

import (
	"container/list"
	"sync"
)

// DefaultCacheSize is the number of conversation keys a Cache keeps when it is
// not told otherwise.
const DefaultCacheSize = 512

// Cache keeps the conversation keys used last, per owner of a secret and public
// key of the other side. It is safe for concurrent use and starts no goroutine.
// The zero value is ready to use.
type Cache struct {
	// Size is the number of keys kept, DefaultCacheSize when zero. Not to be
	// changed after the first use.
	Size int

	mu    sync.Mutex
	order list.List // of *entry, used last first
	byKey map[pair]*list.Element
}

type pair struct{ owner, peer string }

type entry struct {
	pair pair
	key  [32]byte
}

// Key returns the conversation key between owner, whose secret is given, and
// peer; both are hex public keys. Errors are those of ConversationKey, and are
// not kept.
func (c *Cache) Key(owner string, secret [32]byte, peer string) ([32]byte, error) {
	at := pair{owner, peer}
	if key, ok := c.get(at); ok {
		return key, nil
	}
	key, err := ConversationKey(secret, peer)
	if err != nil {
		return key, err
	}
	c.put(at, key)
	return key, nil
}

// Forget drops every key of owner, as when they sign out.
func (c *Cache) Forget(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at, el := range c.byKey {
		if at.owner == owner {
			c.drop(el)
		}
	}
}

// Len is the number of keys kept now.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.byKey)
}

func (c *Cache) get(at pair) ([32]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byKey[at]
	if !ok {
		return [32]byte{}, false
	}
	c.order.MoveToFront(el)
	return el.Value.(*entry).key, true
}

func (c *Cache) put(at pair, key [32]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byKey[at]; ok {
		return
	}
	if c.byKey == nil {
		c.byKey = make(map[pair]*list.Element)
	}
	c.byKey[at] = c.order.PushFront(&entry{at, key})
	size := c.Size
	if size <= 0 {
		size = DefaultCacheSize
	}
	for len(c.byKey) > size {
		c.drop(c.order.Back())
	}
}

// drop overwrites the key before it lets go of it. The caller holds mu.
func (c *Cache) drop(el *list.Element) {
	e := c.order.Remove(el).(*entry)
	delete(c.byKey, e.pair)
	clear(e.key[:])
}
