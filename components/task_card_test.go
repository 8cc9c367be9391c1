package components

import (
	"strings"
	"testing"

	"parley/wasm/room"
	"parley/wasm/task"
)

func sampleTask(change func(*task.View)) *Task {
	v := task.View{
		ID: "t1", Requester: "me", Agent: "bb", CreatedAt: 1_700_000_000, FirstSeen: 1_700_000_000,
		Subject: "Cut release 1.4", Text: "Write the changelog and tag.", Root: "t1", State: task.Requested, CanCancel: true,
	}
	if change != nil {
		change(&v)
	}
	return &Task{View: v, Me: "me", Thread: "/rooms/lobby/threads/t1", Merged: "/rooms/lobby/threads/t2", People: map[string]room.Person{
		"aa": {PubKey: "aa", Name: "Ana"}, "bb": {PubKey: "bb", Name: "Scout"},
	}}
}

func at(t *testing.T, now int64) {
	t.Helper()
	clock := unixNow
	unixNow = func() int64 { return now }
	t.Cleanup(func() { unixNow = clock })
}

func TestStatesOfATaskInWords(t *testing.T) {
	at(t, 1_700_000_250)
	running := func(v *task.View) {
		v.State, v.Started, v.LastSign = task.Running, 1_700_000_058, 1_700_000_010
		v.Newest = &task.Progress{ID: "p1", Text: "Changelog\ngo test", Assistant: "Changelog", Tool: "go test"}
		v.Progress, v.ProgressCount = []task.Progress{*v.Newest}, 1
	}
	for _, step := range []struct {
		name      string
		want, not []string
		set       func(*task.View)
	}{
		{"requested", []string{"Waiting", "For Scout", task.NoteNobody}, nil, func(v *task.View) { v.Note = task.NoteNobody }},
		{"running", []string{"Running · 3 min 12 s", "no sign of life for 4 min", "Changelog", "go test"}, nil, running},
		{"done", []string{"Done", "It is out.", "Open full reply"}, []string{"All the rest", "no sign of life"}, func(v *task.View) {
			running(v)
			v.State, v.Ended, v.CanCancel = task.Done, 1_700_000_100, false
			v.Result = &task.Result{ID: "r1", Line: "It is out.", Text: "It is out.\nAll the rest", Full: "m1"}
		}},
		{"failed", []string{"Failed", "no space left"}, nil, func(v *task.View) {
			v.State, v.Error = task.Failed, &task.Failure{ID: "e1", Text: "no space left"}
		}},
		{"cancelling", []string{"Cancelling", "Cancel asked"}, []string{"Cancel task"}, func(v *task.View) {
			v.State, v.CancelWord, v.CanCancel = task.Cancelling, task.CancelAsked, false
		}},
		{"cancelled", []string{"Cancelled by Ana"}, nil, func(v *task.View) {
			v.State, v.CancelWord, v.CancelledBy, v.CanCancel = task.Cancelled, task.WasCancelled, "aa", false
		}},
		{"too late", []string{"Done", "It had finished before your cancel arrived"}, nil, func(v *task.View) {
			v.State, v.CancelWord, v.CanCancel = task.Done, task.FinishedBefore, false
			v.Result = &task.Result{Line: "Done."}
		}},
		{"merged", []string{"Merged", "Merged into task t2"}, []string{"Failed"}, func(v *task.View) {
			v.State, v.MergedInto, v.CanCancel = task.Cancelled, "t2", false
			v.Error = &task.Failure{Text: "Merged into task t2"}
		}},
		{"asked by others", []string{"Ana asked to cancel"}, nil, func(v *task.View) {
			running(v)
			v.CancelAsks = []task.CancelAsk{{By: "aa", Kind: 12}}
		}},
		{"nobody can take it", []string{"Nobody can take this task: it names no agent"}, nil, func(v *task.View) { v.Reason = "it names no agent" }},
	} {
		t.Run(step.name, func(t *testing.T) {
			said := words(draw(t, &TaskCard{T: sampleTask(step.set)}).root)
			for _, want := range step.want {
				if !strings.Contains(said, want) {
					t.Errorf("%q is not in %q", want, said)
				}
			}
			for _, not := range step.not {
				if strings.Contains(said, not) {
					t.Errorf("%q is in %q", not, said)
				}
			}
		})
	}
}

func TestOnlyTheRequesterCancelsATask(t *testing.T) {
	d := draw(t, &TaskCard{T: sampleTask(nil)})
	if !has(d.buttons(), "Cancel task") {
		t.Errorf("the requester has %v", d.buttons())
	}
	d = draw(t, &TaskCard{T: sampleTask(func(v *task.View) { v.CanCancel = false })})
	if has(d.buttons(), "Cancel task") {
		t.Error("somebody else can cancel")
	}
}

func TestTheNewestProgressIsNamed(t *testing.T) {
	d := draw(t, &TaskCard{T: sampleTask(func(v *task.View) {
		v.State, v.Newest = task.Done, &task.Progress{ID: "p9", Text: "one line"}
		v.Result = &task.Result{Line: "Done."}
	})})
	if got := words(d.one("", "data-progress", "p9")); got != "one line" {
		t.Errorf("the newest progress says %q", got)
	}
}

func TestAClosedHistoryDrawsNoSteps(t *testing.T) {
	full := sampleTask(func(v *task.View) {
		v.ProgressCount, v.LogCount = 2, 1
		v.Progress = []task.Progress{{ID: "p1", At: 60, Text: "first"}, {ID: "p2", At: 120, Text: "second"}}
		v.Log = []task.LogEntry{{ID: "t1", Kind: task.KindRequest, By: "me", At: 1}}
	})
	d := draw(t, &TaskCard{T: full})
	if n := len(d.all("li", "", "")); n != 0 {
		t.Errorf("%d steps are drawn in a closed history", n)
	}
	d = draw(t, &TaskCard{T: full, open: true})
	if got := words(d.one("ol", "", "")); !strings.Contains(got, "You asked for this task") || strings.Index(got, "first") > strings.Index(got, "second") {
		t.Errorf("the history reads %q", got)
	}
}

func TestATaskIsOneArticle(t *testing.T) {
	m := sampleMessage()
	m.ID, m.Kind = "t1", task.KindRequest
	d := draw(t, &Message{M: m, Task: sampleTask(nil)})
	article := d.one("article", "data-task", "t1")
	for name, want := range map[string]string{"data-event": "t1", "data-state": "requested", "data-kind": "43001"} {
		if got, _ := attr(article, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if strings.Contains(words(article), "Done") {
		t.Error("the message's own text stands beside the card")
	}
}

func TestAQuestionIsOneArticle(t *testing.T) {
	m := sampleMessage()
	m.ID = "q1"
	d := draw(t, &Message{M: m, Ask: sampleAsk(nil), CanWrite: true})
	article := d.one("article", "data-ask", "q1")
	for name, want := range map[string]string{"data-event": "q1", "data-state": "open", "data-answerable": ""} {
		if got, has := attr(article, name); !has || got != want && got != "true" {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if !has(d.buttons(), "React") || !has(d.buttons(), "Reply") {
		t.Errorf("a question offers %v", d.buttons())
	}
}
