package run

import (
	"fmt"
	"strings"
)

// Question is what a person sends to an agent. Thinking, Provider, Model and
// FallbackModels may be empty.
type Question struct {
	Client         string // the person's public key
	Session        string // a session id; "" for sender:<client>
	Message        string
	Thinking       string
	Provider       string
	Model          string
	FallbackModels []string
}

// NewPrompt is the prompt for a question to the agent of info (DefaultInfo when
// it published none). The tool schema version the info names is always sent.
// Errors are *Fault and say what to change: INVALID_SCHEMA for an empty or too
// long message and for malformed keys, UNSUPPORTED_MODEL,
// UNSUPPORTED_ENCRYPTION.
func NewPrompt(q Question, info Info, now int64) (Draft, error) {
	session := SessionOf(q.Session, q.Client)
	if f := q.check(info, session); f != nil {
		return Draft{}, f
	}
	plain := encode(Prompt{
		Ver: Version, Message: q.Message, Thinking: q.Thinking, Provider: q.Provider, Model: q.Model,
		ToolSchemaVersion: info.ToolSchemaVersion, FallbackModels: q.FallbackModels,
	})
	if limit := info.MaxPromptBytes; limit > 0 && int64(len(plain)) > limit {
		return Draft{}, fault(InvalidSchema, "message",
			fmt.Sprintf("the agent takes %d bytes, this prompt has %d; shorten it by %d", limit, len(plain), int64(len(plain))-limit))
	}
	d := newDraft(KindPrompt, now, info.Agent, "", session, plain)
	return d, nil
}

func (q *Question) check(info Info, session string) *Fault {
	switch {
	case !isHex64(info.Agent):
		return fault(InvalidSchema, "p", "the agent's public key is not 64 lowercase hex digits: "+quote(info.Agent))
	case !isHex64(q.Client):
		return fault(InvalidSchema, "pubkey", "the sender's public key is not 64 lowercase hex digits: "+quote(q.Client))
	case len(session) > MaxSessionBytes:
		return fault(InvalidSchema, "s", fmt.Sprintf("session ids have at most %d bytes", MaxSessionBytes))
	case q.Message == "":
		return fault(InvalidSchema, "message", "write something first")
	case q.Thinking != "" && !contains([]string{ThinkLow, ThinkMedium, ThinkHigh, ThinkMax}, q.Thinking):
		return fault(InvalidSchema, "thinking", "expected low, medium, high or max; got "+quote(q.Thinking))
	case !contains(info.Encryption, Encryption):
		return fault(UnsupportedEncryption, "encryption", "the agent offers "+strings.Join(info.Encryption, ", ")+"; only nip44 is supported here")
	case q.Model != "" && info.Named() && len(info.SupportedModels) == 0:
		return fault(UnsupportedModel, "model", "the agent names no models; leave the choice to it")
	case q.Model != "" && info.Named() && !contains(info.SupportedModels, q.Model):
		return fault(UnsupportedModel, "model", "the agent does not offer "+quote(q.Model)+"; choose one of "+strings.Join(info.SupportedModels, ", "))
	}
	return nil
}

// NewCancel asks the agent to stop a run: ReasonUser from Stop, ReasonTimeout
// from Stop on an incomplete run. session is the run's (View.Session).
func NewCancel(prompt, client, agent, session, reason string, now int64) (Draft, error) {
	switch {
	case !isHex64(prompt):
		return Draft{}, fault(InvalidSchema, "e", "the prompt's id is not 64 lowercase hex digits: "+quote(prompt))
	case !isHex64(agent):
		return Draft{}, fault(InvalidSchema, "p", "the agent's public key is not 64 lowercase hex digits: "+quote(agent))
	case !contains([]string{ReasonUser, ReasonTimeout, ReasonPolicy}, reason):
		return Draft{}, fault(InvalidSchema, "reason", "expected user_cancel, timeout or policy; got "+quote(reason))
	}
	plain := encode(Cancel{Ver: Version, Reason: reason})
	return newDraft(KindCancel, now, agent, prompt, SessionOf(session, client), plain), nil
}
