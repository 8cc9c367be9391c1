package store

import (
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func TestApply(t *testing.T) {
	const now = 1000
	waiting := Target{Relay: "wss://r", State: Waiting}
	wire := Target{Relay: "wss://r", State: Sent}
	for name, c := range map[string]struct {
		from    Target
		kind    int
		ok      bool
		message string
		want    Target
	}{
		"an OK means stored":                              {wire, 9, true, "", Target{State: Stored, OK: true, Tries: 1}},
		"an OK with words means stored":                   {wire, 9, true, "pow: 25>=24", Target{State: Stored, OK: true, Tries: 1}},
		"duplicate: is success":                           {wire, 9, true, "duplicate: have it", Target{State: Stored, OK: true, Tries: 1}},
		"duplicate: is success also when refused":         {wire, 9, false, "duplicate: have it", Target{State: Stored, OK: true, Tries: 1}},
		"an OK for 25800 means sent":                      {wire, 25800, true, "", Target{State: Sent, OK: true, Tries: 1}},
		"an OK for 25806 means sent":                      {wire, 25806, true, "", Target{State: Sent, OK: true, Tries: 1}},
		"an OK for 25799 means stored":                    {wire, 25799, true, "", Target{State: Stored, OK: true, Tries: 1}},
		"an OK for 25807 means stored":                    {wire, 25807, true, "", Target{State: Stored, OK: true, Tries: 1}},
		"auth-required: is tried again":                   {wire, 9, false, "auth-required: x", Target{State: Waiting, Code: "auth-required", Reason: "auth-required: x", Tries: 1, NextTry: now + FirstRetry}},
		"rate-limited: is tried again":                    {wire, 9, false, "rate-limited: x", Target{State: Waiting, Code: "rate-limited", Reason: "rate-limited: x", Tries: 1, NextTry: now + FirstRetry}},
		"error: is tried again":                           {waiting, 9, false, "error: x", Target{State: Waiting, Code: "error", Reason: "error: x", Tries: 1, NextTry: now + FirstRetry}},
		"the second try waits twice as long":              {Target{State: Sent, Tries: 1}, 9, false, "error: x", Target{State: Waiting, Code: "error", Reason: "error: x", Tries: 2, NextTry: now + 2*FirstRetry}},
		"no try waits longer than the last":               {Target{State: Sent, Tries: 500}, 9, false, "error: x", Target{State: Waiting, Code: "error", Reason: "error: x", Tries: 501, NextTry: now + LastRetry}},
		"mute: on 258xx: the agent is not there":          {wire, 25802, false, "mute: no one listens", Target{State: Refused, Code: CodeMute, Reason: "mute: no one listens", Tries: 1}},
		"blocked: is final":                               {wire, 9, false, "blocked: no", Target{State: Refused, Code: "blocked", Reason: "blocked: no", Tries: 1}},
		"restricted: is final":                            {wire, 9, false, "restricted: no", Target{State: Refused, Code: "restricted", Reason: "restricted: no", Tries: 1}},
		"invalid: is final":                               {wire, 9, false, "invalid: no", Target{State: Refused, Code: "invalid", Reason: "invalid: no", Tries: 1}},
		"pow: is final":                                   {wire, 9, false, "pow: 30", Target{State: Refused, Code: "pow", Reason: "pow: 30", Tries: 1}},
		"a refusal without a prefix is final":             {wire, 9, false, "no", Target{State: Refused, Reason: "no", Tries: 1}},
		"a refusal without words is final":                {wire, 9, false, "", Target{State: Refused, Tries: 1}},
		"a late refusal takes nothing back":               {Target{State: Stored, OK: true}, 9, false, "blocked: no", Target{State: Stored, OK: true}},
		"a refused copy of a sent run takes nothing back": {Target{State: Sent, OK: true, Tries: 1}, 25802, false, "mute: x", Target{State: Sent, OK: true, Tries: 2}},
		"an OK after a refusal counts":                    {Target{State: Refused, Code: "blocked", Reason: "blocked: no", Tries: 1}, 9, true, "", Target{State: Stored, OK: true, Tries: 2}},
	} {
		c.want.Relay = c.from.Relay
		if got := Apply(c.from, c.kind, c.ok, c.message, now); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

func TestCodeIsTheSingleWordBeforeTheColon(t *testing.T) {
	for message, want := range map[string]string{
		"blocked: no": "blocked", "auth-required:x": "auth-required", "": "", "no": "", ": x": "", "not a code: x": "",
		"Blocked: x": "", "pow: a: b": "pow", "error:": "error",
	} {
		if got := Code(message); got != want {
			t.Errorf("%q has code %q, want %q", message, got, want)
		}
	}
}

func TestAnEventOnTheWireIsNotSentTwice(t *testing.T) {
	target := Target{Relay: "wss://r", State: Waiting}
	if !Due(target, 0) {
		t.Error("a new target is not due")
	}
	target = OnWire(target)
	if target.State != Sent || Due(target, 1<<40) {
		t.Errorf("on the wire: %+v", target)
	}
	if lost := Lost(target, "gone", 100); lost.State != Waiting || lost.Code != CodeLost || Due(lost, 100+FirstRetry-1) || !Due(lost, 100+FirstRetry) {
		t.Errorf("lost: %+v", lost)
	}
	if again := Restarted(target); !Due(again, 0) {
		t.Errorf("after a restart: %+v", again)
	}
	accepted := Apply(target, 25802, true, "", 0)
	if Restarted(accepted) != accepted || Lost(accepted, "gone", 0) != accepted || Due(accepted, 1<<40) {
		t.Errorf("accepted: %+v", accepted)
	}
	if back := ReadBack(accepted); back.State != Stored || !back.OK {
		t.Errorf("read back: %+v", back)
	}
	refused := Target{State: Refused}
	if Lost(refused, "gone", 0) != refused || OnWire(refused) != refused || Due(refused, 1<<40) {
		t.Error("a refusal does not stay")
	}
}

func TestStatus(t *testing.T) {
	ev := &nostr.Event{Kind: 9}
	target := func(s State, ok bool, reason string) Target {
		return Target{State: s, OK: ok, Code: Code(reason), Reason: reason}
	}
	for name, c := range map[string]struct {
		entry   Entry
		want    Summary
		settled bool
	}{
		"a draft waits and says why": {Entry{Draft: &Draft{Reason: "The key is locked"}, Targets: []Target{{}}}, Summary{State: Waiting, Of: 1, Reason: "The key is locked"}, false},
		"no relay":                   {Entry{Event: ev}, Summary{State: Waiting, Reason: "There is no relay to send this to"}, false},
		"waiting":                    {Entry{Event: ev, Targets: []Target{target(Waiting, false, ""), target(Waiting, false, "error: x")}}, Summary{State: Waiting, Of: 2, Code: "error", Reason: "error: x"}, false},
		"sent beats waiting":         {Entry{Event: ev, Targets: []Target{target(Waiting, false, "error: x"), target(Sent, false, "")}}, Summary{State: Sent, Of: 2}, false},
		"stored on one is stored":    {Entry{Event: ev, Targets: []Target{target(Refused, false, "blocked: x"), target(Stored, true, ""), target(Waiting, false, "error: x")}}, Summary{State: Stored, Stored: 1, Of: 3}, false},
		"stored and refused":         {Entry{Event: ev, Targets: []Target{target(Refused, false, "blocked: x"), target(Stored, true, ""), target(Stored, true, "")}}, Summary{State: Stored, Stored: 2, Of: 3}, true},
		"refused only when all are":  {Entry{Event: ev, Targets: []Target{target(Refused, false, "blocked: x"), target(Refused, false, "pow: y")}}, Summary{State: Refused, Of: 2, Code: "blocked", Reason: "blocked: x"}, true},
		"one refused, one waits":     {Entry{Event: ev, Targets: []Target{target(Refused, false, "blocked: x"), target(Waiting, false, "")}}, Summary{State: Waiting, Of: 2}, false},
		"a run that was accepted":    {Entry{Event: ev, Targets: []Target{target(Sent, true, "")}}, Summary{State: Sent, Of: 1}, true},
		"the agent is not listening": {Entry{Event: ev, Targets: []Target{target(Refused, false, "mute: x")}}, Summary{State: Refused, Of: 1, Code: CodeMute, Reason: "mute: x"}, true},
	} {
		if got := Status(c.entry); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
		if Settled(c.entry) != c.settled {
			t.Errorf("%s: settled is %t", name, !c.settled)
		}
	}
}

func TestRetrySendsTheSameEventToWhoeverHasNotTakenIt(t *testing.T) {
	e := Entry{ID: "x", Event: &nostr.Event{ID: "e"}, Targets: []Target{
		{Relay: "a", State: Refused, Code: "blocked", Reason: "blocked: x", Tries: 3},
		{Relay: "b", State: Stored, OK: true},
		{Relay: "c", State: Waiting, NextTry: 1 << 40, Tries: 9},
	}}
	again := Again(e)
	want := []Target{{Relay: "a", State: Waiting}, {Relay: "b", State: Stored, OK: true}, {Relay: "c", State: Waiting}}
	for i := range want {
		if again.Targets[i] != want[i] {
			t.Errorf("target %d became %+v, want %+v", i, again.Targets[i], want[i])
		}
	}
	if again.Event != e.Event || e.Targets[0].State != Refused {
		t.Error("Again must keep the event, and leave the entry it was given alone")
	}
}
