package ask

import (
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func contains(s, part string) bool { return strings.Contains(s, part) }

func TestTheRelayTakesOnlyValidForms(t *testing.T) {
	for name, c := range map[string]struct {
		ev     *nostr.Event
		reason string
	}{
		"valid":           {form(), ""},
		"too many":        {form(numbered(13)), "at most 12"},
		"another version": {form(set("tinyagent", "2")), ""},
		"older":           {older("approve"), ""},
		"a message":       {event(KindMessage, ana, start, "hi"), ""},
	} {
		err := CheckRequest(c.ev)
		if c.reason == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.reason != "" {
			wantReason(t, err, c.reason)
		}
	}
}

// "The relay refuses answers after its own clock has passed expiration, or
// whose created_at is off its clock by more than 300 s."
func TestTheRelayChecksAnswersByItsOwnClock(t *testing.T) {
	open, limited := form(), form(put("expiration", "1800000900"))
	old, oldLimited := older("approve"), older("approve", put("expiration", "1800000900"))
	for name, c := range map[string]struct {
		req, answer *nostr.Event
		now         int64
		reason      string
	}{
		"in time":                           {limited, reply(limited, ana, start+5, "stop"), start + 5, ""},
		"in the last second":                {limited, reply(limited, ana, start+899, "stop"), start + 899, ""},
		"its own clock has passed":          {limited, reply(limited, ana, start+899, "stop"), start + 900, "time to answer has passed"},
		"dated after the deadline":          {limited, reply(limited, ana, start+900, "stop"), start + 899, "deadline"},
		"300 s behind":                      {open, reply(open, ana, start+1000, "stop"), start + 1300, ""},
		"301 s behind":                      {open, reply(open, ana, start+1000, "stop"), start + 1301, "300 s"},
		"300 s ahead":                       {open, reply(open, ana, start+1300, "stop"), start + 1000, ""},
		"301 s ahead":                       {open, reply(open, ana, start+1301, "stop"), start + 1000, "300 s"},
		"not asked":                         {open, reply(open, eve, start, "stop"), start, "not among"},
		"wrong ids":                         {open, reply(open, ana, start, "perhaps"), start, "not one of the options"},
		"without h":                         {open, reply(open, ana, start, "stop", drop("h")), start, "h tag is missing"},
		"the asker's comment":               {open, reply(open, agent, start, "Well?"), start, ""},
		"a reply to a comment":              {open, reply(open, eve, start, "Right.", set("e", key("comment"))), start, ""},
		"a reaction":                        {open, reaction(open, eve, start, "🎉"), start, ""},
		"a message":                         {open, event(KindMessage, eve, start, "hi"), start, ""},
		"older, anybody's reply":            {oldLimited, reply(oldLimited, eve, start+5, "hm"), start + 900, ""},
		"older, in time":                    {oldLimited, reaction(oldLimited, ana, start+5, "+"), start + 5, ""},
		"older, after the deadline":         {oldLimited, reaction(oldLimited, ana, start+899, "+"), start + 900, "time to answer"},
		"older, dated back":                 {old, reaction(old, ana, start, "+"), start + 301, "300 s"},
		"older, other reaction at any time": {oldLimited, reaction(oldLimited, ana, start+5, "🎉"), start + 900, ""},
	} {
		err := CheckAnswer(c.req, c.answer, c.now)
		if c.reason == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.reason != "" {
			wantReason(t, err, c.reason)
		}
	}
	bad := form(drop("h"))
	wantReason(t, CheckAnswer(bad, reply(bad, ana, start, "stop"), start), NoteInvalid)
	for name, req := range map[string]*nostr.Event{
		"a message": event(KindMessage, ana, start, "hi"), "another version": form(set("tinyagent", "2")), "nothing": nil,
	} {
		if err := CheckAnswer(req, reply(form(), eve, start, "hm"), start); err != nil {
			t.Errorf("a comment on %s: %v", name, err)
		}
	}
}
