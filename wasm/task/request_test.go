package task

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

// "A long task is a kind 43001 request that names the agent key in a p tag and
// carries the room in h."
func TestATaskNamesTheAgentAndTheRoom(t *testing.T) {
	h, p := nostr.Tag{"h", "lab"}, nostr.Tag{"p", agent}
	for name, c := range map[string]struct {
		tags   nostr.Tags
		agent  string
		reason string
	}{
		"both":                    {nostr.Tags{h, p}, agent, ""},
		"the first p":             {nostr.Tags{h, p, {"p", bo}}, agent, ""},
		"no agent":                {nostr.Tags{h}, "", "no agent"},
		"an agent that is no key": {nostr.Tags{h, {"p", "hermes"}, p}, "", "no agent"},
		"a key in upper case":     {nostr.Tags{h, {"p", strings.ToUpper(agent)}}, "", "no agent"},
		"no room":                 {nostr.Tags{p}, agent, "no room"},
		"tags without values":     {nostr.Tags{{"h"}, {"p"}, {}}, "", "no agent"},
	} {
		ev := event(KindRequest, ana, start, "x", c.tags...)
		r, err := Parse(ev)
		if r == nil || r.Agent != c.agent {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		if c.reason == "" && (err != nil || CheckRequest(ev) != nil) {
			t.Errorf("%s: %v", name, err)
		}
		if c.reason != "" {
			wantReason(t, err, c.reason)
			wantReason(t, CheckRequest(ev), c.reason)
			if v := fold(ev).View(start, ana); v.Reason != err.Error() || v.CanCancel || v.State != Requested {
				t.Errorf("%s: shown as %+v", name, v)
			}
		}
	}
	if _, err := Parse(event(KindResult, ana, start, "")); !errors.Is(err, ErrNotRequest) {
		t.Errorf("another kind: %v", err)
	}
	if _, err := Parse(nil); !errors.Is(err, ErrNotRequest) || CheckRequest(nil) != nil {
		t.Errorf("nothing: %v", err)
	}
}

// "Its marked root e tag names the thread."
func TestTheThreadOfATask(t *testing.T) {
	root := key("root")
	for name, c := range map[string]struct {
		tag  nostr.Tag
		want string
	}{
		"in an existing thread": {nostr.Tag{"e", root, "", "root"}, root},
		"an unmarked e":         {nostr.Tag{"e", root}, ""},
		"a reply marker":        {nostr.Tag{"e", root, "", "reply"}, ""},
	} {
		ev := request(c.tag)
		if c.want == "" {
			c.want = ev.ID // anchored at the request
		}
		if got := mustParse(t, ev).Root; got != c.want {
			t.Errorf("%s: %s", name, got)
		}
		if got := view(ev).Root; got != c.want {
			t.Errorf("%s: view has %s", name, got)
		}
	}
}

// "Every answer carries e with the request id", beside others.
func TestWhichRequestAnEventIsAbout(t *testing.T) {
	req, root, msg := key("request"), key("root"), key("message")
	e := func(id string, marker ...string) nostr.Tag {
		return append(nostr.Tag{"e", id}, append([]string{""}[:len(marker)], marker...)...)
	}
	for name, c := range map[string]struct {
		kind int
		tags nostr.Tags
		want []string
	}{
		"plain":                            {KindAccepted, nostr.Tags{e(req)}, []string{req}},
		"a result that names messages":     {KindResult, nostr.Tags{e(req), e(msg), e(key("file"))}, []string{req}},
		"root and reply":                   {KindProgress, nostr.Tags{e(root, "root"), e(req, "reply")}, []string{req}},
		"a result with root and reply":     {KindResult, nostr.Tags{e(root, "root"), e(req, "reply"), e(msg)}, []string{req, msg}},
		"root and unmarked":                {KindProgress, nostr.Tags{e(root, "root"), e(req)}, []string{req}},
		"only root":                        {KindProgress, nostr.Tags{e(req, "root")}, []string{req}},
		"a result at its own root":         {KindResult, nostr.Tags{e(req, "root"), e(msg)}, []string{msg, req}},
		"the request unmarked and as root": {KindResult, nostr.Tags{e(req), e(req, "root"), e(msg)}, []string{req}},
		"none":                             {KindResult, nostr.Tags{{"e"}, {"p", ana}}, nil},
	} {
		ev := event(c.kind, agent, start, "", c.tags...)
		if got := Names(ev); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// "!cancel: as a word of its own after leading mentions."
func TestTheCancelWord(t *testing.T) {
	for content, want := range map[string]bool{
		"!cancel":                              true,
		"  !cancel\n":                          true,
		"@agent !cancel":                       true,
		"@agent: @bo !cancel, please":          false,
		"@agent: @bo !cancel please":           true,
		"nostr:npub1qqq !cancel":               true,
		"nostr:nprofile1qqq, npub1aaa !cancel": true,
		"!cancelled":                           false,
		"!cancel.":                             false,
		"!CANCEL":                              false,
		"please !cancel":                       false,
		"do not !cancel":                       false,
		"@ !cancel":                            false,
		"nostr:note1qqq !cancel":               false,
		"@agent":                               false,
		"":                                     false,
		"!\u200bcancel":                        false,
	} {
		for kind, can := range map[int]bool{KindMessage: true, KindReply: true, 1111: false, KindRequest: false} {
			if got := IsCancelMessage(event(kind, ana, start, content)); got != (want && can) {
				t.Errorf("kind %d, %q: %v", kind, content, got)
			}
		}
	}
	if IsCancelMessage(nil) {
		t.Error("nothing asks to cancel")
	}
}
