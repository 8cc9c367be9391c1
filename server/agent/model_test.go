package agent

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/server/agent/openai"
	"parley/wasm/room"
	"parley/wasm/run"
	"parley/wasm/task"
)

// modelServer is a fake of an OpenAI-compatible API: what it does depends on the
// last message and on the model.
func modelServer(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		asked := string(body)
		say := func(events ...string) {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, e := range events {
				fmt.Fprintf(w, "data: %s\n\n", e)
				w.(http.Flusher).Flush()
			}
		}
		const done = `{"choices":[{"delta":{},"finish_reason":"stop"}]}`
		const usage = `{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}`
		switch {
		case strings.Contains(asked, `"model":"away"`):
			w.WriteHeader(http.StatusNotFound)
		case strings.Contains(asked, "too often"):
			w.Header().Set("Retry-After", "12")
			w.WriteHeader(http.StatusTooManyRequests)
		case strings.Contains(asked, "break off"):
			say(`{"choices":[{"delta":{"content":"half of"}}]}`)
		case strings.Contains(asked, "fall silent"):
			say(`{"choices":[{"delta":{"content":"half of"}}]}`)
			<-r.Context().Done()
		case strings.Contains(asked, `"role":"tool"`):
			say(`{"choices":[{"delta":{"content":"It is 42."}}]}`, done, usage, "[DONE]")
		case strings.Contains(asked, "6 * 7"):
			say(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"calculator","arguments":"{\"expr\":\"6*7\"}"}}]}}]}`,
				`{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`, "[DONE]")
		default:
			say(`{"choices":[{"delta":{"reasoning":"Hm."}}]}`, `{"choices":[{"delta":{"content":"Hello"}}]}`, `{"choices":[{"delta":{"content":" there"}}]}`, done, usage, "[DONE]")
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func modelled(t *testing.T, c *Config) {
	t.Helper()
	b, err := openai.New(openai.Config{URL: modelServer(t), Models: []string{"small", "away"}, Tools: c.Tools})
	if err != nil {
		t.Fatal(err)
	}
	c.Brain = b
}

func TestAModelAnswersPrompts(t *testing.T) {
	p := newPlace(t, nil)
	config := p.configure()
	modelled(t, &config)
	a := live(t, config)
	c := p.ask(a.PubKey())
	id := c.prompt(run.Question{Message: "hello"})
	end := c.end(id)
	if end.Response == nil || end.Response.Text != "Hello there" || end.Response.Usage == nil || end.Response.Usage.InputTokens != 7 {
		t.Errorf("got %+v %+v", end.Response, end.Failure)
	}
	thoughts := ""
	c.mu.Lock()
	for _, m := range c.messages(id) {
		if m.Delta != nil && m.Delta.Event == run.DeltaThinking {
			thoughts += m.Delta.Text
		}
	}
	c.mu.Unlock()
	if thoughts != "Hm." {
		t.Errorf("thoughts are %q", thoughts)
	}
	id = c.prompt(run.Question{Message: "6 * 7"})
	if end := c.end(id); end.Response == nil || end.Response.Text != "It is 42." {
		t.Errorf("with a tool: %+v %+v", end.Response, end.Failure)
	}
	if f := c.failure(c.prompt(run.Question{Message: "too often"}), run.RateLimit); f.RetryAfter != 12 {
		t.Errorf("got %+v", f)
	}
	if f := c.failure(c.prompt(run.Question{Message: "break off"}), run.InternalError); !strings.Contains(f.Details, "broken_off") {
		t.Errorf("got %+v", f)
	}
	c.failure(c.prompt(run.Question{Message: "hi", Model: "away"}), run.ModelUnavailable)
	silent := c.prompt(run.Question{Message: "fall silent"})
	c.until("its words", func() bool {
		for _, m := range c.messages(silent) {
			if m.Delta != nil {
				return true
			}
		}
		return false
	})
	c.cancel(silent, run.ReasonUser)
	c.failure(silent, run.Cancelled)
}

func TestFallbackModelsOfAPromptAreTried(t *testing.T) {
	p := newPlace(t, nil)
	config := p.configure()
	modelled(t, &config)
	a := live(t, config)
	c := p.ask(a.PubKey())
	id := c.prompt(run.Question{Message: "hello", Model: "away", FallbackModels: []string{"unknown", "small"}})
	if end := c.end(id); end.Response == nil || end.Response.Text != "Hello there" {
		t.Errorf("got %+v %+v", end.Response, end.Failure)
	}
}

func TestAModelTakesTasksAndAnswersInRooms(t *testing.T) {
	s := newStage(t, func(c *Config) { modelled(t, c) })
	r := s.request("what is 6 * 7")
	if result := s.told(task.KindResult, r); result.Content != "It is 42." {
		t.Errorf("the result is %q", result.Content)
	}
	said := s.say(s.asker, nil, "@House agent hello")
	if reply := s.asker.find("the reply", by(s.agent.PubKey(), room.KindMessage, said.ID)); reply.Content != "Hello there" {
		t.Errorf("the reply is %q", reply.Content)
	}
}

// TestNothingReadableGoesOut: what the agent sends about a run is encrypted, but
// for the tags that the specification leaves readable.
func TestNothingReadableGoesOut(t *testing.T) {
	p := newPlace(t, nil)
	a := live(t, p.configure())
	c := p.ask(a.PubKey())
	id := c.prompt(run.Question{Message: "tools"})
	c.end(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	kinds := map[int]bool{}
	for _, ev := range c.events {
		kinds[ev.Kind] = true
		for _, tag := range ev.Tags {
			switch tag[0] {
			case "p", "e", "s", "encryption":
			default:
				t.Errorf("kind %d has the tag %v", ev.Kind, tag)
			}
		}
		if strings.ContainsAny(ev.Content, " {}:") {
			t.Errorf("kind %d says %q", ev.Kind, ev.Content)
		}
	}
	for _, kind := range []int{run.KindStatus, run.KindDelta, run.KindTool, run.KindResponse} {
		if !kinds[kind] {
			t.Errorf("there is no event of kind %d", kind)
		}
	}
}
