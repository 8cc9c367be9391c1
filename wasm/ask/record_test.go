package ask

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// checkID stands in for the check of id and signature.
func checkID(ev *nostr.Event) error {
	if ev.ID != ev.GetID() {
		return errors.New("its id is not that of its content")
	}
	return nil
}

func TestARecordStandsForItself(t *testing.T) {
	req := form()
	answer, after := reply(req, ana, start+1, "stop"), reply(req, bo, start+2, "continue")
	taken := reply(req, bo, start, "continue")
	f := fold(req, answer, after, taken, deletion(bo, start+3, taken), reaction(answer, agent, start+4, "👀"),
		reaction(answer, agent, start+5, "✅"), deletion(eve, start+6, answer), reply(req, agent, start+7, "Thanks."))
	rec, ok := f.Record()
	if !ok || len(rec.Events) != 5 {
		t.Fatalf("%v, %d events", ok, len(rec.Events))
	}
	data, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ParseRecord(data)
	if err != nil {
		t.Fatal(err)
	}
	v, err := CheckRecord(read, checkID, start+9)
	if err != nil {
		t.Fatal(err)
	}
	want := f.View(start+9, "")
	if v.State != Answered || v.Answer.ID != answer.ID || !reflect.DeepEqual(whys(v), whys(want)) || v.PickedUp == nil {
		t.Errorf("got %+v", v)
	}
	again, _ := f.Record()
	if !reflect.DeepEqual(again, rec) {
		t.Error("a second export differs")
	}
}

func TestARecordThatIsNotToBeBelieved(t *testing.T) {
	req := form()
	answer := reply(req, ana, start+1, "stop")
	forged := *answer
	forged.Content = "continue"
	plain := event(KindMessage, ana, start, "hi")
	for name, c := range map[string]struct {
		rec    Record
		reason string
	}{
		"a forged answer":    {Record{req, []*nostr.Event{&forged}}, "id is not that"},
		"a forged request":   {Record{&nostr.Event{ID: req.ID, Kind: 9, Tags: req.Tags}, nil}, "the request: its id"},
		"no request":         {Record{}, "no request"},
		"not a question":     {Record{plain, nil}, "not a question"},
		"something else":     {Record{req, []*nostr.Event{answer, plain}}, "nothing to do with"},
		"an empty event":     {Record{req, []*nostr.Event{nil}}, "event 1 is empty"},
		"another's reaction": {Record{req, []*nostr.Event{reaction(answer, eve, start, "+")}}, "nothing to do with"},
	} {
		v, err := CheckRecord(c.rec, checkID, start+9)
		if err == nil || !contains(err.Error(), c.reason) {
			t.Errorf("%s: %v", name, err)
		}
		if v.State != Unknown {
			t.Errorf("%s: shows a state", name)
		}
	}
	both := Record{req, []*nostr.Event{nil, &forged, nil, plain}}
	_, err := CheckRecord(both, checkID, start+9)
	for _, part := range []string{"event 1 is empty", "event 2 ", "event 3 is empty", "event 4 "} {
		wantReason(t, err, part)
	}
	for _, data := range []string{"", "{}", "[]", `{"request":null}`, `{"request":7}`} {
		if _, err := ParseRecord([]byte(data)); err == nil {
			t.Errorf("%q reads as a record", data)
		}
	}
	if _, ok := NewFold(req.ID).Record(); ok {
		t.Error("a record without a request")
	}
}

// TestTheProblemsOfARecordAreBounded: a file of a stranger cannot fill the screen.
func TestTheProblemsOfARecordAreBounded(t *testing.T) {
	for _, n := range []int{maxProblems, maxProblems + 1, 100_000} {
		rec := Record{Request: &nostr.Event{}, Events: make([]*nostr.Event, n)}
		_, err := CheckRecord(rec, func(*nostr.Event) error { return nil }, 0)
		if err == nil || strings.Count(err.Error(), "\n") != maxProblems-1 {
			t.Errorf("%d events: %v", n, err)
		}
	}
}
