package port

import "parley/wasm/room"

// Names of what the page can watch, each with the type of its updates.
const (
	AppName     = "app"     // AppView
	RoomName    = "room"    // Timeline; WatchParams{Room, Invite}
	ThreadName  = "thread"  // Timeline; WatchParams{Room, ID}
	AsksName    = "asks"    // AsksView; WatchParams{Filter}: open, answered or expired
	AskName     = "ask"     // AskRecord; WatchParams{ID}
	TasksName   = "tasks"   // TasksView; WatchParams{Filter}: running, ended or all
	AgentName   = "agent"   // AgentView; WatchParams{Agent}
	SessionName = "session" // SessionView; WatchParams{Agent, Session}
)

// States of the connection as a whole.
const (
	Online     = "online"
	Connecting = "connecting"
	Offline    = "offline"
)

// AppView is what every page shows: who I am, the lists, the counts.
type AppView struct {
	Me         *Identity     `json:"me,omitempty"` // nil: signed out
	Accounts   []Identity    `json:"accounts,omitempty"`
	Connection string        `json:"connection"`
	Relays     []RelayView   `json:"relays"`
	Rooms      []RoomItem    `json:"rooms"`
	Agents     []AgentItem   `json:"agents"`
	NeedsYou   int           `json:"needs_you"`
	Running    int           `json:"running"` // tasks of mine that run
	Notices    []Notice      `json:"notices,omitempty"`
	Dialogs    []Dialog      `json:"dialogs,omitempty"` // relays that want an answer, oldest first
	Extension  bool          `json:"extension"`         // the tab has window.nostr (filled by the page)
	WebCrypto  bool          `json:"web_crypto"`        // a key can be kept without a passphrase
	Blocked    []room.Person `json:"blocked,omitempty"`
	Look       Look          `json:"look"`
	Remote     *RemoteWait   `json:"remote,omitempty"` // an attempt to connect to a remote signer
}

// Look is how this browser shows things, for every account in it.
type Look struct {
	Pictures bool `json:"pictures,omitempty"` // load pictures of others without asking each time
}

// Identity is one account of this browser.
type Identity struct {
	Person   room.Person `json:"person"`
	NPub     string      `json:"npub"`
	Signer   string      `json:"signer"`           // local, extension or remote
	Relays   []string    `json:"relays,omitempty"` // of a remote signer
	Link     string      `json:"link,omitempty"`   // https address where the remote signer wants the person first
	Locked   bool        `json:"locked,omitempty"`
	Away     string      `json:"away,omitempty"`      // why the signer cannot be reached, in words
	BackedUp bool        `json:"backed_up,omitempty"` // the backup was saved and checked
	Sealed   bool        `json:"sealed,omitempty"`    // under a passphrase
}

// Stages of connecting to a remote signer.
const (
	RemoteConnecting = "connecting" // a relay of it is being reached, or nobody took the invitation
	RemoteApproval   = "approval"   // the signer has been asked; a person may be reading
)

// RemoteWait is an attempt to connect to a remote signer (NIP-46).
type RemoteWait struct {
	Stage  string   `json:"stage"`
	URI    string   `json:"uri,omitempty"`  // nostrconnect://..., to be given to the signer
	Link   string   `json:"link,omitempty"` // as in Identity
	Relays []string `json:"relays"`
}

// RelayView is the state of one relay.
type RelayView struct {
	URL   string `json:"url"`
	State string `json:"state"` // Online, Connecting or Offline
	Why   string `json:"why,omitempty"`
	Since int64  `json:"since"` // unix seconds
	Auth  string `json:"auth"`  // always, ask or never
	Mine  bool   `json:"mine"`  // in the person's own list
}

// RoomItem is one line of the list of rooms.
type RoomItem struct {
	Ref     room.Ref `json:"ref"`
	Name    string   `json:"name"`
	About   string   `json:"about,omitempty"`   // in one line
	Picture string   `json:"picture,omitempty"` // address of one
	Last    string   `json:"last,omitempty"`    // "Ana: notes are drafted"
	At      int64    `json:"at,omitempty"`      // of the newest message
	Unread  int      `json:"unread,omitempty"`
	Loud    bool     `json:"loud,omitempty"` // an unread one names me
	Member  bool     `json:"member,omitempty"`
}

// AgentItem is one line of the list of agents.
type AgentItem struct {
	Person room.Person `json:"person"`
	NPub   string      `json:"npub"`
	Last   string      `json:"last,omitempty"`
	At     int64       `json:"at,omitempty"`
	Unread int         `json:"unread,omitempty"`
	Busy   bool        `json:"busy,omitempty"` // a run of mine is not ended
}

// Notice is something a person should know and can put away.
type Notice struct {
	Code string `json:"code"` // storage, core, ...
	Text string `json:"text"`
}

// Dialog asks about a relay outside the person's lists.
type Dialog struct {
	Kind string `json:"kind"` // open or auth
	URL  string `json:"url"`
}

// States of an own event on its way.
const (
	Waiting = "waiting"
	Sent    = "sent"
	Stored  = "stored"
	Refused = "refused"
)

// What a person can do about an act that is not signed.
const (
	ActRetry     = "retry"     // Retry asks the signer again
	ActReconnect = "reconnect" // Reconnect looks for the signer, and signs what waits
)

// Delivery says what happened to an own event.
type Delivery struct {
	ID     string `json:"id,omitempty"` // of the event, while it is in the outbox
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"` // the relay's or the signer's words, or what it waits for
	Stored int    `json:"stored,omitempty"` // on how many relays
	Of     int    `json:"of,omitempty"`     // of how many it is meant for
	At     int64  `json:"at,omitempty"`     // when it was made, unix seconds
	Drop   bool   `json:"drop,omitempty"`   // Discard works still
	Act    string `json:"act,omitempty"`    // ActRetry or ActReconnect
}

// Item is one entry of a timeline.
type Item struct {
	Message   room.Message `json:"message"`
	Own       bool         `json:"own,omitempty"`
	Delivery  *Delivery    `json:"delivery,omitempty"` // own events of this session and those not stored yet
	CanDelete bool         `json:"can_delete,omitempty"`
	Link      string       `json:"link"`           // nevent, to copy
	Ask       *AskItem     `json:"ask,omitempty"`  // the message is a question form or an older request
	Task      *TaskItem    `json:"task,omitempty"` // the message is a task's request
}

// Timeline is an update of a room or thread. Order is the whole window, oldest
// first; Items holds only entries that are new or changed since the watch's
// last update, so a receiver keeps the others. Reset true: forget all before.
type Timeline struct {
	Reset    bool      `json:"reset,omitempty"`
	Info     *RoomInfo `json:"info,omitempty"` // when changed
	Order    []string  `json:"order"`
	Items    []Item    `json:"items,omitempty"`
	Loading  bool      `json:"loading"`            // nothing is known yet and a relay is being asked
	Problem  string    `json:"problem,omitempty"`  // why nothing can be loaded, in words
	Older    bool      `json:"older"`              // there is, or may be, more before the window
	Newer    int       `json:"newer"`              // messages after the window
	Divider  string    `json:"divider,omitempty"`  // the first message that was unread at opening
	Unread   int       `json:"unread,omitempty"`   // after the reading mark
	Draft    string    `json:"draft,omitempty"`    // with Reset only
	DraftKey string    `json:"draftkey,omitempty"` // with Reset only
	Typing   []string  `json:"typing,omitempty"`   // names
	RootID   string    `json:"root,omitempty"`     // threads
}

// RoomInfo is the head and the side of a room.
type RoomInfo struct {
	Meta     room.Meta `json:"meta"`
	Listed   bool      `json:"listed"` // in my list of rooms
	Member   bool      `json:"member"`
	Admin    bool      `json:"admin"`
	CanWrite bool      `json:"can_write"`
	WhyNot   string    `json:"why_not,omitempty"` // what to do before writing, in words
	Joining  string    `json:"joining,omitempty"` // state of my request to join
	Agents   []string  `json:"agents,omitempty"`  // hex keys of members that are agents
	Upload   bool      `json:"upload"`            // files can be attached
}
