package signer

// Waiting is how many requests a Remote remembers.
func Waiting(r *Remote) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.requests)
}
