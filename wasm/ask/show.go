package ask

import (
	"slices"
	"strings"

	"github.com/nbd-wtf/go-nostr"
)

// WaitNoteAfter is the time in seconds without the relay's OK after which an
// own answer on its way says NoteWaiting.
const WaitNoteAfter = 10

// View draws the fold as it stands at a time (unix seconds) for a person (hex
// public key, empty when signed out). While the request has not come, only ID
// and HistoryCount are set and the state is Unknown.
func (f *Fold) View(now int64, me string) View {
	r := f.request
	if r == nil {
		return View{ID: f.id, HistoryCount: len(f.answers)}
	}
	v := View{
		ID: f.id, Room: r.Room, Asker: r.Event.PubKey, Kind: r.Event.Kind,
		CreatedAt: int64(r.Event.CreatedAt),
		Form:      r.Form, Request: r.Request, Interaction: r.Interaction,
		Selection: r.Selection, Freeform: r.Freeform,
		Subject: r.Subject, Text: r.Event.Content,
		Options:   slices.Clone(r.Options),
		Asked:     slices.Clone(r.Asked),
		Mentioned: slices.Clone(r.Mentioned),
		Expires:   r.Expires,
		Reason:    r.Invalid,
	}
	settled := f.settling()
	f.fillHistory(&v, settled)
	if settled != nil {
		entry := f.entry(settled, settled)
		v.Answer, v.Outcome = &entry, outcome(settled.act)
		if p := f.pickup(settled); p != nil {
			v.PickedUp = &Pickup{ID: p.ev.ID, By: p.ev.PubKey, At: int64(p.ev.CreatedAt), Kind: p.ev.Kind, Text: p.ev.Content}
		}
	}
	v.State = f.state(settled, now)
	switch v.State {
	case Withdrawn:
		v.Note = NoteWithdrawn
	case Invalid:
		v.Note = NoteInvalid
	}
	v.setAnswerable(me, now)
	return v
}

// state picks the one state of a known request. A withdrawn question stays
// withdrawn whatever else is true of it; an answer before the deadline holds
// after it.
func (f *Fold) state(settled *item, now int64) State {
	r := f.request
	switch {
	case f.isDeleted(r.Event):
		return Withdrawn
	case r.Invalid != "":
		return Invalid
	case settled != nil:
		return Answered
	case r.Expires != 0 && now >= r.Expires:
		return Expired
	}
	return Open
}

func (f *Fold) fillHistory(v *View, settled *item) {
	var shown []*item
	for _, it := range slices.Backward(f.answers) {
		if it.act == "" {
			continue
		}
		v.HistoryCount++
		if len(shown) < HistoryLimit {
			shown = append(shown, it)
		}
	}
	slices.Reverse(shown)
	for _, it := range shown {
		v.History = append(v.History, f.entry(it, settled))
	}
}

func (f *Fold) entry(it, settled *item) Entry {
	e := Entry{
		ID: it.ev.ID, By: it.ev.PubKey, At: int64(it.ev.CreatedAt), Seen: it.seen,
		Act: it.act, Text: it.answer.Text,
	}
	for _, id := range it.answer.Choices {
		o, _ := f.request.option(id)
		e.Choices = append(e.Choices, o)
	}
	switch {
	case f.isDeleted(it.ev):
		e.Why, e.Reason = WhyDeleted, "its author took it back"
	case it.fault != nil:
		e.Why, e.Reason, e.Content = it.fault.Why, it.fault.Reason, it.ev.Content
	case it == settled:
		e.Counts, e.Settles = true, true
	case f.request.Form == Older && (settled.act == ActApprove || settled.act == ActDeny):
		e.Counts, e.Why, e.Reason = true, WhySuperseded, "a newer reaction counts"
		if it.act == ActReply {
			e.Reason = "a reaction counts before any reply"
		}
	default:
		e.Counts, e.Why, e.Reason = true, WhyCameAfter, "it came after the answer that settled the question"
	}
	return e
}

func outcome(act Act) Outcome {
	switch act {
	case ActApprove:
		return OutcomeApproved
	case ActDeny:
		return OutcomeDenied
	case ActReply:
		return OutcomeReplied
	}
	return OutcomeAnswered
}

// Answerable says whether a person (hex public key) may act on a question at a
// time (unix seconds), and if not, why.
func Answerable(v View, me string, now int64) (bool, string) {
	switch {
	case v.State == Unknown:
		return false, "the question has not come yet"
	case v.State == Invalid:
		return false, NoteInvalid + ": " + v.Reason
	case v.State == Withdrawn:
		return false, NoteWithdrawn
	case v.State == Sending:
		return false, "your answer is on its way"
	case v.State == Answered && !v.stillDecidable():
		return false, "it has been answered"
	case v.State == Expired, v.Expires != 0 && now >= v.Expires:
		return false, "the time to answer has passed"
	case me == "":
		return false, "sign in to answer"
	case !slices.Contains(v.Asked, me):
		return false, "you are not among the people asked"
	}
	return true, ""
}

// stillDecidable: after a mere reply to an older request, Approve and Deny
// stay usable.
func (v *View) stillDecidable() bool {
	return v.Form == Older && v.Outcome == OutcomeReplied && v.Request != RequestQuestion
}

func (v *View) setAnswerable(me string, now int64) {
	v.Answerable, v.WhyNot = Answerable(*v, me, now)
	v.Offers = nil
	switch {
	case !v.Answerable:
	case v.Form == Native:
		v.Offers = []Offer{OfferAnswer}
	case v.Outcome == OutcomeReplied:
		v.Offers = []Offer{OfferApprove, OfferDeny}
	case v.Request == RequestQuestion:
		v.Offers = []Offer{OfferReply}
	default:
		v.Offers = []Offer{OfferApprove, OfferDeny, OfferReply}
	}
}

// WithSending shows a person's own answer that waits in the outbox since a
// time and that no relay has taken yet: the state becomes "sending". A view
// that is settled by somebody else's answer, or closed otherwise, stays as it
// is. It does not matter whether the answer was added to the fold as well.
func (v View) WithSending(own *nostr.Event, since, now int64) View {
	settledByOwn := v.Answer != nil && v.Answer.ID == own.ID
	if v.State != Open && !settledByOwn && !(v.State == Answered && v.stillDecidable()) {
		return v
	}
	if settledByOwn {
		v.Answer, v.Outcome, v.PickedUp = nil, NoOutcome, nil
	}
	entry := v.ownEntry(own)
	v.Own, v.State = &entry, Sending
	if now-since >= WaitNoteAfter {
		v.WaitNote = NoteWaiting
	}
	v.setAnswerable("", now)
	return v
}

func (v *View) ownEntry(own *nostr.Event) Entry {
	e := Entry{ID: own.ID, By: own.PubKey, At: int64(own.CreatedAt), Act: ActReply, Text: own.Content}
	switch {
	case own.Kind == KindReaction:
		e.Act, e.Text = verdict(own.Content), ""
	case v.Form == Native:
		r := &Request{Selection: v.Selection, Options: v.Options, Freeform: v.Freeform}
		a, err := ReadAnswer(r, own.Content)
		e.Act, e.Text = ActAnswer, a.Text
		if err != nil {
			e.Content = own.Content
		}
		for _, id := range a.Choices {
			o, _ := r.option(id)
			e.Choices = append(e.Choices, o)
		}
	}
	return e
}

// Answer in words: the labels of what was chosen, then the text.
func (e Entry) String() string {
	var parts []string
	switch e.Act {
	case ActApprove:
		parts = append(parts, string(OutcomeApproved))
	case ActDeny:
		parts = append(parts, string(OutcomeDenied))
	}
	for _, o := range e.Choices {
		parts = append(parts, o.Label)
	}
	if e.Text != "" {
		parts = append(parts, e.Text)
	}
	return strings.Join(parts, ", ")
}
