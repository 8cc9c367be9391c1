package task

import (
	"reflect"
	"slices"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func TestABookSaysWhoseViewMayHaveChanged(t *testing.T) {
	p := nostr.Tag{"p", agent}
	one, two := request(), request(nostr.Tag{"e", key("root"), "", "root"})
	progress := by(agent, KindProgress, one, start+3, "x")
	stop := roomSays(ana, start+4, "!cancel", p)
	both := []string{one.ID, two.ID}
	slices.Sort(both)
	b := NewBook()
	for i, c := range []struct {
		ev   *nostr.Event
		want []string
	}{
		{nil, nil},
		{progress, nil},
		{roomSays(ana, start, "hi"), nil},
		{deletes(agent, start+9, progress), nil},
		{one, []string{one.ID}},
		{one, nil},
		{by(agent, KindAccepted, one, start+2, ""), []string{one.ID}},
		{two, []string{two.ID}},
		{by(agent, KindAccepted, two, start+2, ""), []string{two.ID}},
		{stop, both},
		{threadSays(ana, key("root"), start+5, "!cancel"), []string{two.ID}},
		{deletes(ana, start+6, stop), both},
		{by(bo, KindResult, two, start+6, "x"), nil},
	} {
		got := b.Add(c.ev, start+9)
		slices.Sort(got)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("event %d: touched %v, want %v", i, got, c.want)
		}
	}
	if v := b.Fold(one.ID).View(start+9, ana); v.ProgressCount != 0 || v.State != Accepted {
		t.Errorf("the first: %q, %d", v.State, v.ProgressCount)
	}
	if v := b.Fold(two.ID).View(start+9, ana); v.State != Cancelling || len(v.CancelAsks) != 1 {
		t.Errorf("the second: %q, %v", v.State, v.CancelAsks)
	}
	ids := b.IDs()
	slices.Sort(ids)
	if !reflect.DeepEqual(ids, both) || b.Fold(key("none")) != nil {
		t.Errorf("ids %v", ids)
	}
}

// A deletion reaches every task that its target concerns, also one that comes
// after it.
func TestADeletedCancelDoesNotReachALaterTask(t *testing.T) {
	stop := threadSays(ana, key("root"), start+4, "!cancel")
	one := request(nostr.Tag{"e", key("root"), "", "root"})
	two := request(nostr.Tag{"e", key("root"), "", "root"}, nostr.Tag{"subject", "Other"})
	b := NewBook()
	for _, ev := range []*nostr.Event{stop, one, deletes(ana, start+5, stop), two} {
		b.Add(ev, start+9)
	}
	for _, id := range b.IDs() {
		if v := b.Fold(id).View(start+9, ana); v.State != Requested || len(v.CancelAsks) != 0 {
			t.Errorf("%q, asked by %v", v.State, v.CancelAsks)
		}
	}
}

func TestABookKeepsTheEarliestSightingUntilTheRequestComes(t *testing.T) {
	req := request()
	accepted := by(agent, KindAccepted, req, start+9, "")
	b := NewBook()
	for _, seen := range []int64{7, 5, 8} {
		b.Add(accepted, start+seen)
	}
	b.Add(req, start)
	if got := b.Fold(req.ID).View(start+9, ana).Log[0].Seen; got != start+5 {
		t.Errorf("seen %+d", got-start)
	}
}
