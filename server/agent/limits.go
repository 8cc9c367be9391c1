package agent

import (
	"time"

	"parley/wasm/run"
)

// Limits are those that a place may want otherwise. Zero means the default.
type Limits struct {
	// Prompts of one sender within Window; further ones get RATE_LIMIT. The
	// same holds for messages that mention the agent in rooms.
	Prompts int
	Window  time.Duration
	// AllPrompts of all senders together within Window, messages and tasks in
	// rooms counted in, and AllActive answers under way: keys cost nothing.
	AllPrompts, AllActive int
	// MaxActive unfinished runs of one sender, MaxTurns prompts in one session.
	MaxActive, MaxTurns int
	// RunTime is how long one run, or turn in a room, may take, TaskTime how
	// long a task.
	RunTime, TaskTime time.Duration
	// MaxPromptBytes of the JSON plaintext of a prompt.
	MaxPromptBytes int64
	// QueuedTasks is how many tasks may wait for their turn.
	QueuedTasks int
}

// The defaults of Limits.
const (
	Prompts        = 20
	Window         = time.Minute
	AllPrompts     = 240
	AllActive      = 64
	MaxActive      = 4
	MaxTurns       = KeptTurns
	RunTime        = 10 * time.Minute
	TaskTime       = 2 * time.Hour
	MaxPromptBytes = 100_000
	QueuedTasks    = 10
)

// Times and sizes that are the same everywhere.
const (
	// MaxAway is how long after it was asked something an agent still answers:
	// it was stopped meanwhile, or the one who asks was offline.
	MaxAway = 24 * time.Hour
	maxAway = int64(MaxAway / time.Second)
	// HeardEvery is how often the journal notes that the agent listens.
	HeardEvery = time.Minute
	// LiveWait is how long a delta, status or tool event waits for a relay's
	// OK before the next one is sent.
	LiveWait = 2 * time.Second
	// TerminalWait is how long one attempt to publish a terminal waits.
	TerminalWait = 20 * time.Second
	// ShutdownWait is how long open runs may take to tell their end.
	ShutdownWait = 5 * time.Second
	// InfoWait is how long a relay may take to send its NIP-11 document, of at
	// most MaxInfoBytes.
	InfoWait     = 5 * time.Second
	MaxInfoBytes = 64 << 10
	// FetchWait is how long a relay may take to answer a question.
	FetchWait = 10 * time.Second
	// KeptTurns is how many turns of one session are remembered, and
	// KeptSessions of how many sessions, those used last.
	KeptTurns    = 200
	KeptSessions = 500
	// KeptBytes is how much is remembered of all sessions together.
	KeptBytes = 64 << 20
)

func (l Limits) withDefaults() Limits {
	orInt(&l.Prompts, Prompts)
	orInt(&l.Window, Window)
	orInt(&l.AllPrompts, AllPrompts)
	orInt(&l.AllActive, AllActive)
	orInt(&l.MaxActive, MaxActive)
	orInt(&l.MaxTurns, MaxTurns)
	orInt(&l.RunTime, RunTime)
	orInt(&l.TaskTime, TaskTime)
	orInt(&l.MaxPromptBytes, MaxPromptBytes)
	orInt(&l.QueuedTasks, QueuedTasks)
	return l
}

func orInt[T int | int64 | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// buildInfo is what the agent publishes in 31340.
func (a *Agent) buildInfo() run.Info {
	about := a.config.Brain.About()
	info := run.DefaultInfo(a.keys.PubKey)
	info.SupportsNIP59 = true
	info.SupportedModels, info.DefaultModel = about.Models, about.DefaultModel
	info.MaxPromptBytes = a.limits.MaxPromptBytes
	info.MaxContextTokens = about.MaxContextTokens
	info.Pricing = about.Pricing
	for _, t := range a.config.Tools {
		if info.ToolSchemas == nil {
			info.ToolSchemas = map[string]run.ToolSchema{}
		}
		info.ToolNames = append(info.ToolNames, t.Name)
		info.ToolSchemas[t.Name] = t.Schema
		info.ToolSchemaVersion = max(info.ToolSchemaVersion, t.Schema.SchemaVersion)
	}
	return info
}
