package task

// State says where a task stands. The values are the data-state values of the
// markup table in the design; the empty state means that the request itself
// has not been seen yet.
type State string

// The states of a task.
const (
	Unknown    State = ""
	Requested  State = "requested"
	Accepted   State = "accepted"
	Running    State = "running"
	Done       State = "done"
	Failed     State = "failed"
	Cancelling State = "cancelling"
	Cancelled  State = "cancelled"
)

// Ended says whether nothing more is expected in this state.
func (s State) Ended() bool { return s == Done || s == Failed || s == Cancelled }

// CancelWord says honestly what became of a cancel.
type CancelWord string

// The words for a cancel.
const (
	NoCancel       CancelWord = ""
	CancelAsked    CancelWord = "cancel asked"
	WasCancelled   CancelWord = "cancelled"
	FinishedBefore CancelWord = "it had finished before your cancel arrived"
)

// NoteNobody is shown when nobody took a task within NobodyAfter seconds.
const NoteNobody = "Nobody has taken this yet"

// NobodyAfter is the time in seconds, counted from when the request was first
// seen, after which a task without a sign of its agent gets NoteNobody.
const NobodyAfter = 60

// ProgressLimit and LogLimit are the numbers of entries a [View] carries in
// Progress and Log, the newest ones; ProgressCount and LogCount say how many
// there are.
const (
	ProgressLimit = 100
	LogLimit      = 100
)

// View is a task as a component draws it: plain values, a fresh copy each
// time. Times are unix seconds, 0 when there is none.
type View struct {
	ID        string `json:"id"`
	Room      string `json:"room"`      // the h tag
	Requester string `json:"requester"` // public key
	Agent     string `json:"agent"`     // public key, the first p tag
	CreatedAt int64  `json:"created_at"`
	Subject   string `json:"subject,omitempty"`
	Text      string `json:"text"`
	Root      string `json:"root"` // the thread's root: the request's own id unless it stands in another thread

	State  State  `json:"state"`
	Note   string `json:"note,omitempty"`   // NoteNobody or empty
	Reason string `json:"reason,omitempty"` // what is wrong with the request, if anything
	// Withdrawn says that the requester deleted the request (kind 5).
	Withdrawn bool `json:"withdrawn,omitempty"`

	Newest *Progress `json:"newest,omitempty"` // kept after the end
	// Progress holds the newest ProgressLimit of ProgressCount, oldest first.
	Progress      []Progress `json:"progress,omitempty"`
	ProgressCount int        `json:"progress_count"`

	Result *Result  `json:"result,omitempty"` // when State is done
	Error  *Failure `json:"error,omitempty"`  // when a 43006 ended the task

	// Started is when the agent took the task, LastSign its newest event of
	// any kind, Ended the end. Each is the event's created_at, but no later
	// than when the event was first seen here.
	FirstSeen int64 `json:"first_seen"`
	Started   int64 `json:"started,omitempty"`
	LastSign  int64 `json:"last_sign,omitempty"`
	Ended     int64 `json:"ended,omitempty"`

	CancelWord CancelWord `json:"cancel_word,omitempty"`
	// CancelAsks lists who asked to cancel: !cancel messages and the
	// requester's 43005, by (created_at, id), the newest LogLimit of them.
	CancelAsks  []CancelAsk `json:"cancel_asks,omitempty"`
	CancelledBy string      `json:"cancelled_by,omitempty"` // public key, when it is known who cancelled
	MergedInto  string      `json:"merged_into,omitempty"`  // request id of the task that took this one over
	CanCancel   bool        `json:"can_cancel"`             // for the person the view was made for

	// Log holds the events that count, progress aside, oldest first: the
	// newest LogLimit of LogCount.
	Log      []LogEntry `json:"log,omitempty"`
	LogCount int        `json:"log_count"`
}

// Progress is one 43003.
type Progress struct {
	ID        string  `json:"id"`
	At        int64   `json:"at"`
	Seen      int64   `json:"seen"`
	Text      string  `json:"text"`                // the whole content, or a detail's summary
	Assistant string  `json:"assistant,omitempty"` // the first line
	Tool      string  `json:"tool,omitempty"`      // the second line
	Detail    *Detail `json:"detail,omitempty"`
}

// Result is the 43004 that stands.
type Result struct {
	ID     string  `json:"id"`
	At     int64   `json:"at"`
	Line   string  `json:"line"`           // the first line
	Text   string  `json:"text"`           // the whole content, or a detail's summary
	Full   string  `json:"full,omitempty"` // id of the thread message with the full text
	Files  []File  `json:"files,omitempty"`
	Detail *Detail `json:"detail,omitempty"`
}

// File is a file that the agent posted for the task.
type File struct {
	ID   string `json:"id"`             // id of the file message
	Name string `json:"name,omitempty"` // from the "Posted" line, when the numbers agree
}

// Failure is the 43006 that ended the task.
type Failure struct {
	ID     string  `json:"id"`
	At     int64   `json:"at"`
	Text   string  `json:"text"`
	Detail *Detail `json:"detail,omitempty"`
}

// Detail is the JSON dialect that some agents put into the content.
type Detail struct {
	Schema    int        `json:"schema"`
	Summary   string     `json:"summary,omitempty"`
	State     string     `json:"state,omitempty"`
	Reason    string     `json:"reason,omitempty"`
	Code      string     `json:"code,omitempty"`
	ExitCode  *int       `json:"exit_code,omitempty"`
	Artifacts []Artifact `json:"artifacts,omitempty"`
}

// Artifact is something a task made, as the JSON dialect names it.
type Artifact struct {
	Name   string `json:"name,omitempty"`
	URI    string `json:"uri,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// CancelAsk is one wish to cancel.
type CancelAsk struct {
	ID   string `json:"id"`
	By   string `json:"by"`
	At   int64  `json:"at"`
	Kind int    `json:"kind"` // 9 or 12 for !cancel, 43005 for the requester's cancel
}

// LogEntry is one event of a task's life.
type LogEntry struct {
	ID   string `json:"id"`
	Kind int    `json:"kind"`
	By   string `json:"by"`
	At   int64  `json:"at"`
	Seen int64  `json:"seen"`
	Text string `json:"text,omitempty"`
	// Note says why a terminal event did not end the task, or that an event
	// came after the end; empty otherwise.
	Note string `json:"note,omitempty"`
}
