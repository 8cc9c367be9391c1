package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"parley/server/agent/brain"
	"parley/wasm/run"
)

// message is one of a conversation.
type message struct {
	Role       string `json:"role"`
	Content    string `json:"content"`
	ToolCalls  []call `json:"tool_calls,omitempty"`
	ToolCallID string `json:"tool_call_id,omitempty"`
}

// call is a tool that the model wants to be run.
type call struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// request is the body of a completion's request. The optional fields are left
// out when a server does not know them.
type request struct {
	Model           string         `json:"model"`
	Messages        []message      `json:"messages"`
	Stream          bool           `json:"stream"`
	StreamOptions   *streamOptions `json:"stream_options,omitempty"`
	ReasoningEffort string         `json:"reasoning_effort,omitempty"`
	Tools           []definition   `json:"tools,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// definition is a tool as a model is told of it.
type definition struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// conversation is one turn with one model.
type conversation struct {
	b       *Brain
	out     brain.Out
	request request
	said    strings.Builder
	thought int // bytes
	usage   run.Usage
	counted bool // the server told the usage
	rounds  int
}

func (b *Brain) converse(turn brain.Turn, out brain.Out, model string) *conversation {
	c := &conversation{b: b, out: out, request: request{
		Model: model, Messages: b.messages(turn), Stream: true, StreamOptions: &streamOptions{IncludeUsage: true},
		ReasoningEffort: effort(turn.Thinking),
	}}
	for _, t := range b.config.Tools {
		d := definition{Type: "function"}
		d.Function.Name, d.Function.Description, d.Function.Parameters = t.Name, t.Schema.Description, t.Schema.InputSchema
		c.request.Tools = append(c.request.Tools, d)
	}
	return c
}

// effort is the nearest that the API has to a thinking level.
func effort(thinking string) string {
	if thinking == run.ThinkMax {
		return run.ThinkHigh
	}
	return thinking
}

// messages is the conversation that a turn begins with, bounded from its end.
func (b *Brain) messages(turn brain.Turn) []message {
	last := turn.Message
	if turn.Subject != "" {
		last = turn.Subject + "\n\n" + last
	}
	if r := turn.Reply; r != nil {
		last = replied(r)
	}
	room := b.config.MaxContextTokens*bytesPerToken - int64(len(last))
	from := len(turn.History)
	for from > 0 && int64(len(turn.History[from-1].Text)) <= room {
		from--
		room -= int64(len(turn.History[from].Text))
	}
	all := []message{{Role: "system", Content: b.system(turn.Place)}}
	for _, e := range turn.History[from:] {
		role := "user"
		if e.Mine {
			role = "assistant"
		}
		all = append(all, message{Role: role, Content: e.Text})
	}
	return append(all, message{Role: "user", Content: last})
}

func replied(r *brain.Reply) string {
	if r.Expired {
		return "Nobody answered your question in time."
	}
	var words []string
	for _, o := range r.Choices {
		words = append(words, o.Label)
	}
	return strings.TrimSpace(strings.Join(words, ", ") + "\n" + r.Text)
}

func (b *Brain) system(place brain.Place) string {
	if b.config.System != "" {
		return b.config.System
	}
	words := "You are an agent in Parley, a place where people and agents talk. Answer in Markdown, in the language you are written to. "
	switch place {
	case brain.Room:
		return words + "You were mentioned in a room that others read, too: be brief."
	case brain.Task:
		return words + "You carry out a task by yourself. Begin your last answer with one line that says what came of it."
	}
	return words + "This is a conversation with one person."
}

// run goes from round to round until the model has said its last word.
func (c *conversation) run(ctx context.Context) (brain.Answer, error) {
	for {
		reply, err := c.b.complete(ctx, &c.request, c)
		if err != nil {
			return brain.Answer{}, err
		}
		if len(reply.calls) == 0 {
			return c.answer(reply)
		}
		if c.rounds++; c.rounds > MaxRounds {
			return brain.Answer{}, &brain.Failure{Code: run.ToolError, Message: fmt.Sprintf("The model called tools %d times without coming to an answer.", MaxRounds)}
		}
		c.request.Messages = append(c.request.Messages, message{Role: "assistant", Content: reply.text, ToolCalls: reply.calls})
		for _, call := range reply.calls {
			result, err := c.tool(ctx, call)
			if err != nil {
				return brain.Answer{}, err
			}
			c.request.Messages = append(c.request.Messages, message{Role: "tool", Content: result, ToolCallID: call.ID})
		}
	}
}

func (c *conversation) answer(r reply) (brain.Answer, error) {
	if strings.TrimSpace(c.said.String()) == "" {
		message := "The model gave no answer."
		if r.finish == "content_filter" {
			message = "The model's provider filtered the answer out."
		}
		return brain.Answer{}, &brain.Failure{Code: run.EmptyResponse, Message: message}
	}
	answer := brain.Answer{Text: c.said.String()}
	if c.counted {
		usage := c.usage
		answer.Usage = &usage
	}
	return answer, nil
}

// tool runs a tool and gives what the model is told of it. What the model got
// wrong it is told, too; it may try again.
func (c *conversation) tool(ctx context.Context, call call) (string, error) {
	name, arguments := call.Function.Name, json.RawMessage(call.Function.Arguments)
	var fields map[string]json.RawMessage
	switch {
	case !c.b.tools[name]:
		return fmt.Sprintf("error: there is no tool %q", name), nil
	case len(strings.TrimSpace(call.Function.Arguments)) == 0:
		arguments = json.RawMessage("{}")
	case json.Unmarshal(arguments, &fields) != nil || fields == nil:
		return "error: the arguments are not a JSON object", nil
	}
	got, err := c.out.Tool(ctx, name, arguments)
	if err != nil {
		return "", err
	}
	return string(got.Output), nil
}

// heard takes what the model says while it comes.
func (c *conversation) heard(text string, thinking bool) error {
	if text == "" {
		return nil
	}
	if thinking {
		if c.thought += len(text); c.thought > MaxThought {
			return nil
		}
		return c.out.Think(text)
	}
	if c.said.Len()+len(text) > MaxAnswer {
		return &brain.Failure{Code: run.InternalError, Message: "The model's answer is too long.", Details: reason("too_large")}
	}
	c.said.WriteString(text)
	return c.out.Say(text)
}

// begin separates what is said in one round from what was said before.
func (c *conversation) begin() error {
	if c.rounds == 0 || c.said.Len() == 0 || strings.HasSuffix(c.said.String(), "\n\n") {
		return nil
	}
	return c.heard("\n\n", false)
}

func (c *conversation) count(u *usage) {
	if u == nil || u.PromptTokens < 0 || u.CompletionTokens < 0 {
		return
	}
	c.counted = true
	c.usage.InputTokens += u.PromptTokens
	c.usage.OutputTokens += u.CompletionTokens
}

// reason is the details of a failure.
func reason(word string) string {
	details, _ := json.Marshal(map[string]string{"reason": word}) // strings cannot fail
	return string(details)
}
