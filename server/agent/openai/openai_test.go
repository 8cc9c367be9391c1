package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/server/agent/brain"
	wasmask "parley/wasm/ask"
	"parley/wasm/run"
)

// failed insists on a failure with a code.
func failed(t *testing.T, err error, code run.Code) *brain.Failure {
	t.Helper()
	var f *brain.Failure
	if !errors.As(err, &f) || f.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	if f.Message == "" || strings.Contains(f.Message+f.Details, "very-secret") {
		t.Errorf("the message is %q, the details are %s", f.Message, f.Details)
	}
	return f
}

func TestTheAnswerIsStreamed(t *testing.T) {
	p := newProvider(t, stream("[DONE]",
		delta(map[string]any{"role": "assistant", "content": ""}), delta(map[string]any{"reasoning_content": "Hm. "}), delta(map[string]any{"reasoning": "Well."}),
		delta(map[string]any{"content": "Hel"}), delta(map[string]any{"content": "lo"}), finish("stop"),
		encode(map[string]any{"choices": []any{}, "usage": map[string]any{"prompt_tokens": 12, "completion_tokens": 3}})))
	answer, e, err := ask(t, p, brain.Turn{Place: brain.Session, Thinking: run.ThinkMax,
		History: []brain.Exchange{{Text: "first"}, {Mine: true, Text: "second"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Text != "Hello" || e.said.String() != "Hello" || e.pieces != 2 || e.thought.String() != "Hm. Well." {
		t.Errorf("got %+v, heard %q in %d, thought %q", answer, e.said.String(), e.pieces, e.thought.String())
	}
	if u := answer.Usage; u == nil || u.InputTokens != 12 || u.OutputTokens != 3 {
		t.Errorf("usage is %+v", u)
	}
	q := p.request(0)
	if q.Model != "small" || !q.Stream || q.ReasoningEffort != "high" || len(q.Tools) != 2 || q.StreamOptions == nil || !q.StreamOptions.IncludeUsage {
		t.Errorf("asked %+v", q)
	}
	var roles []string
	for _, m := range q.Messages {
		roles = append(roles, m.Role)
	}
	if strings.Join(roles, " ") != "system user assistant user" || q.Messages[3].Content != "hello" {
		t.Errorf("asked %+v", q.Messages)
	}
	if got := p.heads[0].Get("Authorization"); got != "Bearer sk-very-secret" {
		t.Errorf("signed in as %q", got)
	}
}

func TestToolCallsAreRunAndToldToTheModel(t *testing.T) {
	p := newProvider(t,
		stream("[DONE]", delta(map[string]any{"content": "Let me see."}),
			calls(0, "a", "calculator", ""), calls(0, "", "", `{"expr":`), calls(1, "b", "clock", ""), calls(0, "", "", `"6*7"}`),
			calls(2, "c", "rm", `{}`), calls(3, "d", "calculator", `[1]`), finish("tool_calls")),
		words("It is 42."))
	answer, e, err := ask(t, p, brain.Turn{Place: brain.Session}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Text != "Let me see.\n\nIt is 42." || e.said.String() != answer.Text || answer.Usage != nil {
		t.Errorf("got %+v", answer)
	}
	if strings.Join(e.tools, " ") != "calculator clock" || e.arguments[0] != `{"expr":"6*7"}` || e.arguments[1] != "{}" {
		t.Errorf("run were %v with %v", e.tools, e.arguments)
	}
	told := p.request(1).Messages
	if len(told) != 7 {
		t.Fatalf("told %+v", told)
	}
	if m := told[2]; m.Role != "assistant" || m.Content != "Let me see." || len(m.ToolCalls) != 4 || m.ToolCalls[0].Type != "function" {
		t.Errorf("the model is told it said %+v", m)
	}
	for i, want := range []string{`"text":"42"`, `"weekday"`, `no tool "rm"`, "not a JSON object"} {
		if m := told[3+i]; m.Role != "tool" || m.ToolCallID != string(rune('a'+i)) || !strings.Contains(m.Content, want) {
			t.Errorf("told %+v, want %s", m, want)
		}
	}
}

func TestAModelThatOnlyCallsToolsIsStopped(t *testing.T) {
	p := newProvider(t, stream("[DONE]", calls(0, "a", "clock", "{}"), finish("tool_calls")))
	_, e, err := ask(t, p, brain.Turn{}, nil)
	failed(t, err, run.ToolError)
	if len(e.tools) != MaxRounds || p.count() != MaxRounds+1 {
		t.Errorf("%d tools, %d requests", len(e.tools), p.count())
	}
	for n, code := range map[int]run.Code{MaxCalls: run.EmptyResponse, MaxCalls + 1: run.ToolError} {
		var events []string
		for i := range n {
			events = append(events, calls(i, fmt.Sprint(i), "clock", "{}"))
		}
		p := newProvider(t, stream("[DONE]", append(events, finish("tool_calls"))...), words(""))
		_, _, err := ask(t, p, brain.Turn{}, nil)
		failed(t, err, code)
	}
}

// TestProviderErrorsHaveCodes: each answer of a provider ends a run with the
// code that fits.
func TestProviderErrorsHaveCodes(t *testing.T) {
	for name, c := range map[string]struct {
		script http.HandlerFunc
		code   run.Code
		after  int64
		says   string
	}{
		"429 with seconds":    {refusal(429, `{"error":{"message":"slow down"}}`, "Retry-After", "7"), run.RateLimit, 7, "slow down"},
		"429 with a fraction": {refusal(429, ``, "Retry-After", "1.2"), run.RateLimit, 2, ""},
		"429 without":         {refusal(429, `oh`), run.RateLimit, retryLimited, ""},
		"quota used up":       {refusal(429, `{"error":{"message":"x","code":"insufficient_quota"}}`), run.ModelUnavailable, 0, "quota"},
		"401":                 {refusal(401, `{"error":{"message":"bad key sk-very-secret"}}`), run.ModelUnavailable, 0, "key"},
		"403":                 {refusal(403, ``), run.ModelUnavailable, 0, "key"},
		"404":                 {refusal(404, `{"error":{"message":"model small not found"}}`), run.ModelUnavailable, 0, "not found"},
		"error as words":      {refusal(404, `{"error":"model small not found"}`), run.ModelUnavailable, 0, "model small not found"},
		"413":                 {refusal(413, ``), run.SessionLimit, 0, "new one"},
		"context too long":    {refusal(400, `{"error":{"message":"x","code":"context_length_exceeded"}}`), run.SessionLimit, 0, "new one"},
		"400":                 {refusal(400, `{"error":{"message":"sk-very-secret is odd"}}`), run.InternalError, 0, "400"},
		"500":                 {refusal(500, `<html>`), run.ModelUnavailable, retryDown, "trouble"},
		"503 with seconds":    {refusal(503, ``, "Retry-After", "3"), run.ModelUnavailable, 3, "trouble"},
		"too fast, in stream": {stream("", `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`), run.RateLimit, retryLimited, "slow down"},
		"429 in stream":       {stream("", `{"error":{"message":"slow down","code":429}}`), run.RateLimit, retryLimited, "slow down"},
		"no quota, in stream": {stream("", `{"error":{"message":"x","type":"insufficient_quota"}}`), run.ModelUnavailable, 0, "quota"},
		"a code that is none": {stream("", `{"error":{"message":"odd","code":7}}`), run.ModelUnavailable, retryDown, "trouble"},
		"an error in stream":  {stream("", `{"error":{"message":"overloaded","type":"overloaded_error"}}`), run.ModelUnavailable, retryDown, "overloaded"},
		"nothing said":        {words(), run.EmptyResponse, 0, "no answer"},
		"only white space":    {words(" \n"), run.EmptyResponse, 0, "no answer"},
		"filtered":            {stream("[DONE]", finish("content_filter")), run.EmptyResponse, 0, "filtered"},
		"broken off":          {stream("", delta(map[string]any{"content": "half"})), run.InternalError, 0, "broke off"},
		"broken off at once":  {stream(""), run.InternalError, 0, "broke off"},
		"rubbish":             {stream("[DONE]", "{{{"), run.InternalError, 0, "cannot be read"},
		"a page instead":      {refusal(200, "<html><body>Welcome</body></html>", "Content-Type", "text/html"), run.InternalError, 0, "cannot be read"},
		"a line without end":  {stream("[DONE]", strings.Repeat("a", MaxLine+1)), run.InternalError, 0, "cannot be read"},
		"rubbish as JSON":     {refusal(200, "{", "Content-Type", "application/json"), run.InternalError, 0, "cannot be read"},
		"a closed connection": {func(w http.ResponseWriter, _ *http.Request) {
			if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
				c.Close()
			}
		}, run.ModelUnavailable, retryDown, "reached"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := ask(t, newProvider(t, c.script), brain.Turn{Models: []string{"small"}}, nil)
			f := failed(t, err, c.code)
			if f.RetryAfter != c.after || c.code != run.RateLimit && !strings.Contains(f.Message, c.says) {
				t.Errorf("got %+v", f)
			}
		})
	}
}

func TestAServerThatIsNotThere(t *testing.T) {
	b, err := New(Config{URL: "http://127.0.0.1:1/v1", Models: []string{"m"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Answer(t.Context(), brain.Turn{Message: "hello"}, newEar())
	if f := failed(t, err, run.ModelUnavailable); f.RetryAfter != retryDown {
		t.Errorf("got %+v", f)
	}
}

func TestASilentServerIsGivenUp(t *testing.T) {
	for name, head := range map[string]string{"before it answers": "", "in the middle": delta(map[string]any{"content": "half"})} {
		p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
			if head != "" {
				fmt.Fprintf(w, "data: %s\n\n", head)
				w.(http.Flusher).Flush()
			}
			<-r.Context().Done()
		})
		_, e, err := ask(t, p, brain.Turn{}, func(c *Config) { c.Stall = 50 * time.Millisecond })
		if f := failed(t, err, run.InternalError); !strings.Contains(f.Details, "stalled") {
			t.Errorf("%s: %+v", name, f)
		}
		if name == "in the middle" && e.said.String() != "half" {
			t.Errorf("heard %q", e.said.String())
		}
	}
}

func TestTheTurnCanBeStopped(t *testing.T) {
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "data: %s\n\n", delta(map[string]any{"content": "half"}))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	why := errors.New("stopped by somebody")
	ctx, stop := context.WithCancelCause(t.Context())
	e := newEar()
	go func() { // ends with the first words
		<-e.heard
		stop(why)
	}()
	if _, err := model(t, p, nil).Answer(ctx, brain.Turn{Message: "hello"}, e); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}

func TestFallbackModelsAreTriedInOrder(t *testing.T) {
	p := newProvider(t, refusal(404, ``), refusal(503, ``), words("from the third"))
	answer, e, err := ask(t, p, brain.Turn{Models: []string{"a", "b", "c"}}, nil)
	if err != nil || answer.Text != "from the third" {
		t.Fatalf("%+v %v", answer, err)
	}
	for i, want := range []string{"a", "b", "c"} {
		if got := p.request(i).Model; got != want {
			t.Errorf("request %d is for %s", i, got)
		}
	}
	if len(e.statuses) != 2 || !strings.Contains(e.statuses[0], "trying b") {
		t.Errorf("told %v", e.statuses)
	}
	p = newProvider(t, stream("", delta(map[string]any{"content": "half"}), `{"error":{"message":"overloaded"}}`), words("other"))
	_, _, err = ask(t, p, brain.Turn{Models: []string{"a", "b"}}, nil)
	failed(t, err, run.ModelUnavailable) // words were said: there is no way back
	if p.count() != 1 {
		t.Errorf("%d requests", p.count())
	}
	p = newProvider(t, refusal(400, ``), words("other"))
	_, _, err = ask(t, p, brain.Turn{Models: []string{"a", "b"}}, nil)
	failed(t, err, run.InternalError) // another model would fare no better
}

func TestOptionalFieldsAreLeftOutWhereTheyAreNotKnown(t *testing.T) {
	p := newProvider(t, refusal(400, `unknown field stream_options`), refusal(422, `{"error":{"message":"reasoning_effort is not supported"}}`),
		refusal(400, `{"error":{"message":"small does not support tools"}}`), words("plain"))
	answer, _, err := ask(t, p, brain.Turn{Thinking: run.ThinkLow}, nil)
	if err != nil || answer.Text != "plain" {
		t.Fatalf("%+v %v", answer, err)
	}
	if q := p.request(3); q.StreamOptions != nil || q.ReasoningEffort != "" || q.Tools != nil {
		t.Errorf("asked %+v", q)
	}
}

func TestAServerThatDoesNotStream(t *testing.T) {
	p := newProvider(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"all at once"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":3}}`)
	})
	answer, _, err := ask(t, p, brain.Turn{}, nil)
	if err != nil || answer.Text != "all at once" || answer.Usage == nil {
		t.Errorf("%+v %v", answer, err)
	}
}

func TestOddStreamsAreRead(t *testing.T) {
	p := newProvider(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, ": a comment\r\nevent: message\r\nid: 1\r\ndata:"+delta(map[string]any{"content": "no space"})+"\r\n\r\ndata: \n\n"+
			"data: "+encode(map[string]any{"choices": []any{map[string]any{"delta": map[string]any{"content": nil, "tool_calls": nil}, "finish_reason": "stop"}}})+"\n")
	})
	answer, _, err := ask(t, p, brain.Turn{}, nil)
	if err != nil || answer.Text != "no space" { // it says how it finished, and not [DONE]
		t.Errorf("%+v %v", answer, err)
	}
}

func TestTheLengthOfAnAnswerIsBounded(t *testing.T) {
	block := strings.Repeat("a", MaxAnswer/4)
	p := newProvider(t, words(block, block, block, block))
	answer, _, err := ask(t, p, brain.Turn{}, nil)
	if err != nil || len(answer.Text) != MaxAnswer {
		t.Errorf("at the limit: %d bytes, %v", len(answer.Text), err)
	}
	p = newProvider(t, words(block, block, block, block, "a"))
	_, _, err = ask(t, p, brain.Turn{}, nil)
	if f := failed(t, err, run.InternalError); !strings.Contains(f.Details, "too_large") {
		t.Errorf("got %+v", f)
	}
}

func TestTheConversationIsBoundedFromItsEnd(t *testing.T) {
	p := newProvider(t, words("yes"))
	var history []brain.Exchange
	for i := range 10 {
		history = append(history, brain.Exchange{Mine: i%2 == 1, Text: fmt.Sprintf("%d%s", i, strings.Repeat("a", 399))})
	}
	if _, _, err := ask(t, p, brain.Turn{History: history, Message: "hello"}, func(c *Config) { c.MaxContextTokens = 302 }); err != nil {
		t.Fatal(err)
	}
	told := p.request(0).Messages
	if len(told) != 5 || !strings.HasPrefix(told[1].Content, "7") {
		t.Errorf("%d messages are told, the first %.3s", len(told), told[1].Content)
	}
}

func TestRepliesAndTasksAreTold(t *testing.T) {
	for want, turn := range map[string]brain.Turn{
		"Tea, Milk\nplease":                       {Place: brain.Room, Reply: &brain.Reply{Choices: []wasmask.Option{{ID: "t", Label: "Tea"}, {ID: "m", Label: "Milk"}}, Text: "please"}},
		"Nobody answered your question in time.":  {Place: brain.Room, Reply: &brain.Reply{Expired: true}},
		"Clean up\n\nThe kitchen, and all of it.": {Place: brain.Task, Subject: "Clean up", Message: "The kitchen, and all of it."},
	} {
		p := newProvider(t, words("ok"))
		if _, _, err := ask(t, p, turn, nil); err != nil {
			t.Fatal(err)
		}
		q := p.request(0)
		if got := q.Messages[len(q.Messages)-1].Content; got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	}
}

func TestTheConfigurationIsChecked(t *testing.T) {
	for _, c := range []Config{{}, {URL: "localhost:11434", Models: []string{"m"}}, {URL: "ftp://a.example", Models: []string{"m"}}, {URL: "http://a.example"}} {
		if _, err := New(c); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
	b, err := New(Config{URL: "http://a.example/v1/chat/completions/", Models: []string{"m", "n"}})
	if err != nil || b.config.URL != "http://a.example/v1" {
		t.Errorf("%v %v", b, err)
	}
	if about := b.About(); about.DefaultModel != "m" || len(about.Models) != 2 || about.MaxContextTokens != MaxContextTokens {
		t.Errorf("it says %+v", about)
	}
}
