package ask

import (
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// "E, K, P and e, k, p all name the request, its kind and its author, and h
// names the room, one of each."
func TestTheTagsOfAnAnswer(t *testing.T) {
	req := form()
	r := mustParse(t, req)
	other := map[string]string{
		"E": key("other"), "e": key("other"), "K": "1", "k": "1",
		"P": eve, "p": eve, "h": "elsewhere",
	}
	if _, fault := ValidateAnswer(r, reply(req, ana, start, "stop")); fault != nil {
		t.Fatal(fault)
	}
	for name, wrong := range other {
		for how, change := range map[string]func(*nostr.Event){
			"missing":        drop(name),
			"without value":  set(name),
			"naming another": set(name, wrong),
			"twice":          put(name, first(reply(req, ana, start, "").Tags, name)),
		} {
			_, fault := ValidateAnswer(r, reply(req, ana, start, "stop", change))
			if fault == nil || fault.Why != WhyTags {
				t.Errorf("%s %s: %v", name, how, fault)
			}
		}
	}
	_, fault := ValidateAnswer(r, reply(req, ana, start, "stop", kind(KindReply)))
	if fault == nil || fault.Why != WhyTags {
		t.Errorf("kind 12: %v", fault)
	}
	hinted := func(ev *nostr.Event) {
		set("E", req.ID, "wss://relay.example", req.PubKey)(ev)
		put("mention", agent)(ev)
	}
	if _, fault := ValidateAnswer(r, reply(req, ana, start, "stop", hinted)); fault != nil {
		t.Errorf("hints and other tags: %v", fault)
	}
}

// "Whether an answer is inside the time: request.created_at <= answer.created_at
// < expiration."
func TestTheTimeOfAnAnswer(t *testing.T) {
	req := form(put("expiration", "1800000060"))
	r := mustParse(t, req)
	for at, want := range map[int64]Why{
		start - 1: WhyEarly, start: "", start + 59: "", start + 60: WhyLate, start + 61: WhyLate,
	} {
		_, fault := ValidateAnswer(r, reply(req, ana, at, "stop"))
		if got := why(fault); got != want {
			t.Errorf("at %+d: %q, want %q", at-start, got, want)
		}
	}
	if _, fault := ValidateAnswer(mustParse(t, form()), reply(form(), ana, start+1e9, "stop")); fault != nil {
		t.Errorf("without a deadline: %v", fault)
	}
}

// "The relay settles only answers from asked keys, before expiration, whose ids
// match the request."
func TestOnlyAnswersOfAskedKeysThatMatchCount(t *testing.T) {
	req := form()
	r := mustParse(t, req)
	for name, c := range map[string]struct {
		ev   *nostr.Event
		want Why
	}{
		"an asked key":       {reply(req, bo, start, "continue"), ""},
		"a key not asked":    {reply(req, eve, start, "continue"), WhyNotAsked},
		"the asker":          {reply(req, agent, start, "continue"), WhyNotAsked},
		"ids that match not": {reply(req, bo, start, "perhaps"), WhyContent},
	} {
		if _, fault := ValidateAnswer(r, c.ev); why(fault) != c.want {
			t.Errorf("%s: %v", name, fault)
		}
	}
	bad := form(drop("h"))
	r, _ = Parse(bad)
	if _, fault := ValidateAnswer(r, reply(bad, ana, start, "stop")); why(fault) != WhyInvalid {
		t.Errorf("an invalid question: %v", fault)
	}
}

func why(f *Fault) Why {
	if f == nil {
		return ""
	}
	return f.Why
}
