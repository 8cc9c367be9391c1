package relay

// MayWrite says whether somebody may write in a room of this relay: in an open
// one unless an admin removed them from it, in others as a member.
func (r *Relay) MayWrite(pubkey string) bool {
	r.rooms.mu.RLock()
	defer r.rooms.mu.RUnlock()
	for _, rm := range r.rooms.byID {
		open := !rm.private && !rm.restricted && !rm.hidden
		if rm.isMember(pubkey) || open && !rm.barred[pubkey] {
			return true
		}
	}
	return false
}
