package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"parley/server/agent/brain"
	"parley/wasm/run"
)

var (
	errRubbish = errors.New("not the stream of a completion")
	errBroken  = errors.New("the stream broke off")
)

// usage is the provider's count of tokens.
type usage struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
}

// chunk is one event of a stream, or a whole completion.
type chunk struct {
	Choices []struct {
		Delta   said   `json:"delta"`
		Message said   `json:"message"`
		Finish  string `json:"finish_reason"`
	} `json:"choices"`
	Usage *usage   `json:"usage"`
	Error *problem `json:"error"`
}

// said is what a model says. Servers name its reasoning in two ways.
type said struct {
	Content          string     `json:"content"`
	ReasoningContent string     `json:"reasoning_content"`
	Reasoning        string     `json:"reasoning"`
	ToolCalls        []callPart `json:"tool_calls"`
}

// callPart is a piece of a tool call: the first names it, the others go on with
// its arguments.
type callPart struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// reading takes one answer apart.
type reading struct {
	c      *conversation
	alive  func() // the server gave a sign of life
	reply  reply
	places map[int]int // of tool calls, by what the server calls their index
	text   strings.Builder
	began  bool
	last   *usage // servers that count as they go tell the sum each time
}

// stream reads server-sent events until the model has finished. An event's data
// may stand in several lines; one that is whole is taken at once, since not all
// servers put an empty line behind it.
func (r *reading) stream(body io.Reader) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 64<<10), MaxLine)
	lines.Split(splitLines)
	var data []byte
	finished, first, pieces := false, true, 0
	for !finished && lines.Scan() {
		r.alive()
		line := lines.Bytes()
		if first {
			line, first = bytes.TrimPrefix(line, []byte("\ufeff")), false
		}
		value, isData := bytes.CutPrefix(line, []byte("data:"))
		switch {
		case isData:
			data = append(append(data, bytes.TrimSpace(value)...), '\n')
			pieces++
		case len(bytes.TrimSpace(data)) > 0 && len(line) == 0:
			return fmt.Errorf("%w: an event that is not JSON", errRubbish)
		case !field.Match(line):
			return fmt.Errorf("%w: a line that is none of an event's", errRubbish)
		}
		switch whole := bytes.TrimSpace(data); {
		case len(data) > MaxLine || pieces > maxPieces:
			return fmt.Errorf("%w: an event of over %d bytes or %d lines", errRubbish, MaxLine, maxPieces)
		case string(whole) == "[DONE]":
			finished = true
		case json.Valid(whole):
			if err := r.event(whole); err != nil {
				return err
			}
			data, pieces = data[:0], 0
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%w: a line of over %d bytes", errRubbish, MaxLine)
	case err != nil:
		return fmt.Errorf("%w: %w", errBroken, err)
	case !finished && r.reply.finish == "":
		return errBroken
	}
	return r.done()
}

// maxPieces is how many lines one event may have.
const maxPieces = 1000

// field is a line of a stream that means nothing to us: an empty one, a comment,
// or another field of an event, known or not.
var field = regexp.MustCompile(`^([A-Za-z0-9_-]*:.*|[A-Za-z0-9_-]*)$`)

// splitLines is a bufio.SplitFunc for the three ends that lines of server-sent
// events may have: CRLF, LF and CR.
func splitLines(data []byte, atEOF bool) (advance int, line []byte, err error) {
	i := bytes.IndexAny(data, "\r\n")
	switch {
	case i < 0 && atEOF && len(data) > 0:
		return len(data), data, nil
	case i < 0, data[i] == '\r' && i+1 == len(data) && !atEOF:
		return 0, nil, nil // more is needed
	case data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n':
		return i + 2, data[:i], nil
	}
	return i + 1, data[:i], nil
}

// whole reads a completion from a server that does not stream.
func (r *reading) whole(body io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(body, MaxAnswer+MaxLine))
	if err != nil {
		return fmt.Errorf("%w: %w", errBroken, err)
	}
	if err := r.event(data); err != nil {
		return err
	}
	return r.done()
}

func (r *reading) done() error {
	r.reply.text = r.text.String()
	for i := range r.reply.calls {
		if c := &r.reply.calls[i]; c.ID == "" {
			c.ID = fmt.Sprintf("call_%d", i)
		}
	}
	r.c.count(r.last)
	return nil
}

func (r *reading) event(data []byte) error {
	var next chunk
	if err := json.Unmarshal(data, &next); err != nil {
		return fmt.Errorf("%w: %w", errRubbish, err)
	}
	if next.Error != nil {
		message, kind := next.Error.words()
		if message != "" || kind != "" {
			return &status{code: next.Error.status(kind), message: message, kind: kind}
		}
	}
	if next.Usage != nil {
		r.last = next.Usage
	}
	for _, choice := range next.Choices[:min(1, len(next.Choices))] {
		for _, part := range []said{choice.Delta, choice.Message} {
			if err := r.part(part); err != nil {
				return err
			}
		}
		if choice.Finish != "" {
			r.reply.finish = choice.Finish
		}
	}
	return nil
}

func (r *reading) part(p said) error {
	thought := p.ReasoningContent
	if thought == "" {
		thought = p.Reasoning
	}
	if err := r.c.heard(thought, true); err != nil {
		return err
	}
	if p.Content != "" && !r.began {
		r.began = true
		if err := r.c.begin(); err != nil {
			return err
		}
	}
	r.text.WriteString(p.Content)
	if err := r.c.heard(p.Content, false); err != nil {
		return err
	}
	for _, part := range p.ToolCalls {
		if err := r.call(part); err != nil {
			return err
		}
	}
	return nil
}

// call takes a piece of a tool call.
func (r *reading) call(part callPart) error {
	at := r.place(part)
	if at >= MaxCalls {
		return &brain.Failure{Code: run.ToolError, Message: fmt.Sprintf("The model called more than %d tools at once.", MaxCalls)}
	}
	if at == len(r.reply.calls) {
		r.reply.calls = append(r.reply.calls, call{Type: "function"})
	}
	c := &r.reply.calls[at]
	if part.ID != "" {
		c.ID = part.ID
	}
	if part.Function.Name != "" {
		c.Function.Name = part.Function.Name
	}
	c.Function.Arguments += arguments(part.Function.Arguments)
	if len(c.Function.Arguments) > MaxLine {
		return &brain.Failure{Code: run.ToolError, Message: "The model called a tool with too much."}
	}
	return nil
}

// place is which of the calls a piece belongs to, or the number of calls for a
// new one. Servers say it with an index; some leave that out, or say 0 for every
// call. Then an id or a name that is new begins one.
func (r *reading) place(part callPart) int {
	n := len(r.reply.calls)
	other := func(at int) bool {
		return part.Function.Name != "" && part.ID != "" && r.reply.calls[at].ID != "" && r.reply.calls[at].ID != part.ID
	}
	if part.Index != nil {
		at, known := r.places[*part.Index]
		if !known || other(at) {
			at = n
			r.places[*part.Index] = n
		}
		return at
	}
	switch same := slices.IndexFunc(r.reply.calls, func(c call) bool { return c.ID == part.ID }); {
	case part.ID != "" && same >= 0:
		return same
	case n == 0, part.ID != "", part.Function.Name != "":
		return n
	}
	return n - 1
}

// arguments are a string of JSON, or the JSON itself as some servers have it.
func arguments(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
