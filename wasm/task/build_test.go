package task

import (
	"reflect"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func TestBuildRequest(t *testing.T) {
	root := key("root")
	ev, err := BuildRequest(Draft{Room: "lab", Agent: agent, Subject: "Notes", Text: "Summarize.", Root: root}, ana, start)
	if err != nil {
		t.Fatal(err)
	}
	want := nostr.Tags{{"h", "lab"}, {"p", agent}, {"e", root, "", "root"}, {"subject", "Notes"}}
	if ev.Kind != KindRequest || ev.PubKey != ana || ev.CreatedAt != start || !reflect.DeepEqual(ev.Tags, want) {
		t.Errorf("got %v", ev)
	}
	for name, c := range map[string]struct {
		draft  Draft
		reason string
	}{
		"nothing to do": {Draft{Room: "lab", Agent: agent, Text: " "}, "say what the task is"},
		"nobody to ask": {Draft{Room: "lab", Text: "x"}, "names no agent"},
		"no room":       {Draft{Agent: agent, Text: "x"}, "names no room"},
	} {
		_, err := BuildRequest(c.draft, ana, start)
		t.Log(name)
		wantReason(t, err, c.reason)
	}
	if _, err := BuildRequest(Draft{Room: "lab", Agent: agent, Subject: "Notes"}, ana, start); err != nil {
		t.Errorf("a subject alone: %v", err)
	}
}

// "Every answer carries e with the request id, p with the requester's key and h
// with the room."
func TestEveryAnswerCarriesRequestRequesterAndRoom(t *testing.T) {
	req := request(nostr.Tag{"e", key("root"), "", "root"})
	r := mustParse(t, req)
	base := nostr.Tags{{"e", req.ID}, {"p", ana}, {"h", "lab"}}
	for kind, ev := range map[int]*nostr.Event{
		KindAccepted: BuildAccepted(r, start+1),
		KindProgress: BuildProgress(r, "x", start+1),
		KindResult:   BuildResult(r, "x", "", nil, start+1),
		KindError:    BuildError(r, "x", start+1),
	} {
		if ev.Kind != kind || ev.PubKey != agent || ev.CreatedAt != start+1 || !reflect.DeepEqual(ev.Tags, base) {
			t.Errorf("%d: %v", kind, ev)
		}
		if (kind == KindAccepted) != (ev.Content == "") {
			t.Errorf("%d: content %q", kind, ev.Content)
		}
		if err := CheckEvent(req, nil, signed(ev)); err != nil {
			t.Errorf("%d: %v", kind, err)
		}
	}
	res := BuildResult(r, "Here.\nPosted a, b", key("m"), []string{key("a"), key("b")}, start+1)
	got := r.readResult(signed(res))
	if got.Full != key("m") || !reflect.DeepEqual(got.Files, []File{{key("a"), "a"}, {key("b"), "b"}}) {
		t.Errorf("the result reads as %+v", got)
	}
	cancel := signed(BuildCancel(r, start-9))
	if cancel.PubKey != ana || cancel.CreatedAt != start || !reflect.DeepEqual(cancel.Tags, nostr.Tags{{"e", req.ID}, {"p", agent}, {"h", "lab"}}) {
		t.Errorf("cancel: %v", cancel)
	}
	if v := view(req, cancel); v.State != Cancelled {
		t.Errorf("after the cancel: %q", v.State)
	}
}
