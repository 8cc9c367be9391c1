package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func stateIs(want State) func(*testing.T, View) {
	return func(t *testing.T, v View) { t.Helper(); equal(t, "state", v.State, want) }
}

// TestStates follows the row of article[data-run] in the public markup.
func TestStates(t *testing.T) {
	sealed := response("x", t0+1, "a")
	sealed.Opening, sealed.Plain = Sealed, ""
	unreadable := sealed
	unreadable.Opening = Unreadable
	think := input(KindDelta, "think", t0+2, `{"ver":1,"event":"thinking","text":"hm","seq":0}`)
	refused := At{Delivery: Delivery{State: DeliveryRefused, Reason: "mute: no one listens"}}
	runRules(t, []rule{
		{"waiting in the outbox", []Input{prompt()}, At{Delivery: Delivery{State: DeliveryWaiting}, Now: t0 + 999, Timeout: 120}, stateIs(StateWaiting)},
		{"sent", []Input{prompt()}, At{Delivery: Delivery{State: DeliverySent}}, stateIs(StateSent)},
		{"stored", []Input{prompt()}, At{Delivery: Delivery{State: DeliveryStored}}, stateIs(StateSent)},
		{"of another device", []Input{prompt()}, At{}, stateIs(StateSent)},
		{"stopped when it may have left", []Input{prompt(), cancel(t0 + 1)}, At{Delivery: Delivery{State: DeliveryWaiting}, Now: t0 + 999, Timeout: 120}, stateIs(StateCancelling)},
		{"an answer counts more than the outbox", []Input{prompt(), delta(0, t0+1, "a")}, At{Delivery: Delivery{State: DeliveryWaiting}}, stateIs(StateStreaming)},
		{"withdrawn before it was sent", []Input{prompt()}, At{Delivery: Delivery{State: DeliveryWithdrawn}}, stateIs(StateCancelled)},
		{"refused by every relay", []Input{prompt()}, refused, func(t *testing.T, v View) {
			equal(t, "state", v.State, StateFailed)
			equal(t, "refused", v.Refused, "mute: no one listens")
			if !slices.Contains(v.Notes, NoteNotListening) {
				t.Errorf("notes = %v", v.Notes)
			}
		}},
		{"refused, and yet answered", []Input{prompt(), response("x", t0+1, "a")}, refused, stateIs(StateDone)},
		{"thinking", []Input{prompt(), status("a", t0+1, "thinking")}, At{}, stateIs(StateThinking)},
		{"tool use", []Input{prompt(), status("a", t0+1, "thinking"), status("b", t0+2, "tool_use")}, At{}, stateIs(StateToolUse)},
		{"a thinking delta", []Input{prompt(), think}, At{}, stateIs(StateThinking)},
		{"answer text", []Input{prompt(), think, delta(1, t0+3, "a")}, At{}, stateIs(StateStreaming)},
		{"the newest sign: status", []Input{prompt(), delta(0, t0+1, "a"), status("a", t0+2, "thinking")}, At{}, stateIs(StateThinking)},
		{"the newest sign: delta", []Input{prompt(), status("a", t0+1, "tool_use"), delta(0, t0+2, "a")}, At{}, stateIs(StateStreaming)},
		{"the newest sign: tool start", []Input{prompt(), delta(0, t0+1, "a"), tool("x", t0+2, "start")}, At{}, stateIs(StateToolUse)},
		{"a tool's result is no sign", []Input{prompt(), delta(0, t0+1, "a"), tool("x", t0+2, "result")}, At{}, stateIs(StateStreaming)},
		{"within one second a delta beats a status", []Input{prompt(), delta(0, t0+1, "a"), status("a", t0+1, "thinking")}, At{}, stateIs(StateStreaming)},
		{"within one second a tool start beats a delta", []Input{prompt(), tool("x", t0+1, "start"), delta(0, t0+1, "a"), status("a", t0+1, "thinking")}, At{}, stateIs(StateToolUse)},
		{"done without a terminal is not an end", []Input{prompt(), delta(0, t0+1, "a"), status("a", t0+2, "done")}, At{}, stateIs(StateStreaming)},
		{"nothing but done", []Input{prompt(), status("a", t0+2, "done")}, At{}, stateIs(StateThinking)},
		{"nothing but a result", []Input{prompt(), tool("x", t0+2, "result")}, At{}, stateIs(StateThinking)},
		{"cancelling", []Input{prompt(), delta(0, t0+1, "a"), cancel(t0 + 2), delta(1, t0+3, "b")}, At{}, func(t *testing.T, v View) {
			equal(t, "state", v.State, StateCancelling)
			equal(t, "text", v.Text, "ab")
		}},
		{"a cancel of an impossible reason is none", []Input{prompt(), input(KindCancel, "x", t0+1, `{"ver":1,"reason":"bored"}`)}, At{}, dropped(InvalidSchema)},
		{"a terminal that is not decrypted yet", []Input{prompt(), delta(0, t0+1, "a"), sealed}, At{}, func(t *testing.T, v View) {
			equal(t, "state", v.State, StateStreaming)
			equal(t, "sealed", v.Sealed, 1)
		}},
		{"a terminal that cannot be decrypted is dropped", []Input{prompt(), delta(0, t0+1, "a"), unreadable}, At{}, func(t *testing.T, v View) {
			equal(t, "state", v.State, StateStreaming)
			equal(t, "sealed", v.Sealed, 0)
			equal(t, "faults", v.Faults, 1)
		}},
		{"a terminal that is not JSON ends the run", []Input{prompt(), delta(0, t0+1, "half"), input(KindResponse, "x", t0+2, "sorry")}, At{}, func(t *testing.T, v View) {
			equal(t, "state", v.State, StateFailed)
			equal(t, "code", v.Error.Code, ParseError)
			equal(t, "text", v.Text, "half")
			equal(t, "raw", v.Error.Raw, "sorry")
		}},
		{"any valid terminal wins over a broken one", []Input{prompt(), response("a", t0+1, "good"), input(KindResponse, "x", t0+9, "sorry")}, At{}, func(t *testing.T, v View) {
			equal(t, "state", v.State, StateDone)
			equal(t, "text", v.Text, "good")
		}},
		{"incomplete is not before its time", []Input{prompt(), delta(0, t0+1, "a")}, At{Now: t0 + 120, Timeout: 120}, stateIs(StateStreaming)},
		{"incomplete", []Input{prompt(), delta(0, t0+1, "a")}, At{Now: t0 + 121, Timeout: 120}, stateIs(StateIncomplete)},
		{"silence counts from when the prompt was sent", []Input{prompt()}, At{Now: t0 + 150, Timeout: 120, Delivery: Delivery{State: DeliverySent, SentAt: t0 + 100}}, stateIs(StateSent)},
		{"silence counts by our clock", []Input{prompt(), later(delta(0, t0-5000, "a"), t0+1)}, At{Now: t0 + 120, Timeout: 120}, stateIs(StateStreaming)},
		{"a terminal that comes later still counts", []Input{prompt(), delta(0, t0+1, "a"), response("x", t0+900, "b")}, At{Now: t0 + 901, Timeout: 120}, stateIs(StateDone)},
		{"a stop on an incomplete run", []Input{prompt(), cancel(t0 + 200)}, At{Now: t0 + 201, Timeout: 120}, stateIs(StateCancelling)},
	})
}

func TestLateWinnerSaysSo(t *testing.T) {
	for _, c := range []struct {
		name   string
		inputs []Input
		want   bool
	}{
		{"one terminal", []Input{response("a", t0+1, "x")}, false},
		{"the winner came later", []Input{later(failure("a", t0+1, InternalError), t0+1), later(response("b", t0+2, "x"), t0+5)}, true},
		{"the loser came later", []Input{later(failure("a", t0+1, InternalError), t0+5), later(response("b", t0+2, "x"), t0+2)}, false},
		{"a broken one was shown before", []Input{input(KindResponse, "x", t0+1, "no"), response("b", t0+2, "x")}, true},
		{"of three the winner came first", []Input{later(response("a", t0+9, "x"), t0+9), later(response("b", t0+1, "x"), t0+11), later(response("c", t0+2, "x"), t0+10)}, false},
	} {
		v := viewOf(append([]Input{prompt()}, c.inputs...)...)
		equal(t, c.name, slices.Contains(v.Notes, NoteLateWinner), c.want)
	}
}

func TestWrappedRunsSayWhatWasNotHidden(t *testing.T) {
	wrapped := func(in Input) Input { in.Wrapped = true; return in }
	bare := viewOf(wrapped(prompt()), response("x", t0+1, "a"))
	equal(t, "state", bare.State, StateDone)
	equal(t, "wrapped", bare.Wrapped, true)
	equal(t, "not hidden", slices.Contains(bare.Notes, NoteNotHidden), true)
	hidden := viewOf(wrapped(prompt()), wrapped(response("x", t0+1, "a")))
	equal(t, "hidden", len(hidden.Notes), 0)
	both := viewOf(wrapped(prompt()), wrapped(response("x", t0+1, "a")), response("x", t0+1, "a"))
	equal(t, "both ways", slices.Contains(both.Notes, NoteNotHidden), true)
	equal(t, "nobody hid anything", len(viewOf(prompt(), response("x", t0+1, "a")).Notes), 0)
	plain := wrapped(response("x", t0+1, "a"))
	plain.PlainIn = true
	equal(t, "plain", slices.Contains(viewOf(wrapped(prompt()), plain).Notes, NotePlainRumour), true)
}

func TestAnswersWithoutTheirPrompt(t *testing.T) {
	v := viewOf(delta(0, t0+1, "a"))
	equal(t, "has prompt", v.HasPrompt, false)
	equal(t, "note", slices.Contains(v.Notes, NoteNoPrompt), true)
	equal(t, "session", v.Session, "")
	equal(t, "text", v.Text, "a")
	equal(t, "state", v.State, StateStreaming)
}

func TestViewOfAPrompt(t *testing.T) {
	in := input(KindPrompt, "", t0, `{"ver":1,"message":"hi","model":"m","thinking":"max"}`)
	v := viewOf(in)
	equal(t, "question", v.Question, "hi")
	equal(t, "model", v.Model, "m")
	equal(t, "thinking", v.ThinkingMode, "max")
	equal(t, "started", v.Started, t0)
	in.Opening = Sealed
	v = viewOf(in)
	equal(t, "sealed", v.Sealed, 1)
	equal(t, "question", v.Question, "")
	equal(t, "has prompt", v.HasPrompt, true)
}

func TestOneEventInStages(t *testing.T) {
	in := delta(0, t0+1, "a")
	sealed, unreadable := in, in
	sealed.Opening, sealed.Plain = Sealed, ""
	unreadable.Opening, unreadable.Plain = Unreadable, ""
	r := fold(prompt())
	equal(t, "sealed is news", r.Add(sealed), true)
	equal(t, "sealed again", r.Add(sealed), false)
	equal(t, "unreadable is news", r.Add(unreadable), true)
	v := r.View(At{})
	equal(t, "faults", v.Faults, 1)
	equal(t, "note", slices.Contains(v.Notes, NoteUnreadable), true)
	equal(t, "opened is news", r.Add(in), true)
	v = r.View(At{})
	equal(t, "text", v.Text, "a")
	equal(t, "faults", v.Faults, 0)
	equal(t, "notes", len(v.Notes), 0)
	equal(t, "opened again", r.Add(in), false)
	equal(t, "unreadable after all", r.Add(unreadable), false)
	equal(t, "nothing", r.Add(Input{}), false)
}

func TestStatusWordsAndProgress(t *testing.T) {
	with := func(name string, at int64, rest string) Input {
		return input(KindStatus, name, at, `{"ver":1,"state":"thinking"`+rest+`}`)
	}
	v := viewOf(prompt(), with("b", t0+2, `,"progress":50,"info":"half"`), with("a", t0+1, `,"progress":10,"info":"began"`))
	equal(t, "info", v.Info, "half")
	equal(t, "progress", *v.Progress, 50)
	v = viewOf(prompt(), with("b", t0+2, `,"progress":50,"info":"half"`), with("c", t0+3, ``))
	equal(t, "info", v.Info, "")
	if v.Progress != nil {
		t.Errorf("progress = %d, want none", *v.Progress)
	}
}

func TestErrorWordsAndRetry(t *testing.T) {
	in := input(KindError, "x", t0+1, `{"ver":1,"code":"RATE_LIMIT","message":"busy","retry_after":30,"details":{"provider":"p"}}`)
	v := viewOf(prompt(), later(in, t0+5))
	equal(t, "code", v.Error.Code, RateLimit)
	equal(t, "message", v.Error.Message, "busy")
	equal(t, "retry after", v.Error.RetryAfter, 30)
	equal(t, "retry at our clock", v.Error.RetryAt, t0+35)
	equal(t, "details", v.Error.Details, `{"provider":"p"}`)
	equal(t, "ended", v.Ended, t0+1)
}

func TestRawOfABrokenTerminalIsCut(t *testing.T) {
	for _, n := range []int{MaxRaw, MaxRaw + 1} {
		v := viewOf(prompt(), input(KindResponse, "x", t0+1, strings.Repeat("x", n)))
		equal(t, "raw", len(v.Error.Raw), MaxRaw)
	}
	v := viewOf(prompt(), input(KindResponse, "x", t0+1, strings.Repeat("x", MaxRaw-1)+"ä"))
	equal(t, "not within a character", len(v.Error.Raw), MaxRaw-1)
}

func TestUsageAndCost(t *testing.T) {
	info := DefaultInfo(bot)
	info.Pricing = &Pricing{Currency: "USD", Per1kPromptTokens: 2, Per1kOutputTokens: 4}
	in := input(KindResponse, "x", t0+1, `{"ver":1,"text":"a","usage":{"inputTokens":100,"output_tokens":250}}`)
	r := fold(prompt(), in)
	v := r.View(At{Info: &info})
	equal(t, "usage", *v.Usage, Usage{100, 250})
	equal(t, "cost", *v.Cost, Price{1.2, "USD"})
	if r.View(At{}).Cost != nil {
		t.Error("a cost without an info")
	}
}

func TestThinkingTime(t *testing.T) {
	think := func(seq int, at int64) Input {
		return input(KindDelta, fmt.Sprint("t", seq), at, fmt.Sprintf(`{"ver":1,"event":"thinking","text":"x","seq":%d}`, seq))
	}
	for _, c := range []struct {
		name           string
		inputs         []Input
		started, ended int64
	}{
		{"none", []Input{delta(0, t0+1, "a")}, 0, 0},
		{"still going on", []Input{think(0, t0+1), think(1, t0+4)}, t0 + 1, 0},
		{"until the answer", []Input{think(0, t0+1), delta(1, t0+9, "a"), think(2, t0+11)}, t0 + 1, t0 + 9},
		{"until the terminal", []Input{think(0, t0+1), failure("x", t0+7, InternalError)}, t0 + 1, t0 + 7},
		{"after the answer", []Input{delta(0, t0+1, "a"), think(1, t0+2), think(2, t0+5)}, t0 + 2, t0 + 5},
	} {
		v := viewOf(append([]Input{prompt()}, c.inputs...)...)
		equal(t, c.name+": started", v.ThinkingStarted, c.started)
		equal(t, c.name+": ended", v.ThinkingEnded, c.ended)
	}
}

func TestGapsBelongToTheirText(t *testing.T) {
	v := viewOf(prompt(), delta(0, t0+1, "ab"),
		input(KindDelta, "t", t0+1, `{"ver":1,"event":"thinking","text":"hm","seq":2}`), delta(4, t0+1, "cd"))
	if !slices.Equal(v.Gaps, []int{2}) || !slices.Equal(v.ThinkingGaps, []int{0}) {
		t.Errorf("gaps %v, thinking gaps %v", v.Gaps, v.ThinkingGaps)
	}
}

func TestPiecesThatAreHereButSealedAreNotMissing(t *testing.T) {
	sealed := delta(1, t0+1, "b")
	sealed.Opening, sealed.Plain = Sealed, ""
	r := fold(prompt(), delta(0, t0+1, "a"), sealed, delta(2, t0+1, "c"))
	equal(t, "degraded", r.View(At{}).Degraded, false)
	equal(t, "gaps", len(r.View(At{}).Gaps), 1)
	r.Add(delta(5, t0+1, "f"))
	equal(t, "degraded", r.View(At{}).Degraded, true)
}

func TestDiagnosticsAreCut(t *testing.T) {
	for _, n := range []int{MaxDiagnostics, MaxDiagnostics + 1} {
		r := fold(prompt())
		for i := range n {
			r.Add(input(KindStatus, fmt.Sprint(i), t0+int64(n-i), `{"ver":1}`))
		}
		v := r.View(At{})
		equal(t, "kept", len(v.Diagnostics), MaxDiagnostics)
		equal(t, "all", v.Faults, n)
		equal(t, "the oldest first", v.Diagnostics[0].At, t0+1)
	}
	r := fold(prompt())
	for i := range MaxDiagnostics + 1 {
		r.Add(delta(MaxDiagnostics-i, t0+1, "a"))
		r.Add(delta(MaxDiagnostics-i, t0+1, "b"))
	}
	v := r.View(At{})
	equal(t, "conflicts kept", len(v.Diagnostics), MaxDiagnostics)
	equal(t, "conflicts", v.Faults, MaxDiagnostics+1)
}
