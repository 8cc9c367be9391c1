package run

import (
	"encoding/json"
	"fmt"
)

// ToolOutcome is what a tool gave. Output is a JSON object or nil; DurationMS is
// measured by the caller.
type ToolOutcome struct {
	Output     json.RawMessage
	Success    bool
	DurationMS int64
}

// toolPayload is 25804 as it is written.
type toolPayload struct {
	Ver        int             `json:"ver"`
	Name       string          `json:"name"`
	Phase      string          `json:"phase"`
	CallID     string          `json:"call_id"`
	Arguments  json.RawMessage `json:"arguments,omitempty"`
	Output     json.RawMessage `json:"output,omitempty"`
	Success    *bool           `json:"success,omitempty"`
	DurationMS *int64          `json:"duration_ms,omitempty"`
}

// ToolStart tells that a tool begins; arguments is a JSON object or nil. The
// call id it gives belongs to ToolResult. In a wrapped run arguments stay out.
func (w *Writer) ToolStart(name string, arguments json.RawMessage, now int64) (Draft, string, error) {
	switch {
	case w.ended:
		return Draft{}, "", ErrEnded
	case name == "":
		return Draft{}, "", fault(InvalidSchema, "name", "a tool has a name")
	case arguments != nil && !isObject(arguments):
		return Draft{}, "", fault(InvalidSchema, "arguments", "expected an object, got "+quote(string(arguments)))
	}
	w.startCount++
	id := fmt.Sprintf("call_%d", w.startCount)
	w.open[id] = name
	if w.private {
		arguments = nil
	}
	return w.draft(KindTool, toolPayload{Ver: Version, Name: name, Phase: PhaseStart, CallID: id, Arguments: arguments}, now), id, nil
}

// ToolResult tells what a started tool gave. In a wrapped run the output stays
// out.
func (w *Writer) ToolResult(callID string, out ToolOutcome, now int64) (Draft, error) {
	name := w.open[callID]
	switch {
	case w.ended:
		return Draft{}, ErrEnded
	case name == "":
		return Draft{}, fault(InvalidSchema, "call_id", "no tool is running under "+quote(callID))
	case out.Output != nil && !isObject(out.Output):
		return Draft{}, fault(InvalidSchema, "output", "expected an object, got "+quote(string(out.Output)))
	case out.DurationMS < 0:
		return Draft{}, fault(InvalidSchema, "duration_ms", "must not be negative")
	}
	delete(w.open, callID)
	if w.private {
		out.Output = nil
	}
	return w.draft(KindTool, toolPayload{Ver: Version, Name: name, Phase: PhaseResult, CallID: callID,
		Output: out.Output, Success: &out.Success, DurationMS: &out.DurationMS}, now), nil
}
