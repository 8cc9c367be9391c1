package run

import (
	"slices"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// rule is one sentence of the NIP and what the fold makes of it.
type rule struct {
	sentence string
	inputs   []Input
	at       At
	check    func(t *testing.T, v View)
}

func runRules(t *testing.T, rules []rule) {
	t.Helper()
	for _, c := range rules {
		t.Run(c.sentence, func(t *testing.T) { c.check(t, fold(c.inputs...).View(c.at)) })
	}
}

func text(want string) func(*testing.T, View) {
	return func(t *testing.T, v View) { t.Helper(); equal(t, "text", v.Text, want) }
}

// dropped checks that only the prompt counts, with or without a diagnostic.
func dropped(code Code) func(*testing.T, View) {
	return func(t *testing.T, v View) {
		t.Helper()
		equal(t, "state", v.State, StateSent)
		equal(t, "text", v.Text, "")
		if code == "" {
			equal(t, "faults", v.Faults, 0)
			return
		}
		if v.Faults != 1 || v.Diagnostics[0].Code != code || v.Diagnostics[0].Text == "" {
			t.Errorf("diagnostics = %+v, want one %s", v.Diagnostics, code)
		}
	}
}

func author(in Input, pubkey string) Input {
	ev := *in.Event
	ev.PubKey = pubkey
	in.Event = &ev
	return in
}

// TestValidationAndFailureRules follows the section of that name.
func TestValidationAndFailureRules(t *testing.T) {
	d := delta(0, t0+1, "a")
	to, root, enc := nostr.Tag{"p", me}, nostr.Tag{"e", question, "", "root"}, nostr.Tag{"encryption", "nip44"}
	runRules(t, []rule{
		{"JSON parse failures in encrypted payloads MUST be reported with code = PARSE_ERROR",
			[]Input{prompt(), input(KindDelta, "x", t0+1, "hello")}, At{}, dropped(ParseError)},
		{"Missing required tags MUST be treated as INVALID_SCHEMA: p",
			[]Input{prompt(), retag(d, nostr.Tags{root, enc})}, At{}, dropped(InvalidSchema)},
		{"Missing required tags MUST be treated as INVALID_SCHEMA: encryption",
			[]Input{prompt(), retag(d, nostr.Tags{to, root})}, At{}, dropped(InvalidSchema)},
		{"Malformed tag values MUST be treated as INVALID_SCHEMA",
			[]Input{prompt(), retag(d, nostr.Tags{{"p", "me"}, root, enc})}, At{}, dropped(InvalidSchema)},
		{"Invalid protocol content MUST be treated as INVALID_SCHEMA: state",
			[]Input{prompt(), status("x", t0+1, "busy")}, At{}, dropped(InvalidSchema)},
		{"Invalid protocol content MUST be treated as INVALID_SCHEMA: code",
			[]Input{prompt(), failure("x", t0+1, "OOPS")}, At{}, func(t *testing.T, v View) {
				equal(t, "state", v.State, StateFailed)
				equal(t, "code", v.Error.Code, InvalidSchema)
				equal(t, "broken", v.Error.Broken, true)
				if !strings.Contains(v.Error.Message, "OOPS") || !strings.Contains(v.Error.Raw, "OOPS") {
					t.Errorf("the error hides what came: %+v", v.Error)
				}
			}},
		{"e tags on non-prompt events MUST reference an existing or referenced prompt event id",
			[]Input{prompt(), retag(d, nostr.Tags{to, {"e", hexOf("other"), "", "root"}, enc})}, At{}, dropped("")},
		{"Non-ai.prompt events MUST require e marker root",
			[]Input{prompt(), retag(d, nostr.Tags{to, {"e", question, "", "reply"}, enc})}, At{}, dropped("")},
		{"ai.delta with non-monotonic seq for the same run MUST be treated as INVALID_SEQUENCE when seq is present",
			[]Input{prompt(), delta(0, t0+1, "a"), delta(1, t0+1, "b"), delta(1, t0+2, "c")}, At{}, func(t *testing.T, v View) {
				equal(t, "text", v.Text, "ab")
				equal(t, "degraded", v.Degraded, true)
				equal(t, "code", v.Diagnostics[0].Code, InvalidSequence)
			}},
		{"A negative seq is INVALID_SEQUENCE; the run goes on, degraded",
			[]Input{prompt(), delta(0, t0+1, "a"), delta(-1, t0+1, "b"), delta(1, t0+2, "c")}, At{}, func(t *testing.T, v View) {
				equal(t, "text", v.Text, "ac")
				equal(t, "degraded", v.Degraded, true)
				equal(t, "code", v.Diagnostics[0].Code, InvalidSequence)
			}},
		{"ai.cancel without matching active run MUST be ignored",
			[]Input{prompt(), retag(cancel(t0+1), nostr.Tags{{"p", bot}, {"e", hexOf("other"), "", "root"}, enc})}, At{}, dropped("")},
		{"Duplicate ai.cancel SHOULD be treated as idempotent and MUST NOT change accepted terminal selection",
			[]Input{prompt(), cancel(t0 + 1), response("a", t0+2, "done"), cancel(t0 + 9)}, At{}, func(t *testing.T, v View) {
				equal(t, "state", v.State, StateDone)
				equal(t, "text", v.Text, "done")
			}},
		{"Clients SHOULD ignore ai.status, ai.delta, and ai.tool_call for runs already in a terminal state",
			[]Input{prompt(), response("a", t0+1, "done"), status("b", t0+2, "thinking"), delta(0, t0+2, "more"), tool("c", t0+2, "start")}, At{}, func(t *testing.T, v View) {
				equal(t, "state", v.State, StateDone)
				equal(t, "text", v.Text, "done")
			}},
		{"clients MUST keep only the terminal event with the highest created_at",
			[]Input{prompt(), response("new", t0+3, "new"), response("old", t0+2, "old")}, At{}, text("new")},
		{"and highest id as tie-breaker", terminalsOfOneSecond(), At{}, text("high")},
		{"If a run is missing a terminal response after reasonable timeout, clients MAY treat it as an incomplete run",
			[]Input{prompt(), delta(0, t0+5, "a")}, At{Now: t0 + 125, Timeout: 120}, func(t *testing.T, v View) {
				equal(t, "state", v.State, StateIncomplete)
				equal(t, "text", v.Text, "a")
			}},
	})
}

// terminalsOfOneSecond gives two responses of the same second, the one with the
// higher id first.
func terminalsOfOneSecond() []Input {
	a, b := response("a", t0+1, "high"), response("b", t0+1, "high")
	if a.Event.ID < b.Event.ID {
		a, b = b, a
	}
	b.Plain = `{"ver":1,"text":"low"}`
	return []Input{prompt(), a, b}
}

// TestStreamingAndReconciliation follows the section of that name.
func TestStreamingAndReconciliation(t *testing.T) {
	d := delta(0, t0+1, "a")
	root, enc := nostr.Tag{"e", question, "", "root"}, nostr.Tag{"encryption", "nip44"}
	sameSecond := []Input{loose("1", t0+1, ""), loose("2", t0+1, ""), loose("3", t0+1, "")}
	slices.SortFunc(sameSecond, func(a, b Input) int { return strings.Compare(a.Event.ID, b.Event.ID) })
	for i := range sameSecond {
		sameSecond[i].Plain = `{"ver":1,"text":"` + string(rune('x'+i)) + `"}`
	}
	runRules(t, []rule{
		{"Clients MUST ignore deltas where e does not match the subscribed run",
			[]Input{prompt(), retag(d, nostr.Tags{{"p", me}, {"e", hexOf("other"), "", "root"}, enc})}, At{}, dropped("")},
		{"Clients MUST ignore deltas where p does not match the recipient",
			[]Input{prompt(), retag(d, nostr.Tags{{"p", stranger}, root, enc})}, At{}, dropped(InvalidSchema)},
		{"Clients MUST ignore deltas where encryption does not match",
			[]Input{prompt(), retag(d, nostr.Tags{{"p", me}, root, {"encryption", "nip04"}})}, At{}, dropped(UnsupportedEncryption)},
		{"the authors set is the agent; others are ignored",
			[]Input{prompt(), author(d, stranger), author(response("a", t0+1, "x"), stranger), author(cancel(t0+1), bot)}, At{}, dropped("")},
		{"If seq is present, it MUST be contiguous starting at 0",
			[]Input{prompt(), delta(1, t0+1, "b")}, At{}, func(t *testing.T, v View) {
				equal(t, "degraded", v.Degraded, true)
				if !slices.Equal(v.Gaps, []int{0}) {
					t.Errorf("gaps = %v, want [0]", v.Gaps)
				}
			}},
		{"Clients SHOULD collect deltas and order by (seq, created_at, id) when seq is present",
			[]Input{prompt(), delta(2, t0+1, "c"), delta(0, t0+3, "a"), delta(1, t0+2, "b")}, At{}, text("abc")},
		{"otherwise by (created_at, id): created_at",
			[]Input{prompt(), loose("1", t0+3, "c"), loose("2", t0+1, "a"), loose("3", t0+2, "b")}, At{}, text("abc")},
		{"otherwise by (created_at, id): id",
			append([]Input{prompt()}, sameSecond[2], sameSecond[0], sameSecond[1]), At{}, text("xyz")},
		{"Clients MUST dedupe duplicates by event.id",
			[]Input{prompt(), loose("1", t0+1, "a"), loose("1", t0+1, "a")}, At{}, text("a")},
		{"and SHOULD dedupe identical (seq, text) tuples when seq is present",
			[]Input{prompt(), delta(0, t0+1, "a"), input(KindDelta, "again", t0+2, `{"ver":1,"text":"a","seq":0}`)}, At{}, func(t *testing.T, v View) {
				equal(t, "text", v.Text, "a")
				equal(t, "degraded", v.Degraded, false)
			}},
		{"If a gap is detected, clients SHOULD continue best-effort rendering",
			[]Input{prompt(), delta(0, t0+1, "ab"), delta(2, t0+1, "ef"), delta(5, t0+1, "k")}, At{}, func(t *testing.T, v View) {
				equal(t, "text", v.Text, "abefk")
				equal(t, "degraded", v.Degraded, true)
				if !slices.Equal(v.Gaps, []int{2, 4}) {
					t.Errorf("gaps = %v, want [2 4]", v.Gaps)
				}
			}},
		{"a gap that is filled is none",
			[]Input{prompt(), delta(0, t0+1, "a"), delta(2, t0+1, "c"), delta(1, t0+1, "b")}, At{}, func(t *testing.T, v View) {
				equal(t, "text", v.Text, "abc")
				equal(t, "degraded", v.Degraded, false)
				equal(t, "gaps", len(v.Gaps), 0)
			}},
		{"until ai.response arrives",
			[]Input{prompt(), delta(0, t0+1, "a"), delta(2, t0+1, "c"), response("x", t0+2, "whole")}, At{}, func(t *testing.T, v View) {
				equal(t, "degraded", v.Degraded, false)
				equal(t, "gaps", len(v.Gaps), 0)
			}},
		{"Final render MUST be taken from ai.response text, not from the delta stream",
			[]Input{prompt(), delta(0, t0+1, "streamed"), response("x", t0+2, "final")}, At{}, func(t *testing.T, v View) {
				equal(t, "text", v.Text, "final")
				equal(t, "final", v.Final, true)
			}},
		{"Clients MUST NOT apply deltas after a terminal event has been accepted for a run",
			[]Input{prompt(), delta(0, t0+1, "a"), failure("x", t0+2, InternalError), delta(1, t0+3, "b"), later(delta(2, t0+1, "c"), t0+9)}, At{}, func(t *testing.T, v View) {
				equal(t, "state", v.State, StateFailed)
				equal(t, "text", v.Text, "a")
			}},
		{"Deltas with and without seq: those with seq form the text, the others follow",
			[]Input{prompt(), loose("1", t0+1, "y"), delta(0, t0+2, "a"), loose("2", t0+3, "z"), delta(1, t0+4, "b")}, At{}, text("abyz")},
		{"Two texts under one seq: keep the lowest (created_at, id)",
			[]Input{prompt(), delta(0, t0+2, "late"), delta(0, t0+1, "early")}, At{}, func(t *testing.T, v View) {
				equal(t, "text", v.Text, "early")
				equal(t, "degraded", v.Degraded, true)
			}},
	})
}

// TestConformanceExamples follows the numbered list of that name, as far as a
// client is concerned; the agent's half is in TestAdmission.
func TestConformanceExamples(t *testing.T) {
	info := DefaultInfo(bot)
	info.Event, info.ToolNames = hexOf("info"), []string{"calculator"}
	runRules(t, []rule{
		{"2. Unknown tool: SHOULD be treated as unsupported",
			[]Input{prompt(), tool("shell", t0+1, "start"), tool("calculator", t0+2, "start")}, At{Info: &info}, func(t *testing.T, v View) {
				equal(t, "rows", len(v.Tools), 2)
				equal(t, "shell", v.Tools[0].Advertised, false)
				equal(t, "calculator", v.Tools[1].Advertised, true)
			}},
		{"3. Out-of-order deltas: clients reorder by seq",
			[]Input{prompt(), delta(1, t0+1, "b"), delta(0, t0+1, "a")}, At{}, text("ab")},
		{"4. Encryption mismatch MUST be rejected as UNSUPPORTED_ENCRYPTION or INVALID_SCHEMA",
			[]Input{prompt(), retag(response("x", t0+1, "a"), nostr.Tags{{"p", me}, {"e", question, "", "root"}, {"encryption", "aes"}})}, At{}, dropped(UnsupportedEncryption)},
		{"5. Duplicate terminal events: render with only the newest",
			[]Input{prompt(), response("a", t0+1, "one"), response("b", t0+2, "two")}, At{}, func(t *testing.T, v View) {
				equal(t, "text", v.Text, "two")
				if !slices.Contains(v.Notes, NoteLateWinner) {
					t.Errorf("notes = %v", v.Notes)
				}
			}},
		{"6. Cancel path: subsequent 25805 CANCELLED is the expected terminal completion",
			[]Input{prompt(), delta(0, t0+1, "half"), cancel(t0 + 2), failure("x", t0+3, Cancelled)}, At{}, func(t *testing.T, v View) {
				equal(t, "state", v.State, StateCancelled)
				equal(t, "text", v.Text, "half")
				equal(t, "reason", v.CancelReason, ReasonUser)
			}},
		{"7. Response/cancel race: keep the terminal event with highest (created_at, id), the response",
			[]Input{prompt(), cancel(t0 + 1), failure("x", t0+2, Cancelled), response("a", t0+3, "won")}, At{}, func(t *testing.T, v View) {
				equal(t, "state", v.State, StateDone)
				equal(t, "text", v.Text, "won")
			}},
		{"7. Response/cancel race: the cancellation",
			[]Input{prompt(), cancel(t0 + 1), response("a", t0+2, "lost"), failure("x", t0+3, Cancelled)}, At{}, func(t *testing.T, v View) {
				equal(t, "state", v.State, StateCancelled)
				equal(t, "final", v.Final, false)
			}},
	})
}

// TestBackwardCompatibility follows the section of that name.
func TestBackwardCompatibility(t *testing.T) {
	runRules(t, []rule{
		{"Ignore unknown encrypted JSON fields",
			[]Input{prompt(), input(KindResponse, "x", t0+1, `{"ver":1,"text":"a","event":{"odd":1},"phase":3,"new":[]}`)}, At{}, text("a")},
		{"Keep s optional and default to sender:<lowercase-hex-pubkey> when absent",
			[]Input{prompt()}, At{}, func(t *testing.T, v View) { equal(t, "session", v.Session, "sender:"+me) }},
		{"The encrypted content is the canonical source of truth: a mirror tag that differs",
			[]Input{prompt(), retag(tool("calculator", t0+1, "start"), nostr.Tags{{"p", me}, {"e", question, "", "root"}, {"encryption", "nip44"}, {"tool", "shell"}, {"phase", "result"}})}, At{}, func(t *testing.T, v View) {
				equal(t, "name", v.Tools[0].Name, "calculator")
				equal(t, "phase", v.Tools[0].Phase, PhaseStart)
				equal(t, "faults", v.Faults, 2)
			}},
		{"Canonical JSON fields remain authoritative over mirrored envelope keys",
			[]Input{prompt(), input(KindTool, "x", t0+1, `{"ver":1,"name":"calculator","phase":"result","success":true,"text":"event=tool|phase=start|name=shell|success=false|call_id=c|ts=1"}`)}, At{}, func(t *testing.T, v View) {
				equal(t, "name", v.Tools[0].Name, "calculator")
				equal(t, "phase", v.Tools[0].Phase, PhaseResult)
				equal(t, "success", *v.Tools[0].Success, true)
				equal(t, "call id", v.Tools[0].CallID, "c")
			}},
	})
}

// TestWireFormsSeenInTheWild follows the section of that name of our decisions.
func TestWireFormsSeenInTheWild(t *testing.T) {
	runRules(t, []rule{
		{"25801 block without seq is answer text",
			[]Input{prompt(), input(KindDelta, "x", t0+1, `{"ver":1,"event":"block","phase":"update","text":"First.","timestamp":1}`),
				input(KindDelta, "y", t0+2, `{"ver":1,"event":"block","phase":"update","text":"Second.","timestamp":2}`)}, At{}, func(t *testing.T, v View) {
				equal(t, "text", v.Text, "First.\n\nSecond.")
				equal(t, "state", v.State, StateStreaming)
			}},
		{"25801 thinking is reasoning, not answer text",
			[]Input{prompt(), input(KindDelta, "x", t0+1, `{"ver":1,"event":"thinking","phase":"update","text":"Hm.","timestamp":1}`)}, At{}, func(t *testing.T, v View) {
				equal(t, "text", v.Text, "")
				equal(t, "thinking", v.Thinking, "Hm.")
				equal(t, "state", v.State, StateThinking)
			}},
		{"25804 with nothing but a result",
			[]Input{prompt(), input(KindTool, "x", t0+1, `{"ver":1,"name":"tool","phase":"result","output":{"text":"42"},"success":true,"timestamp":1}`),
				input(KindTool, "y", t0+2, `{"ver":1,"name":"tool","phase":"result","output":{"text":"43"},"success":true,"timestamp":2}`)}, At{}, func(t *testing.T, v View) {
				equal(t, "rows", len(v.Tools), 2)
				equal(t, "output", v.Tools[1].OutputText, "43")
			}},
		{"a delta's envelope in thinking mode",
			[]Input{prompt(), input(KindDelta, "x", t0+1, `{"ver":1,"text":"event=delta|mode=thinking|status=update|phase=update|block=Looking%20up|text=Looking%20up|ts=1"}`)}, At{}, func(t *testing.T, v View) {
				equal(t, "thinking", v.Thinking, "Looking up")
			}},
		{"a response's envelope",
			[]Input{prompt(), input(KindResponse, "x", t0+1, `{"ver":1,"text":"event=final|phase=end|text=Here%20it%20is|finish_reason=stop|ts=1"}`)}, At{}, func(t *testing.T, v View) {
				equal(t, "text", v.Text, "Here it is")
				equal(t, "finish reason", v.FinishReason, "stop")
			}},
		{"a response that only looks like an envelope is shown as written",
			[]Input{prompt(), input(KindResponse, "x", t0+1, `{"ver":1,"text":"event=final|phase=end"}`)}, At{}, text("event=final|phase=end")},
		{"an error's envelope",
			[]Input{prompt(), input(KindError, "x", t0+1, `{"ver":1,"text":"event=error|phase=end|code=RATE_LIMIT|text=slow%20down|retry_after=7|ts=1"}`)}, At{}, func(t *testing.T, v View) {
				equal(t, "code", v.Error.Code, RateLimit)
				equal(t, "message", v.Error.Message, "slow down")
				equal(t, "retry at", v.Error.RetryAt, t0+8)
			}},
		{"a tool's envelope",
			[]Input{prompt(), input(KindTool, "x", t0+1, `{"ver":1,"text":"event=tool|phase=start|name=web_fetch|callId=call_123|target=https%3A%2F%2Fexample.com|ts=1"}`),
				input(KindTool, "y", t0+2, `{"ver":1,"text":"event=tool|phase=result|name=web_fetch|call_id=call_123|success=true|duration_ms=5|ts=1"}`)}, At{}, func(t *testing.T, v View) {
				equal(t, "rows", len(v.Tools), 1)
				equal(t, "name", v.Tools[0].Name, "web_fetch")
				equal(t, "arguments", v.Tools[0].Arguments, `{"target":"https://example.com"}`)
				equal(t, "phase", v.Tools[0].Phase, PhaseResult)
				equal(t, "duration", *v.Tools[0].DurationMS, 5)
			}},
		{"a tool event with nothing but words",
			[]Input{prompt(), tool("tool", t0+1, "start"), input(KindTool, "y", t0+2, `{"ver":1,"text":"Looking at prices"}`)}, At{}, func(t *testing.T, v View) {
				equal(t, "rows", len(v.Tools), 2)
				equal(t, "words", v.Tools[1].Text, "Looking at prices")
				equal(t, "the start still waits", v.Tools[0].Phase, PhaseStart)
			}},
	})
}

// TestResponsesWithoutRoot are kept apart from every run.
func TestResponsesWithoutRoot(t *testing.T) {
	in := retag(response("x", t0+1, "hello"), nostr.Tags{{"p", me}, {"s", "session:x"}, {"encryption", "nip44"}})
	equal(t, "loose", IsLoose(in.Event), true)
	equal(t, "bound", IsLoose(response("y", t0, "a").Event), false)
	equal(t, "in a run", fold(prompt(), in).View(At{}).Text, "")
	l, err := ParseLoose(in.Event, me, in.Plain)
	if err != nil || l.Text != "hello" || l.Agent != bot || l.Session != "session:x" {
		t.Errorf("loose = %+v, %v", l, err)
	}
	if _, err := ParseLoose(in.Event, stranger, in.Plain); codeOf(t, err) != InvalidSchema {
		t.Errorf("addressed to another: %v", err)
	}
	if _, err := ParseLoose(in.Event, me, "no"); codeOf(t, err) != ParseError {
		t.Errorf("not JSON: %v", err)
	}
	if _, err := ParseLoose(response("y", t0, "a").Event, me, in.Plain); err == nil {
		t.Error("a response with a root is not loose")
	}
	bare := retag(in, nostr.Tags{{"p", me}})
	if _, err := ParseLoose(bare.Event, me, in.Plain); codeOf(t, err) != InvalidSchema {
		t.Errorf("encryption missing: %v", err)
	}
}
