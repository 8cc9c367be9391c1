package relay

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/nbd-wtf/go-nostr"
)

// The labels of messages (NIP-01, NIP-42, NIP-45).
const (
	msgEvent  = "EVENT"
	msgReq    = "REQ"
	msgClose  = "CLOSE"
	msgCount  = "COUNT"
	msgAuth   = "AUTH"
	msgOK     = "OK"
	msgEOSE   = "EOSE"
	msgClosed = "CLOSED"
	msgNotice = "NOTICE"
)

// splitMessage takes a client's message apart: its label and what follows.
func splitMessage(data []byte) (label string, parts []json.RawMessage, err error) {
	if !utf8.Valid(data) {
		return "", nil, refuse(invalid, "a message must be UTF-8")
	}
	if json.Unmarshal(data, &parts) != nil || len(parts) < 2 || !text(parts[0], &label) {
		return "", nil, refuse(invalid, "a message must be a JSON array that begins with its name")
	}
	return label, parts[1:], nil
}

// text reads a JSON string and nothing else.
func text(raw json.RawMessage, into *string) bool {
	return len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, into) == nil
}

// readRequest reads what follows REQ and COUNT.
func readRequest(parts []json.RawMessage) (id string, filters nostr.Filters, err error) {
	if !text(parts[0], &id) || id == "" || utf8.RuneCountInString(id) > MaxSubID {
		return "", nil, refuse(invalid, "the subscription id must be a string of 1 to %d characters", MaxSubID)
	}
	switch n := len(parts) - 1; {
	case n == 0:
		return id, nil, refuse(invalid, "there is no filter")
	case n > MaxFilters:
		return id, nil, refuse(invalid, "there are %d filters; this relay takes %d", n, MaxFilters)
	}
	values := 0
	for _, raw := range parts[1:] {
		f, n, err := readFilter(raw)
		if err != nil {
			return id, nil, err
		}
		if values += n; values > MaxFilterValues {
			return id, nil, refuse(invalid, "the filters name more than %d values", MaxFilterValues)
		}
		filters = append(filters, f)
	}
	return id, filters, nil
}

// readFilter reads one filter strictly: what it does not know it refuses,
// since leaving out a condition would answer another question.
func readFilter(raw json.RawMessage) (f nostr.Filter, values int, err error) {
	var fields map[string]json.RawMessage
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &fields) != nil {
		return f, 0, refuse(invalid, "a filter must be a JSON object")
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		n, err := setField(&f, name, fields[name])
		if err != nil {
			return f, 0, err
		}
		values += n
	}
	return f, values, nil
}

func setField(f *nostr.Filter, name string, raw json.RawMessage) (values int, err error) {
	switch name {
	case "ids":
		f.IDs, err = readList(name, raw, true)
		return len(f.IDs), err
	case "authors":
		f.Authors, err = readList(name, raw, true)
		return len(f.Authors), err
	case "kinds":
		if json.Unmarshal(raw, &f.Kinds) != nil || f.Kinds == nil {
			return 0, refuse(invalid, "kinds in a filter must be a list of whole numbers")
		}
		f.Kinds = unique(f.Kinds)
		return len(f.Kinds), nil
	case "since":
		return 0, readTime(name, raw, &f.Since)
	case "until":
		return 0, readTime(name, raw, &f.Until)
	case "limit":
		if json.Unmarshal(raw, &f.Limit) != nil || f.Limit < 0 || string(raw) == "null" {
			return 0, refuse(invalid, "limit in a filter must be a whole number from 0 on")
		}
		f.LimitZero = f.Limit == 0
		return 0, nil
	}
	if len(name) != 2 || name[0] != '#' || !isLetter(name[1]) {
		return 0, refusal(fmt.Sprintf("unsupported: this relay does not know %q in a filter", name))
	}
	list, err := readList(name, raw, name == "#e" || name == "#p")
	if err != nil {
		return 0, err
	}
	if f.Tags == nil {
		f.Tags = nostr.TagMap{}
	}
	f.Tags[name[1:]] = list
	return len(list), nil
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func readList(name string, raw json.RawMessage, hex bool) ([]string, error) {
	var list []string
	if json.Unmarshal(raw, &list) != nil || list == nil {
		return nil, refuse(invalid, "%s in a filter must be a list of strings", name)
	}
	for _, v := range list {
		if hex && !isHex(v, 64) {
			return nil, refuse(invalid, "%s in a filter must be 64 lowercase hex digits each", name)
		}
	}
	return unique(list), nil
}

// unique drops what is said twice; an empty list stays a list.
func unique[T int | string](list []T) []T {
	slices.Sort(list)
	return slices.Compact(list)
}

func readTime(name string, raw json.RawMessage, into **nostr.Timestamp) error {
	var at nostr.Timestamp
	if json.Unmarshal(raw, &at) != nil || string(raw) == "null" {
		return refuse(invalid, "%s in a filter must be a whole number of seconds", name)
	}
	*into = &at
	return nil
}

// message puts a message together. Its parts are strings, booleans and numbers,
// which always encode.
func message(parts ...any) []byte {
	out, err := json.Marshal(parts)
	if err != nil {
		return []byte(`["` + msgNotice + `","` + failed + `: this answer cannot be written"]`)
	}
	return out
}
