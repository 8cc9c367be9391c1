package run

// The plaintexts of the seven kinds. They are written as they stand here; the
// readers in parse.go check them.

// Prompt is the payload of 25802.
type Prompt struct {
	Ver               int      `json:"ver"`
	Message           string   `json:"message"`
	Thinking          string   `json:"thinking,omitempty"` // low, medium, high, max
	Provider          string   `json:"provider,omitempty"`
	Model             string   `json:"model,omitempty"`
	ToolSchemaVersion int64    `json:"tool_schema_version,omitempty"`
	FallbackModels    []string `json:"fallback_models,omitempty"`
}

// The thinking levels of a prompt.
const (
	ThinkLow    = "low"
	ThinkMedium = "medium"
	ThinkHigh   = "high"
	ThinkMax    = "max"
)

// Cancel is the payload of 25806.
type Cancel struct {
	Ver    int    `json:"ver"`
	Reason string `json:"reason"`
}

// The reasons of a cancel.
const (
	ReasonUser    = "user_cancel" // a person pressed Stop
	ReasonTimeout = "timeout"     // Stop on an incomplete run
	ReasonPolicy  = "policy"      // read and shown, never written here
)

// Response is the payload of 25803.
type Response struct {
	Ver          int    `json:"ver"`
	Text         string `json:"text"`
	Timestamp    int64  `json:"timestamp,omitempty"`
	Usage        *Usage `json:"usage,omitempty"`
	FinishReason string `json:"-"` // of an envelope
}

// Delta is the payload of 25801. Event "thinking" marks reasoning, "block" a
// whole paragraph of the answer, as the runtimes in use write them.
type Delta struct {
	Ver       int    `json:"ver"`
	Text      string `json:"text"`
	Seq       *int64 `json:"seq,omitempty"`
	Timestamp int64  `json:"timestamp,omitempty"`
	Event     string `json:"event,omitempty"`
	Phase     string `json:"phase,omitempty"`
}

// The values of Delta.Event that mean something here.
const (
	DeltaThinking = "thinking"
	DeltaBlock    = "block"
)

// Status is the payload of 25800.
type Status struct {
	Ver      int    `json:"ver"`
	State    string `json:"state"`
	Progress *int   `json:"progress,omitempty"` // 0-100
	Info     string `json:"info,omitempty"`
}

// The states of a status. StatusDone without a terminal is not an end.
const (
	StatusThinking = "thinking"
	StatusToolUse  = "tool_use"
	StatusDone     = "done"
)

// Tool is the payload of 25804. Arguments and Output are JSON objects as they
// were written, "" when absent. Note is set when the event had nothing but words
// in text: it names no call and is shown as a row of its own.
type Tool struct {
	Name       string
	Phase      string
	CallID     string
	Text       string
	Arguments  string
	Output     string
	Success    *bool
	DurationMS *int64
	Note       bool
}

// The phases of a tool call.
const (
	PhaseStart  = "start"
	PhaseResult = "result"
)

// Failure is the payload of 25805. Details is a JSON object as it was written.
type Failure struct {
	Code       Code
	Message    string
	RetryAfter int64 // seconds, 0: none
	Details    string
}
