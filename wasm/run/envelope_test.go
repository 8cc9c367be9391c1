package run

import (
	"maps"
	"testing"
	"unicode/utf8"
)

func TestEnvelope(t *testing.T) {
	for _, c := range []struct {
		rule string
		kind int
		text string
		want Envelope // nil: it is text
	}{
		{"the example of the NIP for tools", KindTool,
			"event=tool|phase=start|name=web_fetch|call_id=call_123|target=https%3A%2F%2Fexample.com|ts=1771402416",
			Envelope{"event": "tool", "phase": "start", "name": "web_fetch", "call_id": "call_123", "target": "https://example.com", "ts": "1771402416"}},
		{"the example of the NIP for responses", KindResponse,
			"event=final|phase=end|text=Here%20is%20the%20answer...|finish_reason=stop|run_id=abc123|session_id=sender%3Aabc|ts=1771402425",
			Envelope{"event": "final", "phase": "end", "text": "Here is the answer...", "finish_reason": "stop", "run_id": "abc123", "session_id": "sender:abc", "ts": "1771402425"}},
		{"the example of the NIP for deltas", KindDelta,
			"event=delta|mode=thinking|status=update|phase=update|block=Looking%20up|text=Looking%20up|ts=1771402418",
			Envelope{"event": "delta", "mode": "thinking", "status": "update", "phase": "update", "block": "Looking up", "text": "Looking up", "ts": "1771402418"}},
		{"timestamp in place of ts", KindDelta, "event=delta|phase=update|text=a|timestamp=1",
			Envelope{"event": "delta", "phase": "update", "text": "a", "timestamp": "1"}},
		{"block in place of text", KindDelta, "event=block|phase=update|block=a|ts=1",
			Envelope{"event": "block", "phase": "update", "block": "a", "ts": "1"}},
		{"an error", KindError, "event=error|phase=end|code=RATE_LIMIT|text=slow%20down|ts=1",
			Envelope{"event": "error", "phase": "end", "code": "RATE_LIMIT", "text": "slow down", "ts": "1"}},
		{"a value with bad percent-encoding stays as written, whole", KindResponse, "event=final|phase=end|text=100% sure%20|ts=1",
			Envelope{"event": "final", "phase": "end", "text": "100% sure%20", "ts": "1"}},
		{"a cut escape stays as written", KindResponse, "event=final|phase=end|ts=1|text=a%2",
			Envelope{"event": "final", "phase": "end", "text": "a%2", "ts": "1"}},
		{"bytes that are no UTF-8 stay as written", KindResponse, "event=final|phase=end|ts=1|text=%ff%20",
			Envelope{"event": "final", "phase": "end", "text": "%ff%20", "ts": "1"}},
		{"a plus is a plus", KindResponse, "event=final|phase=end|ts=1|text=1+1",
			Envelope{"event": "final", "phase": "end", "text": "1+1", "ts": "1"}},
		{"an equals sign in a value", KindResponse, "event=final|phase=end|ts=1|text=a=b",
			Envelope{"event": "final", "phase": "end", "text": "a=b", "ts": "1"}},
		{"parts without a key are skipped", KindResponse, "event=final|junk|=x|phase=end|ts=1|text=a|",
			Envelope{"event": "final", "phase": "end", "text": "a", "ts": "1"}},
		{"keys are trimmed", KindResponse, "event=final| phase =end|ts=1|text=a",
			Envelope{"event": "final", "phase": "end", "text": "a", "ts": "1"}},
		{"of a key given twice the last counts", KindResponse, "event=final|phase=end|ts=1|text=a|text=b",
			Envelope{"event": "final", "phase": "end", "text": "b", "ts": "1"}},
		{"event missing", KindResponse, "phase=end|text=a|ts=1", nil},
		{"phase missing", KindResponse, "event=final|text=a|ts=1", nil},
		{"ts missing", KindResponse, "event=final|phase=end|text=a", nil},
		{"event of another kind", KindResponse, "event=delta|phase=end|text=a|ts=1", nil},
		{"block is no event of a response", KindResponse, "event=block|phase=end|text=a|ts=1", nil},
		{"an unknown event", KindDelta, "event=note|phase=update|text=a|ts=1", nil},
		{"nothing to show", KindDelta, "event=delta|phase=update|ts=1", nil},
		{"a response without text", KindResponse, "event=final|phase=end|ts=1", nil},
		{"a tool without text or name", KindTool, "event=tool|phase=start|ts=1", nil},
		{"words before the first key", KindResponse, "Like event=final|phase=end|text=a|ts=1", nil},
		{"a table before the first key", KindResponse, "|event=final|phase=end|text=a|ts=1", nil},
		{"plain words", KindResponse, "the event=mc2 of the year", nil},
		{"a status has no envelope", KindStatus, "event=delta|phase=update|text=a|ts=1", nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			got, ok := ParseEnvelope(c.kind, c.text)
			if ok != (c.want != nil) || !maps.Equal(got, c.want) {
				t.Errorf("got %v %v, want %v", got, ok, c.want)
			}
		})
	}
}

func TestEnvelopeKeysHaveCamelCaseAliases(t *testing.T) {
	e := Envelope{"runId": "camel", "call_id": "snake", "callId": "camel"}
	equal(t, "alias", e.Get("run_id"), "camel")
	equal(t, "canonical first", e.Get("call_id"), "snake")
	equal(t, "absent", e.Get("session_id"), "")
}

func TestFormatEnvelope(t *testing.T) {
	text, err := FormatEnvelope(KindTool, []EnvelopeField{
		{"event", "tool"}, {"phase", "start"}, {"name", "web_fetch"}, {"call_id", "call_123"}, {"target", "https://example.com"}, {"ts", "1771402416"}})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the example of the NIP", text, "event=tool|phase=start|name=web_fetch|call_id=call_123|target=https%3A%2F%2Fexample.com|ts=1771402416")
	base := []EnvelopeField{{"event", "tool"}, {"phase", "start"}, {"name", "a"}, {"ts", "1"}}
	for rule, fields := range map[string][]EnvelopeField{
		"keys are lowercase snake_case": append(base, EnvelopeField{"callId", "1"}),
		"keys have no other characters": append(base, EnvelopeField{"call id", "1"}),
		"a key comes once":              append(base, EnvelopeField{"name", "b"}),
		"values are UTF-8":              append(base, EnvelopeField{"text", "\xff"}),
		"event, phase and ts are there": base[:3],
		"event fits the kind":           append([]EnvelopeField{{"event", "final"}}, base[1:]...),
	} {
		if text, err := FormatEnvelope(KindTool, fields); err == nil {
			t.Errorf("%s: wrote %q", rule, text)
		}
	}
}

func FuzzParseEnvelope(f *testing.F) {
	f.Add(KindDelta, "event=delta|mode=thinking|phase=update|block=a%20b|ts=1")
	f.Add(KindResponse, "event=final|phase=end|text=100%|ts=1|=|%=%")
	f.Add(KindTool, "event=tool|phase=start|name=%e4%b8%ad|ts=1")
	f.Fuzz(func(t *testing.T, kind int, text string) {
		e, ok := ParseEnvelope(kind, text)
		if !ok {
			if e != nil {
				t.Fatal("text has keys")
			}
			return
		}
		if e["phase"] == "" || e["ts"] == "" && e["timestamp"] == "" || !contains(envelopeEvents[kind], e["event"]) {
			t.Fatalf("%q is no envelope, read as %v", text, e)
		}
	})
}

func FuzzEnvelopeRoundTrip(f *testing.F) {
	f.Add("plain", "a|b=c%20", "1")
	f.Add("", "ünïcode\n", "x")
	f.Fuzz(func(t *testing.T, text, name, ts string) {
		fields := []EnvelopeField{{"event", "tool"}, {"phase", "result"}, {"text", text}, {"name", name}, {"ts", ts}}
		written, err := FormatEnvelope(KindTool, fields)
		if err != nil {
			if utf8.ValidString(text) && utf8.ValidString(name) && utf8.ValidString(ts) && ts != "" {
				t.Fatal(err)
			}
			return
		}
		e, ok := ParseEnvelope(KindTool, written)
		if !ok || e["text"] != text || e["name"] != name || e["ts"] != ts {
			t.Fatalf("%q came back as %v", written, e)
		}
	})
}
