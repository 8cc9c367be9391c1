package run

import "encoding/json"

// Info is what an agent says about itself in 31340, checked and with the
// defaults filled in: JSON over the port. Without an event use DefaultInfo.
type Info struct {
	Agent     string `json:"agent"`           // public key
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

// Pricing is pricing_hints: money per 1,000 tokens.
type Pricing struct {
	Currency          string  `json:"currency"`
	Per1kPromptTokens float64 `json:"per_1k_prompt_tokens"`
	Per1kOutputTokens float64 `json:"per_1k_output_tokens"`
}
