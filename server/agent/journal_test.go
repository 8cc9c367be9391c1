package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// aSecret is the key that journals of tests are written with.
var aSecret = [32]byte{31: 7}

// keep is a journal with one of everything.
func keep(t *testing.T, dir string, now int64) *journal {
	t.Helper()
	j, err := openJournal(dir, aSecret, now, testLog())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

func everything(now int64) []entry {
	return []entry{
		{Op: opHeard, At: now},
		{Op: opBegin, At: now, ID: "open", Client: "c", Session: "s", Wrapped: true, Relay: "wss://a.example"},
		{Op: opBegin, At: now, ID: "over"}, {Op: opEnd, At: now, ID: "over", Raw: []byte(`{"id":"x"}`)}, {Op: opSent, At: now, ID: "over"},
		{Op: opBegin, At: now, ID: "untold"}, {Op: opEnd, At: now, ID: "untold", Raw: []byte(`{"id":"y"}`)},
		{Op: opTurn, At: now, ID: "over", Client: "c", Session: "s", Ask: "why?", Answer: "because"},
		{Op: opSeen, At: now, ID: "message"},
		{Op: opAsked, At: now, ID: "question", Memo: "tour", Raw: []byte(`{}`)}, {Op: opAsked, At: now, ID: "answered"}, {Op: opSettled, At: now, ID: "answered"},
		{Op: opTask, At: now, ID: "waits", Raw: []byte(`{}`)}, {Op: opTask, At: now + 1, ID: "runs", Raw: []byte(`{}`)}, {Op: opTaken, At: now, ID: "runs"},
		{Op: opTask, At: now, ID: "done"}, {Op: opTold, At: now, ID: "done", Raw: []byte(`{}`)}, {Op: opClosed, At: now, ID: "done"},
		{Op: opThread, At: now, ID: "thread"},
	}
}

func TestTheJournalRemembersOverARestart(t *testing.T) {
	const now = 1_800_000_000
	dir := t.TempDir()
	j := keep(t, dir, now)
	for _, e := range everything(now) {
		if err := j.add(e); err != nil {
			t.Fatal(err)
		}
	}
	check := func(j *journal) {
		t.Helper()
		if !j.knows("open") || !j.knows("over") || j.knows("other") || !j.took("message") || j.took("other") ||
			!j.tookTask("done") || j.tookTask("other") || !j.opened("thread") || j.opened("other") {
			t.Error("something is forgotten, or invented")
		}
		runs, tasks, questions := j.unfinished()
		slices.SortFunc(runs, func(x, y runRecord) int { return strings.Compare(x.begin.ID, y.begin.ID) })
		if len(runs) != 2 || runs[0].begin.ID != "open" || !runs[0].begin.Wrapped || runs[0].end != nil || string(runs[1].end.Raw) != `{"id":"y"}` {
			t.Errorf("runs: %+v", runs)
		}
		if len(tasks) != 2 || tasks[0].task.ID != "waits" || tasks[0].taken || tasks[1].task.ID != "runs" || !tasks[1].taken {
			t.Errorf("tasks: %+v", tasks)
		}
		if len(questions) != 1 || questions[0].ID != "question" || questions[0].Memo != "tour" {
			t.Errorf("questions: %+v", questions)
		}
		if h := j.state.sessions.history("c", "s", "", 0); len(h) != 2 || h[0].Text != "why?" || h[1].Text != "because" {
			t.Errorf("history: %+v", h)
		}
	}
	check(j)
	before := j.state
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	j = keep(t, dir, now+1)
	check(j)
	if !reflect.DeepEqual(before, j.state) {
		t.Error("the state is another one")
	}
	if got := j.listening(now + 10); got != now-600 {
		t.Errorf("it listens from %d on", got-now)
	}
}

func TestWhatIsOverAndOldIsForgotten(t *testing.T) {
	const now = 1_800_000_000
	dir := t.TempDir()
	j := keep(t, dir, now)
	for _, e := range everything(now) {
		j.note(e)
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at    int64
		knows bool
	}{{now + kept, true}, {now + kept + 1, false}} {
		j := keep(t, dir, c.at)
		if j.knows("over") != c.knows || j.took("message") != c.knows || j.tookTask("done") != c.knows {
			t.Errorf("after %d s: %v", c.at-now, !c.knows)
		}
		if !j.knows("open") || !j.knows("untold") || !j.tookTask("waits") || !j.opened("thread") {
			t.Error("what is not over is forgotten")
		}
		if err := j.close(); err != nil {
			t.Fatal(err)
		}
	}
	if keep(t, dir, now+keptThreads+1).opened("thread") {
		t.Error("an old thread goes on")
	}
}

func TestHowLongAnAgentWasAway(t *testing.T) {
	const now, day = 1_800_000_000, 24 * 60 * 60
	j := keep(t, t.TempDir(), now)
	if got := j.listening(now); got != now {
		t.Errorf("the first time it listens from %d on", got-now)
	}
	if got := j.answering(now); got != now {
		t.Errorf("the first time it answers from %d on", got-now)
	}
	j.heard(now)
	if got := j.listening(now + day - 600); got != now-600 {
		t.Errorf("within a day it listens from %d on", got-now)
	}
	if got := j.listening(now + 2*day); got != now+day {
		t.Errorf("after two days it listens from %d on", got-now)
	}
	j.heard(now + day)
	for _, c := range []struct{ at, want int64 }{
		{now + 60, now},            // never from before its first start
		{now + day + 60, now + 60}, // however short it was away
		{now + 3*day, now + 2*day},
		{now - 100, now - 100}, // its clock was ahead before
	} {
		if got := j.answering(c.at); got != c.want {
			t.Errorf("at %d it answers from %d on", c.at-now, got-now)
		}
	}
}

func TestATornLineIsLeftOut(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, journalFile)
	lines := `{"op":"begin","at":1800000000,"id":"a"}` + "\n" + "rubbish\n[]\n\n" + `{"op":"unknown","id":"b"}` + "\n" + `{"op":"begin","at":1800000000,"id":"c"}` + "\n" + `{"op":"begin","at":18000`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	j := keep(t, dir, 1_800_000_000)
	if !j.knows("a") || !j.knows("c") || j.knows("b") {
		t.Error("good lines are lost")
	}
	j.note(entry{Op: opBegin, At: 1_800_000_000, ID: "d"})
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if !keep(t, dir, 1_800_000_000).knows("d") {
		t.Error("what came after is lost")
	}
}

// TestOfWhatIsOverLittleIsKept: not the event of a task, nor who prompted.
func TestOfWhatIsOverLittleIsKept(t *testing.T) {
	const now = 1_800_000_000
	j := keep(t, t.TempDir(), now)
	raw := []byte(`"` + strings.Repeat("a", 100_000) + `"`)
	for i := range 50 {
		id := fmt.Sprint(i)
		for _, e := range []entry{
			{Op: opBegin, At: now, ID: id, Client: "c", Session: "s"}, {Op: opEnd, At: now, ID: id, Raw: raw}, {Op: opSent, At: now, ID: id},
			{Op: opTask, At: now, ID: id, Raw: raw}, {Op: opTold, At: now, ID: id, Raw: raw}, {Op: opClosed, At: now, ID: id},
		} {
			j.note(e)
		}
	}
	bytes := 0
	j.look(func(s *state) {
		if len(s.runs) != 0 || len(s.over) != 50 || len(s.tasks) != 50 {
			t.Errorf("%d runs, %d over, %d tasks", len(s.runs), len(s.over), len(s.tasks))
		}
		for e := range s.entries() {
			bytes += len(rawEvent(e))
		}
	})
	if bytes > 50_000 {
		t.Errorf("%d bytes are kept", bytes)
	}
	j.note(entry{Op: opBegin, At: now, ID: "7"}) // once more does not begin it
	if runs, _, _ := j.unfinished(); len(runs) != 0 || !j.knows("7") {
		t.Errorf("unfinished: %+v", runs)
	}
}

// TestTheJournalTellsNothingWithoutItsKey: neither a word nor an id, also of what
// an early version wrote.
func TestTheJournalTellsNothingWithoutItsKey(t *testing.T) {
	const now = 1_800_000_000
	dir := t.TempDir()
	path := filepath.Join(dir, journalFile)
	if err := os.WriteFile(path, []byte(`{"op":"turn","at":1800000000,"client":"c","session":"s","ask":"an early secret","answer":"yes"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	j := keep(t, dir, now)
	for _, e := range everything(now) {
		j.note(e)
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"secret", "because", "question", "wss://", "{"} {
		if bytes.Contains(data, []byte(word)) {
			t.Errorf("it tells %q", word)
		}
	}
	if _, err := openJournal(dir, [32]byte{31: 8}, now, testLog()); err == nil || !strings.Contains(err.Error(), "another key") {
		t.Errorf("with another key: %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, data) {
		t.Errorf("another key changed it: %v", err)
	}
	if h := keep(t, dir, now).state.sessions.history("c", "s", "", 0); len(h) != 4 || h[0].Text != "an early secret" {
		t.Errorf("history: %+v", h)
	}
}

// halfway writes half of what it is given until it is well again.
type halfway struct {
	to  io.Writer
	ill bool
}

func (h *halfway) Write(b []byte) (int, error) {
	if !h.ill {
		return h.to.Write(b)
	}
	n, err := h.to.Write(b[:len(b)/2])
	return n, errors.Join(err, errors.New("no space left on device"))
}

// TestALineThatCouldNotBeWrittenSpoilsNoOther: as when the disk was full for a
// while.
func TestALineThatCouldNotBeWrittenSpoilsNoOther(t *testing.T) {
	dir := t.TempDir()
	j := keep(t, dir, 0)
	h := &halfway{to: j.file}
	j.out = h
	for i, ill := range []bool{false, true, true, false, true, false, false} {
		h.ill = ill
		err := j.add(entry{Op: opBegin, ID: fmt.Sprint(i)})
		if (err != nil) != ill || j.knows(fmt.Sprint(i)) == ill {
			t.Errorf("line %d: %v", i, err)
		}
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	j = keep(t, dir, 0)
	for i, ill := range []bool{false, true, true, false, true, false, false} {
		if j.knows(fmt.Sprint(i)) == ill {
			t.Errorf("line %d is there: %v", i, ill)
		}
	}
}

func TestTheJournalIsWrittenAnewWhenItHasGrown(t *testing.T) {
	const now = 1_800_000_000
	dir := t.TempDir()
	j := keep(t, dir, now)
	raw := []byte(`"` + strings.Repeat("a", 100_000) + `"`)
	for i := range 100 {
		id := fmt.Sprint(i)
		for _, e := range []entry{{Op: opBegin, At: now, ID: id}, {Op: opEnd, At: now, ID: id, Raw: raw}, {Op: opSent, At: now, ID: id}} {
			if err := j.add(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, journalFile))
	if err != nil || int64(len(data)) != j.size || len(data) > 2*compactAt {
		t.Errorf("%d bytes, %d counted, %v", len(data), j.size, err)
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	if again := keep(t, dir, now); !again.knows("99") || !again.knows("0") {
		t.Error("something is lost")
	}
}

func TestTwoAgentsDoNotWorkInOneFolder(t *testing.T) {
	dir := t.TempDir()
	first := keep(t, dir, 0)
	if _, err := openJournal(dir, aSecret, 0, testLog()); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v", err)
	}
	if err := first.close(); err != nil {
		t.Fatal(err)
	}
	keep(t, dir, 0)
}

func TestAJournalThatCannotBeWrittenSaysSo(t *testing.T) {
	j := keep(t, t.TempDir(), 0)
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	if err := j.add(entry{Op: opHeard}); err == nil {
		t.Error("a closed journal took an entry")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", file} {
		if _, err := openJournal(dir, aSecret, 0, testLog()); err == nil {
			t.Errorf("a journal in %q was opened", dir)
		}
	}
}

func TestSessionsAreBounded(t *testing.T) {
	var s sessions
	for i := range KeptTurns + 1 {
		s.add(entry{At: int64(i), Client: "c", Session: "s", Ask: fmt.Sprint(i), Answer: "x"})
	}
	if h := s.history("c", "s", "", 0); len(h) != 2*KeptTurns || h[0].Text != "1" {
		t.Errorf("%d exchanges, the first is %+v", len(h), h[0])
	}
	for i := range KeptSessions {
		s.add(entry{At: int64(1000 + i), Client: "c", Session: fmt.Sprint("t", i), Ask: "x", Answer: "y"})
	}
	if len(s.turns) != KeptSessions || s.history("c", "s", "", 0) != nil || s.history("c", "t0", "", 0) == nil {
		t.Errorf("%d sessions are kept", len(s.turns))
	}
	var large sessions
	text := strings.Repeat("x", maxRemembered)
	for i := range 2*KeptBytes/(2*maxRemembered) + 1 {
		large.add(entry{At: int64(i), Client: "c", Session: fmt.Sprint("s", i/10), Ask: text, Answer: text})
		if large.bytes > KeptBytes {
			t.Fatalf("%d bytes are kept", large.bytes)
		}
	}
	sum := 0
	for _, turns := range large.turns {
		for _, e := range turns {
			sum += sizeOf(e)
		}
	}
	if sum != large.bytes || sum < KeptBytes*3/4 || large.history("c", "s0", "", 0) != nil {
		t.Errorf("%d bytes are kept, %d counted", sum, large.bytes)
	}
	long := strings.Repeat("ä", maxRemembered)
	if got := remembered(long); len(got) != maxRemembered || !strings.HasPrefix(long, got) {
		t.Errorf("%d bytes are remembered", len(got))
	}
	if got := remembered("a" + long); len(got) != maxRemembered-1 {
		t.Errorf("half a character is remembered: %d bytes", len(got))
	}
}
