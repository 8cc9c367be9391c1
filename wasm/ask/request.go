package ask

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/nbd-wtf/go-nostr"
)

// The event kinds of requests and answers.
const (
	KindDeletion = 5  // NIP-09
	KindReaction = 7  // NIP-25
	KindMessage  = 9  // NIP-C7, a room's message
	KindThread   = 11 // NIP-7D
	KindReply    = 12 // a thread's reply in Tiny and Buzz rooms
	KindComment  = 1111
)

// Limits of a native form, in Unicode code points where they count characters.
const (
	MaxOptions     = 12
	MaxOptionID    = 64
	MaxOptionLabel = 200
)

// version is the one version of native forms that this package speaks.
const version = "1"

// Interaction says what a native form is.
type Interaction string

// The interactions. Approval and confirmation are single selections with
// options and never freeform.
const (
	Question     Interaction = "question"
	Approval     Interaction = "approval"
	Confirmation Interaction = "confirmation"
)

// Selection says what an answer to a native form consists of.
type Selection string

// The selections.
const (
	Single   Selection = "single"
	Multiple Selection = "multiple"
	Text     Selection = "text"
)

// The values of the request tag.
const (
	RequestQuestion = "question"
	RequestApprove  = "approve"
	RequestDecide   = "decide"
)

// Request is a parsed request, native or older.
type Request struct {
	Event *nostr.Event
	Form  Form // Native or Older

	Room        string // the h tag
	Request     string // the request tag: question, approve or decide
	Interaction Interaction
	Selection   Selection
	Options     []Option
	Freeform    bool // a text may accompany the options
	Subject     string
	Expires     int64    // 0 when there is no deadline
	Asked       []string // the p tags other than the author's, each once, in order
	Mentioned   []string // those of Asked that a mention tag names too

	// Invalid says what is wrong with a native form, in words that complete
	// "This question is not valid:". It is empty for a valid one.
	Invalid string

	asked map[string]bool
}

// ErrNotRequest is what [Parse] returns for an event that is no request in a
// form this package knows.
var ErrNotRequest = errors.New("this event is not a question")

// Classify says which form of request an event has. A native form is kind 9
// with ["tinyagent", "1"], valid or not. Another version, or the native tags
// on a kind that cannot carry them, is OtherVersion: an ordinary message with
// the note that [VersionNote] gives.
func Classify(ev *nostr.Event) Form {
	if ev == nil {
		return NotRequest
	}
	versions, request := values(ev.Tags, "tinyagent"), first(ev.Tags, "request")
	switch {
	case len(versions) > 0 && ev.Kind == KindMessage:
		if slices.Contains(versions, version) {
			return Native
		}
		return OtherVersion
	case len(versions) > 0 && request != "" && carriesOlder(ev.Kind):
		return OtherVersion
	case len(versions) == 0 && carriesOlder(ev.Kind) && knownRequest(request):
		return Older
	}
	return NotRequest
}

// VersionNote is the note shown on a message that [Classify] calls
// OtherVersion, empty on any other.
func VersionNote(ev *nostr.Event) string {
	if Classify(ev) != OtherVersion {
		return ""
	}
	if slices.Contains(values(ev.Tags, "tinyagent"), version) {
		return "This is a question form on a kind of message that cannot carry one"
	}
	return "This is a question form of another version, which cannot be answered here"
}

// Parse reads a request. For an event that is no request the error is
// [ErrNotRequest] and the request nil. For an invalid native form the error
// says what is wrong with it, and the request holds what could be read, so
// that it can still be shown. The request keeps ev; it does not change it.
func Parse(ev *nostr.Event) (*Request, error) {
	form := Classify(ev)
	if form != Native && form != Older {
		return nil, ErrNotRequest
	}
	r := &Request{
		Event:   ev,
		Form:    form,
		Room:    first(ev.Tags, "h"),
		Request: first(ev.Tags, "request"),
		Subject: first(ev.Tags, "subject"),
	}
	r.Asked, r.asked = asked(ev)
	r.Mentioned = mentioned(ev, r.Asked)
	deadline, badDeadline := expiration(ev)
	r.Expires = deadline
	if form == Older {
		// An older request has no rules to break: a deadline that makes no
		// sense is no deadline.
		return r, nil
	}
	r.Interaction = Interaction(first(ev.Tags, "interaction"))
	r.Selection = Selection(first(ev.Tags, "selection"))
	r.Options = options(ev.Tags)
	r.Freeform = first(ev.Tags, "freeform") == "true" && r.Selection != Text
	err := r.validate()
	if err == nil {
		err = badDeadline
	}
	if err != nil {
		r.Invalid = err.Error()
	}
	return r, err
}

// asks says whether a key may answer.
func (r *Request) asks(key string) bool { return r.asked[key] }

// Notify returns the people whose devices a request may wake: those asked who
// are also named by a mention tag, in the order of the p tags.
func Notify(r *Request) []string {
	if r == nil {
		return nil
	}
	return slices.Clone(r.Mentioned)
}

// validate applies every rule of native forms but that on expiration, and
// returns the first that is broken.
func (r *Request) validate() error {
	tags := r.Event.Tags
	for _, name := range []string{"tinyagent", "interaction", "selection", "freeform", "expiration"} {
		if len(values(tags, name)) > 1 {
			return fmt.Errorf("it has more than one %s tag", name)
		}
	}
	if r.Room == "" {
		return errors.New("it names no room (h tag)")
	}
	if len(r.Asked) == 0 {
		return errors.New("it asks nobody (p tag other than its author's)")
	}
	for _, v := range values(tags, "request") {
		if !knownRequest(v) {
			return fmt.Errorf("its request %q is unknown", v)
		}
	}
	if r.Request == "" {
		return errors.New("it has no request tag")
	}
	switch r.Selection {
	case Single, Multiple, Text:
	case "":
		return errors.New("it has no selection tag")
	default:
		return fmt.Errorf("its selection %q is unknown", string(r.Selection))
	}
	if err := r.validateInteraction(); err != nil {
		return err
	}
	return r.validateOptions()
}

func (r *Request) validateInteraction() error {
	switch r.Interaction {
	case Question:
		return nil
	case Approval, Confirmation:
		if r.Selection != Single {
			return fmt.Errorf("its interaction %s needs the selection single", r.Interaction)
		}
		if r.Freeform {
			return fmt.Errorf("its interaction %s cannot be freeform", r.Interaction)
		}
		return nil
	case "":
		return errors.New("it has no interaction tag")
	default:
		return fmt.Errorf("its interaction %q is unknown", string(r.Interaction))
	}
}

func (r *Request) validateOptions() error {
	if r.Selection == Text {
		if len(r.Options) > 0 {
			return errors.New("it asks for a text and also has options")
		}
		return nil
	}
	if len(r.Options) == 0 {
		return fmt.Errorf("its selection %s has no options", r.Selection)
	}
	if len(r.Options) > MaxOptions {
		return fmt.Errorf("it has %d options, at most %d are allowed", len(r.Options), MaxOptions)
	}
	ids, labels := map[string]bool{}, map[string]bool{}
	for i, o := range r.Options {
		switch {
		case !within(o.ID, MaxOptionID):
			return fmt.Errorf("the id of option %d must have 1 to %d characters", i+1, MaxOptionID)
		case !within(o.Label, MaxOptionLabel):
			return fmt.Errorf("the label of option %d must have 1 to %d characters", i+1, MaxOptionLabel)
		case ids[o.ID]:
			return fmt.Errorf("the option id %q is repeated", o.ID)
		case labels[o.Label]:
			return fmt.Errorf("the option label %q is repeated", o.Label)
		}
		ids[o.ID], labels[o.Label] = true, true
	}
	return nil
}

// option returns the option with an id.
func (r *Request) option(id string) (Option, bool) {
	i := slices.IndexFunc(r.Options, func(o Option) bool { return o.ID == id })
	if i < 0 {
		return Option{}, false
	}
	return r.Options[i], true
}

// expiration reads the answering deadline: 0 when there is none, an error when
// it is no whole number of seconds or not after created_at.
func expiration(ev *nostr.Event) (int64, error) {
	all := values(ev.Tags, "expiration")
	if len(all) == 0 {
		return 0, nil
	}
	at, err := strconv.ParseUint(all[0], 10, 63)
	if err != nil {
		return 0, fmt.Errorf("its expiration %q is not a whole number of seconds", all[0])
	}
	if int64(at) <= int64(ev.CreatedAt) {
		return 0, errors.New("its expiration is not after the time it was written")
	}
	return int64(at), nil
}

func options(tags nostr.Tags) []Option {
	var out []Option
	for _, t := range tags {
		if len(t) > 0 && t[0] == "option" {
			out = append(out, Option{ID: part(t, 1), Label: part(t, 2)})
		}
	}
	return out
}

// asked collects the keys asked, as a list and as a set.
func asked(ev *nostr.Event) ([]string, map[string]bool) {
	var list []string
	set := map[string]bool{}
	for _, key := range values(ev.Tags, "p") {
		if isHex64(key) && key != ev.PubKey && !set[key] {
			set[key] = true
			list = append(list, key)
		}
	}
	return list, set
}

func mentioned(ev *nostr.Event, asked []string) []string {
	named := map[string]bool{}
	for _, key := range values(ev.Tags, "mention") {
		named[key] = true
	}
	var out []string
	for _, key := range asked {
		if named[key] {
			out = append(out, key)
		}
	}
	return out
}

func carriesOlder(kind int) bool {
	return kind == KindMessage || kind == KindThread || kind == KindReply || kind == KindComment
}

func knownRequest(v string) bool {
	return v == RequestQuestion || v == RequestApprove || v == RequestDecide
}

// within says whether s has 1 to limit characters (code points).
func within(s string, limit int) bool {
	return s != "" && utf8.RuneCountInString(s) <= limit
}
