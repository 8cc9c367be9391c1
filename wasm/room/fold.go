package room

import "github.com/nbd-wtf/go-nostr"

// Fold is one room's state: a pure function of the set of (event, earliest
// seen) that was added, of the relay's key and of the blocked keys. Neither the
// order of the calls nor repetition matters. It is not safe for concurrent use.
type Fold struct {
	ref Ref
}

// New returns an empty room. relayKey is the hex key that signs the relay's
// 39000 to 39003 (NIP-11 "self"), "" while unknown; people may be shared by all
// rooms of an account, nil makes one of its own.
func New(ref Ref, relayKey string, people *Profiles) *Fold { return &Fold{ref: ref} }

// SetRelayKey makes the relay's key known after the fact (NIP-11 "self").
func (f *Fold) SetRelayKey(key string) {}

// SetBlocked replaces the set of hex keys whose messages and reactions are
// neither listed nor counted.
func (f *Fold) SetBlocked(keys []string) {}

// Add takes in a verified event that first arrived at seen (unix seconds). It
// is false when nothing changed: known with the same or an earlier seen, of
// another room, or of a kind that a room does not know. The fold keeps the
// pointer; the event must not be changed afterwards.
func (f *Fold) Add(e *nostr.Event, seen int64) bool { return false }

// Remove takes out an event that was withdrawn from the outbox before it was
// sent. It is false when the event is not there.
func (f *Fold) Remove(id string) bool { return false }

// Window is a stretch of a timeline or thread, oldest first, and how many
// messages stand on either side of it.
type Window struct {
	IDs   []string
	Older int
	Newer int
}

// Window returns up to before messages of the timeline up to and with the
// anchor, and up to after messages behind it. An empty or unknown anchor is the
// end.
func (f *Fold) Window(anchor string, before, after int) Window { return Window{} }

// ThreadWindow is Window for the thread under root, the root first.
func (f *Fold) ThreadWindow(root, anchor string, before, after int) Window { return Window{} }

// Thread returns the ids of a whole thread in order, the root first when it is
// loaded.
func (f *Fold) Thread(root string) []string { return nil }

// Message returns an event as a reader with the key me ("" for nobody) sees it.
// It is false for events that are not loaded, deleted, blocked, or no message.
func (f *Fold) Message(id, me string) (Message, bool) { return Message{}, false }

// FullText is the whole text of a message after its newest edit, however long.
func (f *Fold) FullText(id string) string { return "" }

// IsAnswer reports whether an event is a kind 1111 that answers a native
// question form of this room. The form's card shows it, no thread does.
func (f *Fold) IsAnswer(id string) bool { return false }

// Event returns an event of the room by its id, nil when it is not loaded.
func (f *Fold) Event(id string) *nostr.Event { return nil }

// Seen returns when an event first arrived (unix seconds), 0 when not loaded.
func (f *Fold) Seen(id string) int64 { return 0 }

// Deleted reports whether an event is loaded and was deleted, by its author
// (NIP-09) or by an admin of the room (NIP-29 kind 9005).
func (f *Fold) Deleted(id string) bool { return false }

// SameReactions returns the ids of all reactions that say the same as this one:
// same person, same message, same content. Taking one back takes back all.
func (f *Fold) SameReactions(id string) []string { return nil }

// Meta returns what the relay says of the room.
func (f *Fold) Meta() Meta { return Meta{} }

// IsMember reports whether a key is a member as far as is known.
func (f *Fold) IsMember(pubkey string) bool { return false }

// IsAdmin reports whether the newest 39001 names a key.
func (f *Fold) IsAdmin(pubkey string) bool { return false }

// Members returns the hex keys of the room's members, sorted.
func (f *Fold) Members() []string { return nil }

// Admins returns the hex keys of the room's admins, sorted.
func (f *Fold) Admins() []string { return nil }

// Last returns the newest message of the timeline.
func (f *Fold) Last() (Message, bool) { return Message{}, false }

// Unread is what stands after a reading mark.
type Unread struct {
	Count int    // messages of others; those whose clock is ahead do not count
	First string // the id of the first of them
	Loud  bool   // one of them names me in a p tag
}

// Unread counts the timeline's messages after the mark, of others than me.
func (f *Fold) Unread(mark Mark, me string) Unread { return Unread{} }

// ThreadUnread is Unread for the replies of a thread.
func (f *Fold) ThreadUnread(root string, mark Mark, me string) Unread { return Unread{} }

// MarkAt returns the reading mark for having read up to and with a message, at
// now (unix seconds). A message whose clock is ahead moves no mark: the newest
// one before it that is not does. It is false when there is none.
func (f *Fold) MarkAt(id string, now int64) (Mark, bool) { return Mark{}, false }

// Missing returns the ids that these messages reply to or that are their
// thread's root and that are not loaded, to be asked for.
func (f *Fold) Missing(ids []string) []string { return nil }

// People returns the hex keys of everybody who appears in these messages:
// authors, quoted, reacting and mentioned people.
func (f *Fold) People(ids []string) []string { return nil }

// Changes is what may look different since the last TakeChanged.
type Changes struct {
	Messages []string // ids whose Message may have changed, come or gone, sorted
	Timeline bool     // messages came into, left or moved in the timeline
	Threads  []string // roots of threads that messages came into, left or moved in, sorted
	Meta     bool     // Meta, members or their names
}

// TakeChanged returns and forgets what may have changed, profiles included.
func (f *Fold) TakeChanged() Changes { return Changes{} }

// ThreadReplyKind is the kind to write a reply under root with: 12 where the
// thread has kind 12 replies or its root is a 43001 or a 9, else 1111.
func (f *Fold) ThreadReplyKind(root string) int { return 0 }
