package run

import (
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// TestSchemas goes through the JSON schemas of the NIP rule by rule.
func TestSchemas(t *testing.T) {
	for _, c := range []struct {
		rule  string
		kind  int
		plain string
		want  Code
	}{
		{"common: an object", KindPrompt, `["ver",1]`, InvalidSchema},
		{"common: an object, not null", KindPrompt, `null`, InvalidSchema},
		{"common: JSON parse failures are PARSE_ERROR", KindPrompt, `{"ver":1,`, ParseError},
		{"common: nothing at all is no JSON", KindResponse, ``, ParseError},
		{"common: trailing words are no JSON", KindResponse, `{"ver":1,"text":"a"} b`, ParseError},
		{"common: ver is required", KindPrompt, `{"message":"hi"}`, InvalidSchema},
		{"common: ver is 1", KindPrompt, `{"ver":2,"message":"hi"}`, InvalidSchema},
		{"common: ver is a number", KindPrompt, `{"ver":"1","message":"hi"}`, InvalidSchema},
		{"common: 1.0 is 1", KindPrompt, `{"ver":1.0,"message":"hi"}`, ""},
		{"common: additional properties", KindPrompt, `{"ver":1,"message":"hi","x":[1,{}]}`, ""},
		{"common: names are exact", KindPrompt, `{"ver":1,"Message":"hi"}`, InvalidSchema},

		{"prompt: message is required", KindPrompt, `{"ver":1}`, InvalidSchema},
		{"prompt: message has minLength 1", KindPrompt, `{"ver":1,"message":""}`, InvalidSchema},
		{"prompt: message is a string", KindPrompt, `{"ver":1,"message":["hi"]}`, InvalidSchema},
		{"prompt: thinking low", KindPrompt, `{"ver":1,"message":"a","thinking":"low"}`, ""},
		{"prompt: thinking medium", KindPrompt, `{"ver":1,"message":"a","thinking":"medium"}`, ""},
		{"prompt: thinking high", KindPrompt, `{"ver":1,"message":"a","thinking":"high"}`, ""},
		{"prompt: thinking max", KindPrompt, `{"ver":1,"message":"a","thinking":"max"}`, ""},
		{"prompt: thinking is an enum", KindPrompt, `{"ver":1,"message":"a","thinking":"hard"}`, InvalidSchema},
		{"prompt: thinking is no empty string", KindPrompt, `{"ver":1,"message":"a","thinking":""}`, InvalidSchema},
		{"prompt: provider has minLength 1", KindPrompt, `{"ver":1,"message":"a","provider":""}`, InvalidSchema},
		{"prompt: model has minLength 1", KindPrompt, `{"ver":1,"message":"a","model":""}`, InvalidSchema},
		{"prompt: model is a string", KindPrompt, `{"ver":1,"message":"a","model":4}`, InvalidSchema},
		{"prompt: tool_schema_version is 1 or more", KindPrompt, `{"ver":1,"message":"a","tool_schema_version":0}`, InvalidSchema},
		{"prompt: tool_schema_version is an integer", KindPrompt, `{"ver":1,"message":"a","tool_schema_version":1.5}`, InvalidSchema},
		{"prompt: tool_schema_version 1", KindPrompt, `{"ver":1,"message":"a","tool_schema_version":1}`, ""},
		{"prompt: fallback_models is an array", KindPrompt, `{"ver":1,"message":"a","fallback_models":"b"}`, InvalidSchema},
		{"prompt: fallback_models holds strings", KindPrompt, `{"ver":1,"message":"a","fallback_models":["b",1]}`, InvalidSchema},
		{"prompt: fallback_models holds no null", KindPrompt, `{"ver":1,"message":"a","fallback_models":[null]}`, InvalidSchema},
		{"prompt: all fields", KindPrompt, `{"ver":1,"message":"a","thinking":"max","provider":"p","model":"m","tool_schema_version":1,"fallback_models":["b"]}`, ""},

		{"cancel: reason is required", KindCancel, `{"ver":1}`, InvalidSchema},
		{"cancel: reason user_cancel", KindCancel, `{"ver":1,"reason":"user_cancel"}`, ""},
		{"cancel: reason timeout", KindCancel, `{"ver":1,"reason":"timeout"}`, ""},
		{"cancel: reason policy", KindCancel, `{"ver":1,"reason":"policy"}`, ""},
		{"cancel: reason is an enum", KindCancel, `{"ver":1,"reason":"bored"}`, InvalidSchema},

		{"response: text is required", KindResponse, `{"ver":1}`, InvalidSchema},
		{"response: text may be empty", KindResponse, `{"ver":1,"text":""}`, ""},
		{"response: text is a string", KindResponse, `{"ver":1,"text":null}`, InvalidSchema},
		{"response: timestamp is an integer", KindResponse, `{"ver":1,"text":"a","timestamp":"now"}`, InvalidSchema},
		{"response: timestamp has minimum 0", KindResponse, `{"ver":1,"text":"a","timestamp":-1}`, InvalidSchema},
		{"response: usage is an object", KindResponse, `{"ver":1,"text":"a","usage":3}`, InvalidSchema},
		{"response: usage needs input_tokens", KindResponse, `{"ver":1,"text":"a","usage":{"output_tokens":1}}`, InvalidSchema},
		{"response: usage needs output_tokens", KindResponse, `{"ver":1,"text":"a","usage":{"input_tokens":1}}`, InvalidSchema},
		{"response: tokens have minimum 0", KindResponse, `{"ver":1,"text":"a","usage":{"input_tokens":-1,"output_tokens":1}}`, InvalidSchema},
		{"response: usage", KindResponse, `{"ver":1,"text":"a","usage":{"input_tokens":0,"output_tokens":1}}`, ""},

		{"delta: text is required", KindDelta, `{"ver":1,"seq":0}`, InvalidSchema},
		{"delta: text may be empty", KindDelta, `{"ver":1,"text":""}`, ""},
		{"delta: seq 0", KindDelta, `{"ver":1,"text":"a","seq":0}`, ""},
		{"delta: seq is not negative", KindDelta, `{"ver":1,"text":"a","seq":-1}`, InvalidSequence},
		{"delta: seq is an integer", KindDelta, `{"ver":1,"text":"a","seq":0.5}`, InvalidSequence},
		{"delta: seq is a number", KindDelta, `{"ver":1,"text":"a","seq":"0"}`, InvalidSequence},
		{"delta: seq is no null", KindDelta, `{"ver":1,"text":"a","seq":null}`, InvalidSequence},
		{"delta: the largest exact seq", KindDelta, `{"ver":1,"text":"a","seq":9007199254740991}`, ""},
		{"delta: a seq that readers would round", KindDelta, `{"ver":1,"text":"a","seq":9007199254740992}`, InvalidSequence},
		{"delta: timestamp has minimum 0", KindDelta, `{"ver":1,"text":"a","timestamp":-5}`, InvalidSchema},

		{"status: state is required", KindStatus, `{"ver":1,"info":"x"}`, InvalidSchema},
		{"status: thinking", KindStatus, `{"ver":1,"state":"thinking"}`, ""},
		{"status: tool_use", KindStatus, `{"ver":1,"state":"tool_use"}`, ""},
		{"status: done", KindStatus, `{"ver":1,"state":"done"}`, ""},
		{"status: state is an enum", KindStatus, `{"ver":1,"state":"busy"}`, InvalidSchema},
		{"status: progress has minimum 0", KindStatus, `{"ver":1,"state":"done","progress":-1}`, InvalidSchema},
		{"status: progress 0", KindStatus, `{"ver":1,"state":"done","progress":0}`, ""},
		{"status: progress 100", KindStatus, `{"ver":1,"state":"done","progress":100}`, ""},
		{"status: progress has maximum 100", KindStatus, `{"ver":1,"state":"done","progress":101}`, InvalidSchema},
		{"status: progress is an integer", KindStatus, `{"ver":1,"state":"done","progress":0.5}`, InvalidSchema},
		{"status: info is a string", KindStatus, `{"ver":1,"state":"done","info":{}}`, InvalidSchema},

		{"tool: text alone", KindTool, `{"ver":1,"text":"looking"}`, ""},
		{"tool: name and phase", KindTool, `{"ver":1,"name":"calc","phase":"start"}`, ""},
		{"tool: name without phase", KindTool, `{"ver":1,"name":"calc"}`, InvalidSchema},
		{"tool: phase without name", KindTool, `{"ver":1,"phase":"start"}`, InvalidSchema},
		{"tool: text has minLength 1", KindTool, `{"ver":1,"text":""}`, InvalidSchema},
		{"tool: name has minLength 1", KindTool, `{"ver":1,"name":"","phase":"start"}`, InvalidSchema},
		{"tool: phase is an enum", KindTool, `{"ver":1,"name":"calc","phase":"middle"}`, InvalidSchema},
		{"tool: arguments is an object", KindTool, `{"ver":1,"name":"calc","phase":"start","arguments":"1+1"}`, InvalidSchema},
		{"tool: output is an object", KindTool, `{"ver":1,"name":"calc","phase":"result","output":[]}`, InvalidSchema},
		{"tool: success is a boolean", KindTool, `{"ver":1,"name":"calc","phase":"result","success":1}`, InvalidSchema},
		{"tool: duration_ms has minimum 0", KindTool, `{"ver":1,"name":"calc","phase":"result","duration_ms":-1}`, InvalidSchema},
		{"tool: duration_ms 0", KindTool, `{"ver":1,"name":"calc","phase":"result","duration_ms":0}`, ""},
		{"tool: timestamp has minimum 0", KindTool, `{"ver":1,"name":"calc","phase":"result","timestamp":-1}`, InvalidSchema},

		{"error: code is required", KindError, `{"ver":1,"message":"m"}`, InvalidSchema},
		{"error: message is required", KindError, `{"ver":1,"code":"RATE_LIMIT"}`, InvalidSchema},
		{"error: message has minLength 1", KindError, `{"ver":1,"code":"RATE_LIMIT","message":""}`, InvalidSchema},
		{"error: code is an enum", KindError, `{"ver":1,"code":"OOPS","message":"m"}`, InvalidSchema},
		{"error: retry_after has minimum 1", KindError, `{"ver":1,"code":"RATE_LIMIT","message":"m","retry_after":0}`, InvalidSchema},
		{"error: retry_after 1", KindError, `{"ver":1,"code":"RATE_LIMIT","message":"m","retry_after":1}`, ""},
		{"error: details is an object", KindError, `{"ver":1,"code":"RATE_LIMIT","message":"m","details":"d"}`, InvalidSchema},
	} {
		t.Run(c.rule, func(t *testing.T) {
			_, err := Parse(Head{Kind: c.kind, Root: question}, c.plain)
			equal(t, "code", codeOf(t, err), c.want)
		})
	}
}

func TestEveryErrorCodeOfTheTableIsRead(t *testing.T) {
	for _, code := range []string{"UNSUPPORTED_ENCRYPTION", "UNSUPPORTED_MODEL", "UNSUPPORTED_SCHEMA_VERSION", "CANCELLED",
		"RATE_LIMIT", "UNAUTHORIZED", "BLOCKED_SENDER", "MODEL_UNAVAILABLE", "SESSION_LIMIT", "PARSE_ERROR", "EMPTY_RESPONSE",
		"TOOL_ERROR", "INVALID_SCHEMA", "UNSUPPORTED_FEATURE", "INVALID_SEQUENCE", "INTERNAL_ERROR"} {
		v := viewOf(prompt(), failure("x", t0+1, Code(code)))
		equal(t, "code", v.Error.Code, Code(code))
		equal(t, "broken", v.Error.Broken, false)
	}
	equal(t, "codes", len(codes), 16)
}

// TestTags goes through the tag tables of the NIP.
func TestTags(t *testing.T) {
	p, e, enc := nostr.Tag{"p", me}, nostr.Tag{"e", question, "", "root"}, nostr.Tag{"encryption", "nip44"}
	for _, c := range []struct {
		rule string
		kind int
		tags nostr.Tags
		want Code
	}{
		{"all required tags", KindDelta, nostr.Tags{p, e, enc}, ""},
		{"a relay hint in e", KindDelta, nostr.Tags{p, {"e", question, "wss://r.example", "root"}, enc}, ""},
		{"a pubkey after the marker", KindDelta, nostr.Tags{p, {"e", question, "", "root", me}, enc}, ""},
		{"tags without anything in them", KindDelta, nostr.Tags{{}, p, e, enc}, ""},
		{"the same root twice", KindDelta, nostr.Tags{p, e, e, enc}, ""},
		{"another e with another marker", KindDelta, nostr.Tags{p, e, {"e", hexOf("x"), "", "reply"}, enc}, ""},
		{"p missing", KindDelta, nostr.Tags{e, enc}, InvalidSchema},
		{"p without value", KindDelta, nostr.Tags{{"p"}, e, enc}, InvalidSchema},
		{"p in capitals", KindDelta, nostr.Tags{{"p", "ABCDEF" + me[6:]}, e, enc}, InvalidSchema},
		{"p too short", KindDelta, nostr.Tags{{"p", me[:63]}, e, enc}, InvalidSchema},
		{"e missing", KindDelta, nostr.Tags{p, enc}, InvalidSchema},
		{"e without marker", KindDelta, nostr.Tags{p, {"e", question}, enc}, InvalidSchema},
		{"e with another marker", KindDelta, nostr.Tags{p, {"e", question, "", "reply"}, enc}, InvalidSchema},
		{"e of another form", KindDelta, nostr.Tags{p, {"e", "abc", "", "root"}, enc}, InvalidSchema},
		{"two roots", KindDelta, nostr.Tags{p, e, {"e", hexOf("x"), "", "root"}, enc}, InvalidSchema},
		{"encryption missing", KindDelta, nostr.Tags{p, e}, InvalidSchema},
		{"encryption without value", KindDelta, nostr.Tags{p, e, {"encryption"}}, InvalidSchema},
		{"encryption nip04", KindDelta, nostr.Tags{p, e, {"encryption", "nip04"}}, UnsupportedEncryption},
		{"encryption in capitals", KindDelta, nostr.Tags{p, e, {"encryption", "NIP44"}}, UnsupportedEncryption},
		{"a prompt needs no e", KindPrompt, nostr.Tags{p, enc}, ""},
		{"a prompt needs p", KindPrompt, nostr.Tags{enc}, InvalidSchema},
		{"s is optional", KindResponse, nostr.Tags{p, e, {"s", "session:x"}, enc}, ""},
		{"s of the longest size", KindResponse, nostr.Tags{p, e, {"s", string(make([]byte, MaxSessionBytes))}, enc}, ""},
		{"s too long", KindResponse, nostr.Tags{p, e, {"s", string(make([]byte, MaxSessionBytes+1))}, enc}, InvalidSchema},
		{"another kind", 1, nostr.Tags{p, e, enc}, InvalidSchema},
	} {
		t.Run(c.rule, func(t *testing.T) {
			_, err := ParseHead(&nostr.Event{ID: question, PubKey: bot, Kind: c.kind, Tags: c.tags})
			equal(t, "code", codeOf(t, err), c.want)
		})
	}
}

func TestAliases(t *testing.T) {
	h := Head{Kind: KindPrompt}
	m, err := Parse(h, `{"ver":1,"message":"a","toolSchemaVersion":3,"fallbackModels":["b"]}`)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "alias", m.Prompt.ToolSchemaVersion, 3)
	equal(t, "alias list", len(m.Prompt.FallbackModels), 1)
	m, err = Parse(h, `{"ver":1,"message":"a","toolSchemaVersion":3,"tool_schema_version":2}`)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the field wins", m.Prompt.ToolSchemaVersion, 2)
	if _, err = Parse(h, `{"ver":1,"message":"a","toolSchemaVersion":"x"}`); codeOf(t, err) != InvalidSchema {
		t.Errorf("an alias keeps the rules of its field: %v", err)
	}
}

func TestWordsOfDiagnosticsAreCutShort(t *testing.T) {
	long := string(make([]byte, maxQuote+1))
	for _, s := range []string{long[:maxQuote], long, "ä" + long, long[:maxQuote-1] + "äö"} {
		if q := quote(s); len(q) > 6*maxQuote {
			t.Errorf("quote of %d bytes has %d", len(s), len(q))
		}
	}
	equal(t, "short", quote("a\nb"), `"a\nb"`)
}
