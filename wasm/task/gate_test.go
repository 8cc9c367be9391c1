package task

import (
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func TestTheRelayTakesOnlyWhatItsAuthorMayWrite(t *testing.T) {
	req := request()
	result, failure := by(agent, KindResult, req, start+5, "Yes."), by(agent, KindError, req, start+5, "No.")
	cancel := by(ana, KindCancel, req, start+4, "")
	stranger := by(bo, KindResult, req, start+3, "Mine.")
	elsewhere := by(agent, KindResult, request(nostr.Tag{"subject", "Other"}), start+3, "x")
	for name, c := range map[string]struct {
		request  *nostr.Event
		existing []*nostr.Event
		ev       *nostr.Event
		reason   string
	}{
		"accepted":                      {req, nil, by(agent, KindAccepted, req, start, ""), ""},
		"accepted again":                {req, []*nostr.Event{by(agent, KindAccepted, req, start, "")}, by(agent, KindAccepted, req, start+1, ""), ""},
		"progress":                      {req, nil, by(agent, KindProgress, req, start, "x"), ""},
		"result":                        {req, nil, result, ""},
		"failure":                       {req, nil, failure, ""},
		"cancel":                        {req, nil, cancel, ""},
		"the same again":                {req, []*nostr.Event{result}, result, ""},
		"a second result":               {req, []*nostr.Event{result}, by(agent, KindResult, req, start+6, "No."), "ended already"},
		"a failure after a result":      {req, []*nostr.Event{nil, result}, failure, "ended already"},
		"a result after a failure":      {req, []*nostr.Event{failure}, result, "ended already"},
		"progress after the end":        {req, []*nostr.Event{result}, by(agent, KindProgress, req, start+6, "x"), ""},
		"a result that crosses a 43005": {req, []*nostr.Event{cancel}, result, ""},
		"a cancel after the end":        {req, []*nostr.Event{result}, cancel, ""},
		"a stranger's end is none":      {req, []*nostr.Event{stranger}, result, ""},
		"another task's end is none":    {req, []*nostr.Event{elsewhere}, result, ""},
		"accepted by another":           {req, nil, by(bo, KindAccepted, req, start, ""), "only the agent"},
		"progress by the requester":     {req, nil, by(ana, KindProgress, req, start, "x"), "only the agent"},
		"result by another":             {req, nil, stranger, "only the agent"},
		"cancel by the agent":           {req, nil, by(agent, KindCancel, req, start, ""), "only the person"},
		"cancel by another":             {req, nil, by(bo, KindCancel, req, start, ""), "only the person"},
		"another room":                  {req, nil, event(KindResult, agent, start, "x", nostr.Tag{"e", req.ID}, nostr.Tag{"h", "den"}), "h tag"},
		"no room":                       {req, nil, event(KindResult, agent, start, "x", nostr.Tag{"e", req.ID}), "h tag"},
		"another task":                  {req, nil, elsewhere, "does not name the task"},
		"an unknown task":               {nil, nil, result, "not known here"},
		"no task at all":                {roomSays(ana, start, "hi"), nil, result, "not known here"},
		"a task for nobody":             {event(KindRequest, ana, start, "x", nostr.Tag{"h", "lab"}), nil, result, "names no agent"},
		"another kind":                  {req, nil, roomSays(bo, start, "hi"), ""},
		"nothing":                       {req, nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := CheckEvent(c.request, c.existing, c.ev)
			if c.reason != "" {
				wantReason(t, err, c.reason)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// "On start, the adapter checks the relay for an existing result, error or
// cancel before running a request."
func TestFinished(t *testing.T) {
	req := request()
	r := mustParse(t, req)
	for name, c := range map[string]struct {
		ev   *nostr.Event
		want bool
	}{
		"result":              {by(agent, KindResult, req, start, ""), true},
		"error":               {by(agent, KindError, req, start, ""), true},
		"cancel":              {by(ana, KindCancel, req, start, ""), true},
		"progress":            {by(agent, KindProgress, req, start, ""), false},
		"a stranger's result": {by(bo, KindResult, req, start, ""), false},
		"another's cancel":    {by(agent, KindCancel, req, start, ""), false},
		"another task":        {by(agent, KindResult, request(nostr.Tag{"subject", "Other"}), start, ""), false},
		"nothing":             {nil, false},
	} {
		if got := Finished(r, []*nostr.Event{c.ev}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
