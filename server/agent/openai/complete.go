package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"parley/server/agent/brain"
	"parley/wasm/run"
)

// reply is what a model said in one round.
type reply struct {
	text   string
	calls  []call
	finish string
}

var errStalled = errors.New("the model's server is silent")

// complete asks for one completion. A server that does not know an optional
// field of the request is asked again without it.
func (b *Brain) complete(ctx context.Context, q *request, c *conversation) (reply, error) {
	for {
		r, err := b.once(ctx, q, c)
		var refused *status
		if !errors.As(err, &refused) || !refused.without(q) {
			return r, failure(ctx, err, b.config.Key)
		}
	}
}

// once makes one request and reads its answer.
func (b *Brain) once(ctx context.Context, q *request, c *conversation) (reply, error) {
	body, err := json.Marshal(q)
	if err != nil {
		return reply{}, fmt.Errorf("writing the request: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := time.AfterFunc(b.config.Stall, func() { cancel(errStalled) })
	defer stalled.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.config.URL+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return reply{}, fmt.Errorf("writing the request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	if b.config.Key != "" {
		req.Header.Set("Authorization", "Bearer "+b.config.Key)
	}
	resp, err := b.config.Client.Do(req)
	if err != nil {
		return reply{}, errors.Join(err, context.Cause(ctx))
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return reply{}, readStatus(resp)
	}
	r := &reading{c: c, places: map[int]int{}, alive: func() { stalled.Reset(b.config.Stall) }}
	if media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); media == "application/json" {
		err = r.whole(resp.Body)
	} else {
		err = r.stream(resp.Body)
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = errors.Join(cause, err)
	}
	return r.reply, err
}

// status is an answer other than 200.
type status struct {
	code       int
	body       string
	message    string // of the error in the body
	kind       string // its code or type
	retryAfter int64  // seconds, 0: not said
}

func (s *status) Error() string {
	return fmt.Sprintf("the model's server answered %d: %s", s.code, s.message)
}

func readStatus(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, MaxErrorBody)) // as much as there is
	s := &status{code: resp.StatusCode, body: string(body), retryAfter: retryAfter(resp.Header.Get("Retry-After"))}
	var parsed struct {
		Error problem `json:"error"`
	}
	if json.Unmarshal(body, &parsed) == nil {
		s.message, s.kind = parsed.Error.words()
	}
	return s
}

// problem is an error of the API: an object, or just words.
type problem struct{ raw json.RawMessage }

func (p *problem) UnmarshalJSON(raw []byte) error {
	p.raw = append(p.raw[:0], raw...)
	return nil
}

func (p *problem) words() (message, kind string) {
	var object struct {
		Message string          `json:"message"`
		Code    json.RawMessage `json:"code"`
		Type    string          `json:"type"`
	}
	if json.Unmarshal(p.raw, &object) == nil && object.Message != "" {
		var code string
		if json.Unmarshal(object.Code, &code) != nil {
			code = object.Type
		}
		return object.Message, code
	}
	if json.Unmarshal(p.raw, &message) == nil {
		return message, ""
	}
	return "", ""
}

// status is the HTTP status that an error in a stream stands for, where 200 was
// sent already: its code when that is one, else what its kind says.
func (p *problem) status(kind string) int {
	var object struct {
		Code json.Number `json:"code"`
	}
	if json.Unmarshal(p.raw, &object) == nil {
		if code, err := object.Code.Int64(); err == nil && code >= 400 && code < 600 {
			return int(code)
		}
	}
	if strings.Contains(kind, "rate_limit") || kind == "insufficient_quota" {
		return http.StatusTooManyRequests
	}
	return http.StatusInternalServerError
}

// retryAfter reads the header: seconds, or a date.
func retryAfter(header string) int64 {
	if header == "" {
		return 0
	}
	var seconds float64
	if _, err := fmt.Sscanf(header, "%g", &seconds); err == nil && seconds > 0 && seconds < 1<<20 && !strings.Contains(header, ":") {
		return max(1, int64(seconds+0.999))
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(1, int64(time.Until(at).Seconds()))
	}
	return 0
}

// without drops an optional field of the request that the server refuses by
// name; false when there is none.
func (s *status) without(q *request) bool {
	if s.code != http.StatusBadRequest && s.code != http.StatusUnprocessableEntity {
		return false
	}
	switch {
	case q.StreamOptions != nil && strings.Contains(s.body, "stream_options"):
		q.StreamOptions = nil
	case q.ReasoningEffort != "" && strings.Contains(s.body, "reasoning_effort"):
		q.ReasoningEffort = ""
	case len(q.Tools) > 0 && strings.Contains(s.body, "tools"):
		q.Tools = nil
	default:
		return false
	}
	return true
}

// Retry times where the provider names none, in seconds.
const (
	retryLimited = 30
	retryDown    = 15
)

// failure puts what went wrong into the protocol's codes. The key never gets
// into the words.
func failure(ctx context.Context, err error, key string) error {
	var s *status
	var known *brain.Failure
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return known
	case errors.Is(err, errStalled):
		return &brain.Failure{Code: run.InternalError, Message: "The model fell silent.", Details: reason("stalled")}
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &s):
		return s.failure(key)
	case errors.Is(err, errRubbish):
		return &brain.Failure{Code: run.InternalError, Message: "The model's server sent something that cannot be read.", Details: reason("rubbish")}
	case errors.Is(err, errBroken):
		return &brain.Failure{Code: run.InternalError, Message: "The model's answer broke off.", Details: reason("broken_off")}
	}
	return &brain.Failure{Code: run.ModelUnavailable, Message: "The model's server cannot be reached.", RetryAfter: retryDown, Details: reason("unreachable")}
}

func (s *status) failure(key string) *brain.Failure {
	words := func(text string) string {
		said := s.message
		if key != "" {
			said = strings.ReplaceAll(said, key, "…")
		}
		if said = clip(said); said != "" {
			text += " It says: " + said
		}
		return text
	}
	tooLong := strings.Contains(s.kind, "context_length") || strings.Contains(s.message, "context length") || strings.Contains(s.message, "maximum context")
	switch {
	case s.code == http.StatusTooManyRequests && s.kind == "insufficient_quota":
		return &brain.Failure{Code: run.ModelUnavailable, Message: "The agent's quota at the model's provider is used up.", Details: reason("quota")}
	case s.code == http.StatusTooManyRequests:
		return &brain.Failure{Code: run.RateLimit, Message: "The model's provider asks to slow down.", RetryAfter: orDefault(s.retryAfter, retryLimited)}
	case s.code == http.StatusUnauthorized || s.code == http.StatusForbidden:
		return &brain.Failure{Code: run.ModelUnavailable, Message: "The model's provider does not accept the agent's key.", Details: reason("unauthorized")}
	case s.code/100 == 3:
		return &brain.Failure{Code: run.ModelUnavailable, Message: "The model's server has moved; its address must be set anew.", Details: reason("moved")}
	case s.code == http.StatusNotFound:
		return &brain.Failure{Code: run.ModelUnavailable, Message: words("The model's provider does not have this model."), Details: reason("not_found")}
	case s.code == http.StatusRequestEntityTooLarge || tooLong:
		return &brain.Failure{Code: run.SessionLimit, Message: "This session is too long for the model; begin a new one.", Details: reason("context_length")}
	case s.code >= 500 || s.code == http.StatusRequestTimeout:
		return &brain.Failure{Code: run.ModelUnavailable, Message: words("The model's provider is in trouble."), RetryAfter: orDefault(s.retryAfter, retryDown), Details: reason("provider")}
	}
	return &brain.Failure{Code: run.InternalError, Message: words(fmt.Sprintf("The model's server refused the request (%d).", s.code)), Details: reason("refused")}
}

func orDefault(n, otherwise int64) int64 {
	if n > 0 {
		return n
	}
	return otherwise
}

// clip keeps a provider's words to one line of decent length.
func clip(text string) string {
	const most = 200
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(runes)
}
