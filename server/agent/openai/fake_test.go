package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/server/agent/brain"
	"parley/server/agent/tool"
)

// provider is a fake of the API: each request is answered by the next of its
// scripts, the last one again and again.
type provider struct {
	t   *testing.T
	url string

	mu       sync.Mutex
	scripts  []http.HandlerFunc
	requests []request
	heads    []http.Header
}

func newProvider(t *testing.T, scripts ...http.HandlerFunc) *provider {
	t.Helper()
	p := &provider{t: t, scripts: scripts}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	p.url = s.URL + "/v1"
	return p
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q request
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &q)
	}
	if err != nil || r.URL.Path != "/v1/chat/completions" || r.Method != http.MethodPost {
		p.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
	}
	p.mu.Lock()
	script := p.scripts[min(len(p.requests), len(p.scripts)-1)]
	p.requests, p.heads = append(p.requests, q), append(p.heads, r.Header)
	p.mu.Unlock()
	script(w, r)
}

// request is what was asked in the n-th request.
func (p *provider) request(n int) request {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n >= len(p.requests) {
		p.t.Fatalf("there were %d requests", len(p.requests))
	}
	return p.requests[n]
}

func (p *provider) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.requests)
}

// stream writes server-sent events and ends; end "" breaks off.
func stream(end string, events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			fmt.Fprintf(w, "data: %s\n\n", e)
			w.(http.Flusher).Flush()
		}
		if end != "" {
			fmt.Fprintf(w, "data: %s\n\n", end)
		}
	}
}

// words is a stream of an answer.
func words(text ...string) http.HandlerFunc {
	var events []string
	for _, t := range text {
		events = append(events, delta(map[string]any{"content": t}))
	}
	return stream("[DONE]", append(events, finish("stop"))...)
}

func delta(d map[string]any) string {
	return encode(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": d}}})
}

func finish(why string) string {
	return encode(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": why}}})
}

// calls is a delta with a piece of a tool call.
func calls(index int, id, name, arguments string) string {
	return delta(map[string]any{"tool_calls": []any{map[string]any{"index": index, "id": id, "function": map[string]any{"name": name, "arguments": arguments}}}})
}

func encode(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}

func refusal(code int, body string, head ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i+1 < len(head); i += 2 {
			w.Header().Set(head[i], head[i+1])
		}
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

// ear is an Out that remembers.
type ear struct {
	mu               sync.Mutex
	said, thought    strings.Builder
	pieces           int
	statuses         []string
	tools, arguments []string
	heard            chan struct{} // gets one for each piece, if there is room
}

func newEar() *ear { return &ear{heard: make(chan struct{}, 100)} }

func (e *ear) Say(words string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.said.WriteString(words)
	e.pieces++
	select {
	case e.heard <- struct{}{}:
	default:
	}
	return nil
}

func (e *ear) Think(words string) error { e.thought.WriteString(words); return nil }

func (e *ear) Status(_ string, _ *int, info string) error {
	e.statuses = append(e.statuses, info)
	return nil
}

func (e *ear) Tool(ctx context.Context, name string, arguments json.RawMessage) (brain.Outcome, error) {
	e.tools, e.arguments = append(e.tools, name), append(e.arguments, string(arguments))
	for _, t := range tool.Default(time.Now) {
		if t.Name == name {
			out, err := t.Run(ctx, arguments)
			if err != nil {
				return brain.Outcome{Output: json.RawMessage(encode(map[string]string{"error": err.Error()})), Error: err.Error()}, nil
			}
			return brain.Outcome{Output: out}, nil
		}
	}
	return brain.Outcome{}, fmt.Errorf("no tool %s", name)
}

func (e *ear) Post(context.Context, string) error { return brain.ErrPlace }
func (e *ear) Ask(context.Context, brain.Question) (brain.Reply, error) {
	return brain.Reply{}, brain.ErrPlace
}
func (e *ear) File(context.Context, brain.File) error { return brain.ErrPlace }
func (e *ear) Handoff(context.Context, string) (func(context.Context, string) error, error) {
	return nil, brain.ErrPlace
}

// model is a brain on a provider.
func model(t *testing.T, p *provider, change func(*Config)) *Brain {
	t.Helper()
	config := Config{URL: p.url, Key: "sk-very-secret", Models: []string{"small", "large"}, Tools: tool.Default(time.Now)}
	if change != nil {
		change(&config)
	}
	b, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ask takes one turn.
func ask(t *testing.T, p *provider, turn brain.Turn, change func(*Config)) (brain.Answer, *ear, error) {
	t.Helper()
	e := newEar()
	if turn.Message == "" {
		turn.Message = "hello"
	}
	answer, err := model(t, p, change).Answer(t.Context(), turn, e)
	return answer, e, err
}
