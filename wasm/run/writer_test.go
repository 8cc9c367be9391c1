package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

const ms0 = t0 * 1000

func accepted() *Accepted {
	return &Accepted{Run: question, Client: me, Session: "session:a"}
}

func writer() *Writer { return NewWriter(accepted(), 0, ms0) }

// received folds drafts as the client sees them.
func received(drafts []Draft) View {
	r := fold(prompt())
	for i, d := range drafts {
		ev := d.Event(bot, "")
		ev.ID = hexOf(fmt.Sprint("draft", i))
		r.Add(Input{Event: &ev, Opening: Opened, Plain: d.Plain})
	}
	return r.View(At{})
}

func draftTags(d Draft) string {
	tags, _ := json.Marshal(d.Tags)
	return string(tags)
}

func TestWriterTags(t *testing.T) {
	d, err := writer().Status(StatusThinking, nil, "", ms0+1999)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "tags", draftTags(d), `[["p","`+me+`"],["e","`+question+`","","root"],["s","session:a"],["encryption","nip44"]]`)
	equal(t, "created_at", d.CreatedAt, t0+1)
	equal(t, "to", d.To, me)
	equal(t, "plain", d.Plain, `{"ver":1,"state":"thinking"}`)
}

func TestWriterSpeaksAWholeRun(t *testing.T) {
	w := writer()
	var all []Draft
	keep := func(d Draft, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	keepAll := func(ds []Draft, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, ds...)
	}
	half := 50
	keep(w.Status(StatusThinking, &half, "reading", ms0))
	keepAll(w.Think("Let me see.", ms0+100))
	start, id, err := w.ToolStart("calculator", json.RawMessage(`{"expr":"12 * 7"}`), ms0+200)
	keep(start, err)
	keep(w.ToolResult(id, ToolOutcome{Output: json.RawMessage(`{"stdout":"84"}`), Success: true, DurationMS: 120}, ms0+320))
	keepAll(w.Text("It is ", ms0+400))
	keepAll(w.Text("84.", ms0+450))
	keepAll(w.Flush(ms0+500), nil)
	keepAll(w.Respond("It is 84.", &Usage{10, 5}, ms0+600))
	v := received(all)
	equal(t, "state", v.State, StateDone)
	equal(t, "text", v.Text, "It is 84.")
	equal(t, "thinking", v.Thinking, "Let me see.")
	equal(t, "rows", rows(v), "calculator:result#call_1")
	equal(t, "output", v.Tools[0].OutputText, "84")
	equal(t, "arguments", v.Tools[0].Arguments, `{"expr":"12 * 7"}`)
	equal(t, "usage", *v.Usage, Usage{10, 5})
	equal(t, "info", v.Info, "reading")
	equal(t, "faults", v.Faults, 0)
	equal(t, "ended", w.Ended(), true)
}

func TestNothingFollowsTheTerminal(t *testing.T) {
	for name, end := range map[string]func(*Writer) error{
		"response":  func(w *Writer) error { _, err := w.Respond("a", nil, ms0); return err },
		"error":     func(w *Writer) error { _, err := w.Fail(Failure{Code: ToolError, Message: "m"}, ms0); return err },
		"cancelled": func(w *Writer) error { _, err := w.Fail(Failure{Code: Cancelled, Message: "m"}, ms0); return err },
		"too large": func(w *Writer) error { w.limit = 10; _, err := w.Respond("a", nil, ms0); return err },
		"empty":     func(w *Writer) error { _, err := w.Respond("", nil, ms0); return err },
	} {
		w := writer()
		_, id, err := w.ToolStart("a", nil, ms0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Text("waits", ms0); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Text("waits too", ms0); err != nil {
			t.Fatal(err)
		}
		if err := end(w); err != nil {
			t.Fatal(err)
		}
		for what, do := range map[string]func() error{
			"response": func() error { _, err := w.Respond("b", nil, ms0); return err },
			"error":    func() error { _, err := w.Fail(Failure{Code: ToolError, Message: "m"}, ms0); return err },
			"status":   func() error { _, err := w.Status(StatusDone, nil, "", ms0); return err },
			"text":     func() error { _, err := w.Text("b", ms0); return err },
			"thinking": func() error { _, err := w.Think("b", ms0); return err },
			"start":    func() error { _, _, err := w.ToolStart("b", nil, ms0); return err },
			"result":   func() error { _, err := w.ToolResult(id, ToolOutcome{}, ms0); return err },
		} {
			if err := do(); !errors.Is(err, ErrEnded) {
				t.Errorf("%s after %s: %v", what, name, err)
			}
		}
		equal(t, "status due after "+name, w.StatusDue(ms0+1e6), false)
		if ds := w.Flush(ms0 + 1e6); len(ds) != 0 {
			t.Errorf("a delta after %s: %+v", name, ds)
		}
		if _, ok := w.NextFlush(); ok {
			t.Errorf("a flush after %s", name)
		}
	}
}

func TestWriterRefusesWhatTheSchemasForbid(t *testing.T) {
	w := writer()
	bad := 101
	low := -1
	for name, err := range map[string]error{
		"state":        second(w.Status("busy", nil, "", ms0)),
		"progress":     second(w.Status(StatusThinking, &bad, "", ms0)),
		"progress low": second(w.Status(StatusThinking, &low, "", ms0)),
		"name":         third(w.ToolStart("", nil, ms0)),
		"arguments":    third(w.ToolStart("a", json.RawMessage(`[]`), ms0)),
		"broken":       third(w.ToolStart("a", json.RawMessage(`{`), ms0)),
		"no such call": second(w.ToolResult("call_9", ToolOutcome{}, ms0)),
		"code":         second(w.Fail(Failure{Code: "ODD", Message: "m"}, ms0)),
		"message":      second(w.Fail(Failure{Code: ToolError}, ms0)),
		"retry":        second(w.Fail(Failure{Code: ToolError, Message: "m", RetryAfter: -1}, ms0)),
		"details":      second(w.Fail(Failure{Code: ToolError, Message: "m", Details: "x"}, ms0)),
	} {
		if codeOf(t, err) != InvalidSchema {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, id, err := w.ToolStart("a", nil, ms0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.ToolResult(id, ToolOutcome{Output: json.RawMessage(`1`)}, ms0); err == nil {
		t.Error("output of a number")
	}
	if _, err := w.ToolResult(id, ToolOutcome{DurationMS: -1}, ms0); err == nil {
		t.Error("negative duration")
	}
	if _, err := w.ToolResult(id, ToolOutcome{}, ms0); err != nil {
		t.Error(err)
	}
	if _, err := w.ToolResult(id, ToolOutcome{}, ms0); err == nil {
		t.Error("a second result")
	}
}

func second[T any](_ T, err error) error      { return err }
func third[T, U any](_ T, _ U, e error) error { return e }

func TestAStatusIsDueWithinThirtySeconds(t *testing.T) {
	w := writer()
	due := int64(MaxStatusGap-statusLead) * 1000
	equal(t, "at first", w.StatusDue(ms0+due-1), false)
	equal(t, "then", w.StatusDue(ms0+due), true)
	if _, err := w.Text("a", ms0+due); err != nil {
		t.Fatal(err)
	}
	equal(t, "deltas do not count", w.StatusDue(ms0+due), true)
	if _, err := w.Status(StatusThinking, nil, "", ms0+due); err != nil {
		t.Fatal(err)
	}
	equal(t, "after one", w.StatusDue(ms0+2*due-1), false)
	equal(t, "the next", w.StatusDue(ms0+2*due), true)
}

func TestWrappedRunsSayLittleOfTheirTools(t *testing.T) {
	a := accepted()
	a.Wrapped = true
	w := NewWriter(a, 0, ms0)
	start, id, err := w.ToolStart("calculator", json.RawMessage(`{"expr":"secret"}`), ms0)
	if err != nil {
		t.Fatal(err)
	}
	result, err := w.ToolResult(id, ToolOutcome{Output: json.RawMessage(`{"stdout":"secret"}`), Success: true, DurationMS: 5}, ms0)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "start", start.Plain, `{"ver":1,"name":"calculator","phase":"start","call_id":"call_1"}`)
	equal(t, "result", result.Plain, `{"ver":1,"name":"calculator","phase":"result","call_id":"call_1","success":true,"duration_ms":5}`)
}

func TestAnswersThatAreTooLarge(t *testing.T) {
	private := func() *Writer { a := accepted(); a.Wrapped = true; return NewWriter(a, 0, ms0) }
	big := strings.Repeat("a", MaxWrappedText)
	for _, c := range []struct {
		name string
		w    *Writer
		text string
		want int
	}{
		{"a wrapped answer of the largest size", private(), big, KindResponse},
		{"a wrapped answer too large", private(), big + "a", KindError},
		{"a bare answer of that size", writer(), big + "a", KindResponse},
		{"an answer the relay takes", NewWriter(accepted(), 1<<20, ms0), big, KindResponse},
		{"an answer the relay does not take", NewWriter(accepted(), 1<<18, ms0), big, KindError},
	} {
		ds, err := c.w.Respond(c.text, nil, ms0)
		if err != nil || len(ds) != 1 {
			t.Fatalf("%d drafts, %v", len(ds), err)
		}
		d := ds[0]
		equal(t, c.name, d.Kind, c.want)
		if d.Kind == KindError {
			v := received([]Draft{d})
			equal(t, "code", v.Error.Code, InternalError)
			equal(t, "reason", v.Error.Details, `{"reason":"too_large"}`)
		}
	}
}

func TestAResponseRefusedForItsSizeIsReplaced(t *testing.T) {
	w := writer()
	if _, err := w.Refused(ms0); err == nil {
		t.Error("nothing was refused yet")
	}
	for _, words := range []string{"at once", " and later"} {
		if _, err := w.Text(words, ms0); err != nil {
			t.Fatal(err)
		}
	}
	if ds, err := w.Respond("a", nil, ms0+5000); err != nil || len(ds) != 1 {
		t.Fatalf("%+v, %v", ds, err)
	}
	ds, err := w.Refused(ms0)
	if err != nil || len(ds) != 2 || ds[1].Kind != KindError || ds[1].CreatedAt != t0+5 {
		t.Fatalf("%+v, %v", ds, err)
	}
	equal(t, "the words that still waited", strings.Contains(ds[0].Plain, " and later"), true)
	if _, err := w.Refused(ms0); err == nil {
		t.Error("refused twice")
	}
}

func TestFrameSizeIsAnUpperBound(t *testing.T) {
	client, agent, once := keysOf(t, "c"), keysOf(t, "a"), keysOf(t, "o")
	for _, n := range []int{1, 32, 33, 500, 4097, 65_000, 65_536, 70_000} {
		plain := strings.Repeat("a", n)
		content, err := agent.Encrypt(client.PubKey, plain)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "payload", payloadSize(n), len(content))
		ev := newDraft(KindResponse, t0, client.PubKey, question, strings.Repeat("s", MaxSessionBytes), plain).Event(agent.PubKey, content)
		rumour := Rumour(ev)
		if got, size := len(rumour.String()), FrameSize(n, false); got > size-200 || got < size-eventOverhead {
			t.Errorf("%d bytes: event %d, bound %d", n, got, size)
		}
		wrap, err := Wrap(rumour, client.PubKey, agent, once, t0, [16]byte{})
		if err != nil {
			t.Fatal(err)
		}
		if got, size := len(wrap.String()), FrameSize(n, true); got > size {
			t.Errorf("%d bytes: wrap %d, bound %d", n, got, size)
		}
	}
}

// TestAnyUseGivesAValidSequence drives a writer at random.
func TestAnyUseGivesAValidSequence(t *testing.T) {
	for seed := range int64(40) {
		rng := rand.New(rand.NewSource(seed))
		w := writer()
		now := int64(ms0)
		var all []Draft
		said := ""
		for range 5 + rng.Intn(60) {
			now += int64(rng.Intn(200) - 20)
			switch rng.Intn(8) {
			case 0, 1, 2, 3:
				words := strings.Repeat("wörter ", rng.Intn(1500))
				if ds, err := w.Text(words, now); err == nil {
					said += words
					all = append(all, ds...)
				}
			case 4:
				ds, _ := w.Think("hm", now)
				all = append(all, ds...)
			case 5:
				all = append(all, w.Flush(now)...)
			case 6:
				if d, err := w.Status(StatusThinking, nil, "", now); err == nil {
					all = append(all, d)
				}
			case 7:
				if d, _, err := w.ToolStart("t", nil, now); err == nil {
					all = append(all, d)
				}
			}
		}
		ds, err := w.Fail(Failure{Code: Cancelled, Message: "m"}, now)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, ds...)
		checkSequence(t, all)
		v := received(all)
		if v.Text != said || v.Faults != 0 || len(v.Gaps) != 0 || v.State != StateCancelled {
			t.Fatalf("seed %d: said %d bytes, received %d, %d faults, gaps %v, %s", seed, len(said), len(v.Text), v.Faults, v.Gaps, v.State)
		}
	}
}

// checkSequence checks seq, size, clock and the place of the terminal.
func checkSequence(t *testing.T, all []Draft) {
	t.Helper()
	seq, last := int64(0), int64(0)
	for i, d := range all {
		if d.CreatedAt < last {
			t.Fatalf("draft %d goes back in time", i)
		}
		last = d.CreatedAt
		equal(t, "terminal at the end", IsTerminal(d.Kind), i == len(all)-1)
		m, err := Parse(Head{Kind: d.Kind, Root: question}, d.Plain)
		if err != nil {
			t.Fatal(err)
		}
		if m.Delta != nil {
			equal(t, "seq", *m.Delta.Seq, seq)
			seq++
			if len(m.Delta.Text) > MaxDeltaBytes {
				t.Fatalf("a delta of %d bytes", len(m.Delta.Text))
			}
		}
	}
}
