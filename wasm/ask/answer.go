package ask

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxAnswer is the most Unicode code points an answer's content may have, and
// the most its text may have.
const MaxAnswer = 8000

// Answer is what a person answers to a native form: the ids of the chosen
// options, a text, or both.
type Answer struct {
	Choices []string `json:"choices,omitempty"`
	Text    string   `json:"text,omitempty"`
}

// ReadAnswer reads an answer's content against its request. The error says in
// words why the content does not count.
//
// With options, an exact option id is looked for first, so that an id may look
// like JSON; this holds for a single selection, where the content is the id. A
// multiple selection is always a JSON array.
func ReadAnswer(r *Request, content string) (Answer, error) {
	if n := utf8.RuneCountInString(content); n > MaxAnswer {
		return Answer{}, fmt.Errorf("it has %d characters, at most %d are allowed", n, MaxAnswer)
	}
	if r.Selection == Text {
		if err := checkText(content); err != nil {
			return Answer{}, err
		}
		return Answer{Text: content}, nil
	}
	if r.Selection == Single {
		if _, ok := r.option(content); ok {
			return Answer{Choices: []string{content}}, nil
		}
	}
	switch first := firstByte(content); {
	case first == '[' && r.Selection == Multiple:
		var ids []string
		if err := json.Unmarshal([]byte(content), &ids); err != nil {
			return Answer{}, errors.New("it is not a list of option ids")
		}
		return Answer{Choices: ids}, r.checkChoices(ids)
	case first == '{' && r.Freeform:
		return r.readObject(content)
	}
	if r.Selection == Multiple {
		return Answer{}, errors.New("it is not a list of option ids")
	}
	return Answer{}, errors.New("it is not one of the options")
}

// readObject reads {"text":...} and {"choices":[...],"text":...}.
func (r *Request) readObject(content string) (Answer, error) {
	fields, err := object(content)
	if err != nil {
		return Answer{}, err
	}
	var a Answer
	text, ok := fields["text"]
	if !ok {
		return Answer{}, errors.New("it has no text beside the choices")
	}
	delete(fields, "text")
	if json.Unmarshal(text, &a.Text) != nil {
		return Answer{}, errors.New("its text is not a string")
	}
	if err := checkText(a.Text); err != nil {
		return Answer{}, err
	}
	choices, ok := fields["choices"]
	if !ok {
		return a, noOthers(fields)
	}
	delete(fields, "choices")
	if json.Unmarshal(choices, &a.Choices) != nil {
		return Answer{}, errors.New("its choices are not a list of option ids")
	}
	if err := r.checkChoices(a.Choices); err != nil {
		return Answer{}, err
	}
	return a, noOthers(fields)
}

// checkChoices checks a list of ids: one for a single selection, one or more
// for a multiple one, each known and none twice.
func (r *Request) checkChoices(ids []string) error {
	if len(ids) == 0 {
		return errors.New("it chooses none of the options")
	}
	if r.Selection == Single && len(ids) != 1 {
		return fmt.Errorf("it chooses %d options, exactly one is asked for", len(ids))
	}
	seen := map[string]bool{}
	for _, id := range ids {
		if _, ok := r.option(id); !ok {
			return fmt.Errorf("%q is not one of the options", clipped(id))
		}
		if seen[id] {
			return fmt.Errorf("it chooses %q twice", clipped(id))
		}
		seen[id] = true
	}
	return nil
}

// WriteAnswer is the exact content that answers a request. The error says what
// to change; nothing is ever cut.
func WriteAnswer(r *Request, a Answer) (string, error) {
	content, err := r.encode(a)
	if err != nil {
		return "", err
	}
	// What was written must read back as the same answer: this applies every
	// limit once, and in one place.
	if _, err := ReadAnswer(r, content); err != nil {
		return "", fmt.Errorf("this answer cannot be sent: %w", err)
	}
	return content, nil
}

func (r *Request) encode(a Answer) (string, error) {
	if len(a.Choices) > 0 && strings.TrimSpace(a.Text) == "" {
		a.Text = "" // details left blank are no details
	}
	switch {
	case r.Selection == Text && len(a.Choices) > 0:
		return "", errors.New("this question asks for a text, not for a choice")
	case r.Selection == Text:
		return a.Text, nil
	case a.Text != "" && !r.Freeform:
		return "", errors.New("this question takes no text beside the choice")
	case a.Text == "" && len(a.Choices) == 0:
		return "", errors.New("choose an option first")
	case a.Text == "" && r.Selection == Multiple:
		return marshal(a.Choices)
	case a.Text == "" && len(a.Choices) > 1:
		return "", errors.New("choose one option only")
	case a.Text == "":
		return a.Choices[0], nil
	}
	content, err := marshal(a)
	if err != nil {
		return "", err
	}
	// An option's id may happen to be the very JSON of this text.
	for r.Selection == Single {
		if _, taken := r.option(content); !taken {
			break
		}
		content += " "
	}
	return content, nil
}

func checkText(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("its text is empty")
	}
	if n := utf8.RuneCountInString(text); n > MaxAnswer {
		return fmt.Errorf("its text has %d characters, at most %d are allowed", n, MaxAnswer)
	}
	return nil
}

// object reads a JSON object's fields, each name exactly as written and at
// most once. encoding/json alone would take "Text" for "text" and the last of
// two equal names.
func object(content string) (map[string]json.RawMessage, error) {
	bad := errors.New("it is not a valid JSON object")
	if !json.Valid([]byte(content)) {
		return nil, bad
	}
	dec := json.NewDecoder(strings.NewReader(content))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, bad
	}
	fields := map[string]json.RawMessage{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, bad
		}
		key, _ := name.(string)
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil, bad
		}
		if _, twice := fields[key]; twice {
			return nil, fmt.Errorf("its field %q is repeated", clipped(key))
		}
		fields[key] = value
	}
	return fields, nil
}

func noOthers(fields map[string]json.RawMessage) error {
	for name := range fields {
		return fmt.Errorf("it has a field %q that does not belong there", clipped(name))
	}
	return nil
}

// marshal is JSON without the escapes that encoding/json adds for HTML, which
// would count against the limit.
func marshal(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", fmt.Errorf("write answer: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// firstByte is the first byte of s that is not JSON white space, or 0.
func firstByte(s string) byte {
	s = strings.TrimLeft(s, " \t\r\n")
	if s == "" {
		return 0
	}
	return s[0]
}

// clipped keeps a stranger's words short inside a reason.
func clipped(s string) string {
	const limit = 40
	runes := 0
	for i := range s {
		if runes == limit {
			return s[:i] + "…"
		}
		runes++
	}
	return s
}
