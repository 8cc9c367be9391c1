package run

// State is where a run stands; the values are those of the data-state
// attribute of an article[data-run].
type State string

// The states of a run.
const (
	StateWaiting    State = "waiting"    // the prompt is in the outbox
	StateSent       State = "sent"       // a relay took it; nothing from the agent yet
	StateThinking   State = "thinking"   // the newest sign is thinking
	StateToolUse    State = "tool_use"   // the newest sign is a tool
	StateStreaming  State = "streaming"  // the newest sign is answer text
	StateCancelling State = "cancelling" // a cancel is out, no terminal yet
	StateDone       State = "done"       // a response
	StateFailed     State = "failed"     // an error, a broken terminal, or the prompt refused by every relay
	StateCancelled  State = "cancelled"  // CANCELLED, or withdrawn before it was sent
	StateIncomplete State = "incomplete" // silence for longer than the run timeout
)

// Ended says whether nothing more is expected. Incomplete is not an end.
func (s State) Ended() bool {
	return s == StateDone || s == StateFailed || s == StateCancelled
}

// Note is something a person should be told about a run beside its text; the
// component has the words for each.
type Note string

// The notes.
const (
	// NoteLateWinner: a terminal that came later replaced what was shown.
	NoteLateWinner Note = "late_winner"
	// NoteNotHidden: the prompt was wrapped (NIP-59), part of the answer was not.
	NoteNotHidden Note = "not_hidden"
	// NotePlainRumour: a wrapped message carried plain JSON instead of NIP-44.
	NotePlainRumour Note = "plain_rumour"
	// NoteNotListening: a relay refused the prompt with "mute:".
	NoteNotListening Note = "not_listening"
	// NoteNoPrompt: answers are here, their prompt is not.
	NoteNoPrompt Note = "no_prompt"
	// NoteUnreadable: at least one message of the agent could not be decrypted.
	NoteUnreadable Note = "unreadable"
	// NoteToolsCut: there were more tool events than MaxToolEvents or more rows
	// than MaxToolRows; see View.ToolsHidden.
	NoteToolsCut Note = "tools_cut"
)

// View is a run as the page shows it: plain values, JSON over the port. All
// times are Unix seconds, 0 when unknown. Equal sets of (event, seen), equal
// At: equal views. The slices are shared between views; never write to them.
type View struct {
	Prompt    string `json:"prompt"`            // the prompt's event id, which is the run's id
	HasPrompt bool   `json:"has_prompt"`        // false while only answers are here
	Sealed    int    `json:"sealed,omitempty"`  // messages that are here and not decrypted yet
	Session   string `json:"session,omitempty"` // session id: the prompt's s, or sender:<client>
	Client    string `json:"client"`            // public key of the person
	Agent     string `json:"agent"`             // public key of the agent

	Question     string `json:"question"` // the prompt's text, "" while it is sealed
	Model        string `json:"model,omitempty"`
	ThinkingMode string `json:"thinking_mode,omitempty"` // low, medium, high, max or ""
	Wrapped      bool   `json:"wrapped,omitempty"`       // the prompt travelled in a gift wrap

	State    State `json:"state"`
	Degraded bool  `json:"degraded,omitempty"` // pieces are missing and no terminal came

	// Text is the answer: the response's text, or what was streamed so far.
	// Final says which. Gaps are byte offsets into Text, ascending, where pieces
	// are missing (only in streamed text).
	Text  string `json:"text"`
	Gaps  []int  `json:"gaps,omitempty"`
	Final bool   `json:"final,omitempty"`

	// Thinking is the reasoning, never part of the answer; ThinkingGaps as Gaps.
	Thinking        string `json:"thinking,omitempty"`
	ThinkingGaps    []int  `json:"thinking_gaps,omitempty"`
	ThinkingStarted int64  `json:"thinking_started,omitempty"` // the agent's clock
	ThinkingEnded   int64  `json:"thinking_ended,omitempty"`   // 0 while it goes on

	Tools       []ToolView `json:"tools,omitempty"` // in the order of their first event
	ToolsHidden int        `json:"tools_hidden,omitempty"`

	Info     string `json:"info,omitempty"`     // words of the newest status
	Progress *int   `json:"progress,omitempty"` // 0-100 of the newest status; nil when it has none

	Error        *ErrorView `json:"error,omitempty"`
	Refused      string     `json:"refused,omitempty"`       // the relay's words when the prompt was refused
	CancelReason string     `json:"cancel_reason,omitempty"` // user_cancel, timeout, policy
	FinishReason string     `json:"finish_reason,omitempty"` // of an envelope, as written
	Usage        *Usage     `json:"usage,omitempty"`
	Cost         *Price     `json:"cost,omitempty"` // from Usage and the agent's pricing hints

	Terminal string `json:"terminal,omitempty"` // event id of the terminal shown
	Started  int64  `json:"started,omitempty"`  // created_at of the prompt
	Last     int64  `json:"last,omitempty"`     // the newest sign of life, our clock (seen)
	Deadline int64  `json:"deadline,omitempty"` // when silence becomes incomplete; 0 when not running
	Ended    int64  `json:"ended,omitempty"`    // created_at of the terminal shown

	Notes       []Note       `json:"notes,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics,omitempty"` // at most MaxDiagnostics, oldest first
	Faults      int          `json:"faults,omitempty"`      // how many there are in all
}

// ToolView is one tool call: its start, its result, or both.
type ToolView struct {
	Key              string `json:"key"` // event id of its first event; stable identity of the row
	CallID           string `json:"call_id,omitempty"`
	Name             string `json:"name"`                  // "tool" when none was given
	Phase            string `json:"phase"`                 // PhaseStart or PhaseResult
	Text             string `json:"text,omitempty"`        // words of the event itself
	Arguments        string `json:"arguments,omitempty"`   // JSON object, as it came
	Output           string `json:"output,omitempty"`      // JSON object, as it came; untrusted
	OutputText       string `json:"output_text,omitempty"` // its text or stdout and stderr, when it has them
	Success          *bool  `json:"success,omitempty"`     // nil when the agent does not say
	DurationMS       *int64 `json:"duration_ms,omitempty"` // nil when the agent does not say
	Advertised       bool   `json:"advertised"`            // named in the agent's info
	RequiresApproval bool   `json:"requires_approval,omitempty"`
	Started          int64  `json:"started,omitempty"` // created_at of the start
	Ended            int64  `json:"ended,omitempty"`   // created_at of the result
}

// ErrorView is why a run failed.
type ErrorView struct {
	Code       Code   `json:"code"`
	Message    string `json:"message"`
	RetryAfter int64  `json:"retry_after,omitempty"` // seconds, as the agent wrote it
	RetryAt    int64  `json:"retry_at,omitempty"`    // our clock: seen + RetryAfter
	Details    string `json:"details,omitempty"`     // JSON object, as it came
	Broken     bool   `json:"broken,omitempty"`      // the terminal itself broke the rules
	Raw        string `json:"raw,omitempty"`         // its payload when Broken, at most MaxRaw bytes
}

// Diagnostic is a fault in one event, for developers.
type Diagnostic struct {
	Event string `json:"event"`
	Kind  int    `json:"kind"`
	At    int64  `json:"at"` // created_at
	Code  Code   `json:"code"`
	Field string `json:"field,omitempty"`
	Text  string `json:"text"`
}

// Usage counts the tokens of a run.
type Usage struct {
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
}

// Price is an amount of money; an estimate, never a bill.
type Price struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}
