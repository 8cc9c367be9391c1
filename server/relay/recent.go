package relay

import "sync"

// maxRecent is how many ephemeral events are remembered, at least, so that a
// copy is not passed on again.
const maxRecent = 32_768

// recent is a set of ids that forgets the oldest: two halves, of which the
// older is dropped when the newer is full.
type recent struct {
	mu       sync.Mutex
	size     int
	new, old map[string]struct{}
}

func newRecent(size int) *recent {
	return &recent{size: size, new: map[string]struct{}{}, old: map[string]struct{}{}}
}

// add says whether an id is new.
func (r *recent) add(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.new[id]; ok {
		return false
	}
	if _, ok := r.old[id]; ok {
		return false
	}
	if len(r.new) >= r.size {
		r.old, r.new = r.new, make(map[string]struct{}, r.size)
	}
	r.new[id] = struct{}{}
	return true
}
