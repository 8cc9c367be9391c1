package components

import "parley/wasm/room"

// Actions of question forms, task cards and AI sessions, each posted with a
// value of the type beside it.
const (
	// Question forms.
	DoAnswer   = "answer"    // AnswerAct
	DoTakeBack = "take_back" // string: my answer's id, while it has not gone out
	DoPutAway  = "put_away"  // string: a question's id
	DoRestore  = "restore"   // string: a question's id
	DoAskOpen  = "ask_open"  // nothing: ask the people of this room something
	DoAsk      = "ask"       // AskDraft
	DoExport   = "export"    // nothing: save the decision record that is shown

	// Task cards.
	DoTaskOpen   = "task_open"   // nothing: ask an agent of this room for a task
	DoTask       = "task"        // TaskDraft
	DoCancelTask = "cancel_task" // string: a task's id

	// Files.
	DoAttach = "attach" // nothing: choose files
	DoFiles  = "files"  // nothing: files were chosen
	DoDetach = "detach" // int: the number of an Attached

	// Agents and their sessions.
	DoFindAgent   = "find_agent"   // string: an npub, nprofile, hex key or NIP-05 name
	DoForgetAgent = "forget_agent" // string: a public key
	DoSearchRuns  = "search_runs"  // string: words
	DoNewSession  = "new_session"  // nothing
	DoModel       = "model"        // string: a model's name, "" for the agent's own choice
	DoThinking    = "thinking"     // string: low, medium, high or max, "" for the agent's own choice
	DoHide        = "hide"         // bool: hide metadata (NIP-59)
	DoStop        = "stop"         // string: a prompt's id
	DoCheck       = "check"        // string
	DoDecrypt     = "decrypt"      // string
	DoAgain       = "again"        // Again
	DoResend      = "resend"       // string: put a prompt's words into the composer
	DoDeleteRun   = "delete_run"   // string
)

// Names of the dialogs of cards and runs, for DialogCall.
const (
	DialogAsk        = "ask"
	DialogTask       = "task"
	DialogCancelTask = "cancel_task" // ID: the task
	DialogDeleteRun  = "delete_run"  // ID: the prompt
)

// Result is called once, on the page's goroutine, with what came of an act: ""
// when it is on its way, else what is wrong and what to do.
type Result func(problem string)

// AnswerAct answers a question. Verdict is for older requests: approve, deny or
// reply.
type AnswerAct struct {
	ID      string
	Choices []string
	Text    string
	Verdict string
	Result  Result
}

// AskDraft is a question to the people of the room that is open.
type AskDraft struct {
	Subject   string
	Text      string
	People    []string // hex keys
	Notify    bool
	Selection string // single, multiple or text
	Options   []string
	Freeform  bool
	Minutes   int // how long it stays open; 0: no end
}

// TaskDraft is a task for an agent.
type TaskDraft struct {
	Agent   string // hex key
	Subject string
	Text    string
}

// Again is a prompt to be sent once more, perhaps to another model.
type Again struct {
	ID    string // of the former prompt
	Model string // "" for the same one
}

// Candidate is somebody who can be asked.
type Candidate struct {
	Person room.Person
	Here   bool // a member of this room
}
