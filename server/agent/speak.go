package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley/server/agent/brain"
	"parley/server/agent/tool"
	"parley/wasm/run"
)

var _ brain.Out = (*job)(nil)

// do hands an act to the writing goroutine. Words that follow words of the same
// sort become one act, so that a fast brain and a slow relay cost no memory.
func (j *job) do(next act) error {
	if err := context.Cause(j.ctx); err != nil {
		return err
	}
	j.mu.Lock()
	if n := len(j.acts); n > 0 && next.draft == nil && j.acts[n-1].draft == nil && j.acts[n-1].thinking == next.thinking {
		j.acts[n-1].words = append(j.acts[n-1].words, next.words...)
	} else {
		j.acts = append(j.acts, next)
	}
	if next.draft == nil && !next.thinking {
		j.said = append(j.said, next.words...)
	}
	j.mu.Unlock()
	j.poke()
	return nil
}

func (j *job) Say(words string) error { return j.do(act{words: []byte(words)}) }

func (j *job) Think(words string) error { return j.do(act{words: []byte(words), thinking: true}) }

func (j *job) Status(state string, progress *int, info string) error {
	return j.status(state, progress, info)
}

func (j *job) status(state string, progress *int, info string) error {
	return j.do(act{draft: func(now int64) ([]run.Draft, error) {
		draft, err := j.writer.Status(state, progress, info, now)
		if err == nil {
			j.state, j.progress, j.words = state, progress, info
		}
		return []run.Draft{draft}, err
	}})
}

// Tool runs a tool and tells its start and its result.
func (j *job) Tool(ctx context.Context, name string, arguments json.RawMessage) (brain.Outcome, error) {
	call := ""
	err := j.do(act{draft: func(now int64) ([]run.Draft, error) {
		draft, id, err := j.writer.ToolStart(name, object(arguments), now)
		call = id
		return []run.Draft{draft}, err
	}})
	if err != nil {
		return brain.Outcome{}, err
	}
	began := j.a.millis()
	got := j.a.runTool(ctx, name, arguments)
	took := max(0, j.a.millis()-began)
	err = j.do(act{draft: func(now int64) ([]run.Draft, error) {
		draft, err := j.writer.ToolResult(call, run.ToolOutcome{Output: got.Output, Success: got.Error == "", DurationMS: took}, now)
		return []run.Draft{draft}, err
	}})
	return got, err
}

func (j *job) Post(context.Context, string) error { return brain.ErrPlace }

func (j *job) Ask(context.Context, brain.Question) (brain.Reply, error) {
	return brain.Reply{}, brain.ErrPlace
}

func (j *job) File(context.Context, brain.File) error { return brain.ErrPlace }

func (j *job) Handoff(context.Context, string) (func(context.Context, string) error, error) {
	return nil, brain.ErrPlace
}

// toolTime is how long a tool may take.
const toolTime = time.Minute

// runTool runs a tool by name. Whatever goes wrong, a panic too, is its outcome.
func (a *Agent) runTool(ctx context.Context, name string, arguments json.RawMessage) (out brain.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = failedTool(fmt.Sprintf("the tool panicked: %v", p))
		}
	}()
	t, ok := a.tools[name]
	if !ok {
		return failedTool(fmt.Sprintf("there is no tool %q", name))
	}
	ctx, cancel := context.WithTimeout(ctx, toolTime)
	defer cancel()
	output, err := runChecked(ctx, t, arguments)
	if err != nil {
		return failedTool(err.Error())
	}
	return brain.Outcome{Output: output}
}

func runChecked(ctx context.Context, t tool.Tool, arguments json.RawMessage) (json.RawMessage, error) {
	if arguments = object(arguments); arguments == nil {
		return nil, fmt.Errorf("the arguments of %s must be a JSON object", t.Name)
	}
	output, err := t.Run(ctx, arguments)
	if err == nil && object(output) == nil {
		err = fmt.Errorf("the tool %s gave no JSON object", t.Name)
	}
	return output, err
}

func failedTool(words string) brain.Outcome {
	output, _ := json.Marshal(map[string]string{"error": words}) // strings cannot fail
	return brain.Outcome{Output: output, Error: words}
}

// object gives a JSON object back, {} for nothing, nil for anything else.
func object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return nil
	}
	return raw
}
