package relay

import (
	"encoding/json"
	"strings"

	"github.com/nbd-wtf/go-nostr"
)

// The messages of NIP-01 and NIP-42.
const (
	msgEvent  = "EVENT"
	msgReq    = "REQ"
	msgClose  = "CLOSE"
	msgOK     = "OK"
	msgEOSE   = "EOSE"
	msgClosed = "CLOSED"
	msgNotice = "NOTICE"
	msgAuth   = "AUTH"
)

// message is a parsed frame from a relay.
type message struct {
	label string
	// id is the subscription's, or for OK the event's.
	id string
	// text is the message of OK, CLOSED and NOTICE, and AUTH's challenge.
	text string
	ok   bool
	// raw is an EVENT's object as written, and event what it says.
	raw   string
	event *nostr.Event
}

// parse reads a frame. What is malformed, or not for clients, gives false.
func parse(frame string) (message, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(frame), "[")
	if !ok {
		return message{}, false
	}
	label, rest, ok := cutString(rest)
	if ok && label == msgEvent {
		return parseEvent(rest)
	}
	var parts []json.RawMessage
	if !ok || json.Unmarshal([]byte(frame), &parts) != nil || len(parts) < 2 {
		return message{}, false
	}
	m := message{label: label}
	switch label {
	case msgOK:
		ok = len(parts) >= 3 && text(parts[1], &m.id) && json.Unmarshal(parts[2], &m.ok) == nil &&
			(len(parts) == 3 || text(parts[3], &m.text))
	case msgEOSE:
		ok = text(parts[1], &m.id)
	case msgClosed:
		ok = text(parts[1], &m.id) && (len(parts) == 2 || text(parts[2], &m.text))
	case msgNotice, msgAuth:
		ok = text(parts[1], &m.text)
	default:
		ok = false
	}
	return m, ok
}

// parseEvent reads what follows the label of an EVENT. It is the one message
// that comes by the thousand, so its object is found without decoding it.
func parseEvent(rest string) (message, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(rest), ",")
	if !ok {
		return message{}, false
	}
	id, rest, ok := cutString(strings.TrimSpace(rest))
	if !ok {
		return message{}, false
	}
	rest, ok = strings.CutPrefix(strings.TrimSpace(rest), ",")
	if !ok {
		return message{}, false
	}
	if rest, ok = strings.CutSuffix(rest, "]"); !ok {
		return message{}, false
	}
	m := message{label: msgEvent, id: id, raw: strings.TrimSpace(rest), event: new(nostr.Event)}
	// The parser wants the whole text to be one object, and nothing after it.
	if !strings.HasPrefix(m.raw, "{") || m.event.UnmarshalJSON([]byte(m.raw)) != nil {
		return message{}, false
	}
	return m, isHex64(m.event.ID)
}

// cutString takes a JSON string off the front.
func cutString(s string) (value, rest string, ok bool) {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, `"`) {
		return "", "", false
	}
	end := 1
	for end < len(s) && s[end] != '"' {
		if s[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(s) {
		return "", "", false
	}
	quoted := s[:end+1]
	if !strings.Contains(quoted, `\`) {
		return quoted[1:end], s[end+1:], true
	}
	if json.Unmarshal([]byte(quoted), &value) != nil {
		return "", "", false
	}
	return value, s[end+1:], true
}

func text(raw json.RawMessage, into *string) bool {
	return len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, into) == nil
}

func isHex64(s string) bool {
	if len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// eventFrame writes an event under EVENT or AUTH.
func eventFrame(label string, ev *nostr.Event) (string, error) {
	raw, err := ev.MarshalJSON()
	return `["` + label + `",` + string(raw) + `]`, err
}

// reqFrame writes a REQ. The id is one of ours, so it needs no escaping.
func reqFrame(id string, filters []nostr.Filter) (string, error) {
	var b strings.Builder
	b.WriteString(`["` + msgReq + `","` + id + `"`)
	for _, f := range filters {
		raw, err := f.MarshalJSON()
		if err != nil {
			return "", err
		}
		b.WriteByte(',')
		b.Write(raw)
	}
	b.WriteByte(']')
	return b.String(), nil
}

func closeFrame(id string) string { return `["` + msgClose + `","` + id + `"]` }

// words cuts what a relay says to a length that can be kept.
func words(s string) string {
	if len(s) > MaxWords {
		s = s[:MaxWords] + "..."
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
