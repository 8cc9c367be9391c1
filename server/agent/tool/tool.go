// Package tool holds the tools that an agent runs for its brain: harmless ones,
// that reach neither files nor the network.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	_ "time/tzdata" // machines without the files know the zones, too

	"parley/wasm/run"
)

// Tool is something an agent can do. Schema is what clients and models are
// told; Run takes a JSON object and gives one.
type Tool struct {
	Name   string
	Schema run.ToolSchema
	Run    func(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error)
}

// SchemaVersion is the version of every schema here.
const SchemaVersion = 1

// Default is the set that agents have: calculator and clock. now is the time.
func Default(now func() time.Time) []Tool { return []Tool{Calculator(), Clock(now)} }

// Calculator evaluates arithmetic.
func Calculator() Tool {
	return Tool{
		Name: "calculator",
		Schema: run.ToolSchema{
			SchemaVersion: SchemaVersion,
			Description:   "Evaluates an arithmetic expression: + - * / % ^, parentheses, sqrt, abs, min, max, round, floor, ceil, ln, log, sin, cos, tan, pi, e.",
			InputSchema:   json.RawMessage(`{"type":"object","properties":{"expr":{"type":"string","description":"for instance (2 + 3) * 4 ^ 2"}},"required":["expr"],"additionalProperties":false}`),
			OutputSchema:  json.RawMessage(`{"type":"object","properties":{"value":{"type":"number"},"text":{"type":"string"}},"required":["value","text"]}`),
		},
		Run: func(_ context.Context, arguments json.RawMessage) (json.RawMessage, error) {
			var in struct {
				Expr *string `json:"expr"`
			}
			if err := json.Unmarshal(arguments, &in); err != nil || in.Expr == nil {
				return nil, errors.New(`the calculator needs {"expr":"..."}`)
			}
			value, err := Evaluate(*in.Expr)
			if err != nil {
				return nil, err
			}
			return json.Marshal(map[string]any{"value": value, "text": Format(value)})
		},
	}
}

// Clock tells the time in a time zone.
func Clock(now func() time.Time) Tool {
	return Tool{
		Name: "clock",
		Schema: run.ToolSchema{
			SchemaVersion: SchemaVersion,
			Description:   "Tells the date and the time, in UTC or in a named time zone.",
			InputSchema:   json.RawMessage(`{"type":"object","properties":{"zone":{"type":"string","description":"an IANA name, for instance Europe/Berlin; UTC without it"}},"additionalProperties":false}`),
			OutputSchema:  json.RawMessage(`{"type":"object","properties":{"time":{"type":"string"},"unix":{"type":"integer"},"weekday":{"type":"string"}},"required":["time","unix","weekday"]}`),
		},
		Run: func(_ context.Context, arguments json.RawMessage) (json.RawMessage, error) {
			var in struct {
				Zone string `json:"zone"`
			}
			if err := json.Unmarshal(arguments, &in); err != nil {
				return nil, errors.New(`the clock takes {"zone":"..."} or {}`)
			}
			// "Local" would tell where the agent runs.
			if in.Zone == "Local" {
				in.Zone = "UTC"
			}
			zone, err := time.LoadLocation(in.Zone)
			if err != nil {
				return nil, fmt.Errorf("there is no time zone %q; use an IANA name, for instance Europe/Berlin", in.Zone)
			}
			t := now().In(zone)
			return json.Marshal(map[string]any{"time": t.Format(time.RFC3339), "unix": t.Unix(), "weekday": t.Weekday().String()})
		},
	}
}
