package store

import (
	"context"
	"time"
)

// OpenWait is how long the browser may take to open the database, another tab
// closing its older one included, before memory takes over.
const OpenWait = 8 * time.Second

// Open gives the store of this browser under a database name. It never fails:
// without a working IndexedDB it gives one in memory, and it goes on in
// memory when writing fails later. changed, which may be nil, is told once,
// from any goroutine, when a durable store stops being one, in the words of
// Durable.
func Open(ctx context.Context, name string, changed func(why string)) Store {
	base := &idbStore{name: name}
	return newFallback(base, base.open(ctx), changed)
}
