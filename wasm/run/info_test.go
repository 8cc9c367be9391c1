package run

import (
	"reflect"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// exampleInfo is the content of the NIP's example.
const exampleInfo = `{"ver":1,"supports_streaming":true,"supports_nip59":true,"dvm_compatible":false,"encryption":["nip44"],
"supported_models":["gpt-4.1-mini","llama-3.1-70b"],"default_model":"gpt-4.1-mini","tool_names":["web_fetch","calculator"],
"tool_schema_version":1,"max_prompt_bytes":32000,"max_context_tokens":128000,
"tool_schemas":{"calculator":{"schema_version":1,"description":"Evaluate arithmetic expressions","requires_approval":false,
"input_schema":{"type":"object","properties":{"expr":{"type":"string"},"precision":{"type":"number"}},"required":["expr"]}}},
"pricing_hints":{"currency":"USD","per_1k_prompt_tokens":0.002,"per_1k_output_tokens":0.004}}`

func infoEvent(content string) *nostr.Event {
	return &nostr.Event{ID: hexOf("info"), PubKey: bot, CreatedAt: nostr.Timestamp(t0), Kind: KindInfo, Tags: nostr.Tags{{"d", "agent-info"}}, Content: content}
}

func TestParseInfo(t *testing.T) {
	i, err := ParseInfo(infoEvent(exampleInfo))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "agent", i.Agent, bot)
	equal(t, "named", i.Named(), true)
	equal(t, "d", i.D, "agent-info")
	equal(t, "streaming", i.SupportsStreaming, true)
	equal(t, "nip59", i.SupportsNIP59, true)
	equal(t, "models", len(i.SupportedModels), 2)
	equal(t, "default", i.DefaultModel, "gpt-4.1-mini")
	equal(t, "tools", len(i.ToolNames), 2)
	equal(t, "schema version", i.ToolSchemaVersion, 1)
	equal(t, "prompt bytes", i.MaxPromptBytes, 32000)
	equal(t, "context", i.MaxContextTokens, 128000)
	equal(t, "schema", i.ToolSchemas["calculator"].Description, "Evaluate arithmetic expressions")
	equal(t, "pricing", *i.Pricing, Pricing{"USD", 0.002, 0.004})
}

func TestWithoutInfoClientsAssume(t *testing.T) {
	i := DefaultInfo(bot)
	equal(t, "supports_streaming = true", i.SupportsStreaming, true)
	equal(t, `encryption = ["nip44"]`, encode(i.Encryption), `["nip44"]`)
	equal(t, "tool_names = []", encode(i.ToolNames), `[]`)
	equal(t, "tool-related UI is disabled", i.Named(), false)
	equal(t, "wrapping is not offered", i.SupportsNIP59, false)
}

// TestInfoSchema goes through the schema of 31340 rule by rule.
func TestInfoSchema(t *testing.T) {
	for _, c := range []struct {
		rule, content string
		want          Code
	}{
		{"the least", `{"ver":1,"encryption":["nip44"],"tool_names":[]}`, ""},
		{"JSON", `{`, ParseError},
		{"ver", `{"encryption":["nip44"],"tool_names":[]}`, InvalidSchema},
		{"encryption is required", `{"ver":1,"tool_names":[]}`, InvalidSchema},
		{"encryption contains nip44", `{"ver":1,"encryption":["nip04"],"tool_names":[]}`, UnsupportedEncryption},
		{"encryption holds strings", `{"ver":1,"encryption":[1],"tool_names":[]}`, InvalidSchema},
		{"encryption may contain others", `{"ver":1,"encryption":["mls","nip44"],"tool_names":[]}`, ""},
		{"tool_names is required", `{"ver":1,"encryption":["nip44"]}`, InvalidSchema},
		{"tool_names holds strings", `{"ver":1,"encryption":["nip44"],"tool_names":[1]}`, InvalidSchema},
		{"supports_streaming is a boolean", `{"ver":1,"encryption":["nip44"],"tool_names":[],"supports_streaming":"yes"}`, InvalidSchema},
		{"supports_nip59 is a boolean", `{"ver":1,"encryption":["nip44"],"tool_names":[],"supports_nip59":1}`, InvalidSchema},
		{"dvm_compatible is a boolean", `{"ver":1,"encryption":["nip44"],"tool_names":[],"dvm_compatible":null}`, InvalidSchema},
		{"supported_models holds strings", `{"ver":1,"encryption":["nip44"],"tool_names":[],"supported_models":{}}`, InvalidSchema},
		{"default_model is a string", `{"ver":1,"encryption":["nip44"],"tool_names":[],"default_model":[]}`, InvalidSchema},
		{"tool_schema_version is 1 or more", `{"ver":1,"encryption":["nip44"],"tool_names":[],"tool_schema_version":0}`, InvalidSchema},
		{"max_prompt_bytes is 1 or more", `{"ver":1,"encryption":["nip44"],"tool_names":[],"max_prompt_bytes":0}`, InvalidSchema},
		{"max_context_tokens is 1 or more", `{"ver":1,"encryption":["nip44"],"tool_names":[],"max_context_tokens":-1}`, InvalidSchema},
		{"pricing_hints is an object", `{"ver":1,"encryption":["nip44"],"tool_names":[],"pricing_hints":"cheap"}`, InvalidSchema},
		{"tool_schemas is an object", `{"ver":1,"encryption":["nip44"],"tool_names":[],"tool_schemas":[]}`, InvalidSchema},
		{"a tool schema is an object", `{"ver":1,"encryption":["nip44"],"tool_names":[],"tool_schemas":{"a":1}}`, InvalidSchema},
		{"a tool schema has schema_version", `{"ver":1,"encryption":["nip44"],"tool_names":[],"tool_schemas":{"a":{"description":"","input_schema":{}}}}`, InvalidSchema},
		{"a tool schema has description", `{"ver":1,"encryption":["nip44"],"tool_names":[],"tool_schemas":{"a":{"schema_version":1,"input_schema":{}}}}`, InvalidSchema},
		{"a tool schema has input_schema", `{"ver":1,"encryption":["nip44"],"tool_names":[],"tool_schemas":{"a":{"schema_version":1,"description":""}}}`, InvalidSchema},
		{"schema_version is 1 or more", `{"ver":1,"encryption":["nip44"],"tool_names":[],"tool_schemas":{"a":{"schema_version":0,"description":"","input_schema":{}}}}`, InvalidSchema},
		{"output_schema is an object", `{"ver":1,"encryption":["nip44"],"tool_names":[],"tool_schemas":{"a":{"schema_version":1,"description":"","input_schema":{},"output_schema":1}}}`, InvalidSchema},
		{"a whole tool schema", `{"ver":1,"encryption":["nip44"],"tool_names":[],"tool_schemas":{"a":{"schema_version":1,"description":"","requires_approval":true,"input_schema":{},"output_schema":{}}}}`, ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			_, err := ParseInfo(infoEvent(c.content))
			equal(t, "code", codeOf(t, err), c.want)
		})
	}
	ev := infoEvent(exampleInfo)
	ev.Tags = nil
	_, err := ParseInfo(ev)
	equal(t, "the d tag is required", codeOf(t, err), InvalidSchema)
	ev = infoEvent(exampleInfo)
	ev.Tags = nostr.Tags{{"d", "other"}}
	_, err = ParseInfo(ev)
	equal(t, "any d is read", codeOf(t, err), "")
	ev.Kind = 31430
	_, err = ParseInfo(ev)
	equal(t, "another kind", codeOf(t, err), InvalidSchema)
}

func TestTheNewestInfoThenTheLowestIdCounts(t *testing.T) {
	low, high, newer, none := infoOf(), infoOf(), infoOf(), DefaultInfo(bot)
	low.Event, high.Event, newer.Event, newer.CreatedAt = "1", "2", "3", 1
	for _, c := range []struct {
		name string
		a, b *Info
		want bool
	}{
		{"newer", &newer, &low, true}, {"older", &low, &newer, false}, {"lowest id", &low, &high, true}, {"highest id", &high, &low, false},
		{"itself", &low, &low, false}, {"any before none", &low, &none, true}, {"none before any", &none, &low, false},
		{"any before nil", &low, nil, true}, {"none before nil", &none, nil, false},
	} {
		equal(t, c.name, c.a.Newer(c.b), c.want)
	}
}

func TestInfoComesBackAsItWasWritten(t *testing.T) {
	i, err := ParseInfo(infoEvent(exampleInfo))
	if err != nil {
		t.Fatal(err)
	}
	ev, err := NewInfo(i, bot, t0)
	if err != nil {
		t.Fatal(err)
	}
	ev.ID = i.Event
	again, err := ParseInfo(&ev)
	if err != nil || !reflect.DeepEqual(i, again) {
		t.Errorf("got %+v, %v\nwant %+v", again, err, i)
	}
	i.Encryption = nil
	if _, err := NewInfo(i, bot, t0); err == nil {
		t.Error("wrote an info without encryption")
	}
	off := DefaultInfo(bot)
	off.SupportsStreaming = false
	ev, err = NewInfo(off, bot, t0)
	if err != nil || ev.Tags.GetD() != DefaultD {
		t.Fatalf("%+v, %v", ev, err)
	}
	if again, _ = ParseInfo(&ev); again.SupportsStreaming {
		t.Error("supports_streaming false was lost")
	}
}

func TestPrices(t *testing.T) {
	i := DefaultInfo(bot)
	if i.Cost(Usage{1, 1}) != nil || i.EstimatePrompt("a") != nil {
		t.Error("a price without hints")
	}
	i.Pricing = readPricing(`{"currency":"EUR","per_1k_prompt_tokens":2,"per_1k_output_tokens":4}`)
	equal(t, "cost", *i.Cost(Usage{500, 250}), Price{2, "EUR"})
	equal(t, "estimate", *i.EstimatePrompt("12345678"), Price{0.004, "EUR"})
	equal(t, "tokens are rounded up", EstimateTokens("12345"), 2)
	for name, raw := range map[string]string{"no currency": `{"per_1k_prompt_tokens":2}`, "no price": `{"currency":"EUR"}`,
		"a negative price": `{"currency":"EUR","per_1k_prompt_tokens":-2}`, "a price of words": `{"currency":"EUR","per_1k_output_tokens":"2"}`} {
		if p := readPricing(raw); p != nil {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func FuzzParseInfo(f *testing.F) {
	f.Add(exampleInfo)
	f.Add(`{"ver":1,"encryption":["nip44"],"toolNames":[],"pricing_hints":{"currency":"x","per_1k_prompt_tokens":1e999}}`)
	f.Fuzz(func(t *testing.T, content string) {
		i, err := ParseInfo(infoEvent(content))
		if err != nil {
			return
		}
		ev, err := NewInfo(i, bot, t0)
		if err != nil {
			t.Fatalf("%q was read and cannot be written: %v", content, err)
		}
		ev.ID = i.Event
		if again, err := ParseInfo(&ev); err != nil || encode(again) != encode(i) {
			t.Fatalf("%q came back as %+v, %v", content, again, err)
		}
	})
}
