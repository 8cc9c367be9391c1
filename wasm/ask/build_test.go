package ask

import (
	"reflect"
	"strconv"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func TestBuildRequestMakesAValidForm(t *testing.T) {
	ev, err := BuildRequest(Draft{
		Room: "games", Root: "aa11", Text: "Shall the game go on?", Subject: "Game",
		Asked: []string{ana, bo}, Mention: []string{bo}, Selection: Single,
		Options:  []Option{{"continue", "Continue playing"}, {"", "Stop here"}},
		Freeform: true, Expires: start + 60,
	}, agent, start)
	if err != nil {
		t.Fatal(err)
	}
	want := nostr.Tags{
		{"h", "games"}, {"e", "aa11", "", "root"}, {"p", ana}, {"p", bo}, {"mention", bo},
		{"request", "question"}, {"tinyagent", "1"}, {"interaction", "question"}, {"selection", "single"},
		{"option", "continue", "Continue playing"}, {"option", "o2", "Stop here"},
		{"freeform", "true"}, {"subject", "Game"}, {"expiration", strconv.Itoa(start + 60)},
	}
	if ev.Kind != KindMessage || ev.PubKey != agent || ev.CreatedAt != start || !reflect.DeepEqual(ev.Tags, want) {
		t.Errorf("got %v", ev)
	}
	if got := Notify(mustParse(t, ev)); !reflect.DeepEqual(got, []string{bo}) {
		t.Errorf("notifies %v", got)
	}
}

func TestBuildRequestSaysWhatToChange(t *testing.T) {
	good := Draft{Room: "r", Text: "?", Asked: []string{ana}, Selection: Text}
	for name, c := range map[string]struct {
		change func(*Draft)
		reason string
	}{
		"no text":       {func(d *Draft) { d.Text = " " }, "write the question"},
		"nobody asked":  {func(d *Draft) { d.Asked = nil }, "asks nobody"},
		"only myself":   {func(d *Draft) { d.Asked = []string{agent} }, "asks nobody"},
		"no options":    {func(d *Draft) { d.Selection = Single }, "no options"},
		"deadline over": {func(d *Draft) { d.Expires = start }, "not after"},
		"equal options": {func(d *Draft) { d.Selection, d.Options = Single, []Option{{"", "A"}, {"", "A"}} }, "repeated"},
		"freeform approval": {func(d *Draft) {
			d.Interaction, d.Selection, d.Options, d.Freeform = Approval, Single, []Option{{"", "A"}}, true
		}, "cannot be freeform"},
	} {
		t.Run(name, func(t *testing.T) {
			d := good
			c.change(&d)
			_, err := BuildRequest(d, agent, start)
			wantReason(t, err, c.reason)
		})
	}
	if _, err := BuildRequest(good, agent, start); err != nil {
		t.Error(err)
	}
}

func TestBuildAnswerCarriesTheTagsThatCount(t *testing.T) {
	req := form(freeform)
	r := mustParse(t, req)
	ev, err := BuildAnswer(r, Answer{[]string{"stop"}, "Tired."}, ana, "wss://relay.example", start+5)
	if err != nil {
		t.Fatal(err)
	}
	want := nostr.Tags{
		{"E", req.ID, "wss://relay.example", agent}, {"K", "9"}, {"P", agent},
		{"e", req.ID, "wss://relay.example", agent}, {"k", "9"}, {"p", agent}, {"h", "games"},
	}
	if ev.Kind != KindComment || ev.PubKey != ana || ev.CreatedAt != start+5 || !reflect.DeepEqual(ev.Tags, want) {
		t.Errorf("got %v", ev)
	}
	if _, fault := ValidateAnswer(r, ev); fault != nil {
		t.Error(fault)
	}
	if slow, err := BuildAnswer(r, Answer{Choices: []string{"stop"}}, ana, "", start-40); err != nil || slow.CreatedAt != start {
		t.Errorf("with a slow clock: %v, %v", slow, err)
	}
}

func TestBuildAnswerRefusesWhatWouldNotCount(t *testing.T) {
	stop := Answer{Choices: []string{"stop"}}
	late := mustParse(t, form(put("expiration", strconv.Itoa(start+60))))
	_, err := BuildAnswer(late, stop, ana, "", start+60)
	wantReason(t, err, "deadline")
	_, err = BuildAnswer(mustParse(t, form()), stop, eve, "", start)
	wantReason(t, err, "not among the people asked")
	_, err = BuildAnswer(mustParse(t, older("approve")), stop, ana, "", start)
	wantReason(t, err, "older request")
	bad, _ := Parse(form(drop("h")))
	_, err = BuildAnswer(bad, stop, ana, "", start)
	wantReason(t, err, NoteInvalid)
}

// "Approve and Deny publish kind 7 + and -; a reply is kind 1111."
func TestAnswersToOlderRequests(t *testing.T) {
	req := older("approve")
	r := mustParse(t, req)
	for approve, content := range map[bool]string{true: "+", false: "-"} {
		ev, err := BuildReaction(r, approve, ana, "", start+1)
		if err != nil {
			t.Fatal(err)
		}
		want := nostr.Tags{{"e", req.ID, "", agent}, {"p", agent}, {"k", "9"}, {"h", "games"}}
		if ev.Kind != KindReaction || ev.Content != content || !reflect.DeepEqual(ev.Tags, want) {
			t.Errorf("got %v", ev)
		}
	}
	ev, err := BuildReply(r, "Not today.", ana, "", start+1)
	if err != nil || ev.Kind != KindComment || ev.Content != "Not today." || r.wrongTags(ev) != "" {
		t.Errorf("got %v, %v", ev, err)
	}
	_, err = BuildReply(r, " ", ana, "", start)
	wantReason(t, err, "empty")
	_, err = BuildReply(mustParse(t, form()), "x", ana, "", start)
	wantReason(t, err, "has a form")
	_, err = BuildReaction(mustParse(t, older("question")), true, ana, "", start)
	wantReason(t, err, "not one to approve")
	_, err = BuildReaction(r, true, eve, "", start)
	wantReason(t, err, "not among")
}

func TestAReplyToARequestThatIsACommentKeepsItsRoot(t *testing.T) {
	root := key("article")
	req := older("question", kind(KindComment), put("E", root, "", eve), put("K", "30023"), put("P", eve), put("e", root))
	ev, err := BuildReply(mustParse(t, req), "Yes.", ana, "", start)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"E": root, "K": "30023", "P": eve, "e": req.ID, "k": "1111", "p": agent, "h": "games"} {
		if got := values(ev.Tags, name); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v, want %s", name, got, want)
		}
	}
	if v := fold(req, signed(ev)).View(start, ana); v.Outcome != OutcomeReplied {
		t.Errorf("outcome %q", v.Outcome)
	}
}

func TestBuildWithdrawal(t *testing.T) {
	req := form()
	ev := signed(BuildWithdrawal(req, start+9))
	if v := fold(req, ev).View(start+9, ana); v.State != Withdrawn || first(ev.Tags, "h") != "games" || first(ev.Tags, "k") != "9" {
		t.Errorf("state %q, tags %v", v.State, ev.Tags)
	}
}

// signed gives a built event the id that signing would.
func signed(ev *nostr.Event) *nostr.Event {
	ev.ID = ev.GetID()
	return ev
}
