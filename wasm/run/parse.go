package run

import (
	"fmt"
	"strconv"
)

// Message is a checked message: its head and the payload of its kind, of which
// exactly one is set. Hints are differences that do not make it invalid: a
// mirror tag or an envelope key that says other than the field, which wins.
type Message struct {
	Head
	Prompt   *Prompt
	Cancel   *Cancel
	Response *Response
	Delta    *Delta
	Status   *Status
	Tool     *Tool
	Failure  *Failure
	Hints    []*Fault
}

// Parse checks the decrypted payload of a message. Unknown fields are ignored;
// fields win over their camelCase aliases, and both over envelope keys. Errors
// are *Fault: PARSE_ERROR when plain is not JSON, INVALID_SEQUENCE for a seq
// that is not a whole number from 0, INVALID_SCHEMA for everything else.
func Parse(h Head, plain string) (Message, error) {
	m, f := parse(h, plain)
	if f != nil {
		return m, f
	}
	return m, nil
}

func parse(h Head, plain string) (Message, *Fault) {
	m := Message{Head: h}
	o := decode(plain)
	switch h.Kind {
	case KindPrompt:
		m.Prompt = parsePrompt(o)
	case KindCancel:
		o.require("reason")
		m.Cancel = &Cancel{Ver: Version, Reason: o.enum("reason", ReasonUser, ReasonTimeout, ReasonPolicy)}
	case KindStatus:
		m.Status = parseStatus(o)
	case KindResponse:
		m.parseResponse(o)
	case KindDelta:
		m.parseDelta(o)
	case KindTool:
		m.parseTool(o)
	case KindError:
		m.parseFailure(o)
	default:
		o.fail("kind", fmt.Sprintf("%d is not a message kind", h.Kind))
	}
	return m, o.fault
}

func parsePrompt(o *object) *Prompt {
	o.require("message")
	p := &Prompt{
		Ver:            Version,
		Message:        o.text("message", 1),
		Thinking:       o.enum("thinking", ThinkLow, ThinkMedium, ThinkHigh, ThinkMax),
		Provider:       o.text("provider", 1),
		Model:          o.text("model", 1),
		FallbackModels: o.list("fallback_models"),
	}
	p.ToolSchemaVersion, _ = o.integer("tool_schema_version", 1, maxInteger)
	return p
}

func parseStatus(o *object) *Status {
	o.require("state")
	s := &Status{
		Ver:   Version,
		State: o.enum("state", StatusThinking, StatusToolUse, StatusDone),
		Info:  o.text("info", 0),
	}
	if n, ok := o.integer("progress", 0, 100); ok {
		progress := int(n)
		s.Progress = &progress
	}
	return s
}

func (m *Message) parseResponse(o *object) {
	o.require("text")
	r := &Response{Ver: Version, Text: o.text("text", 0)}
	r.Timestamp, _ = o.integer("timestamp", 0, maxInteger)
	if raw := o.object("usage"); raw != "" {
		u := &object{fields: decodeFields(raw)}
		u.require("input_tokens", "output_tokens")
		r.Usage = &Usage{}
		r.Usage.InputTokens, _ = u.integer("input_tokens", 0, maxInteger)
		r.Usage.OutputTokens, _ = u.integer("output_tokens", 0, maxInteger)
		if u.fault != nil {
			o.fail("usage."+u.fault.Field, u.fault.Text)
		}
	}
	if e, ok := ParseEnvelope(KindResponse, r.Text); ok {
		r.Text = e["text"]
		r.FinishReason = e.Get("finish_reason")
		m.mirror(e)
	}
	m.Response = r
}

func (m *Message) parseDelta(o *object) {
	o.require("text")
	d := &Delta{Ver: Version, Text: o.text("text", 0)}
	d.Timestamp, _ = o.integer("timestamp", 0, maxInteger)
	if raw, ok := o.raw("seq"); ok {
		d.Seq = parseSeq(o, string(raw))
	}
	// event is not a field of the schema, so a value of another type or another
	// word is an unknown field and ignored.
	if raw, ok := o.raw("event"); ok {
		switch string(raw) {
		case `"thinking"`:
			d.Event = DeltaThinking
		case `"block"`:
			d.Event = DeltaBlock
		}
	}
	if e, ok := ParseEnvelope(KindDelta, d.Text); ok {
		m.openDelta(o, d, e)
	}
	m.Delta = d
}

// openDelta takes from an envelope what the fields do not say.
func (m *Message) openDelta(o *object, d *Delta, e Envelope) {
	m.mirror(e)
	text, ok := e["text"]
	if !ok {
		text = e["block"]
	}
	d.Text = text
	switch {
	case d.Event != "":
	case e["mode"] == "thinking" || e["event"] == "thinking":
		d.Event = DeltaThinking
	case e["event"] == "block":
		d.Event = DeltaBlock
	}
	if seq, ok := e["seq"]; ok && d.Seq == nil {
		d.Seq = parseSeq(o, seq)
	}
}

func parseSeq(o *object, s string) *int64 {
	n, ok := wholeNumber(s)
	if !ok || n < 0 {
		if o.fault == nil {
			o.fault = fault(InvalidSequence, "seq", "expected a whole number from 0, got "+quote(s))
		}
		return nil
	}
	return &n
}

func (m *Message) parseTool(o *object) {
	if !o.has("text") {
		o.require("name", "phase")
	}
	t := &Tool{
		Name:      o.text("name", 1),
		Phase:     o.enum("phase", PhaseStart, PhaseResult),
		CallID:    o.words("call_id"),
		Text:      o.text("text", 1),
		Arguments: o.object("arguments"),
		Output:    o.object("output"),
		Success:   o.boolean("success"),
	}
	if n, ok := o.integer("duration_ms", 0, maxInteger); ok {
		t.DurationMS = &n
	}
	o.integer("timestamp", 0, maxInteger)
	if e, ok := ParseEnvelope(KindTool, t.Text); ok {
		m.openTool(o, t, e)
	}
	m.hint("tool", m.Head.Tool, t.Name)
	m.hint("phase", m.Head.Phase, t.Phase)
	t.complete(m.Head)
	m.Tool = t
}

// openTool takes from an envelope what the fields do not say.
func (m *Message) openTool(o *object, t *Tool, e Envelope) {
	m.mirror(e)
	m.hint("text.name", e["name"], t.Name)
	t.Text = e["text"]
	if t.Name == "" {
		t.Name = e["name"]
	}
	if t.CallID == "" {
		t.CallID = e.Get("call_id")
	}
	if target := e["target"]; target != "" && t.Arguments == "" {
		t.Arguments = encode(map[string]string{"target": target})
	}
	if t.Phase == "" {
		t.Phase = envelopePhase(o, e["phase"])
	} else if envelopePhase(&object{}, e["phase"]) != t.Phase {
		m.hint("text.phase", e["phase"], t.Phase)
	}
	if s := e["success"]; t.Success == nil && (s == "true" || s == "false") {
		ok := s == "true"
		t.Success = &ok
	}
	if n, err := strconv.ParseInt(e.Get("duration_ms"), 10, 64); err == nil && t.DurationMS == nil && n >= 0 && n <= maxInteger {
		t.DurationMS = &n
	}
}

// envelopePhase reads an envelope's phase, which other kinds write as update and
// end.
func envelopePhase(o *object, phase string) string {
	switch phase {
	case PhaseStart, "update":
		return PhaseStart
	case PhaseResult, "end":
		return PhaseResult
	}
	o.fail("text.phase", "expected start or result, got "+quote(phase))
	return ""
}

// complete fills what an event with nothing but words leaves open from the hint
// tags, and else makes it a note: a row of its own that waits for nothing.
func (t *Tool) complete(h Head) {
	if t.Name == "" {
		t.Name = h.Tool
	}
	if t.Phase == "" && (h.Phase == PhaseStart || h.Phase == PhaseResult) {
		t.Phase = h.Phase
	}
	if t.Name == "" || t.Phase == "" {
		t.Note = t.CallID == ""
	}
	if t.Name == "" {
		t.Name = "tool"
	}
	if t.Phase == "" {
		t.Phase = PhaseResult
	}
}

func (m *Message) parseFailure(o *object) {
	text := o.words("text")
	e, _ := ParseEnvelope(KindError, text)
	if e != nil {
		m.mirror(e)
	}
	f := &Failure{Code: Code(o.text("code", 1)), Message: o.text("message", 1), Details: o.object("details")}
	f.RetryAfter, _ = o.integer("retry_after", 1, maxInteger)
	if f.Code == "" {
		f.Code = Code(e["code"])
	} else {
		m.hint("text.code", e["code"], string(f.Code))
	}
	if f.Message == "" {
		f.Message = e["text"]
	}
	if n, err := strconv.ParseInt(e.Get("retry_after"), 10, 64); err == nil && f.RetryAfter == 0 && n >= 1 && n <= maxInteger {
		f.RetryAfter = n
	}
	switch {
	case f.Code == "":
		o.fail("code", "missing; it is required")
	case !f.Code.Known():
		o.fail("code", "expected an error code of the NIP, got "+quote(string(f.Code)))
	case f.Message == "":
		o.fail("message", "missing; it is required")
	}
	m.Failure = f
}

// words reads a field that is not part of the schema: a string, or nothing.
func (o *object) words(name string) string {
	v, ok := o.raw(name)
	if !ok || len(v) == 0 || v[0] != '"' {
		return ""
	}
	return o.text(name, 0)
}

// mirror compares what an envelope repeats of the tags.
func (m *Message) mirror(e Envelope) {
	m.hint("text.run_id", e.Get("run_id"), m.Root)
	m.hint("text.session_id", e.Get("session_id"), m.Session)
}

// hint notes that a mirror says other than the field, which wins. Either may be
// absent.
func (m *Message) hint(where, mirror, field string) {
	if mirror == "" || field == "" || mirror == field {
		return
	}
	m.Hints = append(m.Hints, fault(InvalidSchema, where,
		"says "+quote(mirror)+", the message says "+quote(field)+", which counts"))
}
