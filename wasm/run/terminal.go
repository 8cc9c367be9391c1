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

// eventOverhead is more than the JSON of a message's frame takes besides its
// content: id, key, signature, tags with the longest session id, the subscription.
const eventOverhead = 2048

// FrameSize is an upper bound for the EVENT frame of a message with so many
// bytes of plaintext, to compare with max_message_length.
func FrameSize(plain int, wrapped bool) int {
	size := payloadSize(plain) + eventOverhead
	if wrapped {
		size = payloadSize(payloadSize(size)+eventOverhead) + eventOverhead
	}
	return size
}

// payloadSize is the length of a NIP-44 payload: padding, then version, nonce
// and MAC, then base64.
func payloadSize(n int) int {
	prefix := 2
	if n > 0xffff {
		prefix = 6
	}
	return (1 + 32 + prefix + paddedSize(n) + 32 + 2) / 3 * 4
}

func paddedSize(n int) int {
	if n <= 32 {
		return 32
	}
	power := 64
	for power < n {
		power *= 2
	}
	chunk := max(32, power/8)
	return (n + chunk - 1) / chunk * chunk
}

func isObject(raw []byte) bool {
	return len(raw) > 0 && raw[0] == '{' && json.Valid(raw)
}
