// Package port is the whole of what the page and the core can say to each
// other: calls with an id, their replies, batched updates, calls to the page's
// browser extension, and the words of a core that dies. Everything is a plain
// struct in JSON, with strings for enums. It imports no go-app and nothing that
// connects, so neither side can reach through it.
package port

import "encoding/json"

// Kinds of envelope. The set is closed.
const (
	Hello   = "hello"   // both ways at start: Build; from the core also once a second, as a sign of life
	Bye     = "bye"     // page to core: the tab is left, its watches end
	Call    = "call"    // page to core: ID, Method, Value
	Reply   = "reply"   // core to page: ID, Value or Error
	Update  = "update"  // core to page: Updates
	Request = "request" // core to page: ID, Method, Value; a call to the browser extension
	Answer  = "answer"  // page to core: ID, Value or Error
	Fatal   = "fatal"   // core to page: Error; the core is about to end
)

// Envelope is one message on the wire. Tab names the tab that sent it or that
// it is for; empty from the core means every tab.
type Envelope struct {
	Type    string          `json:"t"`
	Tab     string          `json:"tab,omitempty"`
	ID      int64           `json:"id,omitempty"`
	Build   string          `json:"build,omitempty"`
	Method  string          `json:"m,omitempty"`
	Value   json.RawMessage `json:"v,omitempty"`
	Error   *Error          `json:"e,omitempty"`
	Updates []Topic         `json:"u,omitempty"`
}

// Topic is one update of something the page watches. Value holds the type that
// the watch's Name goes with.
type Topic struct {
	Watch string          `json:"w"` // the id the page gave to Watch
	Name  string          `json:"n"`
	Value json.RawMessage `json:"v"`
}

// Error codes. Message is for people, Code for programs.
const (
	CodeInvalid     = "invalid"     // the input is wrong; Message says what to do
	CodeNotFound    = "not_found"   // there is no such thing
	CodeLocked      = "locked"      // the key is locked: unlock it
	CodeSignedOut   = "signed_out"  // there is no key
	CodeRefused     = "refused"     // the signer or the person said no
	CodeUnavailable = "unavailable" // a relay, signer or browser feature is away; try again
	CodeInternal    = "internal"    // a fault of ours
)

// Error is a failed call.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return e.Message }
