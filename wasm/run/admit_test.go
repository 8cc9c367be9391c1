package run

import (
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func policy() *Policy {
	return &Policy{Agent: bot, Info: infoOf(), Started: t0, Allow: map[string]bool{me: true}}
}

func ask(plain string) Input { return input(KindPrompt, "prompt", t0, plain) }

// TestAdmission is the agent's half of the rules: conformance examples,
// negotiation, security and abuse controls.
func TestAdmission(t *testing.T) {
	good := ask(`{"ver":1,"message":"hi"}`)
	p, enc := nostr.Tag{"p", bot}, nostr.Tag{"encryption", "nip44"}
	other := func(in Input) Input { return author(in, stranger) }
	limited := infoOf()
	limited.MaxPromptBytes = int64(len(good.Plain))
	for _, c := range []struct {
		rule   string
		in     Input
		load   Load
		change func(*Policy)
		want   Code // "": accepted; "silence"
	}{
		{"a good prompt", good, Load{}, nil, ""},
		{"1. Invalid schema: message missing MUST be rejected", ask(`{"ver":1}`), Load{}, nil, InvalidSchema},
		{"4. Encryption mismatch", retag(good, nostr.Tags{p, {"encryption", "nip04"}}), Load{}, nil, UnsupportedEncryption},
		{"the encryption tag is missing", retag(good, nostr.Tags{p}), Load{}, nil, InvalidSchema},
		{"JSON parse failures MUST be reported with PARSE_ERROR", ask(`hi`), Load{}, nil, ParseError},
		{"content that is not NIP-44", withOpening(good, Unreadable), Load{}, nil, ParseError},
		{"content that nobody decrypted", withOpening(good, Sealed), Load{}, nil, ParseError},
		{"thinking is an enum", ask(`{"ver":1,"message":"hi","thinking":"hard"}`), Load{}, nil, InvalidSchema},
		{"unknown senders SHOULD get UNAUTHORIZED", other(good), Load{}, nil, Unauthorized},
		{"unknown senders are turned away before decryption", other(withOpening(good, Sealed)), Load{}, nil, Unauthorized},
		{"everybody is allowed", other(good), Load{}, func(p *Policy) { p.AllowAll = true }, ""},
		{"blocked senders SHOULD get BLOCKED_SENDER", good, Load{}, func(p *Policy) { p.Block = map[string]bool{me: true} }, BlockedSender},
		{"blocked where everybody is allowed", good, Load{}, func(p *Policy) { p.AllowAll = true; p.Block = map[string]bool{me: true} }, BlockedSender},
		{"a model that is listed", ask(`{"ver":1,"message":"hi","model":"large"}`), Load{}, nil, ""},
		{"UNSUPPORTED_MODEL when the requested model is unknown", ask(`{"ver":1,"message":"hi","model":"huge"}`), Load{}, nil, UnsupportedModel},
		{"unknown, and so are the fallbacks", ask(`{"ver":1,"message":"hi","model":"huge","fallback_models":["vast"]}`), Load{}, nil, UnsupportedModel},
		{"unknown, but a fallback is listed", ask(`{"ver":1,"message":"hi","model":"huge","fallback_models":["vast","large"]}`), Load{}, nil, ""},
		{"a model where none is listed", ask(`{"ver":1,"message":"hi","model":"small"}`), Load{}, func(p *Policy) { p.Info.SupportedModels = nil }, UnsupportedModel},
		{"the schema version of the info", ask(`{"ver":1,"message":"hi","tool_schema_version":2}`), Load{}, nil, ""},
		{"UNSUPPORTED_SCHEMA_VERSION when it is incompatible", ask(`{"ver":1,"message":"hi","tool_schema_version":3}`), Load{}, nil, UnsupportedSchemaVersion},
		{"an older version that is still spoken", ask(`{"ver":1,"message":"hi","tool_schema_version":1}`), Load{}, func(p *Policy) { p.Versions = []int64{1, 2} }, ""},
		{"its own provider", ask(`{"ver":1,"message":"hi","provider":"home"}`), Load{}, func(p *Policy) { p.Provider = "home" }, ""},
		{"another provider", ask(`{"ver":1,"message":"hi","provider":"away"}`), Load{}, func(p *Policy) { p.Provider = "home" }, ModelUnavailable},
		{"a provider nobody cares about", ask(`{"ver":1,"message":"hi","provider":"away"}`), Load{}, nil, ""},
		{"a prompt of the largest size", good, Load{}, func(p *Policy) { p.Info = limited }, ""},
		{"a prompt too large", ask(`{"ver":1,"message":"hi!"}`), Load{}, func(p *Policy) { p.Info = limited }, InvalidSchema},
		{"the last turn of a session", good, Load{Turns: 4}, func(p *Policy) { p.MaxTurns = 5 }, ""},
		{"one turn too many", good, Load{Turns: 5}, func(p *Policy) { p.MaxTurns = 5 }, SessionLimit},
		{"the last run at a time", good, Load{Active: 1}, func(p *Policy) { p.MaxActive = 2 }, ""},
		{"one run too many", good, Load{Active: 2}, func(p *Policy) { p.MaxActive = 2 }, RateLimit},
		{"too fast", good, Load{RetryAfter: 9}, nil, RateLimit},
		{"seen before", good, Load{Known: true}, nil, "silence"},
		{"for somebody else", retag(good, nostr.Tags{{"p", stranger}, enc}), Load{}, nil, "silence"},
		{"for nobody", retag(good, nostr.Tags{enc}), Load{}, nil, "silence"},
		{"by the agent itself", author(good, bot), Load{}, nil, "silence"},
		{"another kind", cancel(t0), Load{}, nil, "silence"},
		{"nothing", Input{}, Load{}, nil, "silence"},
		{"just within the grace of the start", good, Load{}, func(p *Policy) { p.Started = t0 + StartGrace }, ""},
		{"older than the start", good, Load{}, func(p *Policy) { p.Started = t0 + StartGrace + 1 }, "silence"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			p := policy()
			if c.change != nil {
				c.change(p)
			}
			a := p.Admit(c.in, c.load)
			got := Code("")
			switch {
			case a.Silence != "":
				got = "silence"
			case a.Refusal != nil:
				got = a.Refusal.Code
			}
			equal(t, "decision", got, c.want)
			screened := got == "silence" || got == Unauthorized || got == BlockedSender
			equal(t, "decided before decryption", p.Screen(c.in.Event, c.load) != nil, screened)
			if n := boolsSet(a.Accepted != nil, a.Refusal != nil, a.Silence != ""); n != 1 {
				t.Errorf("%d decisions at once: %+v", n, a)
			}
		})
	}
}

func boolsSet(bs ...bool) (n int) {
	for _, b := range bs {
		if b {
			n++
		}
	}
	return n
}

func TestNegotiation(t *testing.T) {
	for _, c := range []struct {
		rule, plain, models string
		version             int64
	}{
		{"If model is omitted, agents SHOULD use default_model", `{"ver":1,"message":"hi"}`, "small", 2},
		{"the fallbacks follow the default", `{"ver":1,"message":"hi","fallback_models":["large"]}`, "small large", 2},
		{"the one asked for comes first", `{"ver":1,"message":"hi","model":"large","fallback_models":["small","large","odd"]}`, "large small", 2},
		{"the agent MUST use that exact version", `{"ver":1,"message":"hi","tool_schema_version":1}`, "small", 1},
		{"If omitted, agents MUST use tool_schema_version from their latest ai.info", `{"ver":1,"message":"hi"}`, "small", 2},
	} {
		p := policy()
		p.Versions = []int64{1}
		a := p.Admit(ask(c.plain), Load{})
		if a.Accepted == nil {
			t.Fatalf("%s: %+v", c.rule, a)
		}
		equal(t, c.rule, strings.Join(a.Accepted.Models, " "), c.models)
		equal(t, c.rule, a.Accepted.SchemaVersion, c.version)
	}
}

func TestAcceptedPrompt(t *testing.T) {
	in := ask(`{"ver":1,"message":"hi"}`)
	in.Wrapped = true
	a := policy().Admit(in, Load{}).Accepted
	equal(t, "run", a.Run, question)
	equal(t, "client", a.Client, me)
	equal(t, "session", a.Session, "sender:"+me)
	equal(t, "message", a.Prompt.Message, "hi")
	equal(t, "wrapped", a.Wrapped, true)
	in.Event.Tags = append(in.Event.Tags, nostr.Tag{"s", "session:x"})
	equal(t, "session", policy().Admit(in, Load{}).Accepted.Session, "session:x")
}

func TestRefusalsReachTheClient(t *testing.T) {
	in := ask(`{"ver":1,"message":"hi","model":"huge"}`)
	a := policy().Admit(in, Load{})
	d := Refuse(in.Event, *a.Refusal, t0+1)
	ev := d.Event(bot, "")
	ev.ID = hexOf("refusal")
	v := viewOf(in, Input{Event: &ev, Opening: Opened, Plain: d.Plain})
	equal(t, "state", v.State, StateFailed)
	equal(t, "code", v.Error.Code, UnsupportedModel)
	equal(t, "details", v.Error.Details, `{"field":"model"}`)
	equal(t, "not broken", v.Error.Broken, false)
	broken := nostr.Event{ID: question, PubKey: me, Kind: KindPrompt, Tags: nostr.Tags{{"s", strings.Repeat("s", MaxSessionBytes+1)}}}
	equal(t, "session of a broken prompt", Refuse(&broken, *a.Refusal, t0).Tags.Find("s")[1], "sender:"+me)
	broken.Tags[0][1] = "session:x"
	equal(t, "its own session", Refuse(&broken, *a.Refusal, t0).Tags.Find("s")[1], "session:x")
}

func TestTransientRefusalsSayWhenToRetry(t *testing.T) {
	p := policy()
	p.MaxActive = 1
	equal(t, "fast", p.Admit(prompt(), Load{RetryAfter: 9}).Refusal.RetryAfter, 9)
	equal(t, "busy", p.Admit(prompt(), Load{Active: 1}).Refusal.RetryAfter, ActiveRetry)
}

func TestAdmitCancel(t *testing.T) {
	p := policy()
	active := func(run string) string {
		if run == question {
			return me
		}
		return ""
	}
	run, reason, ok := p.AdmitCancel(cancel(t0), active)
	equal(t, "run", run, question)
	equal(t, "reason", reason, ReasonUser)
	equal(t, "ok", ok, true)
	enc := nostr.Tag{"encryption", "nip44"}
	for name, in := range map[string]Input{
		"without matching active run MUST be ignored": retag(cancel(t0), nostr.Tags{{"p", bot}, {"e", hexOf("other"), "", "root"}, enc}),
		"by somebody else":                            author(cancel(t0), stranger),
		"to somebody else":                            retag(cancel(t0), nostr.Tags{{"p", stranger}, {"e", question, "", "root"}, enc}),
		"without root":                                retag(cancel(t0), nostr.Tags{{"p", bot}, enc}),
		"that is sealed":                              withOpening(cancel(t0), Sealed),
		"of an odd reason":                            input(KindCancel, "x", t0, `{"ver":1,"reason":"bored"}`),
		"that is another kind":                        prompt(),
		"that is nothing":                             {},
	} {
		if _, _, ok := p.AdmitCancel(in, active); ok {
			t.Errorf("took a cancel %s", name)
		}
	}
	if _, _, ok := p.AdmitCancel(cancel(t0), func(string) string { return "" }); ok {
		t.Error("Agents MUST ignore ai.cancel for completed runs")
	}
}

// TestLimiterAfterTheClockWasAhead: nobody waits for longer than a window.
func TestLimiterAfterTheClockWasAhead(t *testing.T) {
	l := Limiter{Max: 2, Window: 60}
	for range 2 {
		equal(t, "ahead", l.Take(me, 1_000_000), 0)
	}
	equal(t, "put right", l.Take(me, 100), 0)
	l.Take(stranger, 1_000_000)
	l.Forget(150)
	equal(t, "remembered", len(l.times), 1)
}

func TestLimiter(t *testing.T) {
	l := Limiter{Max: 2, Window: 60}
	equal(t, "first", l.Take(me, 100), 0)
	equal(t, "second", l.Take(me, 110), 0)
	equal(t, "third", l.Take(me, 120), 40)
	equal(t, "another sender", l.Take(stranger, 120), 0)
	equal(t, "at the last second", l.Take(me, 159), 1)
	equal(t, "in the next window", l.Take(me, 160), 0)
	l.Forget(220)
	equal(t, "forgotten", len(l.times), 0)
	l.Take(me, 300)
	l.Forget(359)
	equal(t, "remembered", len(l.times), 1)
	none := Limiter{}
	for range 100 {
		equal(t, "no limit", none.Take(me, 1), 0)
	}
}
