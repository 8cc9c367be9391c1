package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// object is a decoded JSON payload whose fields are read by name and rule. Names
// are exact; the camelCase spelling is read where the snake_case one is absent.
// The first broken rule is kept and the readers after it are silent.
type object struct {
	fields map[string]json.RawMessage
	fault  *Fault
}

// decode reads a payload. Not JSON: PARSE_ERROR. Not an object, or another
// version: INVALID_SCHEMA.
func decode(plain string) *object {
	o := &object{}
	err := json.Unmarshal([]byte(plain), &o.fields)
	var wrongType *json.UnmarshalTypeError
	switch {
	case err != nil && !errors.As(err, &wrongType):
		o.fault = fault(ParseError, "", "the decrypted content is not JSON: "+err.Error())
	case err != nil || o.fields == nil:
		o.fault = fault(InvalidSchema, "", "the decrypted content is not a JSON object: "+quote(plain))
	default:
		o.require("ver")
		o.integer("ver", Version, Version)
	}
	return o
}

func (o *object) fail(field, text string) {
	if o.fault == nil {
		o.fault = fault(InvalidSchema, field, text)
	}
}

// raw finds a field by its name or its camelCase alias.
func (o *object) raw(name string) (json.RawMessage, bool) {
	if o.fault != nil {
		return nil, false
	}
	if v, ok := o.fields[name]; ok {
		return v, true
	}
	if strings.IndexByte(name, '_') < 0 {
		return nil, false
	}
	v, ok := o.fields[camel(name)]
	return v, ok
}

func (o *object) has(name string) bool {
	_, ok := o.raw(name)
	return ok
}

func (o *object) require(names ...string) {
	for _, name := range names {
		if !o.has(name) {
			o.fail(name, "missing; it is required")
		}
	}
}

// text reads a string of at least min bytes.
func (o *object) text(name string, min int) string {
	v, ok := o.raw(name)
	if !ok {
		return ""
	}
	var s string
	if len(v) == 0 || v[0] != '"' || json.Unmarshal(v, &s) != nil {
		o.fail(name, "expected a string, got "+quote(string(v)))
		return ""
	}
	if len(s) < min {
		o.fail(name, "must not be empty")
	}
	return s
}

// enum reads a string that is one of allowed.
func (o *object) enum(name string, allowed ...string) string {
	if !o.has(name) {
		return ""
	}
	s := o.text(name, 0)
	for _, a := range allowed {
		if s == a {
			return s
		}
	}
	o.fail(name, "expected one of "+strings.Join(allowed, ", ")+"; got "+quote(s))
	return ""
}

// integer reads a whole number within [min, max]. As in JSON Schema, 1.0 and
// 1e2 are whole numbers.
func (o *object) integer(name string, min, max int64) (int64, bool) {
	v, ok := o.raw(name)
	if !ok {
		return 0, false
	}
	n, ok := wholeNumber(string(v))
	if !ok {
		o.fail(name, "expected a whole number, got "+quote(string(v)))
		return 0, false
	}
	switch {
	case n < min && max == maxInteger:
		o.fail(name, fmt.Sprintf("must be at least %d, got %d", min, n))
	case min == max && n != min:
		o.fail(name, fmt.Sprintf("must be %d, got %d", min, n))
	case n < min || n > max:
		o.fail(name, fmt.Sprintf("must be between %d and %d, got %d", min, max, n))
	default:
		return n, true
	}
	return 0, false
}

// maxInteger is the largest whole number every JSON reader keeps exact.
const maxInteger = 1<<53 - 1

func wholeNumber(s string) (int64, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, n >= -maxInteger && n <= maxInteger
	}
	if len(s) == 0 || (s[0] != '-' && (s[0] < '0' || s[0] > '9')) {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > maxInteger {
		return 0, false
	}
	return int64(f), true
}

func (o *object) boolean(name string) *bool {
	v, ok := o.raw(name)
	if !ok {
		return nil
	}
	b := string(v) == "true"
	if !b && string(v) != "false" {
		o.fail(name, "expected true or false, got "+quote(string(v)))
		return nil
	}
	return &b
}

// object reads a JSON object and gives it back as it was written.
func (o *object) object(name string) string {
	v, ok := o.raw(name)
	if !ok {
		return ""
	}
	if len(v) == 0 || v[0] != '{' {
		o.fail(name, "expected an object, got "+quote(string(v)))
		return ""
	}
	return string(v)
}

// list reads an array of strings.
func (o *object) list(name string) []string {
	v, ok := o.raw(name)
	if !ok {
		return nil
	}
	var items []*string
	if len(v) == 0 || v[0] != '[' || json.Unmarshal(v, &items) != nil {
		o.fail(name, "expected an array of strings, got "+quote(string(v)))
		return nil
	}
	list := make([]string, len(items))
	for i, item := range items {
		if item == nil {
			o.fail(name, "expected an array of strings; one item is null")
			return nil
		}
		list[i] = *item
	}
	return list
}

// camel turns snake_case into camelCase.
func camel(name string) string {
	var b strings.Builder
	up := false
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '_':
			up = true
		case up && c >= 'a' && c <= 'z':
			b.WriteByte(c - 'a' + 'A')
			up = false
		default:
			b.WriteByte(c)
			up = false
		}
	}
	return b.String()
}

// encode writes a payload. The values are plain structs of this package, for
// which JSON cannot fail.
func encode(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// decodeFields reads an object that is known to be JSON.
func decodeFields(raw string) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(raw), &fields) != nil {
		return nil
	}
	return fields
}
