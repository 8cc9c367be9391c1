package ask

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/nbd-wtf/go-nostr"
)

// Record is a decision that stands for itself: the signed request and every
// signed event its outcome rests on, by (created_at, id). Anybody can check it
// without a relay.
type Record struct {
	Request *nostr.Event   `json:"request"`
	Events  []*nostr.Event `json:"events"`
}

// Record exports the fold's decision: the request, every answer whether or not
// it counts, the deletions that matter, and the asker's pick-up. It is false
// while the request has not come. The events are the fold's own: do not change
// them.
func (f *Fold) Record() (Record, bool) {
	if f.request == nil {
		return Record{}, false
	}
	rec := Record{Request: f.request.Event, Events: []*nostr.Event{}}
	rec.Events = f.withDeletion(rec.Events, f.request.Event)
	for _, it := range f.answers {
		if it.act != "" {
			rec.Events = append(rec.Events, it.ev)
			rec.Events = f.withDeletion(rec.Events, it.ev)
		}
	}
	if settled := f.settling(); settled != nil {
		if p := f.pickup(settled); p != nil {
			rec.Events = append(rec.Events, p.ev)
		}
	}
	slices.SortFunc(rec.Events, compare)
	rec.Events = slices.CompactFunc(rec.Events, func(a, b *nostr.Event) bool { return a.ID == b.ID })
	return rec, true
}

func (f *Fold) withDeletion(out []*nostr.Event, ev *nostr.Event) []*nostr.Event {
	if it := f.deleted[ev.ID][ev.PubKey]; it != nil {
		out = append(out, it.ev)
	}
	return out
}

// ParseRecord reads an exported record. It checks the shape only; see
// [CheckRecord].
func ParseRecord(data []byte) (Record, error) {
	var rec Record
	if err := json.Unmarshal(data, &rec); err != nil {
		return Record{}, fmt.Errorf("read decision record: %w", err)
	}
	if rec.Request == nil {
		return Record{}, errors.New("read decision record: it has no request")
	}
	return rec, nil
}

// CheckRecord checks every event of a record with a function that verifies id
// and signature, checks that each has to do with the request, and folds them
// into the decision as it stands at a time (unix seconds). The error lists what
// is wrong, the first maxProblems of it; the view is to be believed only without
// one.
//
// A record says what was decided from the events in it. It cannot show that no
// event was left out.
func CheckRecord(rec Record, verify func(*nostr.Event) error, now int64) (View, error) {
	if rec.Request == nil {
		return View{}, errors.New("check decision record: it has no request")
	}
	var problems []error
	if err := verify(rec.Request); err != nil {
		problems = append(problems, fmt.Errorf("the request: %w", err))
	}
	f := NewFold(rec.Request.ID)
	if !f.Add(rec.Request, int64(rec.Request.CreatedAt)) {
		problems = append(problems, fmt.Errorf("the request: %w", ErrNotRequest))
	}
	for i, ev := range rec.Events {
		if len(problems) >= maxProblems {
			break
		}
		if ev == nil {
			problems = append(problems, fmt.Errorf("event %d is empty", i+1))
			continue
		}
		if err := verify(ev); err != nil {
			problems = append(problems, fmt.Errorf("event %d (%s): %w", i+1, clipped(ev.ID), err))
			continue
		}
		f.Add(ev, int64(ev.CreatedAt))
	}
	if f.request != nil && len(problems) < maxProblems {
		problems = append(problems, f.strangers(rec)...)
	}
	if len(problems) > maxProblems {
		problems = problems[:maxProblems]
	}
	if len(problems) > 0 {
		return View{}, fmt.Errorf("check decision record: %w", errors.Join(problems...))
	}
	return f.View(now, ""), nil
}

// maxProblems is how many things that are wrong with a record are told.
const maxProblems = 20

// strangers names the events of a record that its decision does not rest on.
func (f *Fold) strangers(rec Record) []error {
	own, _ := f.Record()
	known := map[string]bool{}
	for _, ev := range own.Events {
		known[ev.ID] = true
	}
	var out []error
	for i, ev := range rec.Events {
		if ev != nil && f.items[ev.ID] == nil && !known[ev.ID] && len(out) < maxProblems {
			out = append(out, fmt.Errorf("event %d (%s) has nothing to do with the request", i+1, clipped(ev.ID)))
		}
	}
	return out
}
