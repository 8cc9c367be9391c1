// Package openai is a brain that asks a model through any API that speaks like
// OpenAI's chat completions: streamed over server-sent events, with tools.
package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/server/agent/brain"
	"parley/server/agent/tool"
	"parley/wasm/run"
)

// Config is what the brain is told. URL and Models are needed.
type Config struct {
	// URL is the address of the API, before "/chat/completions".
	URL string
	// Key is sent as a bearer token; "" for none.
	Key string
	// Models that may be used, the default first.
	Models []string
	Tools  []tool.Tool
	// System begins every conversation; "" for a few words of our own.
	System           string
	MaxContextTokens int64         // 0: MaxContextTokens
	Stall            time.Duration // 0: Stall
	Client           *http.Client  // nil: one without a time-out of its own
}

// Limits of what a model may do.
const (
	// MaxContextTokens is how much of a conversation is sent along, unless the
	// configuration says otherwise; bytesPerToken bytes count as one.
	MaxContextTokens = 32_000
	bytesPerToken    = 4
	// Stall is how long the model's server may be silent.
	Stall = 2 * time.Minute
	// MaxRounds is how often tools may be called before an answer has to come,
	// MaxCalls how many at once.
	MaxRounds = 8
	MaxCalls  = 16
	// MaxAnswer is the longest answer, MaxLine the longest line of a stream,
	// MaxErrorBody how much of an error is read, all in bytes.
	MaxAnswer    = 1 << 20
	MaxThought   = 1 << 20 // of reasoning; what comes after it is not passed on
	MaxLine      = 1 << 20
	MaxErrorBody = 16 << 10
)

// Brain asks a model.
type Brain struct {
	config Config
	tools  map[string]bool
}

var _ brain.Brain = (*Brain)(nil)

// New checks the configuration. It connects to nothing.
func New(config Config) (*Brain, error) {
	u, err := url.Parse(config.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%q is not the address of a model's API; it looks like http://localhost:11434/v1", config.URL)
	}
	if len(config.Models) == 0 {
		return nil, errors.New("no model is named")
	}
	config.URL = strings.TrimSuffix(strings.TrimSuffix(config.URL, "/"), "/chat/completions")
	if config.MaxContextTokens == 0 {
		config.MaxContextTokens = MaxContextTokens
	}
	if config.Stall == 0 {
		config.Stall = Stall
	}
	client := http.Client{} // Stall and the turn's context bound it
	if config.Client != nil {
		client = *config.Client
	}
	// Nobody but the server that was named gets the key and what was said.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	config.Client = &client
	b := &Brain{config: config, tools: map[string]bool{}}
	for _, t := range config.Tools {
		b.tools[t.Name] = true
	}
	return b, nil
}

// About says which models there are.
func (b *Brain) About() brain.About {
	return brain.About{
		Words:            "An agent that answers with " + b.config.Models[0] + ".",
		Models:           b.config.Models,
		DefaultModel:     b.config.Models[0],
		MaxContextTokens: b.config.MaxContextTokens,
	}
}

// Answer takes one turn: the models of the turn one after the other, until one
// of them answers. Once words were said there is no way back to another one.
func (b *Brain) Answer(ctx context.Context, turn brain.Turn, out brain.Out) (brain.Answer, error) {
	models := turn.Models
	if len(models) == 0 {
		models = b.config.Models[:1]
	}
	var err error
	for i, model := range models {
		c := b.converse(turn, out, model)
		var answer brain.Answer
		if answer, err = c.run(ctx); err == nil {
			return answer, nil
		}
		if !elsewhere(err) || c.said.Len() > 0 || c.rounds > 0 {
			return brain.Answer{}, err
		}
		if i+1 < len(models) {
			if err := out.Status(run.StatusThinking, nil, model+" cannot be reached; trying "+models[i+1]); err != nil {
				return brain.Answer{}, err
			}
		}
	}
	return brain.Answer{}, err
}

// elsewhere says whether another model may do what one could not.
func elsewhere(err error) bool {
	var f *brain.Failure
	return errors.As(err, &f) && (f.Code == run.ModelUnavailable || f.Code == run.RateLimit || f.Code == run.UnsupportedModel)
}
