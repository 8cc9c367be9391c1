package store

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/nbd-wtf/go-nostr"
)

const (
	// keysAtOnce is how many keys a cursor holds.
	keysAtOnce = 2000
	// rowsAtOnce and bytesAtOnce bound a page.
	rowsAtOnce  = 200
	bytesAtOnce = 256 << 10
)

// Key is a place in the order of answers: newest first, then lowest id.
type Key struct {
	ord int64
	id  []byte // nil: before everything
}

// Row is a stored event with what the right to read it depends on.
type Row struct {
	Key     Key
	Kind    int
	PubKey  string
	Room    string // the h tag, or ""
	Address string // kind:pubkey:d of a replaceable event, or ""
	Raw     []byte // the event as JSON
}

// Before says whether a row stands before or at a key.
func (r Row) Before(k Key) bool {
	return r.Key.ord < k.ord || r.Key.ord == k.ord && string(r.Key.id) <= string(k.id)
}

// Cursor walks through what matches a filter. Between two calls of Next it
// holds nothing of the database.
type Cursor struct {
	store *Store
	f     nostr.Filter
	arms  []arm
	hint  int   // keys to ask for at first
	keys  []Key // found and not read yet
	sizes []int // of the first of keys, in bytes
	last  Key
	done  bool
}

// Query prepares a walk over what matches a filter, newest first, then lowest
// id. Of limit only the hint is taken that no more rows will be wanted: the
// caller stops when it has what it wants.
func (s *Store) Query(f nostr.Filter) *Cursor {
	c := &Cursor{store: s, f: f, hint: keysAtOnce}
	c.done = f.LimitZero || f.IDs != nil && len(f.IDs) == 0 || f.Kinds != nil && len(f.Kinds) == 0 ||
		f.Authors != nil && len(f.Authors) == 0
	for _, values := range f.Tags {
		c.done = c.done || len(values) == 0
	}
	if f.Limit > 0 && f.Limit < keysAtOnce {
		c.hint = f.Limit
	}
	if !c.done {
		c.arms = plan(f)
	}
	return c
}

// Next returns the next page, at most 200 rows and about 256 kB, without events
// that have expired at a time (unix seconds). An empty page is the end.
func (c *Cursor) Next(ctx context.Context, now int64) ([]Row, error) {
	for {
		if len(c.keys) == 0 {
			if c.done {
				return nil, nil
			}
			if err := c.more(ctx); err != nil {
				return nil, fmt.Errorf("store: asking: %w", err)
			}
			continue
		}
		rows, err := c.page(ctx, now)
		if err != nil {
			return nil, fmt.Errorf("store: reading: %w", err)
		}
		if len(rows) > 0 {
			return rows, nil
		}
	}
}

// more looks up the next keys.
func (c *Cursor) more(ctx context.Context) error {
	limit := c.hint
	query, args := selectKeys(c.arms, c.f, c.last, limit)
	rows, err := c.store.read.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	c.keys, c.sizes = c.keys[:0], nil
	for rows.Next() {
		var k Key
		if err := rows.Scan(&k.ord, &k.id); err != nil {
			return err
		}
		c.keys = append(c.keys, k)
	}
	if len(c.keys) > 0 {
		c.last = c.keys[len(c.keys)-1]
	}
	c.done = len(c.keys) < limit
	c.hint = keysAtOnce
	return rows.Err()
}

// page reads the first of the keys found, and drops them.
func (c *Cursor) page(ctx context.Context, now int64) ([]Row, error) {
	if len(c.sizes) == 0 {
		if err := c.measure(ctx); err != nil {
			return nil, err
		}
	}
	n, bytes := 0, 0
	for n < len(c.sizes) && (n == 0 || bytes+c.sizes[n] <= bytesAtOnce) {
		bytes += c.sizes[n]
		n++
	}
	wanted := c.keys[:n]
	c.keys, c.sizes = c.keys[n:], c.sizes[n:]
	args := append(ids(wanted), now)
	rows, err := c.store.read.QueryContext(ctx, `SELECT id, kind, pubkey, coalesce(room, ''), coalesce(address, ''), raw
		FROM events WHERE id IN (`+marks(n)+`) AND (expires IS NULL OR expires > ?)`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := make(map[string]Row, n)
	for rows.Next() {
		var r Row
		var id, pubkey []byte
		if err := rows.Scan(&id, &r.Kind, &pubkey, &r.Room, &r.Address, &r.Raw); err != nil {
			return nil, err
		}
		r.PubKey = hexOf(pubkey)
		found[string(id)] = r
	}
	var out []Row
	for _, k := range wanted {
		if r, ok := found[string(k.id)]; ok { // else deleted since, or expired
			r.Key = k
			out = append(out, r)
		}
	}
	return out, rows.Err()
}

// measure looks up the sizes of the next rows, so that a page of large events
// is never read whole into memory.
func (c *Cursor) measure(ctx context.Context) error {
	some := c.keys[:min(len(c.keys), rowsAtOnce)]
	rows, err := c.store.read.QueryContext(ctx, "SELECT id, length(raw) FROM events WHERE id IN ("+marks(len(some))+")", ids(some)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	sizes := make(map[string]int, len(some))
	for rows.Next() {
		var id []byte
		var size int
		if err := rows.Scan(&id, &size); err != nil {
			return err
		}
		sizes[string(id)] = size
	}
	c.sizes = slices.Grow(c.sizes[:0], len(some))
	for _, k := range some {
		c.sizes = append(c.sizes, sizes[string(k.id)])
	}
	return rows.Err()
}

func ids(some []Key) []any {
	out := make([]any, len(some))
	for i, k := range some {
		out[i] = k.id
	}
	return out
}

// keys are ids or public keys as they are stored. What is none matches nothing.
func keys(hexes []string) []any {
	out := make([]any, len(hexes))
	for i, h := range hexes {
		out[i] = tagValue(h)
	}
	return out
}

func anys[T any](in []T) []any {
	out := make([]any, len(in))
	for i, v := range in {
		out[i] = v
	}
	return out
}

func hexOf(b []byte) string { return hex.EncodeToString(b) }
