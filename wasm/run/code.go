package run

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Code is an error code of the NIP, as it stands in 25805 payloads and in
// diagnostics.
type Code string

// The error codes of the NIP.
const (
	UnsupportedEncryption    Code = "UNSUPPORTED_ENCRYPTION"
	UnsupportedModel         Code = "UNSUPPORTED_MODEL"
	UnsupportedSchemaVersion Code = "UNSUPPORTED_SCHEMA_VERSION"
	Cancelled                Code = "CANCELLED"
	RateLimit                Code = "RATE_LIMIT"
	Unauthorized             Code = "UNAUTHORIZED"
	BlockedSender            Code = "BLOCKED_SENDER"
	ModelUnavailable         Code = "MODEL_UNAVAILABLE"
	SessionLimit             Code = "SESSION_LIMIT"
	ParseError               Code = "PARSE_ERROR"
	EmptyResponse            Code = "EMPTY_RESPONSE"
	ToolError                Code = "TOOL_ERROR"
	InvalidSchema            Code = "INVALID_SCHEMA"
	UnsupportedFeature       Code = "UNSUPPORTED_FEATURE"
	InvalidSequence          Code = "INVALID_SEQUENCE"
	InternalError            Code = "INTERNAL_ERROR"
)

var codes = map[Code]bool{
	UnsupportedEncryption: true, UnsupportedModel: true, UnsupportedSchemaVersion: true,
	Cancelled: true, RateLimit: true, Unauthorized: true, BlockedSender: true,
	ModelUnavailable: true, SessionLimit: true, ParseError: true, EmptyResponse: true,
	ToolError: true, InvalidSchema: true, UnsupportedFeature: true,
	InvalidSequence: true, InternalError: true,
}

// Known says whether c is a code of the NIP.
func (c Code) Known() bool { return codes[c] }

// Fault is what is wrong with an event: the NIP's code for it, the place (a tag
// or field name, may be empty) and a sentence that says what was expected and
// what came. It is the error type of every parser here.
type Fault struct {
	Code  Code
	Field string
	Text  string
}

// Error gives code, place and sentence in one line.
func (f *Fault) Error() string {
	if f.Field == "" {
		return string(f.Code) + ": " + f.Text
	}
	return string(f.Code) + ": " + f.Field + ": " + f.Text
}

func fault(code Code, field, text string) *Fault { return &Fault{code, field, text} }

// Sentence is the fault for a person, without its code: "Write something first."
func (f *Fault) Sentence() string {
	first, size := utf8.DecodeRuneInString(f.Text)
	if size == 0 {
		return ""
	}
	text := string(unicode.ToUpper(first)) + f.Text[size:]
	if strings.ContainsRune(".!?…", rune(text[len(text)-1])) {
		return text
	}
	return text + "."
}
