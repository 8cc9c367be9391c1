package task

import (
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// The row "!cancel": a kind 12 message of the task's thread, or a kind 9
// message in the room that names the agent; there it means the agent's
// accepted, unfinished tasks.
func TestWhichMessagesAskToCancel(t *testing.T) {
	p := nostr.Tag{"p", agent}
	req := request()
	accepted := by(agent, KindAccepted, req, start+2, "")
	other := event(KindRequest, ana, start, "x", nostr.Tag{"h", "lab"}, nostr.Tag{"p", agent}, nostr.Tag{"e", key("root"), "", "root"})
	for name, c := range map[string]struct {
		req    *nostr.Event
		events []*nostr.Event
		want   bool
	}{
		"in the thread":                           {req, []*nostr.Event{accepted, threadSays(bo, req.ID, start+3, "!cancel")}, true},
		"in the thread, naming the agent":         {req, []*nostr.Event{accepted, threadSays(bo, req.ID, start+3, "!cancel", p)}, true},
		"in the thread, to another":               {req, []*nostr.Event{accepted, threadSays(bo, req.ID, start+3, "@Bo !cancel", nostr.Tag{"p", bo})}, false},
		"in the thread, to another and the agent": {req, []*nostr.Event{accepted, threadSays(bo, req.ID, start+3, "@Bo @Robot !cancel", nostr.Tag{"p", bo}, p)}, true},
		"in the thread, as a reply to somebody":   {req, []*nostr.Event{accepted, threadSays(bo, req.ID, start+3, "!cancel", nostr.Tag{"p", ana})}, true},
		"in the thread, naming both":              {req, []*nostr.Event{accepted, threadSays(bo, req.ID, start+3, "!cancel", nostr.Tag{"p", bo}, p)}, true},
		"in the thread, before it was taken":      {req, []*nostr.Event{threadSays(bo, req.ID, start+1, "!cancel")}, true},
		"in the thread by an unmarked e":          {req, []*nostr.Event{event(KindReply, bo, start+3, "!cancel", nostr.Tag{"h", "lab"}, nostr.Tag{"e", req.ID})}, true},
		"in the thread it was asked in":           {other, []*nostr.Event{threadSays(bo, key("root"), start+3, "!cancel")}, true},
		"in another thread":                       {req, []*nostr.Event{accepted, threadSays(bo, key("root"), start+3, "!cancel", p)}, false},
		"in another room's thread":                {req, []*nostr.Event{event(KindReply, bo, start+3, "!cancel", nostr.Tag{"h", "den"}, nostr.Tag{"e", req.ID, "", "root"})}, false},
		"in the room, naming the agent":           {req, []*nostr.Event{accepted, roomSays(bo, start+3, "!cancel", p)}, true},
		"in the room, naming nobody":              {req, []*nostr.Event{accepted, roomSays(bo, start+3, "!cancel")}, false},
		"in the room, before it was taken":        {req, []*nostr.Event{accepted, roomSays(bo, start+1, "!cancel", p)}, false},
		"in the room, never taken":                {req, []*nostr.Event{roomSays(bo, start+3, "!cancel", p)}, false},
		"in the room, taken by progress":          {req, []*nostr.Event{by(agent, KindProgress, req, start+2, "x"), roomSays(bo, start+3, "!cancel", p)}, true},
		"in the room, after its end":              {req, []*nostr.Event{accepted, by(agent, KindResult, req, start+3, "x"), roomSays(bo, start+4, "!cancel", p)}, false},
		"in the room, before its end":             {req, []*nostr.Event{accepted, by(agent, KindResult, req, start+4, "x"), roomSays(bo, start+3, "!cancel", p)}, true},
		"in the room, in the second it was taken": {req, []*nostr.Event{accepted, roomSays(bo, start+2, "!cancel", p)}, true},
		"in the room, in the second of its end":   {req, []*nostr.Event{accepted, by(agent, KindResult, req, start+4, "x"), roomSays(bo, start+4, "!cancel", p)}, true},
		"in another room":                         {req, []*nostr.Event{accepted, event(KindMessage, bo, start+3, "!cancel", nostr.Tag{"h", "den"}, p)}, false},
		"other words":                             {req, []*nostr.Event{accepted, threadSays(bo, req.ID, start+3, "Please !cancel", p)}, false},
		"taken back":                              {req, []*nostr.Event{threadSays(bo, req.ID, start+3, "!cancel"), deletes(bo, start+4, threadSays(bo, req.ID, start+3, "!cancel"))}, false},
		"the requester's 43005":                   {req, []*nostr.Event{by(ana, KindCancel, req, start+3, "")}, true},
	} {
		v := view(c.req, c.events...)
		if got := len(v.CancelAsks) == 1; got != c.want {
			t.Errorf("%s: asks %+v", name, v.CancelAsks)
		}
	}
	v := view(req, accepted, threadSays(bo, req.ID, start+3, "!cancel"))
	if a := v.CancelAsks[0]; a.By != bo || a.At != start+3 || a.Kind != KindReply || v.LogCount != 2 || v.State != Accepted {
		t.Errorf("asked by %+v, %d in the log, %q", a, v.LogCount, v.State)
	}
}

// "Cancelling": the requester's 43005 waits in the outbox, or the requester
// wrote !cancel and neither a terminal nor a newer 43003 came yet.
func TestCancelling(t *testing.T) {
	req := request()
	accepted := by(agent, KindAccepted, req, start+2, "")
	before := by(agent, KindProgress, req, start+3, "x")
	same := by(agent, KindProgress, req, start+5, "x")
	after := by(agent, KindProgress, req, start+6, "x")
	mine, hers := threadSays(ana, req.ID, start+5, "!cancel"), threadSays(bo, req.ID, start+5, "!cancel")
	for name, c := range map[string]struct {
		events []*nostr.Event
		want   State
	}{
		"the requester wrote !cancel": {[]*nostr.Event{accepted, mine}, Cancelling},
		"before the agent took it":    {[]*nostr.Event{mine}, Cancelling},
		"after older progress":        {[]*nostr.Event{accepted, before, mine}, Cancelling},
		"progress of the same second": {[]*nostr.Event{accepted, same, mine}, Cancelling},
		"a newer 43003 came":          {[]*nostr.Event{accepted, mine, after}, Running},
		"a newer 43002 is not heard":  {[]*nostr.Event{mine, by(agent, KindAccepted, req, start+6, "")}, Cancelling},
		"asked again after it":        {[]*nostr.Event{mine, after, threadSays(ana, req.ID, start+7, "!cancel")}, Cancelling},
		"a terminal came":             {[]*nostr.Event{mine, by(agent, KindError, req, start+6, "Cancelled by "+ana)}, Cancelled},
		"somebody else wrote !cancel": {[]*nostr.Event{accepted, before, hers}, Running},
		"the requester, in the room":  {[]*nostr.Event{accepted, roomSays(ana, start+5, "!cancel", nostr.Tag{"p", agent})}, Cancelling},
		"in the room, to nobody":      {[]*nostr.Event{accepted, roomSays(ana, start+5, "!cancel")}, Accepted},
	} {
		v := view(req, c.events...)
		if v.State != c.want {
			t.Errorf("%s: %q, want %q", name, v.State, c.want)
		}
		if want := c.want == Cancelling; (v.CancelWord == CancelAsked) != want {
			t.Errorf("%s: %q", name, v.CancelWord)
		}
	}
	for name, c := range map[string]struct {
		events []*nostr.Event
		want   State
		word   CancelWord
	}{
		"requested": {nil, Cancelling, CancelAsked},
		"accepted":  {[]*nostr.Event{accepted}, Cancelling, CancelAsked},
		"running":   {[]*nostr.Event{accepted, after}, Cancelling, CancelAsked},
		"done":      {[]*nostr.Event{by(agent, KindResult, req, start+6, "x")}, Done, FinishedBefore},
		"failed":    {[]*nostr.Event{by(agent, KindError, req, start+6, "x")}, Failed, FinishedBefore},
		"cancelled": {[]*nostr.Event{by(agent, KindError, req, start+6, "Cancelled")}, Cancelled, WasCancelled},
	} {
		v := view(req, c.events...).WithCancelWaiting()
		if v.State != c.want || v.CancelWord != c.word || v.CanCancel {
			t.Errorf("a 43005 waits, %s: %q, %q", name, v.State, v.CancelWord)
		}
	}
}

func TestWhatIsSaidOfACancelThatCameTooLate(t *testing.T) {
	req := request()
	result, failure := by(agent, KindResult, req, start+6, "Yes."), by(agent, KindError, req, start+6, "No such notes")
	for name, c := range map[string]struct {
		events []*nostr.Event
		want   CancelWord
	}{
		"a result":                           {[]*nostr.Event{result}, NoCancel},
		"a result, then a 43005":             {[]*nostr.Event{result, by(ana, KindCancel, req, start+7, "")}, FinishedBefore},
		"a result that crossed the 43005":    {[]*nostr.Event{by(ana, KindCancel, req, start+5, ""), result}, FinishedBefore},
		"a result, then !cancel":             {[]*nostr.Event{result, threadSays(ana, req.ID, start+7, "!cancel")}, FinishedBefore},
		"a failure, then a 43005":            {[]*nostr.Event{failure, by(ana, KindCancel, req, start+7, "")}, FinishedBefore},
		"a failure, then !cancel":            {[]*nostr.Event{failure, threadSays(ana, req.ID, start+7, "!cancel")}, FinishedBefore},
		"!cancel in the second of a failure": {[]*nostr.Event{failure, threadSays(ana, req.ID, start+6, "!cancel")}, FinishedBefore},
		"!cancel, then a failure":            {[]*nostr.Event{threadSays(ana, req.ID, start+5, "!cancel"), failure}, NoCancel},
		"somebody else's !cancel":            {[]*nostr.Event{result, threadSays(bo, req.ID, start+7, "!cancel")}, NoCancel},
	} {
		if got := view(req, c.events...).CancelWord; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Button "Cancel task": requester only, while the task runs.
func TestOnlyTheRequesterCanCancelAndOnlyBeforeTheEnd(t *testing.T) {
	req := request()
	for me, want := range map[string]bool{ana: true, bo: false, agent: false, "": false} {
		if got := fold(req).View(start, me).CanCancel; got != want {
			t.Errorf("%q: %v", me, got)
		}
	}
	if view(req, by(agent, KindResult, req, start+1, "x")).CanCancel {
		t.Error("after the end")
	}
}

// A message that does not mean this task leaves no trace in its log.
func TestTheLogHoldsOnlyWhatCounts(t *testing.T) {
	req := request()
	p := nostr.Tag{"p", agent}
	v := view(req, threadSays(bo, req.ID, start+1, "!cancel"), by(agent, KindAccepted, req, start+2, ""),
		by(agent, KindResult, req, start+4, "x"), roomSays(bo, start+9, "!cancel", p), roomSays(bo, start+1, "!cancel", p))
	if v.LogCount != 3 || len(v.Log) != 3 || v.Log[0].Kind != KindReply || v.Started != start+2 {
		t.Errorf("%d in the log: %+v, started %+d", v.LogCount, v.Log, v.Started-start)
	}
}
