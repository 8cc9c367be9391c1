package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/server/agent/brain"
	"parley/server/agent/tool"
	"parley/wasm/ask"
	"parley/wasm/run"
)

// ear is an Out that remembers.
type ear struct {
	said, thought strings.Builder
	pieces        int
	statuses      []string
	tools         []string
	asked         []brain.Question
	reply         brain.Reply
	files         []brain.File
	noFiles       bool
	threads       []string
	posted        []string
}

func (e *ear) Say(words string) error   { e.pieces++; e.said.WriteString(words); return nil }
func (e *ear) Think(words string) error { e.thought.WriteString(words); return nil }
func (e *ear) Status(state string, _ *int, _ string) error {
	e.statuses = append(e.statuses, state)
	return nil
}

func (e *ear) Tool(ctx context.Context, name string, arguments json.RawMessage) (brain.Outcome, error) {
	e.tools = append(e.tools, name)
	for _, t := range tool.Default(func() time.Time { return time.Unix(1_800_000_000, 0) }) {
		if t.Name != name {
			continue
		}
		out, err := t.Run(ctx, arguments)
		if err != nil {
			return brain.Outcome{Error: err.Error()}, nil
		}
		return brain.Outcome{Output: out}, nil
	}
	return brain.Outcome{}, errors.New("no such tool")
}

func (e *ear) Post(context.Context, string) error { return brain.ErrPlace }

func (e *ear) Ask(_ context.Context, q brain.Question) (brain.Reply, error) {
	e.asked = append(e.asked, q)
	return e.reply, nil
}

func (e *ear) File(_ context.Context, f brain.File) error {
	if e.noFiles {
		return brain.ErrNoFiles
	}
	e.files = append(e.files, f)
	return nil
}

func (e *ear) Handoff(_ context.Context, name string) (func(context.Context, string) error, error) {
	e.threads = append(e.threads, name)
	return func(_ context.Context, text string) error { e.posted = append(e.posted, text); return nil }, nil
}

// take takes one turn without waiting; waits are what it would have waited.
func take(t *testing.T, turn brain.Turn, e *ear) (answer brain.Answer, waits time.Duration, err error) {
	t.Helper()
	b := New(Options{Sleep: func(ctx context.Context, d time.Duration) bool { waits += d; return ctx.Err() == nil }})
	answer, err = b.Answer(t.Context(), turn, e)
	return answer, waits, err
}

// TestTheSameEachTime: what can be said in a session, and what comes of it.
func TestTheSameEachTime(t *testing.T) {
	for message, want := range map[string][]string{
		"help":               {"| Say | and I |", "**stream 200 lines**"},
		"Hello!":             {"| Say | and I |"},
		"":                   {"| Say | and I |"},
		"markdown":           {"# What", "| ---: |", "```go", "1. First", "> What", "שלום"},
		"stream 7 lines":     {"Here are 7 lines", "7. ", "That was all"},
		"stream 999999":      {"5000. "},
		"stream":             {"40. "},
		"long":               {"40. "},
		"calculate (1+2)*3":  {"**9**"},
		"2 + 3 * 4":          {"**14**"},
		"max(2, 3)":          {"**3**"},
		"calc 1/0":           {"division by zero"},
		"time Europe/Berlin": {"Friday, 2027-01-15T09:00:00+01:00"},
		"time Nowhere":       {"no time zone"},
		"tools":              {"**80**", "Friday", "division by zero"},
		"think":              {"I thought about it"},
		"status":             {"thinking, tool_use and done"},
		"slow 3":             {"1… 2… 3… done."},
		"errors":             {"`RATE_LIMIT`", "`UNSUPPORTED_ENCRYPTION`"},
		"error nonsense":     {"no error with that code", "`RATE_LIMIT`"},
		"remember":           {"nothing before"},
		"what is this?":      {"You said", "> what is this?", "**help**"},
		"two\nlines":         {"> two\n> lines"},
	} {
		first, second := &ear{}, &ear{}
		a, _, err := take(t, brain.Turn{Place: brain.Session, Message: message}, first)
		if err != nil {
			t.Errorf("%s: %v", message, err)
			continue
		}
		b, _, _ := take(t, brain.Turn{Place: brain.Session, Message: message}, second)
		if a.Text != b.Text || a.Text != first.said.String() {
			t.Errorf("%s: %q, then %q, said %q", message, a.Text, b.Text, first.said.String())
		}
		for _, part := range want {
			if !strings.Contains(a.Text, part) {
				t.Errorf("%s: %q is not in %q", message, part, a.Text)
			}
		}
		if a.Usage == nil || a.Usage.OutputTokens == 0 {
			t.Errorf("%s: usage is %+v", message, a.Usage)
		}
	}
}

func TestWhatItShowsOfTheProtocol(t *testing.T) {
	e := &ear{}
	if _, _, err := take(t, brain.Turn{Message: "status"}, e); err != nil || strings.Join(e.statuses, " ") != "thinking thinking tool_use thinking done" {
		t.Errorf("told %v, %v", e.statuses, err)
	}
	e = &ear{}
	if _, _, err := take(t, brain.Turn{Message: "think"}, e); err != nil || e.thought.Len() == 0 || strings.Contains(e.said.String(), "first find out") {
		t.Errorf("thought %q, said %q, %v", e.thought.String(), e.said.String(), err)
	}
	e = &ear{}
	if _, _, err := take(t, brain.Turn{Message: "tools"}, e); err != nil || strings.Join(e.tools, " ") != "calculator clock calculator" {
		t.Errorf("used %v, %v", e.tools, err)
	}
	for message, want := range map[string]brain.Failure{
		"error RATE_LIMIT":     {Code: run.RateLimit, RetryAfter: 10},
		"error rate_limit 3":   {Code: run.RateLimit, RetryAfter: 3},
		"error BLOCKED_SENDER": {Code: run.BlockedSender},
	} {
		_, _, err := take(t, brain.Turn{Message: message}, &ear{})
		var f *brain.Failure
		if !errors.As(err, &f) || f.Code != want.Code || f.RetryAfter != want.RetryAfter {
			t.Errorf("%s: %v", message, err)
		}
	}
	if len(failures) != 16 {
		t.Errorf("it knows %d errors", len(failures))
	}
	if a, _, err := take(t, brain.Turn{Message: "empty"}, &ear{}); err != nil || a.Text != "" {
		t.Errorf("empty: %q, %v", a.Text, err)
	}
	if a, _, err := take(t, brain.Turn{Message: "big 3"}, &ear{}); err != nil || len(a.Text) != 3*1024 {
		t.Errorf("big: %d bytes, %v", len(a.Text), err)
	}
	if a, _, _ := take(t, brain.Turn{Message: "remember", History: []brain.Exchange{{Text: "one"}, {Mine: true, Text: "two"}}}, &ear{}); !strings.Contains(a.Text, "- one") || strings.Contains(a.Text, "two") {
		t.Errorf("remembered is %q", a.Text)
	}
}

func TestThePaceAndTheSlowModel(t *testing.T) {
	_, quick, _ := take(t, brain.Turn{Message: "stream 10"}, &ear{})
	_, slow, _ := take(t, brain.Turn{Message: "stream 10", Models: []string{SlowModel}}, &ear{})
	if quick != 10*Pace || slow != 100*Pace {
		t.Errorf("%v and %v", quick, slow)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	why := errors.New("stop")
	stop(why)
	if _, err := New(Options{}).Answer(ctx, brain.Turn{Message: "slow"}, &ear{}); !errors.Is(err, why) {
		t.Errorf("a stopped turn ends with %v", err)
	}
}

func TestTheStepsOfTheTour(t *testing.T) {
	memo := memoTour + "x"
	for i, step := range tour {
		turn := brain.Turn{Place: brain.Room, Message: "tour"}
		if i > 0 {
			turn = brain.Turn{Place: brain.Room, Reply: &brain.Reply{Memo: memo, Choices: tour[i-1].question.Options[:min(1, len(tour[i-1].question.Options))], Text: "words"}}
		}
		a, _, err := take(t, turn, &ear{})
		if err != nil || a.Ask == nil || a.Ask.Text != step.question.Text || (i > 0) != (a.Text != "") {
			t.Fatalf("step %d: %+v %v", i, a, err)
		}
		if a.Ask.Expires != answerTime || !strings.Contains(a.Ask.Subject, step.question.Subject) {
			t.Errorf("step %d asks %+v", i, a.Ask)
		}
		memo = a.Ask.Memo
	}
	for choice, ends := range map[string]bool{"yes": true, "no": false} {
		a, _, _ := take(t, brain.Turn{Place: brain.Room, Reply: &brain.Reply{Memo: memo, Choices: []ask.Option{{ID: choice}}}}, &ear{})
		if (a.Ask == nil) != ends {
			t.Errorf("%s: %+v", choice, a)
		}
	}
	for _, r := range []brain.Reply{{Memo: memo, Expired: true}, {Memo: "one:single", Expired: true}, {Memo: "unknown"}, {Memo: "one:single"}} {
		if a, _, err := take(t, brain.Turn{Place: brain.Room, Reply: &r}, &ear{}); err != nil || a.Text == "" || a.Ask != nil {
			t.Errorf("%+v: %+v %v", r, a, err)
		}
	}
}

func TestSingleQuestionsAndOtherWordsInRooms(t *testing.T) {
	for _, step := range tour {
		a, _, _ := take(t, brain.Turn{Place: brain.Room, Message: "ask " + step.name}, &ear{})
		if a.Ask == nil || a.Ask.Text != step.question.Text || a.Ask.Memo != memoOne+step.name {
			t.Errorf("%s: %+v", step.name, a.Ask)
		}
	}
	for message, want := range map[string]string{"help": "**tour**", "ask nonsense": "cannot ask that", "2 + 2": "**4**", "stream 9": "for a session", "details": "You said"} {
		if a, _, err := take(t, brain.Turn{Place: brain.Room, Message: message}, &ear{}); err != nil || !strings.Contains(a.Text, want) || a.Ask != nil {
			t.Errorf("%s: %+v %v", message, a, err)
		}
	}
	if a, _, _ := take(t, brain.Turn{Place: brain.Room, Message: "ask me"}, &ear{}); a.Ask == nil {
		t.Error("ask me: nothing is asked")
	}
}

func TestTasks(t *testing.T) {
	task := func(text string, e *ear) (brain.Answer, time.Duration, error) {
		return take(t, brain.Turn{Place: brain.Task, Subject: "", Message: text}, e)
	}
	e := &ear{}
	if a, waits, err := task("a long task", e); err != nil || waits != Long || len(e.tools) != longSteps/5 || !strings.Contains(a.Text, "counted to 60") {
		t.Errorf("long: %+v, %v, %v, %d tools", a, waits, err, len(e.tools))
	}
	var f *brain.Failure
	if _, _, err := task("fail please", &ear{}); !errors.As(err, &f) || !strings.Contains(f.Message, "not there") {
		t.Errorf("fail: %v", err)
	}
	e = &ear{}
	if a, _, err := task("post a file", e); err != nil || len(e.files) != 1 || e.files[0].Name != "visitors.csv" || a.Text == "" {
		t.Errorf("file: %+v %v %v", a, e.files, err)
	}
	if a, _, err := task("post a file", &ear{noFiles: true}); err != nil || !strings.Contains(a.Text, "Monday,12") {
		t.Errorf("file: %+v %v", a, err)
	}
	e = &ear{}
	if a, _, err := task("hand off", e); err != nil || len(e.threads) != 1 || len(e.posted) != 1 || !strings.Contains(a.Text, e.threads[0]) {
		t.Errorf("handoff: %+v %v %v", a, e.threads, err)
	}
	for choice, want := range map[string]string{"go": "went on", "stop": "stopped"} {
		e := &ear{reply: brain.Reply{Choices: []ask.Option{{ID: choice}}, Text: "a word"}}
		if a, _, err := task("a question", e); err != nil || len(e.asked) != 1 || !strings.Contains(a.Text, want) || !strings.Contains(a.Text, "a word") {
			t.Errorf("question: %+v %v", a, err)
		}
	}
	if _, _, err := task("a question", &ear{reply: brain.Reply{Expired: true}}); !errors.As(err, &f) {
		t.Errorf("question: %v", err)
	}
	if a, _, err := task("water the plants\nall of them", &ear{}); err != nil || !strings.Contains(a.Text, "“water the plants”") {
		t.Errorf("small: %+v %v", a, err)
	}
}

func TestPieces(t *testing.T) {
	for _, text := range []string{"", "short", helpText, markdownText, strings.Repeat("é", 100)} {
		rest, pieces := text, 0
		for len(rest) > 0 {
			n := piece(rest)
			if n < 1 || n > len(rest) {
				t.Fatalf("a piece of %d bytes", n)
			}
			rest = rest[n:]
			pieces++
		}
		if len(text) > 200 && strings.Contains(text, " ") && pieces < 10 {
			t.Errorf("%d pieces", pieces)
		}
	}
}
