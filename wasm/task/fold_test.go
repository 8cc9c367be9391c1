package task

import (
	"math/rand"
	"reflect"
	"strconv"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func TestTheLifeOfATask(t *testing.T) {
	req := request()
	accepted := by(agent, KindAccepted, req, start+2, "")
	progress := by(agent, KindProgress, req, start+5, "Reading.\nsearch: notes")
	result := by(agent, KindResult, req, start+9, "They say yes.\nPosted n.txt", nostr.Tag{"e", key("full")}, nostr.Tag{"e", key("file")})

	v := view(req)
	if v.State != Requested || v.Room != "lab" || v.Requester != ana || v.Agent != agent || v.Subject != "Notes" ||
		v.Text != "Summarize the notes." || v.Root != req.ID || v.CreatedAt != start || v.FirstSeen != start {
		t.Errorf("requested: %+v", v)
	}
	if v = view(req, accepted); v.State != Accepted || v.Started != start+2 || v.LastSign != start+2 {
		t.Errorf("accepted: %+v", v)
	}
	if v = view(req, accepted, progress); v.State != Running || v.Newest.Assistant != "Reading." || v.Newest.Tool != "search: notes" || v.LastSign != start+5 {
		t.Errorf("running: %+v", v)
	}
	if v = view(req, progress); v.State != Running || v.Started != start+5 {
		t.Errorf("progress without a 43002: %+v", v)
	}
	v = view(req, accepted, progress, result)
	if v.State != Done || v.Result.Line != "They say yes." || v.Result.Full != key("full") || v.Ended != start+9 || v.Started != start+2 {
		t.Errorf("done: %+v", v)
	}
	if !reflect.DeepEqual(v.Result.Files, []File{{key("file"), "n.txt"}}) || v.Newest == nil || v.CancelWord != NoCancel {
		t.Errorf("done: files %v, newest %v", v.Result.Files, v.Newest)
	}
	v = view(req, accepted, by(agent, KindError, req, start+9, "No such notes"))
	if v.State != Failed || v.Error.Text != "No such notes" || v.Ended != start+9 {
		t.Errorf("failed: %+v", v)
	}
}

// "Who may write a task's events: the agent the request names (the first p);
// 43005: the requester. Others are ignored."
func TestWhoMayWrite(t *testing.T) {
	req := request(nostr.Tag{"p", bo})
	for _, kind := range []int{KindAccepted, KindProgress, KindResult, KindCancel, KindError} {
		for who, author := range map[string]string{"agent": agent, "requester": ana, "second p": bo, "stranger": key("eve")} {
			may := who == "agent" && kind != KindCancel || who == "requester" && kind == KindCancel
			f := fold(req)
			if got := f.Add(by(author, kind, req, start+1, "x"), start+1); got != may {
				t.Errorf("%d by the %s: taken %v", kind, who, got)
			}
			if v := f.View(start+1, ana); (v.State != Requested) != may || (v.LogCount+v.ProgressCount > 0) != may {
				t.Errorf("%d by the %s: %q, %d in the log", kind, who, v.State, v.LogCount)
			}
		}
	}
	if v := view(request(), by(ana, 40003, request(), start+1, "Other text")); v.State != Requested || v.Text != "Summarize the notes." {
		t.Errorf("40003 applies: %+v", v)
	}
}

// "A terminal event ends the task. An agent's 43004 always stands; otherwise
// the first terminal by (created_at, id). The others are kept as history."
func TestWhichTerminalStands(t *testing.T) {
	req := request()
	result := by(agent, KindResult, req, start+9, "Yes.")
	cancel := by(ana, KindCancel, req, start+8, "")
	failure := by(agent, KindError, req, start+7, "No such notes")
	for name, c := range map[string]struct {
		events []*nostr.Event
		want   State
		ended  int64
	}{
		"result":                      {[]*nostr.Event{result}, Done, 9},
		"an earlier cancel":           {[]*nostr.Event{result, cancel}, Done, 9},
		"an earlier failure":          {[]*nostr.Event{failure, result}, Done, 9},
		"all three":                   {[]*nostr.Event{cancel, failure, result}, Done, 9},
		"failure before the cancel":   {[]*nostr.Event{cancel, failure}, Failed, 7},
		"cancel before a failure":     {[]*nostr.Event{by(agent, KindError, req, start+9, "Late"), cancel}, Cancelled, 8},
		"progress after the end":      {[]*nostr.Event{cancel, by(agent, KindProgress, req, start+20, "Still")}, Cancelled, 8},
		"acceptance after the end":    {[]*nostr.Event{cancel, by(agent, KindAccepted, req, start+20, "")}, Cancelled, 8},
		"two results: the first":      {[]*nostr.Event{by(agent, KindResult, req, start+12, "No."), result}, Done, 9},
		"a cancel of somebody else's": {[]*nostr.Event{by(bo, KindCancel, req, start+1, "")}, Requested, 0},
	} {
		v := view(req, c.events...)
		if v.State != c.want || v.Ended != 0 && v.Ended != start+c.ended {
			t.Errorf("%s: %q, ended %+d", name, v.State, v.Ended-start)
		}
	}
	v := view(req, cancel, failure, result, by(agent, KindAccepted, req, start+20, ""))
	if v.LogCount != 4 || v.Result.Line != "Yes." || v.Error != nil {
		t.Errorf("history of %d", v.LogCount)
	}
	for i, want := range []string{noteResultStands, noteResultStands, "", noteAfterEnd} {
		if v.Log[i].Note != want {
			t.Errorf("entry %d (%d): note %q", i, v.Log[i].Kind, v.Log[i].Note)
		}
	}
	one, two := pair(by(agent, KindError, req, start+7, "One"), by(ana, KindCancel, req, start+7, ""))
	if got, want := view(req, two, one).State, map[int]State{KindError: Failed, KindCancel: Cancelled}[one.Kind]; got != want {
		t.Errorf("in one second: %q, want %q", got, want)
	}
}

// "A stored 43005 is a terminal: "cancelled". So is a 43006 whose text is
// Cancelled or Cancelled by <64 hex>, and Merged into task <id>."
func TestWhoCancelledAndWhatWasMerged(t *testing.T) {
	req := request()
	other := key("other request")
	for name, c := range map[string]struct {
		end    *nostr.Event
		want   State
		by     string
		merged string
		word   CancelWord
	}{
		"43005":             {by(ana, KindCancel, req, start+5, ""), Cancelled, ana, "", WasCancelled},
		"Cancelled":         {by(agent, KindError, req, start+5, "Cancelled"), Cancelled, "", "", WasCancelled},
		"Cancelled by bo":   {by(agent, KindError, req, start+5, "Cancelled by "+bo), Cancelled, bo, "", WasCancelled},
		"Merged":            {by(agent, KindError, req, start+5, "Merged into task "+other), Cancelled, "", other, NoCancel},
		"Merged, no id":     {by(agent, KindError, req, start+5, "Merged into task 7"), Cancelled, "", "", NoCancel},
		"any other failure": {by(agent, KindError, req, start+5, "The task failed"), Failed, "", "", NoCancel},
	} {
		v := view(req, c.end)
		if v.State != c.want || v.CancelledBy != c.by || v.MergedInto != c.merged || v.CancelWord != c.word {
			t.Errorf("%s: %q by %q, merged %q, %q", name, v.State, v.CancelledBy, v.MergedInto, v.CancelWord)
		}
	}
}

// A deleted event is not there, as after a reload from a relay that removed it.
func TestDeletedEventsDoNotCount(t *testing.T) {
	req := request()
	one, two := by(agent, KindProgress, req, start+3, "One"), by(agent, KindProgress, req, start+4, "Two")
	result := by(agent, KindResult, req, start+9, "Yes.")
	gone := deletes(agent, start+10, result)
	for _, order := range [][]*nostr.Event{{one, two, result, gone}, {gone, result, two, one}} {
		if v := view(req, order...); v.State != Running || v.Result != nil || v.LogCount != 0 {
			t.Errorf("a deleted result: %q", v.State)
		}
		v := view(req, append(order, deletes(agent, start+11, two))...)
		if v.ProgressCount != 1 || v.Newest.Text != "One" || v.LastSign != start+3 {
			t.Errorf("a deleted progress: %d, %+v", v.ProgressCount, v.Newest)
		}
	}
	if v := view(req, result, deletes(ana, start+10, result)); v.State != Done {
		t.Errorf("deleted by another: %q", v.State)
	}
	many := event(KindDeletion, agent, start+12, "", nostr.Tag{"e", key("unknown")}, nostr.Tag{"e", one.ID}, nostr.Tag{"e", one.ID}, nostr.Tag{"e", two.ID})
	if v := view(req, one, two, many); v.ProgressCount != 0 {
		t.Errorf("one deletion of several: %d left", v.ProgressCount)
	}
	if v := view(req, deletes(ana, start+1, req)); !v.Withdrawn {
		t.Error("the requester deleted the request, and it does not show")
	}
	early := NewFold(req.ID)
	early.Add(deletes(ana, start+1, req), start+1)
	early.Add(one, start+3)
	early.Add(deletes(agent, start+4, one), start+4)
	early.Add(req, start)
	if v := early.View(start+9, ana); !v.Withdrawn || v.State != Requested || v.ProgressCount != 0 {
		t.Errorf("all before the request: %+v", v)
	}
}

// "after 60 s the card says "Nobody has taken this yet"", counted from when it
// was first seen without a 43002.
func TestNobodyHasTakenThisYet(t *testing.T) {
	req := request()
	f := NewFold(req.ID)
	f.Add(req, start+100) // it came late
	for now, want := range map[int64]string{start + 159: "", start + 160: "Nobody has taken this yet"} {
		if got := f.View(now, ana).Note; got != want {
			t.Errorf("%d s after it was seen: %q", now-start-100, got)
		}
	}
	f.Add(req, start+90)
	if f.View(start+150, ana).Note != NoteNobody {
		t.Error("an earlier sighting does not count")
	}
	if v := f.View(start+200, ana).WithCancelWaiting(); v.Note != "" {
		t.Errorf("while a cancel waits: %q", v.Note)
	}
	for _, ev := range []*nostr.Event{
		by(agent, KindAccepted, req, start+1, ""), by(agent, KindProgress, req, start+1, "x"), by(agent, KindResult, req, start+1, "x"),
	} {
		if got := fold(req, ev).View(start+999, ana).Note; got != "" {
			t.Errorf("after a %d: %q", ev.Kind, got)
		}
	}
}

// A clock that is ahead shows no time that has not come.
func TestTimesAreNeverAfterTheFirstSighting(t *testing.T) {
	req := request()
	f := NewFold(req.ID)
	f.Add(req, start)
	f.Add(by(agent, KindAccepted, req, start+40, ""), start+2)
	f.Add(by(agent, KindProgress, req, start+45, "x"), start+7)
	result := by(agent, KindResult, req, start+50, "x")
	f.Add(result, start+12)
	v := f.View(start+13, ana)
	if v.Started != start+2 || v.LastSign != start+12 || v.Ended != start+12 {
		t.Errorf("started %+d, last sign %+d, ended %+d", v.Started-start, v.LastSign-start, v.Ended-start)
	}
	f.Add(result, start+10)
	if v = f.View(start+13, ana); v.LastSign != start+10 || v.Ended != start+10 {
		t.Errorf("seen earlier: last sign %+d, ended %+d", v.LastSign-start, v.Ended-start)
	}
	if v = view(req, by(ana, KindCancel, req, start+9, "")); v.LastSign != 0 {
		t.Error("the requester's cancel is a sign of the agent's life")
	}
}

func TestProgressAndLogAreCountedAndTheirNewestShown(t *testing.T) {
	req := request()
	for _, n := range []int{ProgressLimit, ProgressLimit + 1} {
		f := fold(req)
		for i := range n {
			f.Add(by(agent, KindProgress, req, start+int64(i), strconv.Itoa(i)), start)
		}
		v := f.View(start, ana)
		if v.ProgressCount != n || len(v.Progress) != ProgressLimit || v.Newest.Text != strconv.Itoa(n-1) || v.Progress[0].Text != strconv.Itoa(n-ProgressLimit) {
			t.Errorf("%d: %d shown of %d, the newest %q", n, len(v.Progress), v.ProgressCount, v.Newest.Text)
		}
	}
	for _, n := range []int{LogLimit, LogLimit + 1} {
		f := fold(req)
		for i := range n {
			f.Add(by(agent, KindAccepted, req, start+int64(i), ""), start)
		}
		if v := f.View(start, ana); v.LogCount != n || len(v.Log) != LogLimit || v.Log[0].At != start+int64(n-LogLimit) || v.Started != start {
			t.Errorf("%d: %d shown of %d", n, len(v.Log), v.LogCount)
		}
	}
}

func TestAddSaysWhetherTheViewMayHaveChanged(t *testing.T) {
	req := request()
	progress := by(agent, KindProgress, req, start+1, "x")
	f := NewFold(req.ID)
	for i, c := range []struct {
		ev   *nostr.Event
		seen int64
		want bool
	}{
		{req, start + 5, true}, {req, start + 5, false}, {req, start + 6, false}, {req, start + 4, true},
		{progress, start + 5, true}, {progress, start + 5, false}, {progress, start + 1, true},
		{deletes(bo, start+2, progress), start, false}, {deletes(agent, start+2, progress), start, true}, {deletes(agent, start+3, progress), start, false},
		{roomSays(ana, start+2, "!cancel"), start, false}, {threadSays(ana, req.ID, start+2, "!cancel"), start, true},
		{roomSays(ana, start+2, "hi"), start, false}, {by(bo, KindProgress, req, start+2, "x"), start, false},
		{by(agent, KindProgress, request(nostr.Tag{"x"}), start+2, "x"), start, false}, {nil, start, false},
	} {
		if got := f.Add(c.ev, c.seen); got != c.want {
			t.Errorf("event %d: %v", i, got)
		}
	}
}

func TestAViewSharesNothingWithTheFold(t *testing.T) {
	req := request()
	f := fold(req, by(agent, KindProgress, req, start+1, `{"schema":1,"summary":"x","artifacts":["a"]}`))
	v := f.View(start+2, ana)
	v.Newest.Detail.Summary, v.Progress[0].Detail.Artifacts[0].Name = "changed", "changed"
	v.Progress[0].Text = "changed"
	if again := f.View(start+2, ana); again.Newest.Detail.Summary != "x" || again.Progress[0].Text != "x" || again.Progress[0].Detail.Artifacts[0].Name != "a" {
		t.Error("changing a view changed the fold")
	}
}

func TestWithoutItsRequestATaskIsUnknown(t *testing.T) {
	req := request()
	f := NewFold(req.ID)
	f.Add(by(agent, KindAccepted, req, start, ""), start)
	f.Add(by(bo, KindAccepted, req, start, ""), start)
	if v := f.View(start, ana); v.State != Unknown || v.ID != req.ID || f.Request() != nil || f.ID() != req.ID {
		t.Errorf("got %+v", v)
	}
	if f.Add(nil, 0) || f.Add(roomSays(ana, start, "hi"), start) || f.Add(by(agent, KindAccepted, request(nostr.Tag{"x"}), start, ""), start) {
		t.Error("took what has nothing to do with it")
	}
	f.Add(req, start)
	if v := f.View(start, ana); v.State != Accepted || v.LogCount != 1 {
		t.Errorf("after the request came: %q, %d in the log", v.State, v.LogCount)
	}
	if NewFold(req.ID).Add(&nostr.Event{ID: req.ID, Kind: 1}, start) {
		t.Error("an event of another kind is a request")
	}
}

// story is a busy task: everything that may happen, and some that must not.
func story(req *nostr.Event) []*nostr.Event {
	events := []*nostr.Event{
		req,
		by(agent, KindAccepted, req, start+2, ""), by(agent, KindAccepted, req, start+2, "again"),
		by(bo, KindAccepted, req, start+1, ""),
		threadSays(ana, req.ID, start+5, "!cancel"), threadSays(bo, req.ID, start+6, "@agent !cancel", nostr.Tag{"p", agent}),
		roomSays(ana, start+4, "!cancel", nostr.Tag{"p", agent}), roomSays(bo, start+1, "!cancel", nostr.Tag{"p", agent}),
		roomSays(bo, start+7, "!cancel"),
		by(agent, KindError, req, start+30, "Cancelled by "+bo), by(ana, KindCancel, req, start+29, ""),
	}
	for i := range 12 {
		p := by(agent, KindProgress, req, start+3+int64(i/3), "Line "+strconv.Itoa(i))
		events = append(events, p)
		if i%4 == 0 {
			events = append(events, deletes(agent, start+40, p), deletes(bo, start+41, p))
		}
	}
	return append(events, deletes(ana, start+50, events[4]), deletes(bo, start+51, events[6]))
}

// "The card's state is a fold over all events that name the request, the same
// for every order of arrival."
func TestEveryOrderGivesTheSameView(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	req := request()
	whole := story(req)
	for n := 1; n <= len(whole); n++ {
		events := append([]*nostr.Event{}, whole...)
		rnd.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		events = append([]*nostr.Event{req}, events[:n]...)
		want := fold(req, events...).View(start+90, ana)
		for range 30 {
			f, book := NewFold(req.ID), NewBook()
			for _, ev := range shuffled(rnd, events) {
				late := int64(rnd.Intn(3))
				f.Add(ev, int64(ev.CreatedAt)+late)
				book.Add(ev, int64(ev.CreatedAt)+late)
			}
			for _, ev := range events {
				f.Add(ev, int64(ev.CreatedAt))
				book.Add(ev, int64(ev.CreatedAt))
			}
			if got := f.View(start+90, ana); !reflect.DeepEqual(got, want) {
				t.Fatalf("\n got %+v\nwant %+v", got, want)
			}
			if got := book.Fold(req.ID).View(start+90, ana); !reflect.DeepEqual(got, want) {
				t.Fatalf("in a book:\n got %+v\nwant %+v", got, want)
			}
		}
	}
}

// A task that sends a hundred progress events a second, and is looked at after
// each: the cost of one must not grow with how many there were.
func BenchmarkProgress(b *testing.B) {
	req := request()
	f := fold(req)
	events := make([]*nostr.Event, b.N)
	for i := range events {
		events[i] = by(agent, KindProgress, req, start+int64(i/100), "Line "+strconv.Itoa(i))
	}
	b.ResetTimer()
	for i, ev := range events {
		f.Add(ev, start+int64(i/100))
		if v := f.View(start, ana); v.ProgressCount != i+1 {
			b.Fatal(v.ProgressCount)
		}
	}
}
