package port

import (
	"parley/wasm/room"
	"parley/wasm/run"
)

// AgentView is an agent, what it can do, and my sessions with it.
type AgentView struct {
	Agent    room.Person    `json:"agent"`
	NPub     string         `json:"npub"`
	Info     run.Info       `json:"info"`
	HasInfo  bool           `json:"has_info"` // false: the specification's defaults
	Relays   []string       `json:"relays"`   // where it is spoken to
	Sessions []SessionItem  `json:"sessions"` // newest first
	Others   []OtherMessage `json:"others,omitempty"`
	Loading  bool           `json:"loading"`
	Decrypt  bool           `json:"decrypt,omitempty"` // the signer has refused: asking again makes sense
	Draft    string         `json:"draft,omitempty"`   // of a session that is not begun
	DraftKey string         `json:"draft_key"`
}

// SessionItem is one line of the list of sessions.
type SessionItem struct {
	Session run.Session `json:"session"`
	Agent   room.Person `json:"agent"`
	State   run.State   `json:"state"` // of its newest run
	Unread  bool        `json:"unread,omitempty"`
}

// OtherMessage is a response that answers no prompt ("Other messages from
// this agent").
type OtherMessage struct {
	ID   string `json:"id"`
	At   int64  `json:"at"`
	Text string `json:"text"`
}

// SessionView is an update of one AI session. Order is every run, oldest
// first; Runs holds only those that are new or changed since the watch's last
// update. Reset true: forget all before.
type SessionView struct {
	Reset    bool        `json:"reset,omitempty"`
	Agent    room.Person `json:"agent"`
	NPub     string      `json:"npub"`
	Info     run.Info    `json:"info"`
	HasInfo  bool        `json:"has_info"`
	Session  run.Session `json:"session"`
	Order    []string    `json:"order"`
	Runs     []RunItem   `json:"runs,omitempty"`
	Earlier  int         `json:"earlier,omitempty"` // older runs that are not in Order
	Loading  bool        `json:"loading"`
	Note     string      `json:"note,omitempty"` // about the whole session, in words
	Usage    *run.Usage  `json:"usage,omitempty"`
	Cost     *run.Price  `json:"cost,omitempty"`
	Draft    string      `json:"draft,omitempty"` // with Reset only
	DraftKey string      `json:"draft_key"`
}

// RunItem is one run. When From is over zero, View.Text holds only what
// follows the first From bytes of the text the page already has;
// ThinkingFrom says the same of View.Thinking.
type RunItem struct {
	View         run.View  `json:"view"`
	From         int       `json:"from,omitempty"`
	ThinkingFrom int       `json:"thinking_from,omitempty"`
	Delivery     *Delivery `json:"delivery,omitempty"` // of the prompt
	CanStop      bool      `json:"can_stop,omitempty"`
	Retry        bool      `json:"retry,omitempty"`   // Retry makes sense
	Decrypt      bool      `json:"decrypt,omitempty"` // the signer has refused: asking again makes sense
}
