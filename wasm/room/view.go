package room

// Ref names a room: the relay that hosts it, in normal form, and the group id
// (NIP-29). An id alone never names a room, since two relays may use the same.
type Ref struct {
	Relay string `json:"relay"`
	ID    string `json:"id"`
}

// Person is an author as a reader sees them.
type Person struct {
	PubKey  string `json:"pubkey"`
	Name    string `json:"name"` // from kind 0, else a short npub; never empty
	Picture string `json:"picture,omitempty"`
	About   string `json:"about,omitempty"`
	NIP05   string `json:"nip05,omitempty"`
	Agent   string `json:"agent,omitempty"` // what to write beside an agent's name ("agent", "agent of Ana"); empty for people
}

// Message is one event of a timeline or thread, after edits, with what others
// did to it. Kinds 9, 11 and 43001 stand in a room's timeline; 12 and 1111 in
// their thread.
type Message struct {
	ID         string     `json:"id"`
	Kind       int        `json:"kind"`
	Author     Person     `json:"author"`
	At         int64      `json:"at"`         // unix seconds: min(created_at, seen), the order's first key
	CreatedAt  int64      `json:"created_at"` // unix seconds, as the author wrote it
	ClockAhead bool       `json:"clock_ahead,omitempty"`
	Subject    string     `json:"subject,omitempty"`
	Text       string     `json:"text"` // Markdown, after the newest edit
	Edited     bool       `json:"edited,omitempty"`
	ReplyTo    *Quote     `json:"reply_to,omitempty"`
	Root       string     `json:"root,omitempty"` // the root of the thread it stands in: kinds 12 and 1111, and what is asked in a thread
	Reactions  []Reaction `json:"reactions,omitempty"`
	Replies    int        `json:"replies,omitempty"` // messages in the thread under this root
	Files      []File     `json:"files,omitempty"`
	Refs       []Link     `json:"refs,omitempty"`    // what nostr: references in Text name
	Request    bool       `json:"request,omitempty"` // a form or an older request: `+` and `-` are answers, not reactions
	Note       string     `json:"note,omitempty"`    // a remark to show under the text, in words
}

// Quote is the message that another one answers.
type Quote struct {
	ID      string `json:"id"`
	Author  Person `json:"author"`
	Text    string `json:"text"`              // the first 200 code points of it
	Missing bool   `json:"missing"`           // "reply to something not loaded"
	Deleted bool   `json:"deleted,omitempty"` // it was deleted, or its author is blocked: no text
}

// Reaction counts distinct people, never deliveries (NIP-25).
type Reaction struct {
	Content string   `json:"content"`        // an emoji; `+` and the empty reaction become a thumb up, `-` a thumb down
	People  []Person `json:"people"`         // by first reaction
	Mine    string   `json:"mine,omitempty"` // my reaction's event id, to take it back
}

// File is a file that a message names in an imeta tag (NIP-92).
type File struct {
	URL    string `json:"url"`
	Name   string `json:"name,omitempty"`
	Type   string `json:"type,omitempty"` // MIME type
	Size   int64  `json:"size,omitempty"` // bytes
	SHA256 string `json:"sha256,omitempty"`
	Alt    string `json:"alt,omitempty"`
}

// Link is one nostr: reference of a text, with what to write in its place.
type Link struct {
	Code  string `json:"code"`  // the bech32 code, without "nostr:"
	Label string `json:"label"` // "@Ana", "a message", ...
	Href  string `json:"href"`  // a path of the app
}

// Meta is what the relay says of a room (NIP-29 kinds 39000 to 39002).
type Meta struct {
	Ref        Ref      `json:"ref"`
	Name       string   `json:"name"` // the id when the room has no name
	About      string   `json:"about,omitempty"`
	Picture    string   `json:"picture,omitempty"`
	Private    bool     `json:"private,omitempty"`    // only members can read
	Closed     bool     `json:"closed,omitempty"`     // joining needs an invitation
	Restricted bool     `json:"restricted,omitempty"` // only members can write
	Known      bool     `json:"known"`                // a 39000 was seen
	Members    []Member `json:"members,omitempty"`    // admins first, then by name
}

// Member is a person of a room with their roles there.
type Member struct {
	Person Person   `json:"person"`
	Roles  []string `json:"roles,omitempty"` // from 39001
}
