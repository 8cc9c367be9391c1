package ask

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// "What makes a native form: tinyagent = "1" on kind 9. Another version: an
// ordinary message with a note." and the row on older requests.
func TestWhatMakesANativeForm(t *testing.T) {
	for name, c := range map[string]struct {
		ev   *nostr.Event
		want Form
	}{
		"tinyagent 1 on kind 9":                    {form(), Native},
		"invalid, but still native":                {form(drop("p"), drop("request")), Native},
		"two versions, one of them 1":              {form(put("tinyagent", "2")), Native},
		"another version":                          {form(set("tinyagent", "2")), OtherVersion},
		"another version of anything":              {form(set("tinyagent", "2"), drop("request")), OtherVersion},
		"tinyagent without a value":                {form(set("tinyagent")), OtherVersion},
		"tinyagent 1 in a thread":                  {form(kind(KindReply)), OtherVersion},
		"a comment that happens to name tinyagent": {event(KindComment, ana, start, "x", nostr.Tag{"tinyagent", "1"}), NotRequest},
		"tinyagent on kind 1":                      {form(kind(1)), NotRequest},
		"older approve":                            {older("approve"), Older},
		"older decide":                             {older("decide"), Older},
		"older question":                           {older("question"), Older},
		"older on kind 11":                         {older("approve", kind(11)), Older},
		"older on kind 12":                         {older("approve", kind(12)), Older},
		"older on kind 1111":                       {older("approve", kind(1111)), Older},
		"older on kind 1":                          {older("approve", kind(1)), NotRequest},
		"an unknown older request":                 {older("poll"), NotRequest},
		"a plain message":                          {event(KindMessage, ana, start, "hi"), NotRequest},
		"nothing":                                  {nil, NotRequest},
	} {
		if got := Classify(c.ev); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if note := VersionNote(c.ev); (note != "") != (c.want == OtherVersion) {
			t.Errorf("%s: note %q", name, note)
		}
		_, err := Parse(c.ev)
		if isRequest := !errors.Is(err, ErrNotRequest); isRequest != (c.want == Native || c.want == Older) {
			t.Errorf("%s: Parse says %v", name, err)
		}
	}
}

func TestParseReadsTheForm(t *testing.T) {
	ev := form(put("subject", "Game"), put("mention", bo), put("mention", eve), put("freeform", "true"), put("expiration", "1800000060"))
	r := mustParse(t, ev)
	want := Request{
		Event: ev, Form: Native, Room: "games", Request: "question",
		Interaction: Question, Selection: Single, Freeform: true, Subject: "Game", Expires: start + 60,
		Options: []Option{{"continue", "Continue playing"}, {"stop", "Stop here"}},
		Asked:   []string{ana, bo}, Mentioned: []string{bo},
		asked: map[string]bool{ana: true, bo: true},
	}
	if !reflect.DeepEqual(*r, want) {
		t.Errorf("got %+v\nwant %+v", *r, want)
	}
}

// The row "What is invalid", each clause, with the other side of each limit.
func TestWhatIsInvalid(t *testing.T) {
	x := func(n int) string { return strings.Repeat("é", n) } // two bytes, one code point
	for name, c := range map[string]struct {
		change func(*nostr.Event)
		reason string // empty: valid
	}{
		"an empty tag":                                {put(), ""},
		"as in the specification":                     {all(), ""},
		"no h":                                        {drop("h"), "no room"},
		"empty h":                                     {set("h", ""), "no room"},
		"no p":                                        {drop("p"), "asks nobody"},
		"no p other than the author's":                {set("p", agent), "asks nobody"},
		"a p that is no key":                          {set("p", "ana"), "asks nobody"},
		"a p in upper case":                           {set("p", strings.ToUpper(ana)), "asks nobody"},
		"the author's p beside another":               {put("p", agent), ""},
		"missing request":                             {drop("request"), "no request"},
		"request without a value":                     {set("request"), "unknown"},
		"unknown request":                             {set("request", "poll"), `"poll" is unknown`},
		"an unknown request beside a known one":       {put("request", "poll"), `"poll" is unknown`},
		"request approve":                             {set("request", "approve"), ""},
		"missing selection":                           {drop("selection"), "no selection"},
		"unknown selection":                           {set("selection", "many"), `"many" is unknown`},
		"options with text":                           {set("selection", "text"), "also has options"},
		"text without options":                        {all(set("selection", "text"), drop("option")), ""},
		"none with single":                            {drop("option"), "no options"},
		"none with multiple":                          {all(set("selection", "multiple"), drop("option")), "no options"},
		"one option":                                  {numbered(1), ""},
		"twelve options":                              {numbered(12), ""},
		"thirteen options":                            {numbered(13), "at most 12"},
		"an option without label":                     {put("option", "wait"), "label of option 3"},
		"an option without id":                        {put("option"), "id of option 3"},
		"an empty id":                                 {put("option", "", "Wait"), "id of option 3"},
		"an empty label":                              {put("option", "wait", ""), "label of option 3"},
		"an id of 64 characters":                      {put("option", x(64), "Wait"), ""},
		"an id of 65 characters":                      {put("option", x(65), "Wait"), "1 to 64"},
		"a label of 200 characters":                   {put("option", "wait", x(200)), ""},
		"a label of 201 characters":                   {put("option", "wait", x(201)), "1 to 200"},
		"a repeated id":                               {put("option", "stop", "Wait"), "id \"stop\" is repeated"},
		"a repeated label":                            {put("option", "wait", "Stop here"), "label \"Stop here\" is repeated"},
		"more than one selection":                     {put("selection", "single"), "more than one selection"},
		"more than one interaction":                   {put("interaction", "question"), "more than one interaction"},
		"more than one tinyagent":                     {put("tinyagent", "1"), "more than one tinyagent"},
		"more than one freeform":                      {all(put("freeform", "true"), put("freeform", "true")), "more than one freeform"},
		"more than one expiration":                    {all(put("expiration", "1800000001"), put("expiration", "1800000002")), "more than one expiration"},
		"an expiration that is no integer":            {put("expiration", "soon"), "whole number"},
		"an expiration with a fraction":               {put("expiration", "1800000001.5"), "whole number"},
		"an expiration with a sign":                   {put("expiration", "+1800000001"), "whole number"},
		"an expiration without a value":               {put("expiration"), "whole number"},
		"an expiration beyond every clock":            {put("expiration", "9223372036854775808"), "whole number"},
		"an expiration not after created_at":          {put("expiration", "1800000000"), "not after"},
		"an expiration a second after created_at":     {put("expiration", "1800000001"), ""},
		"no interaction":                              {drop("interaction"), "no interaction"},
		"any other interaction":                       {set("interaction", "vote"), `"vote" is unknown`},
		"approval":                                    {set("interaction", "approval"), ""},
		"confirmation":                                {set("interaction", "confirmation"), ""},
		"approval with multiple":                      {all(set("interaction", "approval"), set("selection", "multiple")), "needs the selection single"},
		"confirmation with text":                      {all(set("interaction", "confirmation"), set("selection", "text"), drop("option")), "needs the selection single"},
		"approval without options":                    {all(set("interaction", "approval"), drop("option")), "no options"},
		"freeform approval":                           {all(set("interaction", "approval"), put("freeform", "true")), "cannot be freeform"},
		"freeform other than true is not freeform":    {all(set("interaction", "approval"), put("freeform", "yes")), ""},
		"freeform true with a text selection is moot": {all(set("selection", "text"), drop("option"), put("freeform", "true")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Parse(form(c.change))
			if r == nil {
				t.Fatal("not even a request")
			}
			if c.reason == "" {
				if err != nil || r.Invalid != "" {
					t.Errorf("invalid: %v", err)
				}
				return
			}
			wantReason(t, err, c.reason)
			v := fold(form(c.change)).View(start, ana)
			if v.State != Invalid || v.Note != NoteInvalid || v.Answerable || v.Reason != err.Error() {
				t.Errorf("shown as %q, note %q, reason %q, answerable %v", v.State, v.Note, v.Reason, v.Answerable)
			}
		})
	}
}

func TestFreeformOtherThanTrueIsNotFreeform(t *testing.T) {
	for value, want := range map[string]bool{"true": true, "false": false, "True": false, "1": false, "": false} {
		if r := mustParse(t, form(put("freeform", value))); r.Freeform != want {
			t.Errorf("freeform %q: got %v", value, r.Freeform)
		}
	}
}

// "The p tags identify the people who may answer. Native notifications are sent
// only to asked people also named by a mention tag."
func TestOnlyAskedPeopleAlsoNamedByMentionAreNotified(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*nostr.Event)
		want   []string
	}{
		"asked only":            {all(), nil},
		"asked and mentioned":   {put("mention", bo), []string{bo}},
		"mentioned only":        {put("mention", eve), nil},
		"both, in order of p":   {all(put("mention", bo), put("mention", ana)), []string{ana, bo}},
		"mentioned twice":       {all(put("mention", bo), put("mention", bo)), []string{bo}},
		"the asker, mentioned":  {all(put("p", agent), put("mention", agent)), nil},
		"asked twice":           {all(put("p", ana), put("mention", ana)), []string{ana}},
		"a mention with no key": {put("mention"), nil},
	} {
		if got := Notify(mustParse(t, form(c.change))); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	if Notify(nil) != nil {
		t.Error("nothing asks somebody")
	}
}

func TestAnOlderRequestWithADeadlineThatMakesNoSenseHasNone(t *testing.T) {
	for value, want := range map[string]int64{"1800000060": start + 60, "soon": 0, "1": 0} {
		if r := mustParse(t, older("approve", put("expiration", value))); r.Expires != want {
			t.Errorf("expiration %q: got %d, want %d", value, r.Expires, want)
		}
	}
}
