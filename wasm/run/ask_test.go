package run

import (
	"encoding/json"
	"strings"
	"testing"
)

func asked() Question { return Question{Client: me, Session: "session:a", Message: "Hi"} }

func infoOf() Info {
	info := DefaultInfo(bot)
	info.Event = hexOf("info")
	info.SupportedModels, info.DefaultModel = []string{"small", "large"}, "small"
	info.ToolSchemaVersion = 2
	return info
}

func TestNewPrompt(t *testing.T) {
	q := asked()
	q.Thinking, q.Model, q.Provider, q.FallbackModels = ThinkMax, "large", "p", []string{"small"}
	d, err := NewPrompt(q, infoOf(), t0)
	if err != nil {
		t.Fatal(err)
	}
	tags, _ := json.Marshal(d.Tags)
	equal(t, "tags", string(tags), `[["p","`+bot+`"],["s","session:a"],["encryption","nip44"]]`)
	equal(t, "plain", d.Plain, `{"ver":1,"message":"Hi","thinking":"max","provider":"p","model":"large","tool_schema_version":2,"fallback_models":["small"]}`)
	equal(t, "to", d.To, bot)
	ev := d.Event(me, "ciphertext")
	if _, err := ParseHead(&ev); err != nil || ev.Kind != KindPrompt || int64(ev.CreatedAt) != t0 || ev.Content != "ciphertext" {
		t.Errorf("event = %+v, %v", ev, err)
	}
	d, err = NewPrompt(Question{Client: me, Message: "Hi"}, DefaultInfo(bot), t0)
	if err != nil || d.Tags.Find("s")[1] != "sender:"+me || d.Plain != `{"ver":1,"message":"Hi"}` {
		t.Errorf("without info and session: %+v, %v", d, err)
	}
}

func TestNewPromptRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Question, *Info)
		want   Code
	}{
		{"nothing", func(*Question, *Info) {}, ""},
		{"an empty message", func(q *Question, _ *Info) { q.Message = "" }, InvalidSchema},
		{"an odd level of thinking", func(q *Question, _ *Info) { q.Thinking = "hard" }, InvalidSchema},
		{"a key that is none", func(q *Question, _ *Info) { q.Client = "npub" }, InvalidSchema},
		{"an agent that is none", func(_ *Question, i *Info) { i.Agent = "" }, InvalidSchema},
		{"a session id too long", func(q *Question, _ *Info) { q.Session = strings.Repeat("s", MaxSessionBytes+1) }, InvalidSchema},
		{"the longest session id", func(q *Question, _ *Info) { q.Session = strings.Repeat("s", MaxSessionBytes) }, ""},
		{"no common encryption", func(_ *Question, i *Info) { i.Encryption = []string{"nip99"} }, UnsupportedEncryption},
		{"an unknown model", func(q *Question, _ *Info) { q.Model = "huge" }, UnsupportedModel},
		{"a model where none is named", func(q *Question, i *Info) { q.Model = "small"; i.SupportedModels = nil }, UnsupportedModel},
		{"any model without an info", func(q *Question, i *Info) { q.Model = "huge"; *i = DefaultInfo(bot) }, ""},
	} {
		q, info := asked(), infoOf()
		c.change(&q, &info)
		_, err := NewPrompt(q, info, t0)
		equal(t, c.name, codeOf(t, err), c.want)
	}
}

func TestMaxPromptBytesCountsTheUTF8BytesOfTheJSON(t *testing.T) {
	q, info := asked(), DefaultInfo(bot)
	q.Message = "ä<\""
	info.MaxPromptBytes = int64(len(`{"ver":1,"message":"ä<\""}`))
	if _, err := NewPrompt(q, info, t0); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	info.MaxPromptBytes--
	_, err := NewPrompt(q, info, t0)
	if codeOf(t, err) != InvalidSchema || !strings.Contains(err.Error(), "shorten it by 1") {
		t.Errorf("over the limit: %v", err)
	}
}

func TestNewCancel(t *testing.T) {
	d, err := NewCancel(question, me, bot, "session:a", ReasonTimeout, t0)
	if err != nil {
		t.Fatal(err)
	}
	ev := d.Event(me, "")
	h, err := ParseHead(&ev)
	if err != nil || h.Root != question || h.Session != "session:a" || d.Plain != `{"ver":1,"reason":"timeout"}` {
		t.Errorf("cancel = %+v, %v", d, err)
	}
	if _, err := NewCancel(question, me, bot, "", "bored", t0); codeOf(t, err) != InvalidSchema {
		t.Errorf("reason: %v", err)
	}
	if _, err := NewCancel("x", me, bot, "", ReasonUser, t0); codeOf(t, err) != InvalidSchema {
		t.Errorf("prompt: %v", err)
	}
	if _, err := NewCancel(question, me, "x", "", ReasonUser, t0); codeOf(t, err) != InvalidSchema {
		t.Errorf("agent: %v", err)
	}
}

func TestFilters(t *testing.T) {
	for name, c := range map[string]struct{ got, want string }{
		"a client's subscription": {FilterRun(question, me, bot).String(), `{"kinds":[25800,25801,25803,25804,25805],"authors":["` + bot + `"],"#p":["` + me + `"],"#e":["` + question + `"]}`},
		"resume a run":            {FilterResume(question, bot).String(), `{"kinds":[25800,25801,25803,25804,25805],"authors":["` + bot + `"],"#e":["` + question + `"]}`},
		"everything of an agent":  {FilterAnswers(me, bot).String(), `{"kinds":[25800,25801,25803,25804,25805],"authors":["` + bot + `"],"#p":["` + me + `"]}`},
		"recovery":                {FilterRecovery(me, bot).String(), `{"kinds":[25802,25806],"authors":["` + me + `"],"#p":["` + bot + `"]}`},
		"info":                    {FilterInfo(bot).String(), `{"kinds":[31340],"authors":["` + bot + `"]}`},
		"an agent's prompts":      {FilterPrompts(bot).String(), `{"kinds":[25802,25806],"#p":["` + bot + `"]}`},
		"all wraps":               {FilterWraps(me, 0).String(), `{"kinds":[1059,21059],"#p":["` + me + `"]}`},
		"wraps lie two days back": {FilterWraps(me, 1_000_000).String(), `{"kinds":[1059,21059],"since":827200,"#p":["` + me + `"]}`},
	} {
		var got, want any
		if json.Unmarshal([]byte(c.got), &got) != nil || json.Unmarshal([]byte(c.want), &want) != nil {
			t.Fatal("no JSON")
		}
		if a, b := encode(got), encode(want); a != b {
			t.Errorf("%s = %s, want %s", name, a, b)
		}
	}
}
