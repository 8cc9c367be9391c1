package ask

import (
	"math/rand"
	"reflect"
	"strconv"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// pair returns the two events in the protocol's order.
func pair(a, b *nostr.Event) (first, second *nostr.Event) {
	if before(a, b) {
		return a, b
	}
	return b, a
}

// whys maps the history's event ids to their reasons.
func whys(v View) map[string]Why {
	out := map[string]Why{}
	for _, e := range v.History {
		out[e.ID] = e.Why
	}
	return out
}

// "Which answer settles: the first valid one by (created_at, id) among the
// asked keys. The form is closed then; later valid answers are shown as "came
// after"."
func TestTheFirstValidAnswerSettles(t *testing.T) {
	req := form()
	late := reply(req, ana, start+20, "stop")
	early := reply(req, bo, start+10, "continue")
	f := fold(req, late, early)
	v := f.View(start+30, ana)
	if v.State != Answered || v.Outcome != OutcomeAnswered || v.Answer == nil || v.Answer.ID != early.ID {
		t.Fatalf("state %q, answer %+v", v.State, v.Answer)
	}
	if want := []Option{{"continue", "Continue playing"}}; !reflect.DeepEqual(v.Answer.Choices, want) || v.Answer.By != bo || !v.Answer.Settles {
		t.Errorf("answer %+v", v.Answer)
	}
	if got := whys(v); got[early.ID] != WhySettles || got[late.ID] != WhyCameAfter {
		t.Errorf("history %v", got)
	}
	if v.Answerable || v.WhyNot != "it has been answered" {
		t.Errorf("answerable %v, %q", v.Answerable, v.WhyNot)
	}

	first, second := pair(reply(req, ana, start+10, "stop"), reply(req, bo, start+10, "stop"))
	v = fold(req, second, first).View(start+30, ana)
	if v.Answer.ID != first.ID || whys(v)[second.ID] != WhyCameAfter {
		t.Error("in one second the lower id does not settle")
	}
}

// "Answers that do not count are listed in the history with the reason."
func TestAnswersThatDoNotCountAreListedWithTheReason(t *testing.T) {
	req := form(put("expiration", "1800000060"))
	events := map[Why]*nostr.Event{
		WhyNotAsked: reply(req, eve, start+1, "stop"),
		WhyEarly:    reply(req, ana, start-1, "stop"),
		WhyLate:     reply(req, ana, start+60, "stop"),
		WhyTags:     reply(req, ana, start+2, "stop", drop("h")),
		WhyContent:  reply(req, ana, start+3, "perhaps"),
	}
	f := NewFold(req.ID)
	f.Add(req, start)
	for _, ev := range events {
		f.Add(ev, start+9)
	}
	v := f.View(start+10, ana)
	if v.State != Open || v.HistoryCount != len(events) || !v.Answerable {
		t.Fatalf("state %q, %d entries", v.State, v.HistoryCount)
	}
	for why, ev := range events {
		if whys(v)[ev.ID] != why {
			t.Errorf("%s: got %q", why, whys(v)[ev.ID])
		}
	}
	for _, e := range v.History {
		if e.Counts || e.Settles || e.Reason == "" || e.Content == "" || e.Seen != start+9 {
			t.Errorf("entry %+v", e)
		}
	}
}

func TestTheStatesOfAQuestion(t *testing.T) {
	limited := form(put("expiration", "1800000060"))
	answer := reply(limited, ana, start+1, "stop")
	invalid := form(drop("selection"))
	for name, c := range map[string]struct {
		req    *nostr.Event
		events []*nostr.Event
		now    int64
		want   State
	}{
		"open":                             {limited, nil, start + 59, Open},
		"expired":                          {limited, nil, start + 60, Expired},
		"answered":                         {limited, []*nostr.Event{answer}, start + 2, Answered},
		"answered in time, looked at late": {limited, []*nostr.Event{answer}, start + 99, Answered},
		"answered late only":               {limited, []*nostr.Event{reply(limited, ana, start+60, "stop")}, start + 99, Expired},
		"invalid":                          {invalid, nil, start, Invalid},
		"invalid, whatever came":           {invalid, []*nostr.Event{reply(invalid, ana, start, "stop")}, start, Invalid},
		"withdrawn":                        {limited, []*nostr.Event{deletion(agent, start+1, limited)}, start + 2, Withdrawn},
		"withdrawn after an answer":        {limited, []*nostr.Event{answer, deletion(agent, start+2, limited)}, start + 2, Withdrawn},
		"withdrawn, and over":              {limited, []*nostr.Event{deletion(agent, start+1, limited)}, start + 99, Withdrawn},
		"deleted by somebody else":         {limited, []*nostr.Event{deletion(eve, start+1, limited)}, start + 2, Open},
		"edited with 40003":                {limited, []*nostr.Event{event(40003, agent, start+1, "Other?", nostr.Tag{"e", limited.ID})}, start + 2, Open},
	} {
		v := fold(c.req, c.events...).View(c.now, ana)
		if v.State != c.want {
			t.Errorf("%s: got %q, want %q", name, v.State, c.want)
		}
		if v.Answerable != (c.want == Open) {
			t.Errorf("%s: answerable %v", name, v.Answerable)
		}
		if v.Text != c.req.Content {
			t.Errorf("%s: text %q", name, v.Text)
		}
	}
	v := fold(limited, answer, deletion(agent, start+2, limited)).View(start+2, ana)
	if v.Note != NoteWithdrawn || v.Answer == nil {
		t.Errorf("note %q, answer %v", v.Note, v.Answer)
	}
}

// "a deleted answer counts as not given."
func TestADeletedAnswerCountsAsNotGiven(t *testing.T) {
	req := form()
	first, second := reply(req, ana, start+1, "stop"), reply(req, bo, start+2, "continue")
	gone := deletion(ana, start+3, first)
	v := fold(req, gone, first).View(start+4, ana)
	if v.State != Open || !v.Answerable || whys(v)[first.ID] != WhyDeleted {
		t.Errorf("state %q, %v", v.State, whys(v))
	}
	v = fold(req, first, second, gone).View(start+4, ana)
	if v.Answer.ID != second.ID || whys(v)[first.ID] != WhyDeleted || whys(v)[second.ID] != WhySettles {
		t.Errorf("answer %+v, %v", v.Answer, whys(v))
	}
	if v = fold(req, first, deletion(bo, start+3, first)).View(start+4, ana); v.State != Answered {
		t.Errorf("somebody else deleted it: %q", v.State)
	}
}

func TestWhoMayAnswer(t *testing.T) {
	v := fold(form()).View(start, "")
	for me, reason := range map[string]string{ana: "", bo: "", eve: "not among", agent: "not among", "": "sign in"} {
		ok, why := Answerable(v, me, start)
		if ok != (reason == "") || (reason != "" && !contains(why, reason)) {
			t.Errorf("%q: %v, %q", me, ok, why)
		}
	}
	limited := fold(form(put("expiration", "1800000060"))).View(start, ana)
	if ok, _ := Answerable(limited, ana, start+59); !ok {
		t.Error("in time, but not answerable")
	}
	if ok, why := Answerable(limited, ana, start+60); ok || !contains(why, "time to answer") {
		t.Errorf("after the deadline: %v, %q", ok, why)
	}
}

// Older requests: the newest reaction of an asked key wins over any reply; a
// reply alone settles it as "replied" until a reaction comes.
func TestOlderRequests(t *testing.T) {
	req := older("approve")
	yes, no := reaction(req, ana, start+5, "+"), reaction(req, bo, start+6, "-")
	said, more := reply(req, ana, start+7, "Wait."), reply(req, bo, start+8, "Go.")
	react, both := []Offer{OfferApprove, OfferDeny}, []Offer{OfferApprove, OfferDeny, OfferReply}
	for name, c := range map[string]struct {
		events  []*nostr.Event
		outcome Outcome
		settles *nostr.Event
		offers  []Offer
	}{
		"nothing yet":                 {nil, NoOutcome, nil, both},
		"approved":                    {[]*nostr.Event{yes}, OutcomeApproved, yes, nil},
		"denied":                      {[]*nostr.Event{no}, OutcomeDenied, no, nil},
		"the newest reaction":         {[]*nostr.Event{no, yes}, OutcomeDenied, no, nil},
		"a reply alone":               {[]*nostr.Event{said}, OutcomeReplied, said, react},
		"the first reply":             {[]*nostr.Event{more, said}, OutcomeReplied, said, react},
		"a reaction wins over newer":  {[]*nostr.Event{said, yes}, OutcomeApproved, yes, nil},
		"somebody not asked":          {[]*nostr.Event{reaction(req, eve, start+5, "+")}, NoOutcome, nil, both},
		"the asker's own":             {[]*nostr.Event{reaction(req, agent, start+5, "+")}, NoOutcome, nil, both},
		"another reaction":            {[]*nostr.Event{reaction(req, ana, start+5, "🎉")}, NoOutcome, nil, both},
		"an empty reaction (NIP-25)":  {[]*nostr.Event{reaction(req, ana, start+5, "")}, OutcomeApproved, nil, nil},
		"a reaction taken back":       {[]*nostr.Event{yes, deletion(ana, start+9, yes)}, NoOutcome, nil, both},
		"a blank reply":               {[]*nostr.Event{reply(req, ana, start+5, "  ")}, NoOutcome, nil, both},
		"a comment that is a request": {[]*nostr.Event{reply(req, ana, start+5, "May I?", put("request", "question"))}, NoOutcome, nil, both},
	} {
		v := fold(req, c.events...).View(start+10, ana)
		if v.Outcome != c.outcome || !reflect.DeepEqual(v.Offers, c.offers) {
			t.Errorf("%s: outcome %q, offers %v", name, v.Outcome, v.Offers)
		}
		if (v.State == Answered) != (c.outcome != NoOutcome) || v.Answerable != (len(c.offers) > 0) {
			t.Errorf("%s: state %q, answerable %v", name, v.State, v.Answerable)
		}
		if c.settles != nil && v.Answer.ID != c.settles.ID {
			t.Errorf("%s: settled by %+v", name, v.Answer)
		}
	}
	v := fold(req, yes, no, said).View(start+10, ana)
	if got := whys(v); got[yes.ID] != WhySuperseded || got[said.ID] != WhySuperseded || got[no.ID] != WhySettles {
		t.Errorf("history %v", got)
	}
	for _, e := range v.History {
		if (e.Act == ActReply) != (e.Reason == "a reaction counts before any reply") {
			t.Errorf("%s: %q", e.Act, e.Reason)
		}
	}
	v = fold(req, said, more).View(start+10, ana)
	if got := whys(v); got[said.ID] != WhySettles || got[more.ID] != WhyCameAfter {
		t.Errorf("two replies: %v", got)
	}
}

// A reaction is to what its last e tag names (NIP-25).
func TestAReactionIsToItsLastETag(t *testing.T) {
	req := older("approve")
	to := func(ids ...string) *nostr.Event {
		ev := unsigned(KindReaction, "+", nil, ana, start+1)
		for _, id := range ids {
			ev.Tags = append(ev.Tags, nostr.Tag{"e", id})
		}
		return signed(ev)
	}
	for _, c := range []struct {
		ev   *nostr.Event
		want State
	}{
		{to(key("root"), req.ID), Answered}, {to(req.ID, key("reply")), Open}, {to(req.ID), Answered}, {to(), Open},
	} {
		if got := fold(req, c.ev).View(start+2, ana).State; got != c.want {
			t.Errorf("%v: %q", c.ev.Tags, got)
		}
	}
	said := reply(req, ana, start+1, "Wait.", put("e", key("other")))
	if got := fold(req, said).View(start+2, ana).Outcome; got != OutcomeReplied {
		t.Errorf("a comment with two e tags: %q", got)
	}
}

// "A question offers only a reply."
func TestAnOlderQuestionOffersOnlyAReply(t *testing.T) {
	req := older("question")
	v := fold(req, reaction(req, ana, start+1, "+")).View(start+2, ana)
	if v.State != Open || !reflect.DeepEqual(v.Offers, []Offer{OfferReply}) || v.HistoryCount != 0 {
		t.Errorf("state %q, offers %v", v.State, v.Offers)
	}
	v = fold(req, reply(req, ana, start+1, "Yes.")).View(start+2, ana)
	if v.Outcome != OutcomeReplied || v.Answerable || v.Answer.Text != "Yes." {
		t.Errorf("outcome %q, answerable %v", v.Outcome, v.Answerable)
	}
}

func TestAnOlderRequestIsOverAtItsExpiration(t *testing.T) {
	req := older("approve", put("expiration", "1800000060"))
	replied := reply(req, ana, start+1, "Wait.")
	for name, c := range map[string]struct {
		events []*nostr.Event
		want   State
	}{
		"nothing":         {nil, Expired},
		"a late reaction": {[]*nostr.Event{reaction(req, ana, start+60, "+")}, Expired},
		"in time":         {[]*nostr.Event{reaction(req, ana, start+59, "+")}, Answered},
		"a reply in time": {[]*nostr.Event{replied}, Answered},
	} {
		v := fold(req, c.events...).View(start+60, ana)
		if v.State != c.want || v.Answerable {
			t.Errorf("%s: %q, answerable %v", name, v.State, v.Answerable)
		}
	}
}

// Picked up: the agent's later reaction or reply to the answer in the thread.
func TestPickedUpIsTheAskersReactionOrReplyToTheAnswer(t *testing.T) {
	req := form()
	answer := reply(req, ana, start+1, "stop")
	other := reply(req, bo, start+2, "continue")
	for name, c := range map[string]struct {
		ev   *nostr.Event
		want bool
	}{
		"a reaction":                 {reaction(answer, agent, start+3, "👀"), true},
		"a comment":                  {event(KindComment, agent, start+3, "On it.", nostr.Tag{"E", req.ID}, nostr.Tag{"e", answer.ID}), true},
		"a thread reply":             {event(KindReply, agent, start+3, "On it.", nostr.Tag{"e", req.ID, "", "root"}, nostr.Tag{"e", answer.ID, "", "reply"}), true},
		"a quote":                    {event(KindMessage, agent, start+3, "On it.", nostr.Tag{"q", answer.ID}), true},
		"somebody else's reaction":   {reaction(answer, bo, start+3, "👀"), false},
		"a reaction to another":      {reaction(other, agent, start+3, "👀"), false},
		"a comment on the question":  {reply(req, agent, start+3, "Hurry."), false},
		"an event of another nature": {event(1, agent, start+3, "x", nostr.Tag{"e", answer.ID}), false},
	} {
		for _, f := range []*Fold{fold(req, answer, other, c.ev), fold(req, c.ev, other, answer)} {
			v := f.View(start+9, ana)
			if got := v.PickedUp != nil; got != c.want {
				t.Errorf("%s: picked up %v", name, v.PickedUp)
			} else if got && (v.PickedUp.ID != c.ev.ID || v.PickedUp.At != start+3) {
				t.Errorf("%s: %+v", name, v.PickedUp)
			}
			if v.HistoryCount != 2 {
				t.Errorf("%s: %d entries of history", name, v.HistoryCount)
			}
		}
	}
	several := NewFold(req.ID)
	for _, ev := range []*nostr.Event{reaction(answer, bo, start+3, "👀"), reaction(answer, agent, start+5, "✅"), reaction(answer, agent, start+4, "👀"), answer, req} {
		several.Add(ev, start+9)
	}
	if v := several.View(start+9, ana); v.PickedUp == nil || v.PickedUp.Text != "👀" || v.PickedUp.At != start+4 {
		t.Errorf("not the asker's first sign: %+v", v.PickedUp)
	}
	sign := reaction(answer, agent, start+3, "👀")
	if v := fold(req, answer, sign, deletion(agent, start+4, sign)).View(start+9, ana); v.PickedUp != nil {
		t.Error("a reaction that was taken back is a sign")
	}
}

// The same view for every order of arrival and any repetition.
func TestEveryOrderGivesTheSameView(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	for name, req := range map[string]*nostr.Event{
		"native": form(put("expiration", "1800000060")), "older": older("decide"), "invalid": form(drop("h")),
	} {
		answers := []*nostr.Event{
			reply(req, ana, start+1, "stop"), reply(req, bo, start+1, "continue"),
			reply(req, ana, start+2, "perhaps"), reply(req, eve, start+2, "stop"),
			reply(req, bo, start+70, "stop"), reply(req, ana, start-5, "stop"),
			reaction(req, ana, start+3, "+"), reaction(req, bo, start+3, "-"), reaction(req, eve, start+4, "+"),
		}
		events := append([]*nostr.Event{req}, answers...)
		for i, a := range answers {
			events = append(events, reaction(a, agent, start+10+int64(i), "👀"))
		}
		events = append(events,
			deletion(ana, start+20, answers[0], answers[6]), deletion(eve, start+21, req, answers[1]),
			event(KindComment, agent, start+22, "Thanks.", nostr.Tag{"E", req.ID}, nostr.Tag{"e", answers[1].ID}))
		want := fold(req, events...).View(start+30, ana)
		if want.HistoryCount == 0 {
			t.Fatalf("%s: an empty history proves nothing", name)
		}
		for range 300 {
			f, book := NewFold(req.ID), NewBook()
			for _, ev := range shuffled(rnd, events) {
				f.Add(ev, int64(ev.CreatedAt))
				book.Add(ev, int64(ev.CreatedAt))
			}
			if got := f.View(start+30, ana); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s:\n got %+v\nwant %+v", name, got, want)
			}
			if got := book.Fold(req.ID).View(start+30, ana); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, in a book:\n got %+v\nwant %+v", name, got, want)
			}
		}
	}
}

func TestTheEarliestSightingCounts(t *testing.T) {
	req := form()
	answer := reply(req, ana, start+1, "stop")
	for _, order := range [][]int64{{7, 5, 9}, {5, 7, 9}, {9, 7, 5}} {
		f := fold(req)
		for _, seen := range order {
			f.Add(answer, start+seen)
		}
		if got := f.View(start+9, ana).Answer.Seen; got != start+5 {
			t.Errorf("%v: seen %+d", order, got-start)
		}
	}
	f := fold(req, answer)
	if f.Add(answer, start+9) || !f.Add(answer, start) {
		t.Error("only an earlier sighting changes anything")
	}
}

func TestWithoutItsRequestAQuestionIsUnknown(t *testing.T) {
	req := form()
	f := NewFold(req.ID)
	f.Add(reply(req, ana, start, "stop"), start)
	if v := f.View(start, ana); v.State != Unknown || v.ID != req.ID || v.Answerable {
		t.Errorf("got %+v", v)
	} else if ok, why := Answerable(v, ana, start); ok || !contains(why, "not come yet") {
		t.Errorf("answerable %v, %q", ok, why)
	}
	if f.Add(nil, 0) || f.Add(event(KindMessage, ana, start, "hi", nostr.Tag{"h", "games"}), start) || f.Request() != nil {
		t.Error("took what has nothing to do with it")
	}
	f.Add(req, start)
	if v := f.View(start, ana); v.State != Answered {
		t.Errorf("after the request came: %q", v.State)
	}
}

// A view carries the newest HistoryLimit entries and says how many there are.
func TestHistoryIsCountedAndItsNewestShown(t *testing.T) {
	req := form()
	for _, n := range []int{HistoryLimit, HistoryLimit + 1} {
		f := fold(req)
		for i := range n {
			f.Add(reply(req, eve, start+int64(i), strconv.Itoa(i)), start)
		}
		v := f.View(start, ana)
		if v.HistoryCount != n || len(v.History) != HistoryLimit || v.History[HistoryLimit-1].At != start+int64(n)-1 {
			t.Errorf("%d answers: %d shown of %d", n, len(v.History), v.HistoryCount)
		}
	}
}

func TestSending(t *testing.T) {
	req := form(freeform)
	own := reply(req, ana, start+1, `{"choices":["stop"],"text":"Tired."}`)
	open := fold(req).View(start+1, ana)
	v := open.WithSending(own, start+1, start+1+WaitNoteAfter-1)
	if v.State != Sending || v.Answerable || v.WaitNote != "" || v.Own.String() != "Stop here, Tired." {
		t.Errorf("got %+v", v)
	}
	if v = open.WithSending(own, start+1, start+1+WaitNoteAfter); v.WaitNote != "waiting for the relay" {
		t.Errorf("after ten seconds: %q", v.WaitNote)
	}
	if v = fold(req, own).View(start+1, ana).WithSending(own, start+1, start+2); v.State != Sending || v.Answer != nil {
		t.Errorf("already in the fold: %q", v.State)
	}
	others := fold(req, reply(req, bo, start, "stop")).View(start+1, ana)
	if v = others.WithSending(own, start+1, start+2); v.State != Answered || v.Own != nil {
		t.Errorf("settled by another: %q", v.State)
	}
	old := older("approve")
	replied := fold(old, reply(old, bo, start, "Wait.")).View(start+1, ana)
	if v = replied.WithSending(reaction(old, ana, start+1, "-"), start+1, start+2); v.State != Sending || v.Own.String() != "denied" {
		t.Errorf("older, after a reply: %+v", v)
	}
}
