// Package brain is what an agent thinks with: one interface, so that the
// runtime knows the protocol and a brain knows only turns.
package brain

import (
	"context"
	"encoding/json"
	"errors"

	"parley/wasm/ask"
	"parley/wasm/run"
)

// Brain takes turns. Its methods may be called from many goroutines.
type Brain interface {
	// About says what people learn of it before they ask.
	About() About
	// Answer takes one turn. It returns soon after ctx has ended. Errors are
	// *Failure where a code of the protocol fits; any other error is an
	// unexpected one.
	Answer(ctx context.Context, turn Turn, out Out) (Answer, error)
}

// About is what a brain says about itself.
type About struct {
	Words        string   // one sentence, for the profile
	Provider     string   // "" when it has no name
	Models       []string // those it can use; may be empty
	DefaultModel string   // one of Models, or ""
	// MaxContextTokens bounds the history that comes with a turn.
	MaxContextTokens int64
	Pricing          *run.Pricing // nil: not said
}

// Place is where a turn takes place.
type Place string

// The places.
const (
	Session Place = "session" // an AI session: nobody else reads along
	Room    Place = "room"    // a message in a room or thread
	Task    Place = "task"    // a long task in a room
)

// Turn is what a brain answers to.
type Turn struct {
	Place    Place
	ID       string // the prompt, message or request
	Sender   string // hex public key
	Subject  string // tasks
	Message  string
	Thinking string   // low, medium, high, max; "" as the brain likes
	Models   []string // those to try, in order; empty: the default
	History  []Exchange
	// Reply is set, in rooms, when the turn goes on after a question that an
	// earlier turn ended with.
	Reply *Reply
}

// Exchange is something said earlier.
type Exchange struct {
	Mine bool // by the agent
	Text string
}

// Answer ends a turn that went well.
type Answer struct {
	// Text is all of the answer; "" stands for everything that was said.
	Text  string
	Usage *run.Usage
	// Ask, in rooms only, is put to people after the text. The turn is over;
	// the first valid answer begins another one.
	Ask *Question
}

// Question is a question form. Memo comes back with the reply; it is how a
// brain remembers, over a restart too, where it was.
type Question struct {
	Text        string
	Subject     string
	Interaction ask.Interaction // "" is a question
	Selection   ask.Selection
	Options     []ask.Option
	Freeform    bool
	Expires     int64 // seconds from now; 0: never
	Memo        string
}

// Reply is the answer that settled a question.
type Reply struct {
	Memo    string
	By      string // hex public key
	Choices []ask.Option
	Text    string
	Expired bool // the time passed without an answer; the rest is empty
}

// File is something to post.
type File struct {
	Name string
	Type string // MIME type
	Data []byte
}

// Tool errors.
var (
	// ErrPlace is returned for what the place of a turn has no form for.
	ErrPlace = errors.New("not possible in this place")
	// ErrNoFiles is returned where no relay's site takes files.
	ErrNoFiles = errors.New("there is no place to upload files to")
)

// Out is how a turn speaks before it ends. Methods fail once the turn was
// ended from outside. It is used by one goroutine at a time.
type Out interface {
	// Say adds words of the answer, Think words of the reasoning.
	Say(words string) error
	Think(words string) error
	// Status tells what is going on: run.StatusThinking or StatusToolUse,
	// progress in percent (nil: unknown) and a few words.
	Status(state string, progress *int, info string) error
	// Tool runs one of the agent's tools. arguments is a JSON object. What
	// went wrong inside the tool is in the outcome, for the brain to deal
	// with; an error means that the turn is over.
	Tool(ctx context.Context, name string, arguments json.RawMessage) (Outcome, error)
	// Post writes a message of its own: a reply in the room or the task's
	// thread. ErrPlace in sessions.
	Post(ctx context.Context, text string) error
	// Ask puts a question to the sender and waits. Tasks only, else ErrPlace.
	Ask(ctx context.Context, q Question) (Reply, error)
	// File uploads a file and posts it. ErrPlace in sessions, ErrNoFiles
	// where there is nothing to upload to.
	File(ctx context.Context, f File) error
	// Handoff opens a thread of its own with that name and gives what posts
	// into it. Tasks only, else ErrPlace.
	Handoff(ctx context.Context, name string) (post func(ctx context.Context, text string) error, err error)
}

// Outcome is what a tool gave.
type Outcome struct {
	Output json.RawMessage // a JSON object, also when it failed
	Error  string          // why it failed, in words; "" when it did not
}

// Failure ends a turn with a code of the protocol. Details is a JSON object or
// "".
type Failure struct {
	Code       run.Code
	Message    string
	RetryAfter int64 // seconds; 0: none
	Details    string
}

func (f *Failure) Error() string { return string(f.Code) + ": " + f.Message }
