package port

import "parley/wasm/room"

// Methods of calls from the page to the core, each with the type of its value
// and, after the arrow, of its reply. No arrow: the reply is empty.
const (
	Watch   = "watch"   // WatchParams
	Unwatch = "unwatch" // WatchParams, only Watch
	Resolve = "resolve" // Search -> Place: what an npub, note, nevent, naddr or nprofile names
	Window  = "window"  // WindowParams: move a timeline's window
	Probe   = "probe"   // nothing: the page woke, came online or was shown

	// Identity.
	CreateKey     = "create_key"     // Secret{Passphrase}
	ImportKey     = "import_key"     // Secret
	UseExtension  = "use_extension"  // nothing; the tab that calls is asked
	UseRemote     = "use_remote"     // RemoteParams; waits for the person at the signer
	InviteRemote  = "invite_remote"  // RelayParams: where to listen; the invitation is in AppView.Remote
	CancelRemote  = "cancel_remote"  // nothing: gives up connecting
	Reconnect     = "reconnect"      // nothing: looks for the remote signer that is away
	Unlock        = "unlock"         // Secret{Passphrase}
	Backup        = "backup"         // nothing -> BackupText
	CheckBackup   = "check_backup"   // Secret
	SignOut       = "sign_out"       // SignOutParams
	SwitchAccount = "switch_account" // PubKey
	SetProfile    = "set_profile"    // Profile

	// Relays.
	AddRelay    = "add_relay"    // RelayParams
	RemoveRelay = "remove_relay" // RelayParams
	OpenRelay   = "open_relay"   // RelayParams: the answer to "Open wss://...?"
	AuthRelay   = "auth_relay"   // RelayParams: the answer to "Sign in to wss://...?"

	// Rooms.
	CreateRoom   = "create_room"   // RoomParams -> room.Ref
	EditRoom     = "edit_room"     // RoomParams
	DeleteRoom   = "delete_room"   // room.Ref
	JoinRoom     = "join_room"     // JoinParams
	LeaveRoom    = "leave_room"    // room.Ref
	AddMember    = "add_member"    // MemberParams
	RemoveMember = "remove_member" // MemberParams
	Invite       = "invite"        // room.Ref -> InviteCode

	// Messages.
	Send          = "send"           // SendParams -> EventID
	React         = "react"          // EventParams{Text}
	Unreact       = "unreact"        // EventParams, ID is the reaction's
	Edit          = "edit"           // EventParams{Text}
	Delete        = "delete"         // EventParams
	Retry         = "retry"          // EventID: send a refused event again
	Discard       = "discard"        // EventID: take a waiting or refused event out of the outbox -> DiscardedText
	Report        = "report"         // EventParams{Text: a NIP-56 type}
	Block         = "block"          // PubKey
	Unblock       = "unblock"        // PubKey
	SetDraft      = "set_draft"      // Draft
	GetDraft      = "get_draft"      // Draft{Key} -> Draft
	MarkRead      = "mark_read"      // MarkParams
	MarkAllRead   = "mark_all_read"  // nothing
	SetLook       = "set_look"       // Look
	DismissNotice = "dismiss_notice" // Notice, only Code
	Upload        = "upload"         // UploadParams -> room.File

	// Question forms.
	SendAsk    = "send_ask"    // AskParams -> EventID
	AnswerAsk  = "answer_ask"  // AnswerParams -> EventID
	DismissAsk = "dismiss_ask" // EventParams
	RestoreAsk = "restore_ask" // EventParams

	// Task cards.
	SendTask   = "send_task"   // TaskParams -> EventID
	CancelTask = "cancel_task" // EventParams

	// AI sessions.
	FindAgent   = "find_agent"   // Search -> PubKey: an npub, nprofile, hex key or NIP-05 name
	ForgetAgent = "forget_agent" // PubKey
	SendPrompt  = "send_prompt"  // PromptParams -> PromptSent
	StopRun     = "stop_run"     // EventID
	CheckRun    = "check_run"    // EventID: ask the relays again
	DeleteRun   = "delete_run"   // EventID: from this browser only
	SearchRuns  = "search_runs"  // Search -> SearchResults
	Decrypt     = "decrypt"      // nothing: ask a signer again that has refused to decrypt
)

// Methods of requests from the core to the page: paths below window.nostr
// (NIP-07). The value is a JSON array of the call's arguments, the answer's
// value what the extension returned.
const (
	ExtGetPublicKey = "getPublicKey"
	ExtSignEvent    = "signEvent"
	ExtEncrypt      = "nip44.encrypt" // peer's hex key, plaintext
	ExtDecrypt      = "nip44.decrypt" // peer's hex key, payload
)

// WatchParams names something to be kept up to date about. Watch is the page's
// own id for it; Name is one of the names in views.go; the rest narrows it.
type WatchParams struct {
	Watch   string   `json:"watch"`
	Name    string   `json:"name,omitempty"`
	Room    room.Ref `json:"room,omitzero"`
	Invite  string   `json:"invite,omitempty"`
	ID      string   `json:"id,omitempty"`    // thread root, question, ...
	Agent   string   `json:"agent,omitempty"` // hex public key
	Session string   `json:"session,omitempty"`
	Filter  string   `json:"filter,omitempty"`
}

// WindowParams moves the window of a timeline: Before messages up to and with
// the anchor and After messages behind it. An empty Anchor is the end.
type WindowParams struct {
	Watch  string `json:"watch"`
	Anchor string `json:"anchor,omitempty"` // event id
	Before int    `json:"before"`
	After  int    `json:"after"`
}

// MaxWindow is the most messages that a window holds, and a page mounts.
const MaxWindow = 200

// Place is a path of the app: "/rooms/lobby/threads/ab12?relay=...".
type Place struct {
	Path string `json:"path"`
}

type Secret struct {
	Secret     string `json:"secret,omitempty"`
	Passphrase string `json:"passphrase,omitempty"`
}

// RemoteParams is a remote signer's address: bunker://....
type RemoteParams struct {
	Address string `json:"address"`
}

type BackupText struct {
	Text string `json:"text"` // an ncryptsec, or an nsec where there is no passphrase
	Name string `json:"name"` // a file name
}

type SignOutParams struct {
	Wipe bool `json:"wipe"`
}

type PubKey struct {
	PubKey string `json:"pubkey"`
}

type Profile struct {
	Name    string `json:"name"`
	About   string `json:"about"`
	Picture string `json:"picture"`
}

type RelayParams struct {
	URL   string `json:"url"`
	Allow bool   `json:"allow,omitempty"`
	Auth  string `json:"auth,omitempty"` // always, ask or never
}

type RoomParams struct {
	Ref        room.Ref `json:"ref"` // ID may be empty when creating
	Name       string   `json:"name"`
	About      string   `json:"about"`
	Private    bool     `json:"private"`
	Closed     bool     `json:"closed"`
	Restricted bool     `json:"restricted"`
}

type JoinParams struct {
	Room   room.Ref `json:"room"`
	Invite string   `json:"invite,omitempty"`
}

type MemberParams struct {
	Room   room.Ref `json:"room"`
	PubKey string   `json:"pubkey"` // hex or npub
	Role   string   `json:"role,omitempty"`
}

type InviteCode struct {
	Code string `json:"code"`
	Path string `json:"path"` // the app's path with the code in it
}

// SendParams is a message to a room or thread. Draft names the draft that the
// core clears once the event is in the outbox.
type SendParams struct {
	Room    room.Ref    `json:"room"`
	Thread  string      `json:"thread,omitempty"` // the root's id; empty in the room
	ReplyTo string      `json:"reply_to,omitempty"`
	Subject string      `json:"subject,omitempty"` // makes a thread (kind 11)
	Text    string      `json:"text"`
	Files   []room.File `json:"files,omitempty"`
	Draft   string      `json:"draft,omitempty"`
}

type EventID struct {
	ID string `json:"id"`
}

type EventParams struct {
	Room room.Ref `json:"room,omitzero"`
	ID   string   `json:"id"`
	Text string   `json:"text,omitempty"`
}

type DiscardedText struct {
	Text string `json:"text"` // what was written, to go back into the composer
}

type Draft struct {
	Key  string `json:"key"`
	Text string `json:"text"`
}

type MarkParams struct {
	Room room.Ref `json:"room"`
	ID   string   `json:"id"` // the newest message read
}

type UploadParams struct {
	Room room.Ref `json:"room"`
	Name string   `json:"name"`
	Type string   `json:"type"`
	Data []byte   `json:"data"`
}

// AskParams is a native question to build (Tiny agent interactions).
type AskParams struct {
	Room      room.Ref `json:"room"`
	Thread    string   `json:"thread,omitempty"` // the root's id; empty in the room
	Subject   string   `json:"subject,omitempty"`
	Text      string   `json:"text"`
	People    []string `json:"people"`    // hex keys of those asked
	Notify    bool     `json:"notify"`    // also mention them
	Selection string   `json:"selection"` // single, multiple or text
	Options   []string `json:"options,omitempty"`
	Freeform  bool     `json:"freeform,omitempty"`
	Minutes   int      `json:"minutes,omitempty"` // how long it stays open; 0: no end
}

// AnswerParams answers a question form, or an older request.
type AnswerParams struct {
	Room    room.Ref `json:"room"`
	ID      string   `json:"id"`
	Choices []string `json:"choices,omitempty"`
	Text    string   `json:"text,omitempty"`
	Verdict string   `json:"verdict,omitempty"` // older requests: approve, deny or reply
}

type TaskParams struct {
	Room    room.Ref `json:"room"`
	Thread  string   `json:"thread,omitempty"`
	Agent   string   `json:"agent"` // hex public key
	Subject string   `json:"subject"`
	Text    string   `json:"text"`
	Draft   string   `json:"draft,omitempty"`
}

// PromptParams is a prompt to an agent. An empty Session starts one.
type PromptParams struct {
	Agent    string   `json:"agent"`
	Session  string   `json:"session,omitempty"`
	Text     string   `json:"text"`
	Model    string   `json:"model,omitempty"`
	Thinking string   `json:"thinking,omitempty"`
	Hide     bool     `json:"hide,omitempty"` // NIP-59
	Provider string   `json:"provider,omitempty"`
	Fallback []string `json:"fallback,omitempty"`
	Draft    string   `json:"draft,omitempty"`
}

type PromptSent struct {
	ID      string `json:"id"`
	Session string `json:"session"`
}

type Search struct {
	Text string `json:"text"`
}

type SearchResults struct {
	Hits []Hit `json:"hits"`
}

// Hit is one place where a search found its words.
type Hit struct {
	Agent   string `json:"agent"`
	Session string `json:"session"`
	ID      string `json:"id"`
	At      int64  `json:"at"`
	Text    string `json:"text"` // the words around the find
}
