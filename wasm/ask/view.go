package ask

// State says where a question stands. The values are the data-state values of
// the markup table in the design; the empty state means that the request
// itself has not been seen yet.
type State string

// The states of a question.
const (
	Unknown   State = ""
	Open      State = "open"
	Answered  State = "answered"
	Expired   State = "expired"
	Invalid   State = "invalid"
	Withdrawn State = "withdrawn"
	Sending   State = "sending"
)

// Form says which of the protocol's shapes a request has.
type Form string

// The forms of a request, as [Classify] tells them apart.
const (
	NotRequest   Form = ""
	Native       Form = "native"
	Older        Form = "older"
	OtherVersion Form = "other-version"
)

// Outcome says how a question was settled.
type Outcome string

// The outcomes. Native questions end as "answered", older ones as one of the
// other three.
const (
	NoOutcome       Outcome = ""
	OutcomeAnswered Outcome = "answered"
	OutcomeApproved Outcome = "approved"
	OutcomeDenied   Outcome = "denied"
	OutcomeReplied  Outcome = "replied"
)

// Offer names one control that a person may use now.
type Offer string

// The offers: one answer form, or the three buttons of older requests.
const (
	OfferAnswer  Offer = "answer"
	OfferApprove Offer = "approve"
	OfferDeny    Offer = "deny"
	OfferReply   Offer = "reply"
)

// Notes shown on a question, as the specification notes word them.
const (
	NoteInvalid   = "This question is not valid"
	NoteWithdrawn = "Question withdrawn"
	NoteWaiting   = "waiting for the relay"
)

// HistoryLimit is the number of entries a [View] carries in History, the
// newest ones. HistoryCount says how many there are.
const HistoryLimit = 200

// View is a question as a component draws it: plain values, a fresh copy each
// time.
type View struct {
	ID        string `json:"id"`
	Room      string `json:"room"`  // the h tag
	Asker     string `json:"asker"` // public key of the request's author
	CreatedAt int64  `json:"created_at"`
	Kind      int    `json:"kind"`

	Form        Form        `json:"form"`
	State       State       `json:"state"`
	Request     string      `json:"request"`     // approve, decide or question
	Interaction Interaction `json:"interaction"` // native forms only
	Selection   Selection   `json:"selection"`   // native forms only
	Freeform    bool        `json:"freeform"`    // a text may come beside the choice

	Subject   string   `json:"subject,omitempty"`
	Text      string   `json:"text"` // the question as written
	Options   []Option `json:"options,omitempty"`
	Asked     []string `json:"asked,omitempty"`     // public keys that may answer
	Mentioned []string `json:"mentioned,omitempty"` // those of Asked that are notified
	Expires   int64    `json:"expires,omitempty"`   // answering deadline, 0 when there is none

	// Note is NoteInvalid or NoteWithdrawn or empty; Reason says why an
	// invalid form is invalid.
	Note   string `json:"note,omitempty"`
	Reason string `json:"reason,omitempty"`

	Outcome  Outcome `json:"outcome,omitempty"`
	Answer   *Entry  `json:"answer,omitempty"`    // the answer that settled it
	PickedUp *Pickup `json:"picked_up,omitempty"` // the asker's sign that it took the answer

	// History holds every answer, counted or not, by (created_at, id), at
	// most the newest HistoryLimit of HistoryCount.
	History      []Entry `json:"history,omitempty"`
	HistoryCount int     `json:"history_count"`

	// Answerable says whether the person the view was made for may act now;
	// WhyNot says why not. Offers lists the controls.
	Answerable bool    `json:"answerable"`
	WhyNot     string  `json:"why_not,omitempty"`
	Offers     []Offer `json:"offers,omitempty"`

	// Own is the person's own answer on its way, while State is "sending";
	// WaitNote becomes NoteWaiting after WaitNoteAfter seconds.
	Own      *Entry `json:"own,omitempty"`
	WaitNote string `json:"wait_note,omitempty"`
}

// Option is one choice of a form.
type Option struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// Act says what an [Entry] is.
type Act string

// The acts that stand in a question's history.
const (
	ActAnswer  Act = "answer"  // kind 1111 to a native form
	ActApprove Act = "approve" // kind 7 "+" to an older request
	ActDeny    Act = "deny"    // kind 7 "-" to an older request
	ActReply   Act = "reply"   // kind 1111 to an older request
)

// Why is the code for an answer that does not count or did not settle.
type Why string

// The reasons of an [Entry]. An entry with no reason is the settling one.
const (
	WhySettles    Why = ""
	WhyNotAsked   Why = "not_asked"
	WhyEarly      Why = "early"
	WhyLate       Why = "late"
	WhyTags       Why = "wrong_tags"
	WhyContent    Why = "wrong_content" // wrong ids, wrong form, empty or too long
	WhyCameAfter  Why = "came_after"
	WhySuperseded Why = "superseded" // older requests: a newer reaction, or any reaction, won
	WhyDeleted    Why = "deleted"
	WhyInvalid    Why = "invalid_question"
)

// Entry is one answer in a question's history.
type Entry struct {
	ID      string   `json:"id"`
	By      string   `json:"by"` // public key
	At      int64    `json:"at"` // created_at
	Seen    int64    `json:"seen"`
	Act     Act      `json:"act"`
	Choices []Option `json:"choices,omitempty"`
	Text    string   `json:"text,omitempty"`    // the words of the answer; empty for a mere choice
	Content string   `json:"content,omitempty"` // as sent, when it could not be read as an answer
	Counts  bool     `json:"counts"`            // a valid answer, whether or not it settled
	Settles bool     `json:"settles"`
	Why     Why      `json:"why,omitempty"`
	Reason  string   `json:"reason,omitempty"` // Why in words
}

// Pickup is the asker's reaction or reply to the settling answer.
type Pickup struct {
	ID   string `json:"id"`
	By   string `json:"by"`
	At   int64  `json:"at"`
	Kind int    `json:"kind"`
	Text string `json:"text,omitempty"` // the reply, or the reaction's content
}
