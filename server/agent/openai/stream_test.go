package openai

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/server/agent/brain"
	"parley/wasm/run"
)

// raw is a stream of just these bytes, a piece at a time.
func raw(size int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for len(text) > 0 {
			n := min(size, len(text))
			io.WriteString(w, text[:n])
			w.(http.Flusher).Flush()
			text = text[n:]
		}
	}
}

// TestEveryFormOfAStreamIsRead: line ends, fields and pieces of all kinds that
// the specification of server-sent events allows.
func TestEveryFormOfAStreamIsRead(t *testing.T) {
	one, two, end := delta(map[string]any{"content": "Grüß "}), delta(map[string]any{"content": "Gott 🙂"}), finish("stop")
	plain := "data: " + one + "\n\ndata: " + two + "\n\ndata: " + end + "\n\ndata: [DONE]\n\n"
	cut := strings.Index(two, ":") + 1
	for name, text := range map[string]string{
		"LF":                      plain,
		"CRLF":                    strings.ReplaceAll(plain, "\n", "\r\n"),
		"CR":                      strings.ReplaceAll(plain, "\n", "\r"),
		"without empty lines":     strings.ReplaceAll(plain, "\n\n", "\n"),
		"a byte order mark":       "\ufeff" + plain,
		"without a space":         strings.ReplaceAll(plain, "data: ", "data:"),
		"data over several lines": strings.Replace(plain, two, two[:cut]+"\ndata: "+two[cut:], 1),
		"comments":                ": hello\n:\n\n" + strings.ReplaceAll(plain, "\n\n", "\n\n: still here\n\n"),
		"other fields":            "event: message\nid: 7\nretry: 10\nx-own_field: a: b\nlonely\n" + plain,
		"more behind the end":     plain + "data: rubbish\n\n<html>",
		"no last line end":        strings.TrimSpace(plain),
		"an empty event":          "data:\n\ndata: \n\n" + plain,
	} {
		for _, size := range []int{1, 3, len(text)} {
			p := newProvider(t, raw(size, text))
			answer, e, err := ask(t, p, brain.Turn{}, nil)
			if err != nil || answer.Text != "Grüß Gott 🙂" || e.said.String() != answer.Text {
				t.Errorf("%s, %d bytes a piece: %+v %v", name, size, answer, err)
			}
		}
	}
	for name, text := range map[string]string{
		"a web page":        "<!doctype html><html><body>hello</body></html>",
		"half an event":     "data: {\"choices\":\n\ndata: []}\n\ndata: [DONE]\n\n",
		"no JSON":           "data: hello\n\ndata: [DONE]\n\n",
		"another shape":     "data: {\"choices\":5}\n\n",
		"a list":            "data: [1]\n\n",
		"too long a line":   "data: \"" + strings.Repeat("a", MaxLine) + "\"\n\n",
		"too long an event": strings.Repeat("data: \""+strings.Repeat("a", MaxLine/4)+"\"\n", 5),
		"too many lines":    strings.Repeat("data: 1\ndata: ,\n", maxPieces),
		"deep":              "data: " + strings.Repeat("[", 200_000) + "\n\n",
	} {
		_, _, err := ask(t, newProvider(t, raw(len(text), text)), brain.Turn{}, nil)
		if f := failed(t, err, run.InternalError); !strings.Contains(f.Details, "rubbish") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestToolCallsOfEveryDialect: servers differ in how they say which call a piece
// belongs to.
func TestToolCallsOfEveryDialect(t *testing.T) {
	piece := func(fields map[string]any) string { return delta(map[string]any{"tool_calls": []any{fields}}) }
	function := func(name, arguments string) map[string]any {
		return map[string]any{"name": name, "arguments": arguments}
	}
	sum, product := `{"expr":"1+1"}`, `{"expr":"6*7"}`
	for name, events := range map[string][]string{
		"no index": {
			piece(map[string]any{"id": "a", "function": function("calculator", sum)}),
			piece(map[string]any{"id": "b", "function": function("calculator", product)}),
		},
		"no index, in pieces": {
			piece(map[string]any{"id": "a", "function": function("calculator", sum[:4])}), piece(map[string]any{"function": function("", sum[4:])}),
			piece(map[string]any{"id": "b", "function": function("calculator", "")}), piece(map[string]any{"id": "b", "function": function("", product)}),
		},
		"neither index nor id": {
			piece(map[string]any{"function": function("calculator", sum)}), piece(map[string]any{"function": function("calculator", product)}),
		},
		"every index is 0": {
			piece(map[string]any{"index": 0, "id": "a", "function": function("calculator", sum)}),
			piece(map[string]any{"index": 0, "id": "b", "function": function("calculator", product[:3])}), piece(map[string]any{"index": 0, "function": function("", product[3:])}),
		},
		"indexes with gaps": {
			piece(map[string]any{"index": 7, "id": "a", "function": function("calculator", sum)}), piece(map[string]any{"index": -9, "id": "b", "function": function("calculator", product)}),
		},
		"woven": {
			calls(0, "a", "calculator", sum[:5]), calls(1, "b", "calculator", product[:5]), calls(0, "", "", sum[5:]), calls(1, "", "", product[5:]),
		},
		"the id in each piece": {
			calls(0, "a", "calculator", sum[:5]), calls(1, "b", "calculator", product[:5]), calls(1, "b", "calculator", product[5:]), calls(0, "a", "", sum[5:]),
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t, stream("[DONE]", append(events, finish("tool_calls"))...), words("Done."))
			_, e, err := ask(t, p, brain.Turn{}, nil)
			if err != nil || strings.Join(e.arguments, " ") != sum+" "+product {
				t.Fatalf("%v with %q: %v", e.tools, e.arguments, err)
			}
			told := p.request(1).Messages
			asked, first, second := told[len(told)-3], told[len(told)-2], told[len(told)-1]
			if len(asked.ToolCalls) != 2 || asked.ToolCalls[0].ID == asked.ToolCalls[1].ID || first.ToolCallID != asked.ToolCalls[0].ID || second.ToolCallID != asked.ToolCalls[1].ID ||
				!strings.Contains(first.Content, "2") || !strings.Contains(second.Content, "42") {
				t.Errorf("told %+v", told)
			}
		})
	}
}

// TestRedirectsAreNotFollowed: neither the key nor what was said goes to a server
// that was not named.
func TestRedirectsAreNotFollowed(t *testing.T) {
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer other.Close()
	for _, code := range []int{301, 302, 303, 307, 308} {
		p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/v1/chat/completions", code)
		})
		_, _, err := ask(t, p, brain.Turn{}, nil)
		if f := failed(t, err, run.ModelUnavailable); !strings.Contains(f.Details, "moved") {
			t.Errorf("%d: %+v", code, f)
		}
	}
	if asked > 0 {
		t.Errorf("the other server was asked %d times", asked)
	}
}

// TestReasoningIsBounded: what comes after is not passed on; the answer is.
func TestReasoningIsBounded(t *testing.T) {
	block := strings.Repeat("h", MaxThought/4)
	var events []string
	for range 4 {
		events = append(events, delta(map[string]any{"reasoning": block}))
	}
	events = append(events, delta(map[string]any{"reasoning": "m"}), delta(map[string]any{"content": "Yes."}))
	answer, e, err := ask(t, newProvider(t, stream("[DONE]", events...)), brain.Turn{}, nil)
	if err != nil || answer.Text != "Yes." || e.thought.Len() != MaxThought {
		t.Errorf("%+v %v, thought %d bytes", answer, err, e.thought.Len())
	}
}

// FuzzStream: no server can make the reading fall, say half of what it came to,
// or call more tools than it may.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"data: " + delta(map[string]any{"content": "hi"}) + "\n\ndata: [DONE]\n\n",
		"data: " + calls(0, "a", "calculator", `{"expr":`) + "\r\n\r\ndata: " + calls(0, "", "", `1}`) + "\r\n\r\n",
		": comment\rdata: {\"error\":{\"message\":\"no\"}}\r\r", "data:\ndata: {\ndata: }\n\n", "{\"choices\":[{\"message\":{\"content\":\"x\"}}]}",
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"x\",\"arguments\":{\"a\":1}}},{\"index\":-1}]},\"finish_reason\":\"stop\"}],\"usage\":{}}\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, whole := range []bool{false, true} {
			e := newEar()
			c := (&Brain{config: Config{Models: []string{"m"}}, tools: map[string]bool{}}).converse(brain.Turn{}, e, "m")
			r := &reading{c: c, places: map[int]int{}, alive: func() {}}
			var err error
			if whole {
				err = r.whole(bytes.NewReader(data))
			} else {
				err = r.stream(bytes.NewReader(data))
			}
			if len(r.reply.calls) > MaxCalls {
				t.Fatal("too many calls")
			}
			if err != nil {
				continue
			}
			if r.reply.text != e.said.String() {
				t.Fatalf("said %q, replied %q", e.said.String(), r.reply.text)
			}
			for _, c := range r.reply.calls {
				if c.ID == "" {
					t.Fatalf("a call without id: %+v", r.reply.calls)
				}
			}
		}
	})
}
