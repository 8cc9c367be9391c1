package relay

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nbd-wtf/go-nostr"
)

func TestParse(t *testing.T) {
	ev := note(1, 5)
	ev.Content = "a \"quoted\" ] [ \\ \n é \u2028 🙂 <b>"
	raw := ev.String()
	for frame, want := range map[string]message{
		`["EVENT","s",` + raw + `]`:                  {label: msgEvent, id: "s", raw: raw},
		" [ \"EVENT\" ,\n\"s\" , " + raw + " ] \r\n": {label: msgEvent, id: "s", raw: raw},
		`["EVENT","\u0073\"",` + raw + `]`:           {label: msgEvent, id: `s"`, raw: raw},
		`["EOSE","s"]`:                               {label: msgEOSE, id: "s"},
		`["EOSE","s","more"]`:                        {label: msgEOSE, id: "s"},
		`["CLOSED","s","error: x"]`:                  {label: msgClosed, id: "s", text: "error: x"},
		`["CLOSED","s"]`:                             {label: msgClosed, id: "s"},
		`["OK","e",true,""]`:                         {label: msgOK, id: "e", ok: true},
		`["OK","e",false,"pow: more"]`:               {label: msgOK, id: "e", text: "pow: more"},
		`["OK","e",true]`:                            {label: msgOK, id: "e", ok: true},
		`["NOTICE","hello"]`:                         {label: msgNotice, text: "hello"},
		`["AUTH","c"]`:                               {label: msgAuth, text: "c"},
	} {
		got, ok := parse(frame)
		if !ok {
			t.Errorf("%s was not understood", frame)
			continue
		}
		if want.label == msgEvent && got.event.String() != raw {
			t.Errorf("%s became event %s", frame, got.event)
		}
		got.event = nil
		if got != want {
			t.Errorf("%s became %+v, want %+v", frame, got, want)
		}
	}
}

func TestWrittenFramesAreReadBack(t *testing.T) {
	ev := note(1, 5)
	ev.Content = "<a href=\"x\">&</a> \u2028\x01"
	frame, err := eventFrame(msgEvent, ev)
	must(t, err)
	var parts []json.RawMessage
	var back nostr.Event
	must(t, json.Unmarshal([]byte(frame), &parts))
	must(t, json.Unmarshal(parts[1], &back))
	if back.String() != ev.String() || strings.Contains(frame, `\u003c`) {
		t.Fatalf("wrote %s", frame)
	}
	at := nostr.Timestamp(7)
	frame, err = reqFrame("id:1", []nostr.Filter{{Kinds: []int{9}, Since: &at, Tags: nostr.TagMap{"h": {"a\"b"}}}, {LimitZero: true}})
	must(t, err)
	if want := `["REQ","id:1",{"kinds":[9],"since":7,"#h":["a\"b"]},{"limit":0}]`; frame != want {
		t.Fatalf("wrote %s, want %s", frame, want)
	}
}

func TestSeenRemembersTheLastMaxSeenIDs(t *testing.T) {
	var s seen
	id := func(n int) string { return fmt.Sprintf("%064x", n) }
	for i := range MaxSeen {
		if !s.add(id(i)) {
			t.Fatal("a new id was known")
		}
	}
	if s.add(id(0)) {
		t.Fatal("the oldest of MaxSeen was forgotten")
	}
	if !s.add(id(MaxSeen)) || !s.add(id(0)) {
		t.Fatal("more than MaxSeen are remembered")
	}
	if s.add(id(2)) || len(s.known) != MaxSeen || len(s.order) != MaxSeen {
		t.Fatalf("%d and %d are remembered", len(s.known), len(s.order))
	}
}
