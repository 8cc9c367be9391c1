package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func toolJSON(name string, at int64, rest string) Input {
	return input(KindTool, name, at, `{"ver":1,`+rest+`}`)
}

// rows draws the tool rows as name:phase, with the call id when there is one.
func rows(v View) string {
	var out []string
	for _, r := range v.Tools {
		s := r.Name + ":" + r.Phase
		if r.CallID != "" {
			s += "#" + r.CallID
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestToolPairing(t *testing.T) {
	for _, c := range []struct {
		name   string
		inputs []Input
		want   string
	}{
		{"a start", []Input{tool("a", t0+1, "start")}, "a:start"},
		{"start and result", []Input{tool("a", t0+1, "start"), tool("a", t0+2, "result")}, "a:result"},
		{"a result alone", []Input{tool("a", t0+1, "result")}, "a:result"},
		{"a result beats a start within a second", []Input{tool("a", t0+1, "result"), tool("a", t0+1, "start")}, "a:result"},
		{"a result from before its start is another call", []Input{tool("a", t0+1, "result"), tool("a", t0+2, "start")}, "a:result a:start"},
		{"by name", []Input{tool("a", t0+1, "start"), tool("b", t0+2, "start"), tool("b", t0+3, "result")}, "a:start b:result"},
		{"by order", []Input{tool("a", t0+1, "start"), tool("a", t0+2, "start"), tool("a", t0+3, "result")}, "a:result a:start"},
		{"one after the other", []Input{tool("a", t0+1, "start"), tool("a", t0+2, "result"), tool("a", t0+3, "start"), tool("a", t0+4, "result")}, "a:result a:result"},
		{"by call id", []Input{
			toolJSON("1", t0+1, `"name":"a","phase":"start","call_id":"1"`), toolJSON("2", t0+2, `"name":"a","phase":"start","call_id":"2"`),
			toolJSON("3", t0+3, `"name":"a","phase":"result","call_id":"2"`)}, "a:start#1 a:result#2"},
		{"by call id, whatever the clocks say", []Input{
			toolJSON("1", t0+9, `"name":"a","phase":"start","callId":"1"`), toolJSON("2", t0+2, `"name":"a","phase":"result","call_id":"1"`)}, "a:result#1"},
		{"a start without id, its result with one", []Input{
			tool("a", t0+1, "start"), toolJSON("2", t0+2, `"name":"a","phase":"result","call_id":"7"`)}, "a:result#7"},
		{"a start with id, its result without", []Input{
			toolJSON("1", t0+1, `"name":"a","phase":"start","call_id":"7"`), tool("a", t0+2, "result")}, "a:result#7"},
		{"results of other ids leave a start alone", []Input{
			toolJSON("1", t0+1, `"name":"a","phase":"start","call_id":"7"`), toolJSON("2", t0+2, `"name":"a","phase":"result","call_id":"8"`)}, "a:start#7 a:result#8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			slices.Reverse(c.inputs)
			equal(t, "rows", rows(viewOf(append(c.inputs, prompt())...)), c.want)
		})
	}
}

func TestToolRowHasWhatBothEventsSay(t *testing.T) {
	v := viewOf(prompt(),
		toolJSON("1", t0+1, `"name":"calculator","phase":"start","arguments":{"expr": "12 * 7"}`),
		toolJSON("2", t0+2, `"name":"calculator","phase":"result","output":{"stdout":"84","stderr":"warm","exit_code":0},"success":true,"duration_ms":120`))
	row := v.Tools[0]
	equal(t, "key", row.Key, hexOf("1"))
	equal(t, "arguments", row.Arguments, `{"expr": "12 * 7"}`)
	equal(t, "output", row.OutputText, "84\nwarm")
	equal(t, "success", *row.Success, true)
	equal(t, "duration", *row.DurationMS, 120)
	equal(t, "started", row.Started, t0+1)
	equal(t, "ended", row.Ended, t0+2)
}

func TestToolSchemasOfTheInfoLabelRows(t *testing.T) {
	info := DefaultInfo(bot)
	info.ToolNames = []string{"rm"}
	info.ToolSchemas = map[string]ToolSchema{"rm": {RequiresApproval: true}}
	r := fold(prompt(), tool("rm", t0+1, "start"))
	row := r.View(At{Info: &info}).Tools[0]
	equal(t, "advertised", row.Advertised, true)
	equal(t, "requires approval", row.RequiresApproval, true)
	row = r.View(At{}).Tools[0]
	equal(t, "advertised without info", row.Advertised, false)
}

func TestToolLimits(t *testing.T) {
	for _, n := range []int{MaxToolRows, MaxToolRows + 1} {
		r := fold(prompt())
		for i := range n {
			r.Add(tool(fmt.Sprint(i), t0+int64(i), "start"))
		}
		v := r.View(At{})
		equal(t, "rows", len(v.Tools), MaxToolRows)
		equal(t, "hidden", v.ToolsHidden, n-MaxToolRows)
		equal(t, "the newest is shown", v.Tools[MaxToolRows-1].Name, fmt.Sprint(n-1))
		equal(t, "note", slices.Contains(v.Notes, NoteToolsCut), n > MaxToolRows)
	}
	for _, n := range []int{MaxToolEvents, MaxToolEvents + 1} {
		r := fold(prompt())
		for i := range n {
			r.Add(tool("a", t0+int64(n-i), []string{PhaseStart, PhaseResult}[i%2]))
		}
		equal(t, "events", len(r.calls.events), MaxToolEvents)
		equal(t, "over", r.calls.over, n-MaxToolEvents)
		equal(t, "the earliest stay", r.calls.events[0].at, t0+1)
	}
}

// A run that has ended takes no more tool calls: clients ignore ai.tool_call for
// runs already in a terminal state.
func TestToolEventsAfterTheEndAreIgnored(t *testing.T) {
	start, result := tool("a", t0+1, "start"), tool("a", t0+9, "result")
	end := failure("x", t0+5, InternalError)
	for _, c := range []struct {
		name   string
		inputs []Input
		want   string
	}{
		{"a result after the end", []Input{prompt(), start, end, result}, "a:start"},
		{"in another order", []Input{prompt(), result, end, start}, "a:start"},
		{"a result within the end's second", []Input{prompt(), start, end, tool("a", t0+5, "result")}, "a:result"},
		{"a start after the end", []Input{prompt(), end, tool("b", t0+6, "start")}, ""},
		{"seen earlier after all", []Input{prompt(), start, end, result, later(result, t0+4)}, "a:result"},
	} {
		equal(t, c.name, rows(viewOf(c.inputs...)), c.want)
	}
}
