package run

import (
	"fmt"

	"github.com/nbd-wtf/go-nostr"
)

// StartGrace is how much older than the agent's start a prompt may be, in
// seconds. Older ones are replays and stay unanswered.
const StartGrace = 60

// Policy is what an agent takes on.
type Policy struct {
	Agent    string // its public key
	Info     Info   // as it was published last
	Started  int64  // when it began to listen, Unix seconds
	AllowAll bool
	Allow    map[string]bool // public keys, when not AllowAll
	Block    map[string]bool // public keys, before Allow
	Provider string          // the provider it can reach; "" leaves a prompt's wish aside
	Versions []int64         // tool schema versions; nil: the info's alone

	MaxTurns  int // prompts in one session; 0: no limit
	MaxActive int // runs of one sender at a time; 0: no limit
}

// Load is what the agent has in hand when a prompt comes.
type Load struct {
	Known      bool  // this prompt was admitted or refused before
	Turns      int   // earlier prompts of this session
	Active     int   // unfinished runs of this sender
	RetryAfter int64 // seconds to wait, from Limiter; 0: none
}

// Accepted is a prompt to work on. Models are those to try, in order, empty when
// the agent names none; SchemaVersion binds the tool calls of the run, 0 when
// neither side names one.
type Accepted struct {
	Run           string
	Client        string
	Session       string
	Prompt        Prompt
	Models        []string
	SchemaVersion int64
	Wrapped       bool // answer in wraps, without tool details
}

// Admission is what to do with a prompt: exactly one of Accepted, Refusal and
// Silence is set. Silence is the reason, for the log.
type Admission struct {
	Accepted *Accepted
	Refusal  *Failure
	Silence  string
}

// Screen decides what needs no decryption: who is not to be answered gets no
// answer; who may not ask gets UNAUTHORIZED or BLOCKED_SENDER. nil: decrypt the
// prompt and call Admit.
func (p *Policy) Screen(ev *nostr.Event, load Load) *Admission {
	var a Admission
	switch {
	case ev == nil || ev.Kind != KindPrompt:
		a = Admission{Silence: "not a prompt"}
	case ev.Tags.FindWithValue("p", p.Agent) == nil:
		a = Admission{Silence: "addressed to somebody else"}
	case ev.PubKey == p.Agent:
		a = Admission{Silence: "by the agent itself"}
	case load.Known:
		a = Admission{Silence: "seen before"}
	case int64(ev.CreatedAt) < p.Started-StartGrace:
		a = Admission{Silence: "older than the agent's start"}
	case p.Block[ev.PubKey]:
		a = refuse(BlockedSender, "this agent does not talk to you", "")
	case !p.AllowAll && !p.Allow[ev.PubKey]:
		a = refuse(Unauthorized, "this agent does not know you; ask its owner to allow your key", "")
	default:
		return nil
	}
	return &a
}

// Admit decides on a prompt, Screen included. in is Opened or Unreadable; what
// is not decrypted is refused with PARSE_ERROR.
func (p *Policy) Admit(in Input, load Load) Admission {
	if a := p.Screen(in.Event, load); a != nil {
		return *a
	}
	h, f := parseHead(in.Event)
	if f == nil {
		f = p.readable(in)
	}
	var m Message
	if f == nil {
		m, f = parse(h, in.Plain)
	}
	if f != nil {
		return refuse(f.Code, f.words(), "")
	}
	return p.negotiate(in, h, m.Prompt, load)
}

func (p *Policy) readable(in Input) *Fault {
	switch {
	case in.Opening != Opened:
		return fault(ParseError, "content", "could not be decrypted as NIP-44")
	case p.Info.MaxPromptBytes > 0 && int64(len(in.Plain)) > p.Info.MaxPromptBytes:
		return fault(InvalidSchema, "content", fmt.Sprintf("this agent takes %d bytes, the prompt has %d", p.Info.MaxPromptBytes, len(in.Plain)))
	}
	return nil
}

// negotiate settles model and schema version and looks at the limits.
func (p *Policy) negotiate(in Input, h Head, q *Prompt, load Load) Admission {
	models := p.models(q)
	version, ok := p.version(q)
	switch {
	case q.Model != "" && len(models) == 0:
		return refuse(UnsupportedModel, "this agent does not offer the model "+quote(q.Model), "model")
	case !ok:
		return refuse(UnsupportedSchemaVersion, fmt.Sprintf("this agent does not speak tool schema version %d", q.ToolSchemaVersion), "tool_schema_version")
	case q.Provider != "" && p.Provider != "" && q.Provider != p.Provider:
		return refuse(ModelUnavailable, "this agent does not reach the provider "+quote(q.Provider), "provider")
	case p.MaxTurns > 0 && load.Turns >= p.MaxTurns:
		return refuse(SessionLimit, fmt.Sprintf("a session has at most %d prompts; begin a new one", p.MaxTurns), "")
	case load.RetryAfter > 0:
		return throttle("too many prompts", load.RetryAfter)
	case p.MaxActive > 0 && load.Active >= p.MaxActive:
		return throttle(fmt.Sprintf("%d of your prompts are still being answered", load.Active), ActiveRetry)
	}
	return Admission{Accepted: &Accepted{
		Run: h.ID, Client: h.Author, Session: SessionOf(h.Session, h.Author),
		Prompt: *q, Models: models, SchemaVersion: version, Wrapped: in.Wrapped,
	}}
}

// ActiveRetry is the retry_after of a sender with too many unfinished runs, in
// seconds.
const ActiveRetry = 10

// models are those to try: the one asked for, else the default, then the
// supported fallbacks.
func (p *Policy) models(q *Prompt) []string {
	var models []string
	add := func(model string) {
		if !contains(models, model) {
			models = append(models, model)
		}
	}
	if q.Model == "" && p.Info.DefaultModel != "" {
		add(p.Info.DefaultModel)
	}
	for _, model := range append([]string{q.Model}, q.FallbackModels...) {
		if contains(p.Info.SupportedModels, model) {
			add(model)
		}
	}
	return models
}

// version is the tool schema version of the run.
func (p *Policy) version(q *Prompt) (int64, bool) {
	if q.ToolSchemaVersion == 0 || q.ToolSchemaVersion == p.Info.ToolSchemaVersion {
		return p.Info.ToolSchemaVersion, true
	}
	for _, v := range p.Versions {
		if v == q.ToolSchemaVersion {
			return v, true
		}
	}
	return 0, false
}

func refuse(code Code, message, field string) Admission {
	f := &Failure{Code: code, Message: message}
	if field != "" {
		f.Details = encode(map[string]string{"field": field})
	}
	return Admission{Refusal: f}
}

func throttle(message string, after int64) Admission {
	return Admission{Refusal: &Failure{Code: RateLimit, Message: message, RetryAfter: after}}
}

// AdmitCancel reads a cancel and gives the run to stop. active says who began an
// unfinished run of this agent, "" when there is none. Anything else, a cancel
// of a finished run and a repeated one too, is to be ignored: ok is false.
func (p *Policy) AdmitCancel(in Input, active func(run string) (client string)) (run, reason string, ok bool) {
	if in.Event == nil || in.Event.Kind != KindCancel || in.Opening != Opened {
		return "", "", false
	}
	h, f := parseHead(in.Event)
	if f != nil || !h.For(p.Agent) {
		return "", "", false
	}
	m, f := parse(h, in.Plain)
	if f != nil || active(h.Root) != h.Author {
		return "", "", false
	}
	return h.Root, m.Cancel.Reason, true
}

// Refuse is the one event that a refused prompt gets. The prompt may break any
// rule; now is Unix seconds.
func Refuse(prompt *nostr.Event, f Failure, now int64) Draft {
	session := ""
	if s := prompt.Tags.Find("s"); s != nil && len(s[1]) <= MaxSessionBytes {
		session = s[1]
	}
	return failureDraft(prompt.ID, prompt.PubKey, SessionOf(session, prompt.PubKey), f, now)
}
