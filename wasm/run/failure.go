package run

import "encoding/json"

// failureDraft is a 25805. An error is never too large: its words are ours.
func failureDraft(run, client, session string, f Failure, now int64) Draft {
	var details json.RawMessage
	if isObject([]byte(f.Details)) {
		details = json.RawMessage(f.Details)
	}
	return newDraft(KindError, now, client, run, session, encode(struct {
		Ver        int             `json:"ver"`
		Code       Code            `json:"code"`
		Message    string          `json:"message"`
		RetryAfter int64           `json:"retry_after,omitempty"`
		Details    json.RawMessage `json:"details,omitempty"`
	}{Version, f.Code, f.Message, f.RetryAfter, details}))
}

func tooLargeFailure() Failure {
	return Failure{Code: InternalError, Message: "The answer is too large for the relay.",
		Details: encode(map[string]string{"reason": "too_large"})}
}

// tooLarge says whether a response does not fit: wrapped, by its text; and
// always by the frame it becomes.
func (w *Writer) tooLarge(text string, r Response) bool {
	if w.private && len(text) > MaxWrappedText {
		return true
	}
	return w.limit > 0 && FrameSize(len(encode(r)), w.private) > w.limit
}

func isObject(raw []byte) bool {
	return len(raw) > 0 && raw[0] == '{' && json.Valid(raw)
}
