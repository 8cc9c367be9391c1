package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	c     *conversation
	alive func() // the server gave a sign of life
	reply reply
	text  strings.Builder
	began bool
	last  *usage // servers that count as they go tell the sum each time
}

// stream reads server-sent events until the model has finished.
func (r *reading) stream(body io.Reader) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 64<<10), MaxLine)
	finished := false
	for lines.Scan() {
		r.alive()
		data, isData := bytes.CutPrefix(bytes.TrimSpace(lines.Bytes()), []byte("data:"))
		if data = bytes.TrimSpace(data); !isData || len(data) == 0 {
			if !isData && !quiet(lines.Bytes()) {
				return fmt.Errorf("%w: a line that is none of an event's", errRubbish)
			}
			continue
		}
		if string(data) == "[DONE]" {
			finished = true
			break
		}
		if err := r.event(data); err != nil {
			return err
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

// quiet says whether a line of a stream means nothing to us: an empty one, a
// comment, or another field of an event.
func quiet(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == ':' || slices.ContainsFunc([]string{"event:", "id:", "retry:"}, func(field string) bool {
		return bytes.HasPrefix(line, []byte(field))
	})
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
			return &status{code: 500, message: message, kind: kind}
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
	for i, part := range p.ToolCalls {
		if err := r.call(i, part); err != nil {
			return err
		}
	}
	return nil
}

// call takes a piece of a tool call.
func (r *reading) call(i int, part callPart) error {
	at := i
	if part.Index != nil {
		at = *part.Index
	}
	if at < 0 || at >= MaxCalls {
		return &brain.Failure{Code: run.ToolError, Message: fmt.Sprintf("The model called more than %d tools at once.", MaxCalls)}
	}
	for len(r.reply.calls) <= at {
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
	if c.ID == "" {
		c.ID = fmt.Sprintf("call_%d", at)
	}
	if len(c.Function.Arguments) > MaxLine {
		return &brain.Failure{Code: run.ToolError, Message: "The model called a tool with too much."}
	}
	return nil
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
