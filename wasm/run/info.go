package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/nbd-wtf/go-nostr"
)

// Info is what an agent says about itself in 31340, checked and with the
// defaults filled in: JSON over the port. Without an event use DefaultInfo.
type Info struct {
	Agent     string `json:"agent,omitempty"` // public key
	Event     string `json:"event,omitempty"` // "" for DefaultInfo
	CreatedAt int64  `json:"created_at,omitempty"`
	D         string `json:"d,omitempty"`

	SupportsStreaming bool                  `json:"supports_streaming"` // true unless it says false
	SupportsNIP59     bool                  `json:"supports_nip59"`
	DVMCompatible     bool                  `json:"dvm_compatible"`
	Encryption        []string              `json:"encryption"`
	SupportedModels   []string              `json:"supported_models,omitempty"`
	DefaultModel      string                `json:"default_model,omitempty"`
	ToolNames         []string              `json:"tool_names"`
	ToolSchemaVersion int64                 `json:"tool_schema_version,omitempty"` // 0: not named
	ToolSchemas       map[string]ToolSchema `json:"tool_schemas,omitempty"`
	MaxPromptBytes    int64                 `json:"max_prompt_bytes,omitempty"`   // 0: not named
	MaxContextTokens  int64                 `json:"max_context_tokens,omitempty"` // 0: not named
	Pricing           *Pricing              `json:"pricing_hints,omitempty"`
}

// ToolSchema is one entry of tool_schemas.
type ToolSchema struct {
	SchemaVersion    int64           `json:"schema_version"`
	Description      string          `json:"description"`
	RequiresApproval bool            `json:"requires_approval,omitempty"`
	InputSchema      json.RawMessage `json:"input_schema"`
	OutputSchema     json.RawMessage `json:"output_schema,omitempty"`
}

// DefaultInfo is what a client assumes of an agent that says nothing: streaming,
// NIP-44, no tools.
func DefaultInfo(agent string) Info {
	return Info{Agent: agent, SupportsStreaming: true, Encryption: []string{Encryption}, ToolNames: []string{}}
}

// Named says whether an event stands behind the info; without one, tool-related
// controls stay away.
func (i *Info) Named() bool { return i.Event != "" }

// ParseInfo reads a 31340 event. Errors are *Fault: PARSE_ERROR when the content
// is not JSON, INVALID_SCHEMA for everything else; such an event is no info.
// UNSUPPORTED_ENCRYPTION when all is well but the agent does not offer NIP-44:
// then the info is that of the agent, and [NewPrompt] fails with the same code.
func ParseInfo(ev *nostr.Event) (Info, error) {
	info := DefaultInfo(ev.PubKey)
	if ev.Kind != KindInfo {
		return info, fault(InvalidSchema, "kind", "an agent's info has kind 31340")
	}
	d := ev.Tags.Find("d")
	if d == nil {
		return info, fault(InvalidSchema, "d", `missing; expected ["d","agent-info"]`)
	}
	info.Event, info.CreatedAt, info.D = ev.ID, int64(ev.CreatedAt), d[1]
	o := decode(ev.Content)
	o.require("encryption", "tool_names")
	info.read(o)
	if o.fault != nil {
		return DefaultInfo(ev.PubKey), o.fault
	}
	if !contains(info.Encryption, Encryption) {
		return info, fault(UnsupportedEncryption, "encryption", "must contain nip44")
	}
	return info, nil
}

func (i *Info) read(o *object) {
	if streaming := o.boolean("supports_streaming"); streaming != nil {
		i.SupportsStreaming = *streaming
	}
	i.SupportsNIP59 = isTrue(o.boolean("supports_nip59"))
	i.DVMCompatible = isTrue(o.boolean("dvm_compatible"))
	i.Encryption = o.list("encryption")
	i.SupportedModels = o.list("supported_models")
	i.DefaultModel = o.text("default_model", 0)
	i.ToolNames = o.list("tool_names")
	i.ToolSchemaVersion, _ = o.integer("tool_schema_version", 1, maxInteger)
	i.MaxPromptBytes, _ = o.integer("max_prompt_bytes", 1, maxInteger)
	i.MaxContextTokens, _ = o.integer("max_context_tokens", 1, maxInteger)
	i.ToolSchemas = readSchemas(o)
	if raw := o.object("pricing_hints"); raw != "" {
		i.Pricing = readPricing(raw)
	}
}

func readSchemas(o *object) map[string]ToolSchema {
	raw := o.object("tool_schemas")
	if raw == "" {
		return nil
	}
	schemas := map[string]ToolSchema{}
	fields := decodeFields(raw)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		t := &object{fields: decodeFields(string(fields[name]))}
		if t.fields == nil {
			t.fail("", "expected an object")
		}
		t.require("schema_version", "description", "input_schema")
		schema := ToolSchema{Description: t.text("description", 0), RequiresApproval: isTrue(t.boolean("requires_approval"))}
		schema.SchemaVersion, _ = t.integer("schema_version", 1, maxInteger)
		schema.InputSchema = rawOrNil(t.object("input_schema"))
		schema.OutputSchema = rawOrNil(t.object("output_schema"))
		if t.fault != nil {
			o.fail("tool_schemas."+name, t.fault.words())
			return nil
		}
		schemas[name] = schema
	}
	return schemas
}

func isTrue(b *bool) bool { return b != nil && *b }

func rawOrNil(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

// Newer says whether i replaces other: newest, then the lowest event id, as
// relays keep replaceable events (NIP-01). Any info replaces a default one.
func (i *Info) Newer(other *Info) bool {
	switch {
	case other == nil || !other.Named():
		return i.Named()
	case i.CreatedAt != other.CreatedAt:
		return i.Named() && i.CreatedAt > other.CreatedAt
	}
	return i.Named() && i.Event < other.Event
}

// Content writes the JSON content of a 31340 event: the fields of the schema
// only, no agent, event or time.
func (i *Info) Content() string {
	w := *i
	w.Agent, w.Event, w.CreatedAt, w.D = "", "", 0, ""
	return encode(struct {
		Ver int `json:"ver"`
		Info
	}{Version, w})
}

// NewInfo is the unsigned 31340 event of an agent. It fails when the info is not
// one that clients accept.
func NewInfo(i Info, agent string, now int64) (nostr.Event, error) {
	d := i.D
	if d == "" {
		d = DefaultD
	}
	ev := nostr.Event{PubKey: agent, CreatedAt: nostr.Timestamp(now), Kind: KindInfo,
		Tags: nostr.Tags{{"d", d}}, Content: i.Content()}
	if _, err := ParseInfo(&ev); err != nil {
		return ev, fmt.Errorf("write agent info: %w", err)
	}
	return ev, nil
}

// DefaultD is the d tag of our own agents' info.
const DefaultD = "agent-info"
